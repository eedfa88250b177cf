//! Dreams that nobody asked for, and what becomes of what a dream put up.

use super::{
    code::{LOGIN, file, fresh, picture as pictured, service, symbol, syncs},
    dreams::{count, dreams, house, live, picture},
};
use cairn_tests::Role;
use serde_json::{Value, json};
use sqlx::Executor;

#[tokio::test]
async fn what_a_dream_put_up_goes_with_it_and_comes_back() {
    let (house, person) = house().await;
    let writer = house.agent("coding", Role::Writer).await;
    live(&house, &writer).await;
    let before = picture(&person).await;
    let dream = dreams(&person, json!({"mode": "review"})).await;
    let open = async || person.lists("proposals?origin=dream&state=open&limit=200").await.len();
    let put_up = open().await;
    assert!(put_up > 2 && count(&dream, "merge", "proposed") > 0, "{dream}");

    let undone = person.post("rollbacks", json!({"dream_id": dream["id"]})).await.expect(201);
    assert_eq!((open().await, undone["counts"]["withdrawn"].as_u64()), (0, Some(put_up as u64)), "{undone}");
    person.post("rollbacks", json!({"rollback_id": undone["id"]})).await.expect(201);
    assert_eq!(open().await, put_up);
    let after = picture(&person).await;
    assert!(before.iter().all(|(id, was)| after[id] == *was));
}

#[tokio::test]
async fn a_workspace_dreams_by_itself_once_a_day() {
    let (house, person) = house().await;
    let writer = house.agent("coding", Role::Writer).await;
    live(&house, &writer).await;
    let by_itself = async || cairn_server::acts::dreams::dream_where_due(house.app()).await.expect("dreams where it is due");
    by_itself().await;
    assert_eq!(person.lists("dreams").await, Vec::<Value>::new(), "it is too young");
    house.owner().execute("update workspaces set created_at = now() - interval '2 days'").await.expect("is older");
    by_itself().await;
    by_itself().await;
    let all = person.lists("dreams").await;
    assert_eq!(all.len(), 1, "once a day: {all:?}");
    assert_eq!((&all[0]["state"], &all[0]["mode"], &all[0]["started_by"]["type"]), (&json!("done"), &json!("review"), &json!("system")));
    assert!(!person.lists("proposals?origin=dream&state=open").await.is_empty());
    // Where nobody wants it, it does not.
    house.admin().await.patch("/v1/workspaces/coding", json!({"settings": {"dream_mode": "off"}})).await.expect(200);
    house.owner().execute("update dreams set started_at = now() - interval '2 days'").await.expect("is long ago");
    by_itself().await;
    assert_eq!(person.lists("dreams").await.len(), 1);
}

#[tokio::test]
async fn what_the_code_says_of_a_place_goes_with_it_into_what_stays() {
    let (_house, person) = house().await;
    syncs(&person, pictured("main", "aaa111", vec![service("(name)", "compare")])).await;
    let text = "The gateway compares passwords in constant time because attackers measure how long an answer takes";
    let on = |symbol: &str| json!([{"repo": "gateway", "path": LOGIN, "symbol": symbol}]);
    let stays = json!({"content": text, "path": "/a.md", "confidence": 1.0, "anchors": on("log_out")});
    let goes =
        json!({"content": format!("**{}**", text.to_lowercase()), "path": "/b.md", "confidence": 0.5, "anchors": on("authenticate_user")});
    let (stays, goes) = (person.remembers_all_of(stays).await, person.remembers_all_of(goes).await);
    syncs(&person, pictured("main", "bbb222", vec![file(LOGIN, vec![symbol("log_out", "out()", "bye")])])).await;
    assert_eq!(fresh(&person, &goes).await["state"], "stale");
    dreams(&person, json!({"mode": "auto"})).await;
    let kept = person.reads(&stays).await;
    assert_eq!((&kept["state"], kept["anchors"].as_array().map(Vec::len)), (&json!("active"), Some(2)), "{kept}");
    assert_eq!(kept["freshness"]["state"], "stale", "{kept}");
}

#[tokio::test]
async fn what_a_picture_first_saw_of_a_place_goes_with_it_into_what_stays() {
    let (_house, person) = house().await;
    let text = "The gateway compares passwords in constant time because attackers measure how long an answer takes";
    let on = |symbol: &str| json!([{"repo": "gateway", "path": LOGIN, "symbol": symbol}]);
    let stays = json!({"content": text, "path": "/a.md", "confidence": 1.0, "anchors": on("log_out")});
    let goes =
        json!({"content": format!("**{}**", text.to_lowercase()), "path": "/b.md", "confidence": 0.5, "anchors": on("authenticate_user")});
    let (stays, _goes) = (person.remembers_all_of(stays).await, person.remembers_all_of(goes).await);
    syncs(&person, pictured("main", "aaa111", vec![service("(name)", "compare")])).await;
    dreams(&person, json!({"mode": "auto"})).await;
    assert_eq!(person.reads(&stays).await["anchors"].as_array().map(Vec::len), Some(2));
    for (commit, symbols) in [("bbb222", vec![symbol("log_out", "out(all)", "bye"), symbol("authenticate_user", "(name)", "compare")])] {
        syncs(&person, pictured("main", commit, vec![file(LOGIN, symbols)])).await;
    }
    assert_eq!(fresh(&person, &stays).await["state"], "stale", "its own place is another by now");
}
