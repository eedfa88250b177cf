//! What waits is decided by somebody: with what speaks for it, in other words if need be, one or many at once.

use cairn_tests::{Agent, House, Person, Role, at, nobody};
use serde_json::{Value, json};
use uuid::Uuid;

fn id(of: &Value) -> &str {
    of["id"].as_str().unwrap_or_else(|| panic!("no id: {of}"))
}

/// Somebody who writes facts, all of which wait, and somebody who decides.
async fn waiting_room() -> (House, Agent, Person) {
    let house = House::open().await;
    let admin = house.person("coding", Role::Admin).await;
    let always = json!({"review_threshold": "always"});
    admin.put("policies", json!({"policies": {"fact": always, "decision": always}})).await.expect(200);
    let (agent, person) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    (house, agent, person)
}

async fn only_one(person: &Person) -> String {
    let all = person.lists("proposals").await;
    assert_eq!(all.len(), 1, "{all:?}");
    format!("proposals/{}", id(&all[0]))
}

#[tokio::test]
async fn a_proposal_is_read_with_what_is_similar() {
    let (_house, agent, person) = waiting_room().await;
    let known = person.remembers("The gateway retries failed requests three times.").await;
    person.remembers("The cafeteria opens at noon.").await;
    let waiting = agent.remembers("The gateway retries failed requests after a second.").await;
    let one = person.get(&only_one(&person).await).await.expect(200);
    assert_eq!((&one["memory"]["id"], &one["origin"], &one["state"]), (&waiting["id"], &json!("policy"), &json!("open")));
    let similar = one["similar"].as_array().unwrap();
    assert_eq!((similar.len(), &similar[0]["memory_id"], &similar[0]["title"]), (1, &known["id"], &known["title"]), "{one}");
    assert_eq!(one["touches"], json!([]));
}

#[tokio::test]
async fn approved_is_known_and_rejected_does_not_come_back() {
    let (_house, agent, person) = waiting_room().await;
    let yes = agent.remembers("Invoices are sent on Mondays.").await;
    let proposal = only_one(&person).await;
    agent.post(&format!("{proposal}/approve"), json!({})).await.refuses(403, "forbidden");
    let approved = person.post(&format!("{proposal}/approve"), json!({"note": "so it is"})).await.expect(200);
    assert_eq!(
        (&approved["state"], &approved["note"], &approved["memory"]["state"]),
        (&json!("approved"), &json!("so it is"), &json!("active"))
    );
    assert_eq!(agent.recalls("When are invoices sent?").await, ["Invoices are sent on Mondays."]);
    assert_eq!(agent.reads(&yes).await["state"], "active");
    let no = agent.remembers("Invoices are blue.").await;
    let proposal = only_one(&person).await;
    person.post(&format!("{proposal}/reject"), json!({"note": "they are not"})).await.expect(200);
    person.post(&format!("{proposal}/approve"), json!({})).await.refuses(409, "wrong_state");
    for again in [json!({"content": "Invoices are blue."}), json!({"content": "Invoices are blue.", "path": "/elsewhere.md"})] {
        let reply = agent.post("memories", again).await;
        assert_eq!((reply.status, &reply.body["id"], &reply.body["state"]), (200, &no["id"], &json!("archived")));
    }
    assert!(person.lists("proposals").await.is_empty());
    person.ask("POST", &format!("{}/restore", at(&no))).send().await.refuses(409, "wrong_state");
    // A person may still say so.
    assert_eq!(person.remembers("Invoices are blue.").await["state"], "active");
}

#[tokio::test]
async fn edited_is_known_in_other_words() {
    let (house, agent, person) = waiting_room().await;
    let waiting = agent.remembers("Invoices are sent on Modnays.").await;
    let proposal = only_one(&person).await;
    let edit = json!({"content": "Invoices are sent on Mondays.", "title": "Invoices", "tags": ["billing"], "reason": "a slip"});
    let edited = person.post(&format!("{proposal}/edit"), edit).await.expect(200);
    assert_eq!((&edited["state"], &edited["memory_id"], &edited["note"]), (&json!("approved"), &waiting["id"], &json!("a slip")));
    let memory = agent.reads(&waiting).await;
    assert_eq!(
        (&memory["content"], &memory["state"], &memory["version"]),
        (&json!("Invoices are sent on Mondays."), &json!("active"), &json!(2))
    );
    assert_eq!((&memory["title"], &memory["tags"]), (&json!("Invoices"), &json!(["billing"])));
    let actions: Vec<Value> =
        house.person("coding", Role::Auditor).await.trail_of(id(&waiting)).await.iter().map(|entry| entry["action"].clone()).collect();
    assert_eq!(actions, ["memory.remembered", "memory.revised"]);
    person.post(&format!("{proposal}/edit"), json!({"title": "Again"})).await.refuses(409, "wrong_state");
}

#[tokio::test]
async fn a_decision_that_waits_is_replaced_and_not_rewritten() {
    let (_house, agent, person) = waiting_room().await;
    let old = person.remembers_all_of(json!({"content": "Service tokens are signed with RS256.", "kind": "decision"})).await;
    let waiting =
        agent.remembers_all_of(json!({"content": "Service tokens live for an hour.", "kind": "decision", "title": "Tokens"})).await;
    let proposal = only_one(&person).await;
    let edited = person.post(&format!("{proposal}/edit"), json!({"content": "Service tokens are signed with HS256."})).await.expect(200);
    let (decided, was) = (&edited["memory"], agent.reads(&waiting).await);
    assert_ne!(decided["id"], waiting["id"]);
    assert_eq!((&edited["memory_id"], &decided["state"], &decided["title"]), (&decided["id"], &json!("active"), &json!("Tokens")));
    assert_eq!((&was["state"], &was["superseded_by"]), (&json!("superseded"), &decided["id"]));
    assert_eq!(was["content"], "Service tokens live for an hour.", "what was proposed stays as it was");
    let lost = agent.reads(&old).await;
    assert_eq!((&lost["state"], &lost["superseded_by"]), (&json!("superseded"), &decided["id"]), "whoever edits it decides for it");
    assert_eq!(decided["supersedes"], old["id"], "and it says whose place it took");
}

#[tokio::test]
async fn a_waiting_decision_that_contradicts_by_now_is_not_simply_approved() {
    let (_house, agent, person) = waiting_room().await;
    agent.remembers_all_of(json!({"content": "Service tokens are signed with HS256.", "kind": "decision"})).await;
    person.remembers_all_of(json!({"content": "Service tokens are signed with RS256.", "kind": "decision"})).await;
    let proposal = only_one(&person).await;
    person.post(&format!("{proposal}/approve"), json!({})).await.refuses(409, "decision_conflict");
    person.post(&format!("{proposal}/reject"), json!({})).await.expect(200);
}

#[tokio::test]
async fn what_became_a_decision_meanwhile_is_not_replaced_by_a_fact() {
    let (_house, agent, person) = waiting_room().await;
    let old = person.remembers("Invoices are sent on Mondays.").await;
    let waiting = agent.remembers_all_of(json!({"content": "Invoices are sent on Tuesdays.", "supersedes": old["id"]})).await;
    person.revises(&old, json!({"kind": "decision"})).await;
    person.post(&format!("{}/approve", only_one(&person).await), json!({})).await.expect(200);
    assert_eq!((&agent.reads(&old).await["state"], &agent.reads(&waiting).await["state"]), (&json!("active"), &json!("active")));
}

#[tokio::test]
async fn what_was_put_away_while_it_waited_leaves_the_queue() {
    let (_house, agent, person) = waiting_room().await;
    let waiting = agent.remembers("Invoices are green.").await;
    let proposal = only_one(&person).await;
    agent.delete(&at(&waiting)).await.expect(200);
    person.post(&format!("{proposal}/approve"), json!({})).await.refuses(409, "wrong_state");
    let rejected = person.post(&format!("{proposal}/reject"), json!({})).await.expect(200);
    assert_eq!((&rejected["state"], &rejected["memory"]["state"]), (&json!("rejected"), &json!("archived")));
    assert!(person.lists("proposals").await.is_empty());
    agent.ask("POST", &format!("{}/restore", at(&waiting))).send().await.refuses(409, "wrong_state");
    // A rejection that was taken back, and that taken back too: of what waits, and of what was put away meanwhile.
    for put_away in [false, true] {
        let waiting = agent.remembers(&format!("Invoices are red: {put_away}.")).await;
        let proposal = only_one(&person).await;
        if put_away {
            agent.delete(&at(&waiting)).await.expect(200);
        }
        let run = person.post("sessions", json!({"agent_tool": "codex"})).await.expect(201);
        let reject = person.ask("POST", &format!("{proposal}/reject")).header("X-Cairn-Session", id(&run)).json(&json!({}));
        reject.send().await.expect(200);
        let undone = person.post("rollbacks", json!({"session_id": id(&run)})).await.expect(201);
        assert_eq!(person.get(&proposal).await.expect(200)["state"], "open");
        person.post("rollbacks", json!({"rollback_id": id(&undone)})).await.expect(201);
        assert_eq!(person.get(&proposal).await.expect(200)["state"], "rejected");
        agent.ask("POST", &format!("{}/restore", at(&waiting))).send().await.refuses(409, "wrong_state");
    }
}

#[tokio::test]
async fn no_older_version_is_a_way_around_the_review() {
    let (_house, agent, person) = waiting_room().await;
    for (put_away, content) in [(false, "Invoices are green."), (true, "Invoices are red.")] {
        let waiting = agent.remembers(content).await;
        let proposal = only_one(&person).await;
        let run = person.post("sessions", json!({"agent_tool": "codex"})).await.expect(201);
        let approve = person.ask("POST", &format!("{proposal}/approve")).header("X-Cairn-Session", id(&run)).json(&json!({}));
        approve.send().await.expect(200);
        person.post("rollbacks", json!({"session_id": id(&run)})).await.expect(201);
        assert_eq!(agent.reads(&waiting).await["state"], "proposed", "it was active once, as version 2");
        let revert = async || agent.post(&format!("{}/revert", at(&waiting)), json!({"version": 2})).await;
        if put_away {
            agent.delete(&at(&waiting)).await.expect(200);
            assert_eq!(revert().await.expect(200)["state"], "proposed", "it waits again");
            person.post(&format!("{proposal}/approve"), json!({})).await.expect(200);
            assert_eq!(agent.reads(&waiting).await["state"], "active");
        } else {
            person.post(&format!("{proposal}/reject"), json!({})).await.expect(200);
            revert().await.refuses(409, "wrong_state");
            assert_eq!(agent.reads(&waiting).await["state"], "archived");
        }
    }
}

#[tokio::test]
async fn a_waiting_decision_is_not_edited_into_one_that_is_known() {
    let (_house, agent, person) = waiting_room().await;
    let decides = async |content: &str| agent.remembers_all_of(json!({"content": content, "kind": "decision"})).await;
    let known = decides("Invoices are sent on Mondays.").await;
    person.post(&format!("{}/approve", only_one(&person).await), json!({})).await.expect(200);
    let waiting = decides("The cafeteria opens at noon.").await;
    let edit = format!("{}/edit", only_one(&person).await);
    let refused = person.post(&edit, json!({"content": "Invoices are sent on Mondays."})).await;
    let refused = refused.refuses(409, "wrong_state").body.clone();
    assert!(refused["detail"].as_str().is_some_and(|why| why.contains(known["path"].as_str().expect("a path"))), "{refused}");
    assert_eq!(agent.reads(&waiting).await["state"], "proposed");
    person.post(&edit, json!({"content": "The cafeteria opens at eleven."})).await.expect(200);
}

#[tokio::test]
async fn somebody_is_asked_to_look_at_it() {
    let (house, agent, person) = waiting_room().await;
    agent.remembers("Invoices are sent on Mondays.").await;
    let proposal = only_one(&person).await;
    let writer = house.person("coding", Role::Writer).await;
    for (to, field) in [(json!(writer.id), "to"), (json!(Uuid::max()), "to"), (json!("me"), "to")] {
        let reply = person.post(&format!("{proposal}/assign"), json!({ "to": to })).await;
        assert_eq!((reply.status, reply.wrong_fields()), (422, vec![field]), "{reply:?}");
    }
    let assigned = person.post(&format!("{proposal}/assign"), json!({"to": person.id})).await.expect(200);
    assert_eq!((&assigned["assigned_to"]["id"], &assigned["assigned_to"]["name"]), (&json!(person.id), &json!(person.name)));
    assert_eq!(person.lists(&format!("proposals?assigned_to={}", person.id)).await.len(), 1);
    assert!(person.lists(&format!("proposals?assigned_to={}", writer.id)).await.is_empty());
    let cleared = person.post(&format!("{proposal}/assign"), json!({"to": null})).await.expect(200);
    assert_eq!(cleared["assigned_to"], json!(null));
    let auditor = house.person("coding", Role::Auditor).await;
    let trail = auditor.trail_of(proposal.trim_start_matches("proposals/")).await;
    assert_eq!(trail.iter().filter(|entry| entry["action"] == "proposal.assigned").count(), 2);
}

#[tokio::test]
async fn many_are_decided_at_once_all_or_none() {
    let (_house, agent, person) = waiting_room().await;
    for n in 0..6 {
        agent.remembers(&format!("Shelf {n} holds folder {n}.")).await;
    }
    let ids: Vec<Value> = person.lists("proposals?sort=oldest").await.iter().map(|one| one["id"].clone()).collect();
    let lost = Uuid::max();
    let reply = person.post("proposals/decide", json!({"approve": [ids[0], lost]})).await;
    assert_eq!((reply.status, reply.wrong_fields()), (422, vec!["decisions[1].id"]), "{reply:?}");
    assert_eq!(person.lists("proposals").await.len(), 6, "none was decided");
    let done =
        person.post("proposals/decide", json!({"approve": [ids[0], ids[1]], "reject": [ids[2]], "note": "by the list"})).await.expect(200);
    let states: Vec<&Value> = done["data"].as_array().unwrap().iter().map(|one| &one["state"]).collect();
    assert_eq!(states, ["approved", "approved", "rejected"]);
    let worded = json!({"decisions": [{"id": ids[3], "decision": "reject"}, {"id": ids[0], "decision": "approve"}]});
    person.post("proposals/decide", worded).await.expect(200);
    assert_eq!(person.lists("proposals").await.len(), 2);
    let otherwise = person.post("proposals/decide", json!({"approve": [ids[4]], "reject": [ids[0]]})).await;
    otherwise.refuses(409, "wrong_state");
    assert_eq!((&otherwise.body["index"], person.lists("proposals").await.len()), (&json!(1), 2));
    for wrong in [json!({}), json!({"approve": [ids[4], ids[4]]}), json!({"approve": vec![lost; 1001]})] {
        assert_eq!(person.post("proposals/decide", wrong).await.status, 422);
    }
}

#[tokio::test]
async fn the_queue_is_narrowed_and_its_oldest_come_first_if_wanted() {
    let (house, agent, person) = waiting_room().await;
    let first = agent.remembers_all_of(json!({"content": "Invoices are sent on Mondays.", "project": "billing"})).await;
    let second = agent.remembers_all_of(json!({"content": "Tokens live for an hour.", "kind": "decision"})).await;
    let ids = async |query: &str| {
        let listed = person.lists(&format!("proposals?{query}")).await;
        listed.iter().map(|one| one["memory_id"].clone()).collect::<Vec<_>>()
    };
    let (first, second) = (first["id"].clone(), second["id"].clone());
    assert_eq!(ids("").await, [second.clone(), first.clone()]);
    assert_eq!(ids("sort=oldest&limit=1").await, [first.clone(), second.clone()]);
    assert_eq!(ids("kind=decision").await, std::slice::from_ref(&second));
    assert_eq!(ids("project=billing").await, std::slice::from_ref(&first));
    assert_eq!(ids("origin=policy").await.len(), 2);
    assert!(ids("origin=dream").await.is_empty());
    assert!(ids("older_than_days=1").await.is_empty());
    let back = format!("update proposals set created_at = created_at - interval '2 days' where memory_id = '{}'", first.as_str().unwrap());
    sqlx::raw_sql(sqlx::AssertSqlSafe(back)).execute(house.owner()).await.unwrap();
    assert_eq!(ids("older_than_days=1").await, [first]);
    assert_eq!(person.get("proposals?older_than_days=99999").await.wrong_fields(), ["older_than_days"]);
}

#[tokio::test]
async fn walls_hold_for_proposals() {
    let (house, agent, person) = waiting_room().await;
    agent.remembers_all_of(json!({"content": "Invoices are sent on Mondays.", "project": "billing"})).await;
    let proposal = only_one(&person).await;
    let (inside, outside) =
        (house.agent_in("coding", "billing", Role::Reviewer).await, house.agent_in("coding", "gateway", Role::Reviewer).await);
    inside.get(&proposal).await.expect(200);
    outside.get(&proposal).await.refuses(404, "not_found");
    for act in ["approve", "reject", "edit", "assign"] {
        let body = if act == "assign" { json!({"to": null}) } else { json!({}) };
        outside.post(&format!("{proposal}/{act}"), body).await.refuses(404, "not_found");
    }
    let bulk = outside.post("proposals/decide", json!({"approve": [proposal.trim_start_matches("proposals/")]})).await;
    bulk.refuses(422, "invalid");
    assert!(outside.lists("proposals").await.is_empty());
    // What somebody's agent keeps for them alone waits for them alone.
    let owner = house.person("coding", Role::Reviewer).await;
    let own = house.agent_like("coding", json!({"name": "own", "role": "writer", "owner": owner.id})).await;
    own.remembers_all_of(json!({"content": "My desk is by the window.", "visibility": "private"})).await;
    assert_eq!((owner.lists("proposals").await.len(), person.lists("proposals").await.len()), (2, 1));
}

/// As a curation run would put it.
pub async fn dreamt(house: &House, about: &Value, change: Value) -> String {
    let proposal = nobody();
    let sql = format!(
        "begin; set local session_replication_role = replica;
         insert into proposals (workspace_id, id, origin, key, memory_id, change, state, reason, confidence, created_at, audit_id)
         select workspace_id, '{proposal}', 'dream', '{proposal}', id, '{change}', 'open', 'They say the same.', 0.9, now(), audit_id
         from memories where id = '{}'; commit",
        id(about)
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(house.owner()).await.expect("is there");
    format!("proposals/{proposal}")
}

#[tokio::test]
async fn a_change_is_done_when_it_is_approved_and_left_when_rejected() {
    let house = House::open().await;
    let (agent, person) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let mut all = Vec::new();
    for text in ["Invoices go out on Mondays.", "On Mondays invoices go out.", "The lift is slow.", "The lift hums."] {
        all.push(agent.remembers(text).await);
    }
    let merge = dreamt(&house, &all[0], json!({"type": "merge", "keep": all[0]["id"], "away": [all[1]["id"]]})).await;
    let read = person.get(&merge).await.expect(200);
    assert_eq!((&read["change"]["type"], read["touches"].as_array().unwrap().len()), (&json!("merge"), 2));
    person.post(&format!("{merge}/edit"), json!({"title": "x"})).await.refuses(409, "wrong_state");
    person.post(&format!("{merge}/approve"), json!({})).await.expect(200);
    let away = agent.reads(&all[1]).await;
    assert_eq!((&away["state"], &away["superseded_by"]), (&json!("superseded"), &all[0]["id"]));
    assert_eq!(agent.reads(&all[0]).await["version"], 1, "what stays is as it was");
    let archive = |one: &Value| json!({"type": "archive", "memories": [one["id"]]});
    let rejected = dreamt(&house, &all[2], archive(&all[2])).await;
    person.post(&format!("{rejected}/reject"), json!({})).await.expect(200);
    assert_eq!(agent.reads(&all[2]).await["state"], "active");
    let approved = dreamt(&house, &all[2], archive(&all[2])).await;
    let bulk = json!({"approve": [approved.trim_start_matches("proposals/")]});
    person.post("proposals/decide", bulk).await.expect(200);
    assert_eq!(agent.reads(&all[2]).await["state"], "archived");
    agent.ask("POST", &format!("{}/restore", at(&all[2]))).send().await.expect(200);
    let verify = dreamt(&house, &all[3], json!({"type": "verify", "memories": [all[3]["id"]]})).await;
    person.post(&format!("{verify}/approve"), json!({})).await.expect(200);
    assert_eq!(agent.reads(&all[3]).await["verified_by"]["id"], json!(person.id));
    let too_late = dreamt(&house, &all[1], json!({"type": "merge", "keep": all[1]["id"], "away": [all[0]["id"]]})).await;
    person.post(&format!("{too_late}/approve"), json!({})).await.refuses(409, "wrong_state");
    assert_eq!(agent.reads(&all[0]).await["state"], "active");
}
