//! Names within the cluster, and URLs that both sqlx and libpq read.

use std::{fmt::Write, os::unix::ffi::OsStrExt, path::Path};

pub const DATABASE: &str = "cairn";
/// Superuser: migrations, `psql`, backups.
pub const OWNER: &str = "cairn_owner";
/// What the server signs in as; it may do nothing until it steps into a scope.
pub const LOGIN: &str = "cairn_login";

/// `localhost` is a filler, the parameter `host` wins: the `url` crate refuses a user without
/// a host.
pub fn socket_url(role: &str, database: &str, socket_folder: &Path) -> String {
    format!(
        "postgres://{role}@localhost/{}?host={}&port=5432&sslmode=disable",
        encoded(database.as_bytes()),
        encoded(socket_folder.as_os_str().as_bytes()),
    )
}

fn encoded(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for byte in bytes {
        if byte.is_ascii_alphanumeric() || b"/._-".contains(byte) {
            text.push(char::from(*byte));
        } else {
            // Writing into a String cannot fail.
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}
