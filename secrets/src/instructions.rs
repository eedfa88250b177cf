//! Text that speaks to a model instead of stating something.

/// Why this text seems to speak to the model that will read it, if it does.
pub fn speaks_to_the_model(_text: &str) -> Option<&'static str> {
    None
}
