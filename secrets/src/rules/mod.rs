//! The rules, as data. A rule has a name, a line for people, keywords, and a pattern that is matched from the keyword on and
//! whose first group is the secret. The order counts: where two overlap, the earlier one gives its name.

mod cloud;
mod code;
mod keys;
mod places;
mod services;

use crate::rule::Rule;

/// `NAME…= "value"` for secrets that only their name gives away: from the name on, the value in the group.
macro_rules! given_to {
    ($name:literal, $value:literal) => {
        concat!("(?i:", $name, r#")[A-Za-z0-9_. -]{0,24}["'\\\]]{0,4}[ \t]{0,8}(?:=>|:=|=|:|,)[ \t]{0,8}["'\\]{0,4}("#, $value, ")")
    };
}
pub(crate) use given_to;

const GROUPS: [&[Rule]; 5] = [&cloud::RULES, &code::RULES, &services::RULES, &keys::RULES, &places::RULES];

const COUNT: usize = cloud::RULES.len() + code::RULES.len() + services::RULES.len() + keys::RULES.len() + places::RULES.len();

pub(crate) static ALL: [Rule; COUNT] = all();

pub(crate) const KEYWORDS: usize = {
    let (rules, mut count, mut at) = (all(), 0, 0);
    while at < COUNT {
        count += rules[at].keywords.len();
        at += 1;
    }
    count
};

/// Every keyword with the number of its rule.
pub(crate) const fn keywords() -> [(&'static str, u8); KEYWORDS] {
    const { assert!(COUNT <= 256, "a rule's number fits into a byte") };
    let (rules, mut keywords, mut filled, mut at) = (all(), [("", 0); KEYWORDS], 0, 0);
    while at < COUNT {
        let mut which = 0;
        while which < rules[at].keywords.len() {
            #[expect(clippy::cast_possible_truncation, reason = "at most 256, asserted above")]
            {
                keywords[filled] = (rules[at].keywords[which], at as u8);
            }
            filled += 1;
            which += 1;
        }
        at += 1;
    }
    keywords
}

const fn all() -> [Rule; COUNT] {
    let (mut all, mut filled, mut group) = ([cloud::RULES[0]; COUNT], 0, 0);
    while group < GROUPS.len() {
        let mut at = 0;
        while at < GROUPS[group].len() {
            all[filled] = GROUPS[group][at];
            filled += 1;
            at += 1;
        }
        group += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{pattern, rule::Shape};
    use std::collections::HashSet;

    #[test]
    fn every_rule_is_well_formed() {
        let mut ids = HashSet::new();
        for rule in &ALL {
            assert!(ids.insert(rule.id), "{} stands twice", rule.id);
            assert!(rule.id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'), "{}", rule.id);
            assert!(!rule.about.is_empty() && !rule.keywords.is_empty(), "{}", rule.id);
            if let Shape::Pattern(pattern) = rule.shape {
                let regex = pattern::compile(pattern.text).unwrap_or_else(|| panic!("{} does not compile", rule.id));
                assert_eq!(regex.captures_len(), 2, "{} has one group", rule.id);
            }
        }
    }
}
