//! Code that is the same elsewhere leaves a memory true, unless its text says where it was.

use crate::code::{LOGIN, file, fresh, picture, service, symbol, syncs};
use cairn_tests::{House, Role, at};
use serde_json::json;

#[tokio::test]
async fn a_text_that_names_the_old_place_is_to_be_looked_at() {
    let house = House::open().await;
    let (agent, reviewer) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    syncs(&agent, picture("main", "c1", vec![service("()", "one")])).await;
    let on = json!([{"repo": "gateway", "path": LOGIN, "symbol": "authenticate_user"}]);
    let remembers = async |content: &str| agent.remembers_all_of(json!({"content": content, "anchors": on})).await;
    let by_path = remembers("The way in is in auth/service.py").await;
    let written_anew = remembers("Passwords are compared in service.py").await;
    let by_name = remembers("authenticate_user is constant in time").await;
    let moved = |name: &str, commit: &str| {
        let files = vec![file(LOGIN, vec![symbol("log_out", "out()", "bye")]), file("auth/users.py", vec![symbol(name, "()", "one")])];
        picture("main", commit, files)
    };
    let told = syncs(&agent, moved("authenticate_user", "c2")).await;
    assert_eq!((&told["counts"]["suspect"], &told["counts"]["moved"]), (&json!(2), &json!(1)), "{told}");
    let old = json!({"state": "suspect", "reasons": ["authenticate_user moved to auth/users.py in c2, and the text names the old place"]});
    assert_eq!(fresh(&agent, &by_path).await, old);
    assert_eq!(fresh(&agent, &by_name).await["state"], "fresh");
    let read = agent.get(&at(&by_path)).await.expect(200);
    assert_eq!((&read["anchors"][0]["path"], &read["anchors"][0]["state"]), (&json!("auth/users.py"), &json!("suspect")), "it follows");
    // Looked at again, it says the same; of the same commit as before.
    syncs(&agent, moved("authenticate_user", "c3")).await;
    syncs(
        &agent,
        picture("main", "c4", vec![file("auth/users.py", vec![symbol("authenticate_user", "()", "one"), symbol("new", "()", "x")])]),
    )
    .await;
    assert_eq!(fresh(&agent, &by_path).await, old);
    // A person says that it holds, or somebody writes it anew.
    reviewer.post(&format!("{}/verify", at(&by_path)), json!({})).await.expect(200);
    assert_eq!(fresh(&agent, &by_path).await["state"], "fresh");
    agent.revises(&written_anew, json!({"content": "Passwords are compared in users.py"})).await;
    assert_eq!(fresh(&agent, &written_anew).await["state"], "fresh");
    // Another name.
    let renamed = vec![file("auth/users.py", vec![symbol("verify_user", "()", "one")])];
    syncs(&agent, picture("main", "c5", renamed)).await;
    assert_eq!(
        fresh(&agent, &by_name).await["reasons"],
        json!(["authenticate_user is called verify_user since c5 (auth/users.py), and the text names it as it was"])
    );
    assert_eq!(fresh(&agent, &written_anew).await["state"], "fresh", "which names no symbol");
    // Back where it was, so is the memory.
    syncs(&agent, picture("main", "c6", vec![service("()", "one")])).await;
    assert_eq!(fresh(&agent, &by_name).await["state"], "fresh");
}
