//! Whether a text speaks of code by the place or name that it no longer has.

use crate::model::code::leaf;

/// A place in code: a file, and a symbol in it.
type Place<'a> = (&'a str, Option<&'a str>);

/// Whether it names what was, and not what is: who tells of both knows of the move.
pub fn names_the_old(text: &str, was: Place<'_>, now: Place<'_>) -> bool {
    let of_path = was.0 != now.0 && names_file(text, was.0, now.0) && !names(text, now.0);
    let of_symbol = match (was.1, now.1) {
        (Some(was), Some(now)) if leaf(was) != leaf(now) => names_symbol(text, leaf(was)) && !names(text, leaf(now)),
        (Some(was), Some(now)) if was != now && was.contains('.') && !now.ends_with(was) => written(was).iter().any(|way| names(text, way)),
        _ => false,
    };
    of_path || of_symbol
}

/// By its path, or by the end of it that it does not have any more: `service.py` of what is in `users.py` now.
fn names_file(text: &str, was: &str, now: &str) -> bool {
    let mut ends = was.match_indices('/').map(|(at, _)| &was[at + 1..]);
    let lost = |end: &&str| now != *end && !now.ends_with(&format!("/{end}"));
    names(text, was) || ends.any(|end| lost(&end) && names(text, end))
}

/// A name that is a word of the language too counts where it is marked as code.
fn names_symbol(text: &str, name: &str) -> bool {
    let telling = name.contains('_') || name.chars().skip(1).any(char::is_uppercase) || name.chars().any(char::is_numeric);
    if telling {
        return names(text, name);
    }
    let marked = text.split('`').enumerate().filter(|(n, piece)| n % 2 == 1 && !piece.contains('\n')).any(|(_, piece)| names(piece, name));
    marked || [format!("{name}()"), format!(".{name}("), format!("::{name}")].iter().any(|way| names(text, way))
}

/// As the languages write it.
fn written(name: &str) -> [String; 4] {
    [".", "::", "#", "->"].map(|between| name.replace('.', between))
}

/// Whether it stands there by itself, and not as a part of a longer word.
fn names(text: &str, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let begins = name.chars().next().is_some_and(part);
    let ends = name.chars().next_back().is_some_and(part);
    text.match_indices(name).any(|(at, found)| {
        let before = text[..at].chars().next_back().is_some_and(part);
        let after = text[at + found.len()..].chars().next().is_some_and(part);
        let longer = (begins && before) || (ends && after);
        !longer
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_says_where_code_was_is_found_out() {
        let file = |text| names_the_old(text, ("auth/service.py", Some("login")), ("auth/users.py", Some("login")));
        assert!(file("see auth/service.py:12 for it"));
        assert!(file("login() of service.py does it"));
        assert!(file("(/srv/app/auth/service.py)"));
        assert!(!file("login is constant in time"), "it names no place");
        assert!(!file("moved from auth/service.py to auth/users.py"), "it knows");
        assert!(!file("see auth/microservice.py"), "another file");
        let folder = |text| names_the_old(text, ("src/a/mod.rs", None), ("src/b/mod.rs", None));
        assert!(folder("look into a/mod.rs"));
        assert!(!folder("a mod.rs is not needed"), "which it still is called");
        let name = |text| names_the_old(text, ("a.py", Some("check_user")), ("a.py", Some("verify_user")));
        assert!(name("check_user wants a name"));
        assert!(!name("recheck_user and check_user_twice are others"));
        assert!(!name("verify_user was check_user before"));
        let word = |text| names_the_old(text, ("a.py", Some("Session.open")), ("a.py", Some("Session.start")));
        assert!(word("`open` takes a path") && word("call open() first") && word("Session::open(path)"));
        assert!(!word("they are open on Sundays"), "a word is no symbol");
        let parent = |text| names_the_old(text, ("a.py", Some("Session.open")), ("a.py", Some("Pool.open")));
        assert!(parent("Session.open locks") && parent("Session::open locks"));
        assert!(!parent("`open` locks") && !parent("it locks"));
    }
}
