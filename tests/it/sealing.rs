//! What was sealed can be proven to others, with the notary's public keys and nothing else of ours.

use cairn_server::engines::seal::note;
use cairn_tests::House;
use serde_json::Value;

async fn keys(house: &House) -> Vec<Value> {
    house.stranger().get("/.well-known/cairn-trail-keys.json").await.expect(200)["keys"].as_array().expect("keys").clone()
}

#[tokio::test]
async fn a_new_key_leaves_what_was_signed_before_verifiable() {
    let house = House::open().await;
    let notary = house.app().notary();
    let (before, old) = (keys(&house).await, notary.sign_note("before\n").unwrap());
    assert_eq!(before.len(), 1);
    assert!(before[0]["retired_at"].is_null());
    assert!(house.runs(&["rotate-keys"]).await.fine().contains(notary.name().unwrap().as_str()));
    notary.look_again(house.app().db()).await.unwrap();
    let (after, new) = (keys(&house).await, notary.sign_note("after\n").unwrap());
    assert_eq!(after.len(), 2, "none is forgotten");
    assert!(after[0]["retired_at"].is_null() && after[1]["retired_at"].is_string());
    assert_eq!(after[1]["vkey"], before[0]["vkey"]);
    let [newest, oldest] = [0, 1].map(|n| after[n]["vkey"].as_str().unwrap());
    assert_eq!(note::verify(&old, &[newest, oldest]).as_deref(), Ok("before\n"));
    assert_eq!(note::verify(&new, &[newest]).as_deref(), Ok("after\n"));
    assert_eq!(note::verify(&new, &[oldest]), Err(note::NoteProblem::Unknown));
    let name = |vkey: &str| vkey.split('+').next().unwrap().to_owned();
    assert_eq!(name(newest), name(oldest), "the name is handed on");
}
