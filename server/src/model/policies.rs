//! Policies: how a workspace treats each kind of memory, where that differs from its settings. They travel with the
//! settings, so that whoever stands in the workspace has them at hand, on every replica.

use super::{Kind, Settings, access::Mode};
use crate::problem::Problem;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;

/// What agents write of a kind waits for review: `always`, `never` (but for suspicious texts), or below this confidence.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(untagged, expecting = "must be `always`, `never` or a number from 0 to 1")]
pub enum Threshold {
    /// `always` or `never`.
    Word(ThresholdWord),
    /// Below this confidence.
    Below(f32),
}

/// All of it, or none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ThresholdWord {
    Always,
    Never,
}

impl Threshold {
    pub const ALWAYS: Self = Self::Word(ThresholdWord::Always);
    pub const NEVER: Self = Self::Word(ThresholdWord::Never);

    /// Whether something of which an agent is this sure waits.
    pub fn holds_back(self, confidence: f32) -> bool {
        match self {
            Self::Word(ThresholdWord::Always) => true,
            Self::Word(ThresholdWord::Never) => false,
            Self::Below(least) => confidence < least,
        }
    }
}

/// What is set for one kind; what is left out is as the workspace's settings say, and null days are never.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicyOfKind {
    /// What agents write waits for review: `always`, `never` (but for suspicious texts), or below this confidence (0 to 1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review_threshold: Option<Threshold>,
    /// Neither changed nor verified for this many days, it becomes `suspect`; null: never.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "said")]
    #[schema(value_type = Option<u32>, example = 180)]
    pub review_age_days: Option<Option<u32>>,
    /// Archived, it is erased after this many days; null: kept.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "said")]
    #[schema(value_type = Option<u32>, example = 365)]
    pub retention_days: Option<Option<u32>>,
    /// How curation runs treat it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dream_mode: Option<Mode>,
}

#[expect(clippy::option_option, reason = "left out, null and a number say three things")]
fn said<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(from).map(Some)
}

/// What is set, by kind.
pub type Policies = BTreeMap<Kind, PolicyOfKind>;

/// What holds for a kind.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, utoipa::ToSchema)]
pub struct Policy {
    /// What agents write waits for review: `always`, `never`, or below this confidence. Where it is the workspace's own, it
    /// holds for what is captured; where it is set for the kind, for whatever agents write.
    pub review_threshold: Threshold,
    /// Neither changed nor verified for this many days, it becomes `suspect`; null: never.
    pub review_age_days: Option<u32>,
    /// Archived, it is erased after this many days; null: kept.
    pub retention_days: Option<u32>,
    /// How curation runs treat it.
    pub dream_mode: Mode,
}

impl Settings {
    /// What holds for a kind: what is set for it, else what the workspace says of all.
    pub fn policy(&self, kind: Kind) -> Policy {
        let set = self.policies.get(&kind).copied().unwrap_or_default();
        Policy {
            review_threshold: set.review_threshold.unwrap_or(Threshold::Below(self.review_threshold)),
            review_age_days: set.review_age_days.unwrap_or(self.default_stale_after_days),
            retention_days: set.retention_days.unwrap_or(self.retention_days),
            dream_mode: set.dream_mode.unwrap_or(self.dream_mode),
        }
    }

    /// The threshold for what agents write themselves: only where one is set for the kind.
    pub fn threshold_set_for(&self, kind: Kind) -> Option<Threshold> {
        self.policies.get(&kind)?.review_threshold
    }

    /// What freshness is judged by; an index made with other ages is another index.
    pub fn review_ages(&self) -> Vec<Option<u32>> {
        Kind::ALL.iter().map(|kind| self.policy(*kind).review_age_days).collect()
    }
}

/// Policies as they may be kept; what says nothing is left out.
pub fn check(mut policies: Policies) -> Result<Policies, Problem> {
    policies.retain(|_, policy| *policy != PolicyOfKind::default());
    for (kind, policy) in &policies {
        if matches!(policy.review_threshold, Some(Threshold::Below(least)) if !(0.0..=1.0).contains(&least)) {
            let field = format!("policies.{}.review_threshold", kind.word());
            return Err(Problem::invalid(field, "must be `always`, `never` or a number from 0 to 1"));
        }
        for (field, days) in [("review_age_days", policy.review_age_days), ("retention_days", policy.retention_days)] {
            if days.flatten().is_some_and(|days| !(1..=36_500).contains(&days)) {
                return Err(Problem::invalid(format!("policies.{}.{field}", kind.word()), "must be between 1 and 36,500 days, or null"));
            }
        }
    }
    Ok(policies)
}

/// Rules of retention: after how many days what is archived is erased, and what single kinds say instead.
#[derive(Clone, Debug, Default)]
pub struct Retention {
    /// None: kept.
    pub days: Option<u32>,
    pub of_kinds: BTreeMap<Kind, Option<u32>>,
}

impl Retention {
    /// The settings with these rules; whatever else they say stays.
    pub fn apply(&self, mut to: Settings) -> Result<Settings, Problem> {
        to.retention_days = self.days;
        for kind in Kind::ALL {
            to.policies.entry(*kind).or_default().retention_days = self.of_kinds.get(kind).copied();
        }
        to.policies = check(to.policies)?;
        to.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_set_for_a_kind_wins_and_null_is_never() {
        let policies: Policies = serde_json::from_value(json!({"fact": {"review_threshold": "always", "review_age_days": null}})).unwrap();
        let settings = Settings { policies: check(policies).unwrap(), ..Settings::default() };
        let fact = settings.policy(Kind::Fact);
        assert_eq!((fact.review_threshold, fact.review_age_days), (Threshold::ALWAYS, None));
        assert_eq!(settings.policy(Kind::Pattern).review_age_days, Some(90));
        assert_eq!(settings.threshold_set_for(Kind::Pattern), None);
        let kept: Settings = serde_json::from_value(serde_json::to_value(&settings).unwrap()).unwrap();
        assert_eq!(kept, settings, "a null that was set stays one");
    }

    #[test]
    fn a_threshold_holds_back_what_lies_below_it() {
        assert!(Threshold::ALWAYS.holds_back(1.0) && !Threshold::NEVER.holds_back(0.0));
        assert!(Threshold::Below(0.5).holds_back(0.4) && !Threshold::Below(0.5).holds_back(0.5));
    }
}
