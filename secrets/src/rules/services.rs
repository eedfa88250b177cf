//! Models, messages, payments, and the other services that a team uses.

use super::given_to;
use crate::rule::{Rule, rule};

pub(super) const RULES: [Rule; 28] = [
    rule("anthropic-key", "Anthropic key", &["sk-ant-"], "(sk-ant-[a-z]{3,8}[0-9]{2}-[A-Za-z0-9_-]{60,})"),
    rule("openrouter-key", "OpenRouter key", &["sk-or-"], "(sk-or-v1-[a-f0-9]{64})"),
    rule(
        "openai-key",
        "OpenAI key, or one of the same form",
        &["sk-"],
        "(sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{40,}|sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|sk-[A-Za-z0-9]{32,64})",
    )
    .random(true),
    rule("huggingface-token", "Hugging Face token", &["hf_", "api_org_"], "((?:hf|api_org)_[A-Za-z0-9]{34,40})").entropy(3.5),
    rule("groq-key", "Groq key", &["gsk_"], "(gsk_[A-Za-z0-9]{48,56})"),
    rule("xai-key", "xAI key", &["xai-"], "(xai-[A-Za-z0-9]{70,90})"),
    rule("replicate-token", "Replicate token", &["r8_"], "(r8_[A-Za-z0-9]{37,40})"),
    rule("perplexity-key", "Perplexity key", &["pplx-"], "(pplx-[A-Za-z0-9]{40,60})"),
    rule(
        "slack-token",
        "Slack token",
        &["xoxb-", "xoxa-", "xoxp-", "xoxo-", "xoxs-", "xoxr-", "xoxe-", "xoxe.", "xapp-", "xoxc-", "xoxd-"],
        r"((?:xoxe\.)?(?:xox[abposrecd]|xapp)-[A-Za-z0-9%-]{10,})",
    )
    .entropy(3.0),
    rule(
        "slack-webhook",
        "Slack webhook",
        &["https://hooks.slack"],
        "(https://hooks\\.slack(?:-gov)?\\.com/(?:services|workflows|triggers)/[A-Z0-9]{8,14}/[A-Z0-9]{8,20}/[A-Za-z0-9/]{20,70})",
    ),
    rule(
        "teams-webhook",
        "Microsoft Teams webhook",
        &[".webhook.office"],
        r"([a-z0-9]{1,40}\.webhook\.office\.com/webhookb2/[0-9a-f-]{36}@[0-9a-f-]{36}/IncomingWebhook/[a-z0-9]{32}/[0-9a-f-]{36})",
    )
    .before(40),
    rule(
        "discord-webhook",
        "Discord webhook",
        &["https://discord"],
        r"(https://discord(?:app)?\.com/api/webhooks/[0-9]{17,20}/[A-Za-z0-9_-]{60,80})",
    ),
    rule(
        "discord-token",
        "Discord bot token",
        &["discord", "bot M", "bot N", "bot O"],
        r#"(?i:discord[A-Za-z0-9_. -]{0,24}["'\\\]]{0,4}[ \t]{0,8}(?:=>|:=|=|:|,)[ \t]{0,8}["'\\]{0,4}|bot )([MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40})"#,
    )
    .inside_words(true),
    rule(
        "telegram-token",
        "Telegram bot token",
        &[":AA"],
        "[A-Za-z]{0,3}([0-9]{8,10}:AA[A-Za-z0-9_-]{33})",
    )
    .before(13),
    rule("stripe-key", "Stripe secret or restricted key", &["sk_live_", "rk_live_", "sk_test_", "rk_test_"], "([sr]k_(?:live|test)_[A-Za-z0-9]{16,})")
        .entropy(3.0),
    rule("webhook-signing-secret", "Signing secret of webhooks (Stripe, Svix)", &["whsec_"], "(whsec_[A-Za-z0-9+/]{24,64}={0,2})").entropy(3.0),
    rule("square-token", "Square token or secret", &["sq0atp-", "sq0csp-", "EAAAE", "EAAAl"], "(sq0(?:atp-[A-Za-z0-9_-]{22}|csp-[A-Za-z0-9_-]{43})|EAAA[El][A-Za-z0-9_-]{59})"),
    rule("shopify-token", "Shopify token", &["shpat_", "shpca_", "shppa_", "shpss_"], "(shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32})"),
    rule("paypal-braintree-token", "Braintree access token", &["access_token$"], r"(access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32})"),
    rule("twilio-token", "Twilio auth token or API key", &["twilio"], given_to!("twilio", "SK[a-f0-9]{32}|[a-f0-9]{32}")).inside_words(true),
    rule("sendgrid-key", "SendGrid key", &["SG."], r"(SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43})"),
    rule("mailgun-key", "Mailgun key", &["key-"], "(key-[a-f0-9]{32})"),
    rule("mailchimp-key", "Mailchimp key", &["-us1", "-us2", "-us3", "-us4", "-us5", "-us6", "-us7", "-us8", "-us9"], "([a-f0-9]{32}-us[0-9]{1,2})").before(32),
    rule("brevo-key", "Brevo key", &["xkeysib-"], "(xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16})"),
    rule("linear-key", "Linear key", &["lin_api_", "lin_oauth_"], "(lin_(?:api|oauth)_[A-Za-z0-9]{32,64})"),
    rule("notion-token", "Notion token", &["secret_", "ntn_"], "(secret_[A-Za-z0-9]{43}|ntn_[A-Za-z0-9]{40,50})").entropy(3.5),
    rule("figma-token", "Figma token", &["figd_"], "(figd_[A-Za-z0-9_-]{40,60})"),
    rule("facebook-token", "Meta (Facebook, Instagram) token", &["EAAC", "EAAG", "EAAB", "EAAM"], "(EAA[CGBM][A-Za-z0-9]{80,})"),
];
