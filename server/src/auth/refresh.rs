//! Refresh tokens: `<sign-in>.<generation>.<signature>`. Nothing of them is stored; the sign-in knows which
//! generation is the current one, so that a used token is told from a forged one.

use crate::{keyring::Keyring, model::LoginId};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use uuid::Uuid;

pub fn write(keyring: &Keyring, login: LoginId, generation: i32) -> String {
    let signature = keyring.sign("refresh", &signed(login, generation));
    format!("{}.{generation}.{}", login.0.simple(), BASE64_URL_SAFE_NO_PAD.encode(signature))
}

/// What an authentic token speaks of; whether it is still good is for the sign-in to say.
pub fn read(keyring: &Keyring, token: &str) -> Option<(LoginId, i32)> {
    let mut parts = token.split('.');
    let (login, generation, signature) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let (login, generation) = (LoginId(Uuid::parse_str(login).ok()?), generation.parse().ok()?);
    let signature = BASE64_URL_SAFE_NO_PAD.decode(signature).ok()?;
    keyring.verify("refresh", &signed(login, generation), &signature).then_some((login, generation))
}

fn signed(login: LoginId, generation: i32) -> Vec<u8> {
    [&login.0.as_bytes()[..], &generation.to_be_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::{read, write};
    use crate::{keyring::Keyring, model::LoginId};

    #[test]
    fn a_token_reads_back_and_no_part_of_it_can_be_changed() {
        let keyring = Keyring::parse(&"a".repeat(64)).expect("64 digits");
        let (login, other) = (LoginId::new(), LoginId::new());
        let token = write(&keyring, login, 3);
        assert_eq!(read(&keyring, &token), Some((login, 3)));
        let other = other.0.simple().to_string();
        for wrong in
            [token.replace(".3.", ".4."), token.replace(&login.0.simple().to_string(), &other), format!("{token}.x"), String::new()]
        {
            assert_eq!(read(&keyring, &wrong), None, "{wrong}");
        }
        assert_eq!(read(&Keyring::parse(&"b".repeat(64)).expect("64 digits"), &token), None);
    }
}
