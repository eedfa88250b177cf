//! Retention: the rules, what they would take now, and other rules tried out before they are saved.

use super::{asked::Asked, forms::Posted, team::settings::number, viewer::Viewer};
use crate::{
    acts,
    model::{Kind, Power, Settings, policies::Retention as Rules},
    problem::Problem,
    store::{Auditing, Governing},
};
use axum::response::Response;
use cairn_web::{
    Flash,
    retention::{Retention, Rule},
};

/// The rules as they are, or those that the address tries out.
pub async fn show(viewer: Viewer<Auditing>, mut asked: Asked) -> Result<Response, Problem> {
    let now = viewer.scope.settings();
    let may_change = viewer.may(Power::Governing);
    let trying = may_change && !asked.said("try").is_empty();
    let tried = if trying { rules(&|name| asked.text(name)).and_then(|rules| rules.apply(now.clone())) } else { Ok(now.clone()) };
    let (settings, trying) = match tried {
        Ok(settings) => (settings, trying),
        Err(problem) => {
            asked.mishear("try", &format!("{} These are the rules as they are", problem.told().detail));
            (now.clone(), false)
        }
    };
    let due = acts::deletion::retention_by(&viewer.app, &viewer.scope, &settings).await?;
    let most = usize::from(acts::deletion::AT_ONCE);
    let rule = |kind: Kind| {
        let found = due.iter().find(|one| one.rule.kind == kind);
        let (due, held) = found.map_or((0, 0), |one| (one.due.len(), one.held.len()));
        Rule {
            kind: kind.word().to_owned(),
            set: set(&settings, kind),
            days: settings.policy(kind).retention_days,
            due,
            held,
            many: due + held >= most,
        }
    };
    let view = Retention {
        days: settings.retention_days.map(|days| days.to_string()).unwrap_or_default(),
        kinds: Kind::ALL.iter().map(|kind| rule(*kind)).collect(),
        trying,
        may_change,
        chrome: viewer.chrome(asked.complaint()),
    };
    Ok(viewer.sees(view.html()))
}

fn set(settings: &Settings, kind: Kind) -> String {
    match settings.policies.get(&kind).and_then(|set| set.retention_days) {
        None => String::new(),
        Some(None) => "never".to_owned(),
        Some(Some(days)) => days.to_string(),
    }
}

/// The rules of a form or an address.
fn rules(said: &dyn Fn(&str) -> Option<String>) -> Result<Rules, Problem> {
    let mut rules = Rules { days: said("days").map(|days| number("days", &days)).transpose()?, ..Rules::default() };
    for kind in Kind::ALL.iter().copied() {
        let name = format!("kind.{}", kind.word());
        let days = match said(&name).as_deref().map(str::trim) {
            None | Some("") => continue,
            Some("never") => None,
            Some(days) => Some(number(&name, days)?),
        };
        rules.of_kinds.insert(kind, days);
    }
    Ok(rules)
}

/// Save the rules, which were looked at before; what they would take at once is confirmed.
pub async fn update(viewer: Viewer<Governing>, Posted(form): Posted<Vec<(String, String)>>) -> Result<Response, Problem> {
    let page = viewer.place("retention");
    let said = |name: &str| form.iter().find(|(sent, _)| sent == name).map(|(_, value)| value.clone());
    let saved = async {
        let rules = rules(&said)?;
        let settings = rules.apply(viewer.scope.settings().clone())?;
        let due: usize = acts::deletion::retention_by(&viewer.app, &viewer.scope, &settings).await?.iter().map(|one| one.due.len()).sum();
        if due > 0 && said("confirm").is_none() {
            return Err(Problem::conflict(
                "unconfirmed",
                format!(
                    "Nothing was saved: these rules would erase {due} memories within the hour, and the box that says you understand was not ticked."
                ),
            ));
        }
        acts::policies::retain(&viewer.app, &viewer.scope, &rules).await
    };
    viewer.after(saved.await.map(|_| (page.clone(), Flash::good("Saved. Once an hour what is due is erased, with a certificate."))), &page)
}

/// What the rules come to, for a line on another page.
pub fn in_a_sentence(settings: &Settings) -> String {
    let of_kinds = settings.policies.values().filter(|policy| policy.retention_days.is_some()).count();
    let all = match settings.retention_days {
        Some(days) => format!("archived memories are erased after {days} days"),
        None => "archived memories are kept".to_owned(),
    };
    match of_kinds {
        0 => format!("{all}."),
        1 => format!("{all}; one kind differs."),
        many => format!("{all}; {many} kinds differ."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::policies::{PolicyOfKind, Threshold};

    #[test]
    fn rules_that_are_tried_leave_the_rest_of_the_policies_alone() {
        let mut now = Settings::default();
        now.policies.insert(Kind::Fact, PolicyOfKind { review_threshold: Some(Threshold::ALWAYS), ..PolicyOfKind::default() });
        let said = |name: &str| match name {
            "days" => Some("30".to_owned()),
            "kind.fact" => Some("never".to_owned()),
            _ => None,
        };
        let tried = rules(&said).unwrap().apply(now.clone()).unwrap();
        assert_eq!((tried.retention_days, tried.policy(Kind::Fact).retention_days), (Some(30), None));
        assert_eq!(tried.policy(Kind::Fact).review_threshold, Threshold::ALWAYS);
        assert_eq!(tried.policy(Kind::Episode).retention_days, Some(30));
        assert!(rules(&|name| (name == "days").then(|| "0".to_owned())).and_then(|rules| rules.apply(now)).is_err());
    }
}
