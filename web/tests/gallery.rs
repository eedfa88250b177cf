//! Promises that every page keeps, checked on every sample.

mod markup;

use cairn_web::{assets, samples};
use markup::Tag;

/// All tags of every sample, with its name.
fn gallery() -> Vec<(&'static str, Vec<Tag>)> {
    let samples = samples::all();
    assert!(samples.len() > 30, "a gallery of every page and state");
    samples.into_iter().map(|sample| (sample.name, markup::tags(&sample.html))).collect()
}

#[test]
fn nothing_is_inline_and_nothing_hostile_becomes_markup() {
    for (name, tags) in gallery() {
        for tag in &tags {
            assert!(!["img", "style", "iframe", "object", "base"].contains(&tag.name.as_str()), "{name}: {tag:?}");
            assert!(
                !tag.has("style") && !tag.attributes.iter().any(|(key, _)| key.starts_with("on") || key.starts_with("hx-on")),
                "{name}: {tag:?}"
            );
            if tag.name == "script" {
                assert!(tag.get("src").starts_with("/assets/"), "{name}: {tag:?}");
            }
            let address = [tag.get("href"), tag.get("src"), tag.get("action")].concat();
            assert!(!address.starts_with("javascript:"), "{name}: {tag:?}");
        }
    }
}

#[test]
fn only_one_h1_and_a_language_and_a_title() {
    for (name, tags) in gallery() {
        let count = |wanted: &str| tags.iter().filter(|tag| tag.name == wanted).count();
        assert_eq!((count("h1"), count("title"), count("html")), (1, 1, 1), "{name}");
        let html = tags.iter().find(|tag| tag.name == "html").expect("counted above");
        assert_eq!((html.get("lang"), html.has("data-theme")), ("en", true), "{name}");
    }
}

#[test]
fn every_form_that_changes_something_carries_the_csrf_token() {
    for (name, tags) in gallery() {
        for form in markup::inside(&tags, "form") {
            let posts = form[0].get("method") == "post";
            let carries = form.iter().any(|tag| tag.get("name") == "csrf" && !tag.get("value").is_empty());
            assert_eq!(posts, carries, "{name}: {:?}", form[0]);
        }
    }
}

#[test]
fn every_field_has_a_label() {
    for (name, tags) in gallery() {
        let labelled: usize = markup::inside(&tags, "label").iter().map(|label| fields(label)).sum();
        assert_eq!(labelled, fields(&tags), "{name}");
    }
}

fn fields(tags: &[Tag]) -> usize {
    let is_field = |tag: &&Tag| ["input", "select", "textarea"].contains(&tag.name.as_str()) && tag.get("type") != "hidden";
    tags.iter().filter(is_field).count()
}

#[test]
fn every_tag_that_opens_closes() {
    for (name, tags) in gallery() {
        assert_eq!(markup::unbalanced(&tags), None, "{name}");
    }
}

#[test]
fn every_asset_that_a_page_loads_is_there() {
    for (name, tags) in gallery() {
        let loaded = tags.iter().flat_map(|tag| [tag.get("href"), tag.get("src")]);
        for file in loaded.filter_map(|address| address.strip_prefix("/assets/")) {
            assert!(assets::find(file).is_some(), "{name} loads {file}");
        }
    }
}

#[test]
fn what_is_swapped_is_there() {
    for (name, tags) in gallery() {
        for places in tags.iter().flat_map(|tag| [tag.get("hx-target"), tag.get("hx-select"), tag.get("hx-select-oob")]) {
            for id in places.split(',').filter_map(|place| place.strip_prefix('#')) {
                assert!(tags.iter().any(|tag| tag.get("id") == id), "{name}: nothing is #{id}");
            }
        }
        for tag in tags.iter().filter(|tag| tag.has("hx-push-url") || tag.has("hx-post")) {
            assert!(tag.get("hx-select-oob").split(',').any(|place| place == "#flash"), "{name} would keep an old word: {tag:?}");
        }
    }
}

#[test]
fn every_class_in_a_page_is_one_of_ours_or_a_word_of_the_api() {
    let css: String = assets::all()
        .iter()
        .filter(|asset| asset.content_type.starts_with("text/css"))
        .map(|asset| String::from_utf8_lossy(asset.bytes))
        .collect();
    let open = ["kind-", "state-", "request-", "fresh-", "doubt-", "run-", "moment-", "item-", "origin-", "dream-", "outcome-", "key-"];
    for (name, tags) in gallery().into_iter().filter(|(name, _)| !name.contains("hostile")) {
        for class in tags.iter().flat_map(|tag| tag.get("class").split_whitespace()) {
            let known = css.contains(&format!(".{class}")) || open.iter().any(|word| class.starts_with(word));
            assert!(known, "{name}: nothing styles .{class}");
        }
    }
}
