use super::*;
use proptest::prelude::*;

fn symbol(name: &str, start: u32, end: u32) -> Symbol {
    let hash = "0123456789abcdef".to_owned();
    Symbol { name: name.to_owned(), kind: "function".to_owned(), signature: hash.clone(), body: hash, start, end, shingles: Vec::new() }
}

fn tree() -> Vec<File> {
    let file = |path: &str, symbols| File::of(path.to_owned(), "0123456789abcdef".to_owned(), Some(symbols));
    vec![
        file("auth/service.py", vec![symbol("authenticate_user", 10, 30), symbol("Session", 40, 90), symbol("Session.open", 50, 60)]),
        file("billing/service.py", vec![symbol("charge", 1, 20), symbol("Invoice.open", 30, 40)]),
        file("src/lib.rs", vec![symbol("parse", 1, 9)]),
    ]
}

fn found(text: &str) -> Vec<String> {
    let files = tree();
    let files: Vec<&File> = files.iter().collect();
    let shown = |one: Named| one.symbol.map_or_else(|| one.path.clone(), |symbol| format!("{}#{symbol}", one.path));
    resolve(&mentions(text), &files).into_iter().map(shown).collect()
}

#[test]
fn what_a_text_names_is_found_where_it_is_one_thing() {
    for (text, named) in [
        ("`authenticate_user()` must stay constant in time", vec!["auth/service.py#authenticate_user"]),
        ("see auth/service.py.", vec!["auth/service.py"]),
        ("see ./auth/service.py:55 for how", vec!["auth/service.py#Session.open"]),
        ("(src/lib.rs:3:7)", vec!["src/lib.rs#parse"]),
        ("  File \"/srv/app/auth/service.py\", line 12, in authenticate_user", vec!["auth/service.py#authenticate_user"]),
        ("at Session.open (auth/service.py:52:3)", vec!["auth/service.py#Session.open"]),
        ("`Session::open` and `Invoice.open`", vec!["auth/service.py#Session.open", "billing/service.py#Invoice.open"]),
        // A symbol says more than its file.
        ("`authenticate_user` in auth/service.py", vec!["auth/service.py#authenticate_user"]),
        // Two files end so, two symbols are called so, and some words are only words.
        ("look at service.py", vec![]),
        ("call `open()` first", vec![]),
        ("`true`, `main`, e.g. this, version 1.2, https://example.org/auth/service.py", vec![]),
        ("nothing at all", vec![]),
        ("elsewhere/auth.py", vec![]),
    ] {
        assert_eq!(found(text), named, "{text}");
    }
}

proptest! {
    #[test]
    fn any_text_names_at_most_a_few(text in "\\PC{0,400}", code in "[`/.:#a-z_(){} \\n]{0,200}") {
        prop_assert!(mentions(&text).len() <= MOST_MENTIONS);
        prop_assert!(found(&code).len() <= MOST);
    }
}
