//! Every problem points to where it is explained.

use cairn_tests::House;
use std::{fs, path::Path};

#[tokio::test]
async fn a_problem_is_explained_where_it_points_to() {
    let house = House::open().await;
    let anyone = house.stranger();
    let problem = anyone.get("/v1/me").await;
    let (page, code) = problem.refuses(401, "unauthenticated").body["type"].as_str().unwrap().split_once('#').unwrap();
    let page = anyone.get(page).await;
    assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
    assert!(page.text().contains(&format!("<h3 id=\"{code}\">")), "{page:?}");
    let dark = anyone.ask("GET", "/docs/problems").header("Cookie", "cairn_theme=dark").send().await;
    assert!(dark.text().contains("data-theme=\"dark\""));
}

#[test]
fn every_code_in_the_source_is_explained_and_every_explanation_is_of_one() {
    let mut source = String::new();
    read_all(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../server/src")), &mut source);
    let explained: Vec<&str> = include_str!("../../docs/problems.md").lines().filter_map(|line| line.strip_prefix("### ")).collect();
    for code in &explained {
        assert!(source.contains(&format!("\"{code}\"")), "{code} is explained, and nobody says it");
    }
    let squeezed: String = source.split_whitespace().collect();
    for start in ["conflict(\"", "conflict_with(\"", "Forbidden(\""] {
        for code in squeezed.split(start).skip(1).filter_map(|rest| rest.split('"').next()) {
            assert!(explained.contains(&code), "docs/problems.md does not explain {code}");
        }
    }
}

fn read_all(folder: &Path, into: &mut String) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            read_all(&path, into);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            into.push_str(&fs::read_to_string(&path).expect("a source file"));
        }
    }
}
