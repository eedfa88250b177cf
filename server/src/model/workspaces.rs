//! What may be sent to make a workspace, and what may be changed in one.

use super::{
    Role, Settings, Slug, Workspace,
    access::{Mode, SecretPolicy},
};
use crate::problem::Problem;

#[derive(Clone, Debug)]
pub struct NewWorkspace {
    pub slug: Slug,
    pub name: String,
    pub purpose: String,
    pub settings: Settings,
}

/// A workspace as somebody sees it who may have no role in it.
#[derive(Clone, Debug)]
pub struct Seen {
    pub workspace: Workspace,
    pub role: Option<Role>,
    /// The wall of an agent's key.
    pub project: Option<String>,
}

/// What is left out stays.
#[derive(Clone, Debug, Default)]
pub struct WorkspaceChange {
    pub name: Option<String>,
    pub purpose: Option<String>,
    pub settings: SettingsChange,
}

/// What is left out stays; an inner none clears.
#[derive(Clone, Debug, Default)]
pub struct SettingsChange {
    pub review_threshold: Option<f32>,
    pub capture_policy: Option<Mode>,
    pub secret_policy: Option<SecretPolicy>,
    pub default_stale_after_days: Option<Option<u32>>,
    pub retention_days: Option<Option<u32>>,
    pub dream_mode: Option<Mode>,
    pub quota_memories: Option<Option<u32>>,
}

impl SettingsChange {
    pub fn apply(&self, mut to: Settings) -> Result<Settings, Problem> {
        set(&mut to.review_threshold, self.review_threshold);
        set(&mut to.capture_policy, self.capture_policy);
        set(&mut to.secret_policy, self.secret_policy);
        set(&mut to.default_stale_after_days, self.default_stale_after_days);
        set(&mut to.retention_days, self.retention_days);
        set(&mut to.dream_mode, self.dream_mode);
        set(&mut to.quota_memories, self.quota_memories);
        to.check()
    }
}

impl WorkspaceChange {
    /// The workspace as it will be.
    pub fn apply(&self, to: &Workspace) -> Result<Workspace, Problem> {
        let mut changed = to.clone();
        set(&mut changed.name, self.name.clone());
        set(&mut changed.purpose, self.purpose.clone());
        changed.settings = self.settings.apply(changed.settings)?;
        Ok(changed)
    }
}

fn set<T>(field: &mut T, sent: Option<T>) {
    if let Some(sent) = sent {
        *field = sent;
    }
}

/// Which fields differ, in words for the trail.
pub fn differing(old: &Workspace, new: &Workspace) -> Vec<&'static str> {
    let (before, after) = (&old.settings, &new.settings);
    [
        ("name", old.name != new.name),
        ("purpose", old.purpose != new.purpose),
        ("settings.review_threshold", before.review_threshold.to_bits() != after.review_threshold.to_bits()),
        ("settings.capture_policy", before.capture_policy != after.capture_policy),
        ("settings.secret_policy", before.secret_policy != after.secret_policy),
        ("settings.default_stale_after_days", before.default_stale_after_days != after.default_stale_after_days),
        ("settings.retention_days", before.retention_days != after.retention_days),
        ("settings.dream_mode", before.dream_mode != after.dream_mode),
        ("settings.quota_memories", before.quota_memories != after.quota_memories),
    ]
    .into_iter()
    .filter(|(_, differs)| *differs)
    .map(|(field, _)| field)
    .collect()
}
