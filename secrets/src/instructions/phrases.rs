//! The phrases, as data: a reason for people, keywords, and a pattern matched from the keyword on. Without a pattern the keyword
//! is enough. Texts are folded first: lower case, plain letters, one space between words, a line end before the first.

#[derive(Clone, Copy)]
pub(super) struct Phrase {
    pub reason: &'static str,
    pub keywords: &'static [&'static str],
    pub pattern: &'static str,
}

const fn phrase(reason: &'static str, keywords: &'static [&'static str], pattern: &'static str) -> Phrase {
    Phrase { reason, keywords, pattern }
}

const IGNORES: &str = "asks to ignore earlier instructions";
const SYSTEM: &str = "imitates a system message";
const TOOL: &str = "looks like a tool call";
const ROLE: &str = "gives the model a new role";
const READER: &str = "gives orders to the model that reads it";
const PROMPT: &str = "asks for the system prompt";
const SILENCE: &str = "asks to keep something from the user";
const SENDS: &str = "asks to send data elsewhere";

/// In capitals only: small letters are an index in somebody's code.
pub(super) const EXACT: [(&str, &str); 2] = [("[INST]", SYSTEM), ("[/INST]", SYSTEM)];

pub(super) const PHRASES: [Phrase; 22] = [
    phrase(
        SYSTEM,
        &[
            "<|im_start|>",
            "<|im_end|>",
            "<|system|>",
            "<|user|>",
            "<|assistant|>",
            "<|start_header_id|>",
            "<|eot_id|>",
            "<<sys>>",
            "<system>",
            "</system>",
            "<system-reminder>",
            "<system_prompt>",
            "<system-prompt>",
            "\n### system:",
            "\n### instruction:",
        ],
        "",
    ),
    phrase(SYSTEM, &["system: you"], "system: you (?:are|will|must|have|now|should)"),
    phrase(SYSTEM, &["\nhuman:", "\nuser:"], r"\n(?:human|user): [^\n]{0,400}\nassistant:"),
    phrase(
        TOOL,
        &[
            "function_calls>",
            "<invoke name=",
            "<tool_call>",
            "</tool_call>",
            "<|tool_call",
            "<tool_use>",
            "<tool_result>",
            "</tool_result>",
            "<function_call>",
            "<|tool_calls",
        ],
        "",
    ),
    phrase(TOOL, &["\"type\""], r#""type" ?: ?"tool_(?:use|result)""#),
    phrase(TOOL, &["\"tool_calls\""], r#""tool_calls" ?: ?\["#),
    phrase(
        IGNORES,
        &["ignore", "disregard", "forget", "override", "bypass", "neglect"],
        "(?:ignore|disregard|forget|override|bypass|neglect)(?: (?:all|any|every|each|the|these|those|my|of|and|other|existing)){0,4} \
         (?:previous|prior|above|earlier|preceding|foregoing|your|safety|system)(?: (?:previous|prior|above|earlier|preceding|own|safety|system|and|or|ethical|developer)){0,3} \
         (?:instructions?|prompts?|guidelines?|directives?|safeguards|programming|training|restrictions)(?:[^a-z]|$)",
    ),
    phrase(
        IGNORES,
        &["ignore", "disregard", "forget"],
        "(?:ignore|disregard|forget)(?: (?:all|any|the|these|those|of)){0,3} (?:instructions?|prompts?) (?:above|before|given|so far|you)",
    ),
    phrase(
        IGNORES,
        &["forget everything", "ignore everything", "disregard everything"],
        "[a-z]{6,9} everything (?:you|above|before|that (?:was|came)|i said)",
    ),
    phrase(
        IGNORES,
        &["not follow", "don't follow", "stop following"],
        "(?:not|don't|stop) follow(?:ing)? (?:the |any |your |all )?(?:of the )?(?:above|previous|prior|earlier|preceding) (?:instructions?|rules|prompts?)",
    ),
    phrase(ROLE, &["from now on"], "from now on,? you (?:are|will (?:act|be|behave|answer|respond|obey|ignore))"),
    phrase(
        ROLE,
        &["you are now"],
        "you are now (?:in |an? |the )?(?:dan[^a-z]|developer mode|god mode|jailbroken|unrestricted|different ai|administrator|root[^a-z]|evil)",
    ),
    phrase(
        ROLE,
        &["pretend", "act as", "roleplay"],
        "[a-z]+ ?(?:to be|you are|that you are|as)?(?: an?)? (?:unrestricted|uncensored|jailbroken|evil|amoral|dan[^a-z])",
    ),
    phrase(ROLE, &["new instructions", "new instruction", "your new"], "(?:your )?new instructions?(?: are)?:"),
    phrase(READER, &["as an ai"], "as an ai(?: language)?(?: model| assistant| agent)?,? you (?:must|will|should|have to|are)"),
    phrase(
        READER,
        &["ai agent", "ai assistant", "ai model", "language model", "llms"],
        "(?:ai (?:agent|assistant|model)|language model|llm)s? (?:reading|processing|that reads?|who reads?|seeing|parsing) this",
    ),
    phrase(READER, &["if you are an", "if you're an"], "if you(?: a|')re an (?:ai|llm|language model|automated agent)(?:[^a-z]|$)"),
    phrase(
        READER,
        &["when you"],
        "when you (?:recall|read|see|load|process) this(?: memory| text| message| note| file)?,? (?:you must |always |immediately |then )?\
         (?:run|execute|call|send|delete|ignore|approve|reply|respond|push|install)[^a-z]",
    ),
    phrase(
        PROMPT,
        &["reveal", "print", "show", "repeat", "output", "leak", "what is your", "tell me your"],
        "(?:(?:reveal|print|show|repeat|output|leak)(?: me)? your|(?:reveal|repeat|leak) the|what is your|tell me your)(?: full| entire| hidden| secret| initial| original)* \
         (?:system prompt|initial instructions|hidden instructions|original instructions)|repeat (?:the|all|every)[a-z ]{1,20} above (?:verbatim|word for word|exactly)",
    ),
    phrase(
        SILENCE,
        &["do not", "don't", "never", "hide this", "hide it", "keep this", "keep it", "without telling", "without informing"],
        "(?:(?:do not|don't|never) (?:tell|inform|notify|alert) the (?:user|human|operator|owner)(?: about (?:this|it|that)| that you| this| anything|[.,!;]|$)|\
         (?:do not|don't|never) (?:mention|reveal|disclose|show) (?:this|it|that)(?: [a-z]+){0,2} to the (?:user|human|operator|owner)|\
         hide (?:this|it) from the (?:user|human|operator|owner)|keep (?:this|it)(?: a)?(?: secret| hidden| quiet)? from the (?:user|human|operator|owner)|\
         without (?:telling|informing) the (?:user|human|operator|owner)(?:[.,!;]|$))",
    ),
    phrase(
        SENDS,
        &["send", "upload", "post", "forward", "transmit", "leak", "email", "submit"],
        r"(?:send|upload|post|forward|transmit|leak|email|submit)(?: [^\s]+){0,6}? (?:contents?|environment|env|\.env|secrets?|credentials?|keys?|tokens?|passwords?|conversation|history|prompt|[^\s]*id_rsa|memory|memories)(?: [^\s]+){0,6}? to (?:https?://|[a-z0-9._-]+@)",
    ),
    phrase(
        SENDS,
        &["exfiltrate", "append", "embed"],
        "(?:exfiltrate (?:the|all|your|this|any)[^a-z]|(?:append|embed)(?: [a-z_]+){1,4} (?:key|secret|token|password|data|history)s? (?:as|in|to|into)(?: [a-z]+){0,5} (?:image|link|url)[^a-z])",
    ),
];

pub(super) const KEYWORDS: usize = {
    let (mut count, mut at) = (0, 0);
    while at < PHRASES.len() {
        count += PHRASES[at].keywords.len();
        at += 1;
    }
    count
};

/// Every keyword with the number of its phrase.
pub(super) const fn keywords() -> [(&'static str, u8); KEYWORDS] {
    let (mut keywords, mut filled, mut at) = ([("", 0); KEYWORDS], 0, 0);
    while at < PHRASES.len() {
        let mut which = 0;
        while which < PHRASES[at].keywords.len() {
            #[expect(clippy::cast_possible_truncation, reason = "a few dozen phrases")]
            {
                keywords[filled] = (PHRASES[at].keywords[which], at as u8);
            }
            filled += 1;
            which += 1;
        }
        at += 1;
    }
    keywords
}
