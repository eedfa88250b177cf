//! A command line taken apart into simple commands, as far as a reader needs it; nothing is expanded.

/// A simple command: what is set for it, and its words.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Simple {
    pub env: Vec<String>,
    pub words: Vec<String>,
    /// Whether the exit code of the line is also its own when it is 0.
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
    let mut tokens = Vec::new();
    let (mut word, mut quoted, mut rest) = (String::new(), false, line);
    let mut skip_target = false;
    let end = |word: &mut String, quoted: &mut bool, tokens: &mut Vec<Token>, skip: &mut bool| {
        if !word.is_empty() || *quoted {
            let taken = std::mem::take(word);
            if !std::mem::take(skip) {
                tokens.push(Token::Word(taken));
            }
        }
        *quoted = false;
    };
    while let Some(sign) = rest.chars().next() {
        if rest.starts_with("<<") {
            // What follows is fed to the command.
            break;
        }
        if matches!(sign, '>' | '<') {
            // A number right before it names a stream.
            if word.bytes().all(|byte| byte.is_ascii_digit()) {
                word.clear();
            }
            end(&mut word, &mut quoted, &mut tokens, &mut skip_target);
            rest = rest.trim_start_matches(['>', '<', '&', '|']);
            skip_target = true;
        } else if let Some((operator, name)) = OPERATORS.iter().find(|(operator, _)| rest.starts_with(operator)) {
            end(&mut word, &mut quoted, &mut tokens, &mut skip_target);
            skip_target = false;
            tokens.push(Token::Operator(name));
            rest = &rest[operator.len()..];
        } else if sign.is_whitespace() || matches!(sign, '(' | ')') && word.is_empty() {
            end(&mut word, &mut quoted, &mut tokens, &mut skip_target);
            rest = &rest[sign.len_utf8()..];
        } else if matches!(sign, '\'' | '"') {
            let inner = &rest[1..];
            let close = inner.find(sign).unwrap_or(inner.len());
            word.push_str(&inner[..close]);
            quoted = true;
            rest = inner.get(close + 1..).unwrap_or("");
        } else if sign == '\\' {
            let escaped = rest[1..].chars().next();
            word.extend(escaped.filter(|sign| *sign != '\n'));
            rest = &rest[1 + escaped.map_or(0, char::len_utf8)..];
        } else {
            word.push(sign);
            rest = &rest[sign.len_utf8()..];
        }
    }
    end(&mut word, &mut quoted, &mut tokens, &mut skip_target);
    tokens
}
