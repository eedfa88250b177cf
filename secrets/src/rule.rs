//! What a rule is made of. Rules are data: see [`crate::rules`].

/// One kind of secret.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// In kebab-case; it stands in the text in place of the secret.
    pub id: &'static str,
    /// What it is, in one line for people.
    pub about: &'static str,
    /// ASCII, at least three bytes each, upper and lower case alike. Where none occurs, the rule costs nothing.
    pub(crate) keywords: &'static [&'static str],
    pub(crate) shape: Shape,
}

/// How the secret is found where a keyword stands.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Shape {
    Pattern(Pattern),
    /// A name that promises a secret, and a value given to it.
    Assigned(Promise),
    /// `scheme://user:password@host`
    UrlPassword,
    /// `Basic` and base64 of `user:password`
    BasicCredentials,
}

/// What a name such as `DB_PASSWORD` or `api_key` promises of its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Promise {
    /// Chosen by a person, so perhaps short.
    Password,
    /// Made by a machine: long, and without words.
    Token,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Pattern {
    /// Matched from the keyword on; its first group is the secret.
    pub text: &'static str,
    /// Letters and digits that belong to the secret before the keyword, at most.
    pub before: usize,
    /// The keyword may stand inside a word.
    pub inside_words: bool,
    /// Bytes looked at from the keyword on. It bounds what a pattern leaves open: `{20,}` compiles in no time, `{20,300}` does not.
    pub reach: usize,
    /// Least Shannon entropy of the secret, in bits a character.
    pub entropy: f32,
    /// The secret must look made by a machine, not like words.
    pub random: bool,
    /// A word that must stand shortly before, on whatever line.
    pub after: Option<&'static str>,
}

impl Rule {
    pub(crate) const fn of(id: &'static str, about: &'static str, keywords: &'static [&'static str], shape: Shape) -> Self {
        Self { id, about, keywords, shape }
    }
}

/// A rule whose secret has a form of its own.
pub(crate) const fn rule(id: &'static str, about: &'static str, keywords: &'static [&'static str], pattern: &'static str) -> Rule {
    let pattern = Pattern { text: pattern, before: 0, inside_words: false, reach: 400, entropy: 0.0, random: false, after: None };
    Rule::of(id, about, keywords, Shape::Pattern(pattern))
}

macro_rules! setting {
    ($($(#[$doc:meta])* $name:ident($value:ident: $type:ty) => $field:ident = $set:expr;)*) => {
        impl Rule {
            $($(#[$doc])* pub(crate) const fn $name(mut self, $value: $type) -> Self {
                if let Shape::Pattern(pattern) = &mut self.shape {
                    pattern.$field = $set;
                }
                self
            })*
        }
    };
}

setting! {
    before(letters: usize) => before = letters;
    reach(bytes: usize) => reach = bytes;
    entropy(bits: f32) => entropy = bits;
    after(word: &'static str) => after = Some(word);
    inside_words(yes: bool) => inside_words = yes;
    random(yes: bool) => random = yes;
}
