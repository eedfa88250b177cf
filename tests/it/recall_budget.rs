//! How much an answer says: within the budget, nothing cut in half, the same thing once, and what was left out is told.

use cairn_tests::{Agent, House, Role, items, texts};
use serde_json::{Value, json};

const NAMES: [&str; 6] = ["amber", "birch", "cedar", "dune", "ember", "fjord"];

/// Rules of growing length on one subject, none of which says what another does.
async fn rule_book() -> (House, Agent, Vec<String>) {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let rules: Vec<String> = NAMES
        .iter()
        .enumerate()
        .map(|(n, name)| {
            format!("The rule of {name} on harbours: {}.", format!("{name} goes {n} before the {name}boat ").repeat(4 * n + 1))
        })
        .collect();
    for rule in &rules {
        agent.remembers(rule).await;
    }
    (house, agent, rules)
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("no number: {value}"))
}

#[tokio::test]
async fn a_budget_is_never_exceeded_and_nothing_is_cut_in_half() {
    let (_house, agent, rules) = rule_book().await;
    let all = agent.asks(json!({"query": "rules on harbours"})).await;
    assert_eq!((items(&all).len(), &all["omitted"], &all["omitted_tokens"]), (6, &json!(0), &json!(0)));
    let whole = number(&all["tokens"]);
    assert_eq!(whole, items(&all).iter().map(|item| number(&item["tokens"])).sum::<u64>());
    for budget in [1, 5, 20, 50, whole / 2, whole - 1, whole, 4_000_000_000] {
        let answer = agent.asks(json!({"query": "rules on harbours", "token_budget": budget})).await;
        let spent: u64 = items(&answer).iter().map(|item| number(&item["tokens"])).sum();
        assert!(spent <= budget && number(&answer["tokens"]) == spent, "{budget}: {answer}");
        assert!(texts(&answer).iter().all(|text| rules.contains(text)), "{budget}: {answer}");
        assert_eq!(number(&answer["omitted"]) + items(&answer).len() as u64, 6, "{budget}: {answer}");
        assert_eq!(number(&answer["omitted_tokens"]) + spent, whole, "{budget}: {answer}");
    }
    let nothing = agent.asks(json!({"query": "rules on harbours", "token_budget": 1})).await;
    assert_eq!((items(&nothing).len(), &nothing["omitted"]), (0, &json!(6)));
}

#[tokio::test]
async fn a_budget_is_filled_best_first() {
    let (_house, agent, _rules) = rule_book().await;
    let all = agent.asks(json!({"query": "rule of cedar on harbours"})).await;
    let budget = number(&items(&all)[0]["tokens"]);
    let answer = agent.asks(json!({"query": "rule of cedar on harbours", "token_budget": budget})).await;
    assert_eq!(items(&answer)[0]["memory_id"], items(&all)[0]["memory_id"]);
    assert!(texts(&answer)[0].starts_with("The rule of cedar"), "{answer}");
}

#[tokio::test]
async fn a_limit_is_a_limit() {
    let (_house, agent, _rules) = rule_book().await;
    for limit in [1, 2, 5] {
        assert_eq!(items(&agent.asks(json!({"query": "rules on harbours", "limit": limit})).await).len(), limit);
    }
    assert_eq!(items(&agent.asks(json!({"query": "rules on harbours", "limit": 100})).await).len(), 6);
}

#[tokio::test]
async fn an_index_has_no_texts_and_says_what_they_would_cost() {
    let (_house, agent, _rules) = rule_book().await;
    let full = agent.asks(json!({"query": "rules on harbours"})).await;
    let index = agent.asks(json!({"query": "rules on harbours", "detail": "index"})).await;
    for (bare, whole) in items(&index).iter().zip(items(&full)) {
        assert_eq!(bare["content"], Value::Null);
        for same in ["memory_id", "title", "kind", "tokens", "freshness", "score"] {
            assert_eq!(bare[same], whole[same], "{same}");
        }
    }
    assert!(number(&index["tokens"]) < number(&full["tokens"]));
}

#[tokio::test]
async fn an_excerpt_is_the_passage_that_answers() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let diary = format!(
        "{}The secret of the soup is smoked paprika.\n{}",
        "On Monday the crew met and spoke of many things.\n".repeat(60),
        "Later the crew went home in the rain.\n".repeat(60)
    );
    agent.remembers(&diary).await;
    agent.remembers("The soup is served at noon").await;
    let answer = agent.asks(json!({"query": "which spice is the secret of the soup?", "detail": "excerpt"})).await;
    let long = items(&answer).iter().find(|item| item["content"].as_str().unwrap().contains('…')).unwrap();
    let passage = long["content"].as_str().unwrap();
    assert!(passage.contains("The secret of the soup is smoked paprika.") && passage.len() < diary.len() / 5, "{passage}");
    assert!(diary.contains(passage.trim_matches(['…', ' '])), "the passage is not as it was written: {passage}");
    assert!(texts(&answer).contains(&"The soup is served at noon".to_owned()), "a short text comes whole: {answer}");
    let budget = number(&answer["tokens"]);
    let full = agent.asks(json!({"query": "which spice is the secret of the soup?", "token_budget": budget})).await;
    assert_eq!((texts(&full), &full["omitted"]), (vec!["The soup is served at noon".to_owned()], &json!(1)));
}

#[tokio::test]
async fn what_says_the_same_is_told_once() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let mut made = Vec::new();
    for (n, text) in
        ["Deploys are frozen on Fridays.", "deploys are frozen on Fridays", "Deploys are not frozen on Fridays."].iter().enumerate()
    {
        made.push(agent.remembers_all_of(json!({"content": text, "path": format!("/{n}.md")})).await);
    }
    let answer = agent.asks(json!({"query": "when are deploys frozen?"})).await;
    assert_eq!(items(&answer).len(), 2, "{answer}");
    let kept = items(&answer).iter().find(|item| item.get("folded").is_some()).unwrap();
    let mut pair = [&kept["memory_id"], &kept["folded"][0]].map(ToString::to_string);
    let mut twins = [&made[0]["id"], &made[1]["id"]].map(ToString::to_string);
    pair.sort();
    twins.sort();
    assert_eq!(pair, twins);
}

#[tokio::test]
async fn a_dozen_that_say_the_same_take_the_place_of_one() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    for end in [".", "!", "?", ";", ":", " .", " !", " ?", " ;", " :", "!!", "??", "..", " -", " *", " /"] {
        agent.remembers(&format!("Deploys are frozen on Fridays because nobody likes to be woken up on a Saturday night{end}")).await;
    }
    for name in ["amber", "birch", "cedar", "dune", "ember", "fjord", "glade", "heath", "islet", "jetty", "knoll", "lagoon"] {
        agent.remembers(&format!("Deploys of the {name} team are announced to the {name} desk by {name}bot")).await;
    }
    let answer = agent.asks(json!({"query": "deploys frozen on fridays because saturday night"})).await;
    assert_eq!(items(&answer).len(), 10, "{answer}");
    assert_eq!(items(&answer)[0]["folded"].as_array().unwrap().len(), 15, "{answer}");
}

#[tokio::test]
async fn a_small_budget_is_spent_on_what_fits_it() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    for n in 0..20 {
        let rule =
            format!("The rule of harbours number {n}: {}", format!("boat {n} waits for ferry {} at pier {}. ", n + 20, n + 40).repeat(6));
        agent.remembers(&rule).await;
    }
    agent.remembers("Harbours close").await;
    let answer = agent.asks(json!({"query": "the rule of harbours number", "token_budget": 8})).await;
    assert_eq!(texts(&answer), ["Harbours close"], "{answer}");
}
