//! A command line taken apart into simple commands, as far as a reader needs it; nothing is expanded.

/// A simple command: what is set for it, and its words.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Simple {
    pub env: Vec<String>,
    pub words: Vec<String>,
    /// Whether the exit code of the line speaks for it.
    pub tells: bool,
}

/// Of a very long line the beginning is read.
const READ: usize = 2_000;
const MOST_PARTS: usize = 16;
/// Before a command, without changing what it is.
const WRAPPERS: &[&str] = &["sudo", "doas", "time", "nice", "nohup", "exec", "command", "env", "timeout", "xvfb-run"];

pub fn parts(line: &str) -> Vec<Simple> {
    let line = &line[..line.floor_char_boundary(READ)];
    let keeps_failures = line.contains("pipefail");
    let mut parts: Vec<(Simple, &str)> = Vec::new();
    let mut open = Simple::default();
    for token in tokens(line) {
        match token {
            Token::Word(word) => open.words.push(word),
            Token::Operator(operator) => {
                parts.push((std::mem::take(&mut open), operator));
                if parts.len() == MOST_PARTS {
                    break;
                }
            }
        }
    }
    parts.push((open, "&&"));
    let mut tells = true;
    for (part, operator) in parts.iter_mut().rev() {
        tells &= *operator == "&&" || (*operator == "|" && keeps_failures);
        part.tells = tells;
    }
    parts.into_iter().map(|(part, _)| bare(part)).filter(|part| !part.words.is_empty()).collect()
}

/// How a command is shown: without the values that were set for it.
pub fn shown(part: &Simple) -> String {
    let env = part.env.iter().map(|name| format!("{name}=… "));
    let words = part.words.iter().map(|word| if word.contains(char::is_whitespace) { format!("'{word}'") } else { word.clone() });
    env.collect::<String>() + &words.collect::<Vec<_>>().join(" ")
}

fn bare(mut part: Simple) -> Simple {
    let mut words = std::mem::take(&mut part.words).into_iter().peekable();
    let mut wrapped = false;
    while let Some(word) = words.peek() {
        if let Some(name) = assigned(word) {
            part.env.push(name.to_owned());
        } else if WRAPPERS.contains(&word.as_str()) {
            wrapped = true;
        } else if !(wrapped && word.starts_with(|sign: char| sign == '-' || sign.is_ascii_digit())) {
            break;
        }
        words.next();
    }
    part.words.extend(words);
    part
}

fn assigned(word: &str) -> Option<&str> {
    let (name, _) = word.split_once('=')?;
    let named = name.starts_with(|sign: char| sign.is_ascii_alphabetic() || sign == '_');
    (named && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')).then_some(name)
}

enum Token {
    Word(String),
    Operator(&'static str),
}

const OPERATORS: &[(&str, &str)] = &[("&&", "&&"), ("||", "||"), ("|", "|"), (";", ";"), ("\n", ";"), ("&", ";")];

fn tokens(line: &str) -> Vec<Token> {
    let mut cutter = Cutter::default();
    let mut rest = line;
    // What follows `<<` is fed to the command.
    while let Some(sign) = rest.chars().next().filter(|_| !rest.starts_with("<<")) {
        rest = cutter.take(sign, rest);
    }
    cutter.end();
    cutter.tokens
}

#[derive(Default)]
struct Cutter {
    tokens: Vec<Token>,
    word: String,
    quoted: bool,
    /// Whether the next word is the target of a redirection.
    redirected: bool,
}

impl Cutter {
    /// Takes one sign, or what it opens, and gives back what is left.
    fn take<'a>(&mut self, sign: char, rest: &'a str) -> &'a str {
        let after = &rest[sign.len_utf8()..];
        match sign {
            '>' | '<' => {
                // A number right before it names a stream.
                if self.word.bytes().all(|byte| byte.is_ascii_digit()) {
                    self.word.clear();
                }
                self.end();
                self.redirected = true;
                rest.trim_start_matches(['>', '<', '&', '|'])
            }
            '\'' | '"' => {
                let close = after.find(sign).unwrap_or(after.len());
                self.word.push_str(&after[..close]);
                self.quoted = true;
                after.get(close + 1..).unwrap_or("")
            }
            '\\' => {
                let escaped = after.chars().next();
                self.word.extend(escaped.filter(|sign| *sign != '\n'));
                &after[escaped.map_or(0, char::len_utf8)..]
            }
            _ => {
                if let Some((operator, name)) = OPERATORS.iter().find(|(operator, _)| rest.starts_with(operator)) {
                    self.end();
                    self.redirected = false;
                    self.tokens.push(Token::Operator(name));
                    return &rest[operator.len()..];
                }
                if sign.is_whitespace() || matches!(sign, '(' | ')') && self.word.is_empty() {
                    self.end();
                } else {
                    self.word.push(sign);
                }
                after
            }
        }
    }

    fn end(&mut self) {
        if !self.word.is_empty() || self.quoted {
            let word = std::mem::take(&mut self.word);
            if !std::mem::take(&mut self.redirected) {
                self.tokens.push(Token::Word(word));
            }
        }
        self.quoted = false;
    }
}
