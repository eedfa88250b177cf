//! A message about what was just done, shown once, with a way back where there is one.

#[derive(Clone, Debug)]
pub struct Flash {
    pub tone: Tone,
    pub text: String,
    pub undo: Option<Undo>,
}

/// A form in the message that takes back what it speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undo {
    /// Where the form goes: a path of this server.
    pub action: String,
    /// On its button, such as “Undo”.
    pub label: String,
    /// What it sends, besides the proof that it is ours.
    pub fields: Vec<(String, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Good,
    Bad,
    Note,
}

impl Flash {
    pub fn good(text: impl Into<String>) -> Self {
        Self::new(Tone::Good, text)
    }

    pub fn bad(text: impl Into<String>) -> Self {
        Self::new(Tone::Bad, text)
    }

    pub fn note(text: impl Into<String>) -> Self {
        Self::new(Tone::Note, text)
    }

    fn new(tone: Tone, text: impl Into<String>) -> Self {
        Self { tone, text: text.into(), undo: None }
    }

    /// With a button that takes it back.
    #[must_use]
    pub fn or_undo(mut self, action: impl Into<String>, fields: &[(&str, &str)]) -> Self {
        let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        self.undo = Some(Undo { action: action.into(), label: "Undo".into(), fields });
        self
    }
}

impl Tone {
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Bad => "bad",
            Self::Note => "note",
        }
    }
}
