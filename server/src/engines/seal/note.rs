//! C2SP signed notes: a text, an empty line, and a line per signature, with Ed25519 keys that go by a name.

use base64::{Engine, prelude::BASE64_STANDARD};
use signed_note::{Note, NoteError, Signer as _, StandardSigner, StandardVerifier, VerifierList, is_key_name_valid, key_id};

const ED25519: u8 = 1;

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoteProblem {
    #[error("it is not a signed note")]
    Malformed,
    #[error("the signature by {0} does not fit the text")]
    Forged(String),
    #[error("none of the given keys has signed it")]
    Unknown,
    #[error("`{0}` is not a verification key: it looks like name+hash+base64")]
    Key(String),
}

/// Signs notes.
pub struct Signer(StandardSigner);

impl Signer {
    pub fn new(name: &str, secret: [u8; 32], public: [u8; 32]) -> Result<Self, NoteProblem> {
        let id = key_id(name, &tagged(public));
        let skey = format!("PRIVATE+KEY+{name}+{id:08x}+{}", BASE64_STANDARD.encode(tagged(secret)));
        StandardSigner::new(&skey).map(Self).map_err(|_| NoteProblem::Key(name.to_owned()))
    }

    pub fn name(&self) -> &str {
        self.0.name()
    }

    /// The text must end with a line break and hold no other control characters.
    pub fn sign(&self, text: &str) -> Result<String, NoteProblem> {
        let mut note = Note::new(text.as_bytes(), &[]).map_err(|_| NoteProblem::Malformed)?;
        note.add_sigs(&[&self.0]).map_err(|_| NoteProblem::Malformed)?;
        String::from_utf8(note.to_bytes()).map_err(|_| NoteProblem::Malformed)
    }
}

/// The text of a note that one of these keys has signed.
pub fn verify(note: &str, vkeys: &[impl AsRef<str>]) -> Result<String, NoteProblem> {
    let parsed = Note::from_bytes(note.as_bytes()).map_err(|_| NoteProblem::Malformed)?;
    let mut known: Vec<Box<dyn signed_note::Verifier>> = Vec::new();
    for vkey in vkeys.iter().map(AsRef::as_ref) {
        let verifier = StandardVerifier::new(vkey).map_err(|_| NoteProblem::Key(vkey.to_owned()))?;
        known.push(Box::new(verifier));
    }
    match parsed.verify(&VerifierList::new(known)) {
        Ok(_) => text(note),
        Err(NoteError::InvalidSignature { name, .. }) => Err(NoteProblem::Forged(name)),
        Err(NoteError::UnverifiedNote) => Err(NoteProblem::Unknown),
        Err(_) => Err(NoteProblem::Malformed),
    }
}

/// The text of a note, whoever signed it.
pub fn text(note: &str) -> Result<String, NoteProblem> {
    let parsed = Note::from_bytes(note.as_bytes()).map_err(|_| NoteProblem::Malformed)?;
    String::from_utf8(parsed.text().to_vec()).map_err(|_| NoteProblem::Malformed)
}

/// How many signatures a note has.
pub fn signatures(note: &str) -> Option<usize> {
    Note::from_bytes(note.as_bytes()).ok()?;
    Some(note.rsplit_once("\n\n")?.1.lines().count())
}

/// How others are told of a key: name, hash and base64, joined by plus signs.
pub fn vkey(name: &str, public: [u8; 32]) -> String {
    let key = tagged(public);
    format!("{name}+{:08x}+{}", key_id(name, &key), BASE64_STANDARD.encode(key))
}

/// A URL without its scheme, as C2SP recommends, and what the key is for: `cairn.example.org/trail`.
pub fn key_name(public_url: &str) -> String {
    let place = public_url.split_once("://").map_or(public_url, |(_, rest)| rest).trim_end_matches('/');
    let name = format!("{place}/trail");
    if is_key_name_valid(&name) { name } else { name.replace(|c: char| c.is_whitespace() || c == '+', "-") }
}

fn tagged(key: [u8; 32]) -> [u8; 33] {
    let mut tagged = [ED25519; 33];
    tagged[1..].copy_from_slice(&key);
    tagged
}
