//! Clouds, and what runs infrastructure.

use super::given_to;
use crate::rule::{Rule, rule};

pub(super) const RULES: [Rule; 26] = [
    rule("aws-access-key-id", "AWS access key id", &["AKIA", "ASIA", "ABIA", "ACCA"], "((?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})"),
    rule(
        "aws-secret-key",
        "AWS secret access key",
        &["secret_access_key", "secretaccesskey", "secret-access-key", "aws_secret"],
        given_to!("secret_access_key|secretaccesskey|secret-access-key|aws_secret", "[A-Za-z0-9/+]{40}"),
    )
    .inside_words(true)
    .entropy(3.5),
    rule(
        "aws-session-token",
        "AWS session token",
        &["session_token", "sessiontoken"],
        given_to!("session_?token", "[A-Za-z0-9/+]{100,}={0,2}"),
    )
    .inside_words(true)
    .reach(1400),
    rule("gcp-api-key", "Google API key", &["AIza"], "(AIza[A-Za-z0-9_-]{35})").entropy(3.0),
    rule("google-oauth-secret", "Google OAuth client secret", &["GOCSPX-"], "(GOCSPX-[A-Za-z0-9_-]{28})"),
    rule("google-access-token", "Google OAuth access token", &["ya29."], r"(ya29\.[A-Za-z0-9_-]{20,})").reach(1100).entropy(3.0),
    rule("azure-storage-key", "Azure storage account key", &["AccountKey"], given_to!("AccountKey", "[A-Za-z0-9+/]{86}=="))
        .inside_words(true),
    rule("azure-shared-access-key", "Azure shared access key", &["SharedAccessKey"], given_to!("SharedAccessKey", "[A-Za-z0-9+/]{43}=")),
    rule("azure-sas-signature", "Signature of an Azure shared access URL", &["sig="], "sig=([A-Za-z0-9%+/]{40,80}(?:=|%3[Dd]))"),
    rule(
        "azure-client-secret",
        "Azure (Entra) client secret",
        &["0Q~", "1Q~", "2Q~", "3Q~", "4Q~", "5Q~", "6Q~", "7Q~", "8Q~", "9Q~"],
        "([A-Za-z0-9]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34})",
    )
    .before(3),
    rule("digitalocean-token", "DigitalOcean token", &["dop_v1_", "doo_v1_", "dor_v1_"], "(do[opr]_v1_[a-f0-9]{64})"),
    rule(
        "heroku-api-key",
        "Heroku API key",
        &["heroku"],
        given_to!("heroku", "HRKU-[A-Za-z0-9_-]{36,64}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
    )
    .inside_words(true),
    rule(
        "cloudflare-token",
        "Cloudflare API token or key",
        &["cloudflare", "cf_api"],
        given_to!("(?:cloudflare|cf_api)[a-z_-]{0,20}(?:key|token|secret)", "[A-Za-z0-9_-]{40}|[a-f0-9]{37}"),
    )
    .inside_words(true)
    .random(true),
    rule("flyio-token", "Fly.io token", &["fm1_", "fm2_", "fo1_", "fm1r_"], "(f(?:m1r|m1|m2|o1)_[A-Za-z0-9+/=_-]{40,})").reach(1100),
    rule("vault-token", "HashiCorp Vault token", &["hvs.", "hvb.", "hvr."], r"(hv[sbr]\.[A-Za-z0-9_-]{24,})").entropy(3.0),
    rule("terraform-token", "Terraform Cloud token", &[".atlasv1."], r"([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70})").before(14),
    rule("pulumi-token", "Pulumi access token", &["pul-"], "(pul-[a-f0-9]{40})"),
    rule("databricks-token", "Databricks token", &["dapi"], "(dapi[a-f0-9]{32}(?:-[0-9])?)"),
    rule("planetscale-token", "PlanetScale token or password", &["pscale_"], "(pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,64})"),
    rule("supabase-token", "Supabase token", &["sbp_", "sb_secret_"], "(sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{24,64})"),
    rule(
        "doppler-token",
        "Doppler token",
        &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa."],
        r"(dp\.(?:pt|ct|sa|st\.[a-z0-9_-]{2,35})\.[A-Za-z0-9]{40,44}|dp\.st\.[A-Za-z0-9]{40,44})",
    ),
    rule("tailscale-key", "Tailscale key", &["tskey-"], "(tskey-(?:auth|api|client|scim|webhook)-[A-Za-z0-9]{8,32}-[A-Za-z0-9]{20,48})"),
    rule("onepassword-token", "1Password service account token", &["ops_eyJ"], "(ops_eyJ[A-Za-z0-9+/_-]{100,}={0,2})").reach(1700),
    rule(
        "newrelic-key",
        "New Relic key",
        &["NRAK-", "NRII-", "NRJS-", "NRRA-"],
        "((?:NRAK-[A-Z0-9]{27}|NRII-[A-Za-z0-9_-]{32}|NRJS-[a-f0-9]{19}|NRRA-[a-f0-9]{42}))",
    ),
    rule(
        "datadog-key",
        "Datadog API or application key",
        &["datadog", "dd_api_key", "dd_app_key", "dd-api-key", "dd-application-key"],
        given_to!("datadog[a-z_.-]{0,16}key|dd[_-]api[_-]key|dd[_-]app(?:lication)?[_-]key", "[a-f0-9]{40}|[a-f0-9]{32}"),
    )
    .inside_words(true),
    rule(
        "grafana-token",
        "Grafana token",
        &["glsa_", "glc_", "eyJrIjoi"],
        "(glsa_[A-Za-z0-9]{32}_[a-fA-F0-9]{8}|glc_[A-Za-z0-9+/]{32,}={0,2}|eyJrIjoi[A-Za-z0-9]{60,}={0,2})",
    ),
];
