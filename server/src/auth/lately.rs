//! Who was found by which key, a moment ago: so that work on an answer can begin while the gate is asked again. Nothing
//! is answered by it.

use super::keys::ShownKey;
use crate::{
    model::KeyId,
    store::{StoodLately, access::FoundKey},
};
use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// More keys than this at once, and the list begins anew.
const MOST: usize = 1024;

#[derive(Default)]
pub struct Lately(Mutex<HashMap<KeyId, (Vec<u8>, StoodLately)>>);

impl std::fmt::Debug for Lately {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Lately")
    }
}

impl Lately {
    pub(super) fn note(&self, found: &FoundKey) {
        let mut keys = self.lock();
        if keys.get(&found.key).is_some_and(|(hash, stood)| *hash == found.secret_hash && stood.is(&found.standing)) {
            return;
        }
        if keys.len() >= MOST {
            keys.clear();
        }
        keys.insert(found.key, (found.secret_hash.clone(), StoodLately::of(&found.standing)));
    }

    pub(super) fn forget(&self, key: KeyId) {
        self.lock().remove(&key);
    }

    /// Whoever showed a key that was good when it was last shown.
    pub(super) fn by(&self, shown: &ShownKey) -> Option<StoodLately> {
        let keys = self.lock();
        let (hash, stood) = keys.get(&shown.id)?;
        shown.fits(hash).then(|| stood.clone())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<KeyId, (Vec<u8>, StoodLately)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
