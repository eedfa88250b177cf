//! What the house can do. Every public function is a sentence, authorisation is in its signature, and a change
//! ends with the entry that stands for it.

pub mod access;
pub mod actors;
pub mod deletion;
pub mod memories;
pub mod recall;
pub mod trail;
