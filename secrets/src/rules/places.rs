//! Secrets without a form of their own: only the place they stand in gives them away. The most general come last.

use crate::rule::{Promise, Rule, Shape, rule};

pub(super) const RULES: [Rule; 8] = [
    Rule::of("url-password", "Password in a URL", &["://"], Shape::UrlPassword),
    Rule::of("basic-credentials", "User and password of HTTP Basic", &["basic "], Shape::BasicCredentials),
    rule("bearer-token", "Bearer token", &["bearer "], r#"(?i:bearer) {1,4}["']?([A-Za-z0-9._~+/-]{16,}={0,2})"#).reach(1100).random(true),
    rule(
        "authorization-header",
        "Credentials of another HTTP scheme",
        &["authorization"],
        r#"(?i:authorization)["'\\]{0,4} {0,4}[:=,] {0,4}["'\\]{0,4}[A-Za-z-]{2,20} {1,2}([A-Za-z0-9._~+/-]{16,}={0,2})"#,
    )
    .inside_words(true)
    .random(true),
    rule(
        "curl-password",
        "Password given to curl",
        &[" -u", "--user"],
        r#"(?: -u ?|--user[ =]) {0,3}["']?[^\s:"'$<{]{1,64}:([^\s"'@$<{*][^\s"'@]{3,})"#,
    )
    .inside_words(true)
    .after("curl"),
    rule(
        "command-password",
        "Password on a command line",
        &["sshpass", "redis-cli"],
        r#"(?:sshpass -p ?|redis-cli [^\n|;]{0,80}-a )["']?([^\s"'$<{-][^\s"']{5,})"#,
    ),
    Rule::of(
        "assigned-password",
        "Password given to a name",
        &["pass", "pwd", "kennwort", "_pw", "-pw", " pw", "\npw", "\"pw"],
        Shape::Assigned(Promise::Password),
    ),
    Rule::of(
        "assigned-secret",
        "Secret, token or key given to a name",
        &["secret", "token", "cred", "auth", "key"],
        Shape::Assigned(Promise::Token),
    ),
];
