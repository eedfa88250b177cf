//! Words that deny, each in its own way: what follows, what it is said of, what it is done to.

use rustc_hash::FxHashSet;
use std::sync::LazyLock;

pub type Words = LazyLock<FxHashSet<&'static str>>;

/// Words to be looked up.
pub const fn words(of: fn() -> FxHashSet<&'static str>) -> Words {
    LazyLock::new(of)
}

/// Words that deny what follows them.
static DENIALS: Words = words(|| {
    "not no never nothing nobody none without neither nor nowhere zero un- nicht kein keine keinen keiner keinem keines nie niemals niemand nichts \
     ohne pas jamais aucun aucune sans rien personne nunca jamas sin nadie ningun ninguna ninguno nada tampoco"
        .split_whitespace()
        .collect()
});

/// Adjectives and participles by which a thing is denied: it is gone, forbidden, switched off.
static STATES: Words = words(|| {
    "gone away purged erased wiped hidden forbidden banned prohibited disallowed disabled off removed deleted dropped deprecated archived closed retired abandoned blocked denied \
     rejected refused discontinued decommissioned obsolete optional unnecessary unavailable impossible lost replaced superseded discouraged out \
     wrong false dead stopped cancelled canceled revoked outdated broken shut phased skipped ignored excluded worse harmful useless failing \
     terminated scrapped withdrawn reverted uninstalled verboten abgeschaltet abgeschafft entfernt geloscht deaktiviert ersetzt untersagt \
     eingestellt interdit interdite supprime supprimee desactive desactivee abandonne remplace prohibido prohibida eliminado eliminada desactivado \
     desactivada obsoleto"
        .split_whitespace()
        .collect()
});

/// Verbs that deny what they are done to: drop it, avoid it, stop it.
static ACTS: Words = words(|| {
    "drop drops dropping avoid avoids stop stops stopped stopping reject rejects refuse refuses skip skips bypass bypasses forbid forbids prohibit \
     prohibits ban bans remove removes removing delete deletes abandon abandons disable disables disallow disallows deny denies block blocks replace \
     replaces replacing retire retires deprecate deprecates ditch dissolve omit omits fail fails ignore ignores exclude excludes prevent \
     prevents hide hides suppress suppresses strip strips lacks scrap retiring vermeiden abschalten entfernen ersetzen eviter abandonner supprimer remplacer evitar eliminar reemplazar quitar \
     refrain"
        .split_whitespace()
        .collect()
});

/// Denied, these take what stands before them along: not allowed, never built, no effect.
static EXISTENCE: Words = words(|| {
    "allowed permitted accepted supported possible offered used needed required available maintained planned built exist exists existed effect work \
     works resolve resolves apply applies longer blame cause culprit necessary welcome enabled installed run running served help helps recommended \
     considered read honoured honored respected reached want wanted kept included included shown exposed schuld erlaubt notig unterstutzt verwendet \
     genutzt gepflegt mehr mantiene usa utilise permis autorise permitido necesario"
        .split_whitespace()
        .collect()
});

/// A state after one of these belongs to what stands before them.
static BEING: Words = words(|| {
    "is are was were goes go went be been being get gets got has have had ships ship stays stay switched turned now becomes became remains makes it strictly wird \
     wurde werden wurden ist sind est sont a ete es son esta estan fue queda"
        .split_whitespace()
        .collect()
});

/// Before one of these, "no" and "not" say something else: no other, not only, not even.
static HARMLESS: Words =
    words(|| "only just even other others further matter later sooner less doubt nur seulement solo".split_whitespace().collect());

pub fn is_denial(low: &str) -> bool {
    DENIALS.contains(low)
}

pub fn is_state(low: &str) -> bool {
    STATES.contains(low)
}

pub fn is_act(low: &str) -> bool {
    ACTS.contains(low)
}

pub fn is_existence(low: &str) -> bool {
    EXISTENCE.contains(low)
}

pub fn is_being(low: &str) -> bool {
    BEING.contains(low)
}

pub fn is_harmless_before(next: &str) -> bool {
    HARMLESS.contains(next)
}

/// Whether the word by itself denies anything, in whichever way.
pub fn is_any(low: &str) -> bool {
    is_denial(low) || is_state(low) || is_act(low)
}
