//! Recall and precision over the cases. Run with `--nocapture` to see the figures.

mod fill;

use fill::{Noise, fill};
use serde::Deserialize;
use std::collections::{BTreeMap, HashSet};

#[derive(Deserialize)]
struct Cases {
    r#true: Vec<String>,
    r#false: Vec<String>,
}

#[derive(Default)]
struct Tally {
    found: usize,
    missed: usize,
    wrong: usize,
}

impl Tally {
    /// A secret counts as found if exactly its bytes are; anything else that is found counts as wrong.
    fn take(&mut self, case: &str, seed: u64) {
        let case = fill(case, &mut Noise::new(seed));
        let findings = cairn_secrets::find(&case.text);
        for secret in &case.secrets {
            if findings.iter().any(|finding| finding.start == secret.start && finding.end == secret.end) {
                self.found += 1;
            } else {
                self.missed += 1;
                println!("missed {:?} in {:?}", &case.text[secret.clone()], case.text);
            }
        }
        for finding in findings {
            if !case.secrets.iter().any(|secret| finding.start == secret.start && finding.end == secret.end) {
                self.wrong += 1;
                println!("wrong {}: {:?} in {:?}", finding.rule, &case.text[finding.start..finding.end], case.text);
            }
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a few thousand cases")]
    fn figures(&self) -> (f64, f64) {
        let found = self.found as f64;
        (found / (found + self.missed as f64), found / (found + self.wrong as f64))
    }

    fn holds(&self, name: &str) {
        let (recall, precision) = self.figures();
        println!(
            "{name}: recall {recall:.4}, precision {precision:.4} ({} found, {} missed, {} wrong)",
            self.found, self.missed, self.wrong
        );
        assert!(recall >= 0.98 && precision >= 0.98, "{name} falls short");
    }
}

fn tally(cases: &str, seeds: u64) -> Tally {
    let cases: Cases = toml::from_str(cases).expect("the cases are TOML");
    let mut tally = Tally::default();
    for (number, case) in (0..).zip(cases.r#true.iter().chain(&cases.r#false)) {
        (0..seeds).for_each(|seed| tally.take(case, 1000 * number + seed));
    }
    tally
}

/// Each case is filled with several noises, so that no figure hangs on luck.
const SEEDS: u64 = 5;

#[test]
fn the_first_half() {
    tally(include_str!("../cases/first.toml"), SEEDS).holds("first half");
}

#[test]
fn the_second_half() {
    tally(include_str!("../cases/second.toml"), SEEDS).holds("second half");
}

#[test]
fn each_rule_has_its_cases() {
    let cases: BTreeMap<String, Cases> = toml::from_str(include_str!("../cases/rules.toml")).unwrap();
    let mut all = Tally::default();
    for (rule, cases) in &cases {
        assert!(cases.r#true.len() >= 2 && cases.r#false.len() >= 2, "{rule} needs two true and two false cases");
        for (number, case) in (0..).zip(cases.r#true.iter().chain(&cases.r#false)) {
            all.take(case, number);
        }
        for case in &cases.r#true {
            let case = fill(case, &mut Noise::new(7));
            assert!(cairn_secrets::find(&case.text).iter().any(|finding| finding.rule == rule), "{rule} is not what found {:?}", case.text);
        }
    }
    let known: HashSet<&str> = cairn_secrets::rules().map(|rule| rule.id).collect();
    let tested: HashSet<&str> = cases.keys().map(String::as_str).collect();
    assert_eq!(known, tested);
    all.holds("rule by rule");
}
