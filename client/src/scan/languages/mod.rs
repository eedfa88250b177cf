//! What a symbol is in each language, and what in its text means nothing: a table per grammar, made once, and two
//! functions for what a table cannot say.

mod c;
mod c_sharp;
mod go;
mod java;
mod javascript;
mod php;
mod python;
mod ruby;
mod rust;

use super::{Kind, stream};
use std::sync::OnceLock;
use tree_sitter::Node;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    Rust,
    Python,
    JavaScript,
    TypeScript,
    Tsx,
    Go,
    Java,
    C,
    Cpp,
    CSharp,
    Ruby,
    Php,
}

impl Language {
    /// By the end of its name, as everybody does.
    pub fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let (_, ending) = name.rsplit_once('.')?;
        Some(match ending {
            "rs" => Self::Rust,
            "py" | "pyi" | "pyw" => Self::Python,
            "js" | "mjs" | "cjs" | "jsx" => Self::JavaScript,
            "ts" | "mts" | "cts" => Self::TypeScript,
            "tsx" => Self::Tsx,
            "go" => Self::Go,
            "java" => Self::Java,
            "c" => Self::C,
            // A header may be either; the larger grammar reads both.
            "h" | "cc" | "cpp" | "cxx" | "c++" | "hh" | "hpp" | "hxx" | "ipp" | "cu" | "cuh" => Self::Cpp,
            "cs" => Self::CSharp,
            "rb" | "rake" | "gemspec" => Self::Ruby,
            "php" | "phtml" => Self::Php,
            _ => return None,
        })
    }

    pub fn grammar(self) -> tree_sitter::Language {
        match self {
            Self::Rust => tree_sitter_rust::LANGUAGE,
            Self::Python => tree_sitter_python::LANGUAGE,
            Self::JavaScript => tree_sitter_javascript::LANGUAGE,
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
            Self::Tsx => tree_sitter_typescript::LANGUAGE_TSX,
            Self::Go => tree_sitter_go::LANGUAGE,
            Self::Java => tree_sitter_java::LANGUAGE,
            Self::C => tree_sitter_c::LANGUAGE,
            Self::Cpp => tree_sitter_cpp::LANGUAGE,
            Self::CSharp => tree_sitter_c_sharp::LANGUAGE,
            Self::Ruby => tree_sitter_ruby::LANGUAGE,
            Self::Php => tree_sitter_php::LANGUAGE_PHP,
        }
        .into()
    }

    pub fn rules(self) -> &'static Rules {
        static RULES: [OnceLock<Rules>; 12] = [const { OnceLock::new() }; 12];
        RULES[self as usize].get_or_init(|| Rules::new(&self.grammar(), self.spec()))
    }

    fn spec(self) -> &'static Spec {
        match self {
            Self::Rust => &rust::SPEC,
            Self::Python => &python::SPEC,
            Self::JavaScript | Self::TypeScript | Self::Tsx => &javascript::SPEC,
            Self::Go => &go::SPEC,
            Self::Java => &java::SPEC,
            Self::C | Self::Cpp => &c::SPEC,
            Self::CSharp => &c_sharp::SPEC,
            Self::Ruby => &ruby::SPEC,
            Self::Php => &php::SPEC,
        }
    }
}

/// How the text of a node becomes words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Text {
    /// By its leaves.
    Leaves,
    Verbatim,
    /// A string between quotes, by what it says.
    Quoted,
    Number,
    /// Where `1.0` is another thing than `1`.
    Float,
    /// One word, whatever the spaces in it.
    Collapsed,
    Words,
    StartOfString,
    PieceOfString,
}

/// What a language's own function says about a node.
pub enum Adjust {
    Nothing,
    Skip,
    /// Only what is in it counts.
    Through,
    Words(Vec<String>),
}

/// Where a node stands that may be a symbol.
pub struct Place<'a> {
    pub text: &'a str,
    pub owner: Owner,
    /// A function without a name lies between.
    pub in_function: bool,
    /// Only one node lies between it and the symbol that it is in.
    pub direct: bool,
}

impl<'a> Place<'a> {
    pub fn text_of(&self, node: Node<'_>) -> &'a str {
        &self.text[node.byte_range()]
    }

    /// Nothing that is made anew with each call.
    pub fn is_lasting(&self) -> bool {
        !self.in_function && !matches!(self.owner, Owner::Function | Owner::Value)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    Nobody,
    Module,
    /// Functions in it are methods.
    Class,
    Function,
    Value,
}

/// A symbol, or with no kind a place that gives its name to what is in it.
pub struct Found {
    pub name: String,
    /// The last part of the name, as the symbol calls itself.
    pub own: String,
    pub name_id: usize,
    pub body_ids: [usize; 2],
    /// There is no signature, all of it is body.
    pub rest_is_body: bool,
    pub kind: Option<Kind>,
    pub owner: Owner,
}

impl Found {
    pub fn new(kind: Kind, name: Node<'_>, place: &Place<'_>) -> Self {
        let own = place.text_of(name).to_owned();
        let owner = match kind {
            Kind::Function | Kind::Method => Owner::Function,
            Kind::Class | Kind::Type => Owner::Class,
            Kind::Constant => Owner::Value,
            Kind::Module => Owner::Module,
        };
        let name_text = dotted(&own);
        Self { name: name_text, own, name_id: name.id(), body_ids: [0; 2], rest_is_body: false, kind: Some(kind), owner }
    }

    /// The usual: a `name` and a `body`.
    pub fn plain(kind: Kind, node: Node<'_>, place: &Place<'_>) -> Option<Self> {
        Some(Self::new(kind, node.child_by_field_name("name")?, place).with_body(node.child_by_field_name("body")))
    }

    /// A function, or in a class a method.
    pub fn callable(node: Node<'_>, place: &Place<'_>) -> Option<Self> {
        Self::plain(if place.owner == Owner::Class { Kind::Method } else { Kind::Function }, node, place)
    }

    /// Something that is given a value, if it lasts.
    pub fn valued(kind: Kind, node: Node<'_>, name: &str, value: &str, place: &Place<'_>) -> Option<Self> {
        let name = node.child_by_field_name(name).filter(|_| place.is_lasting())?;
        Some(Self::new(kind, name, place).with_body(node.child_by_field_name(value)))
    }

    /// Nothing by itself.
    pub fn scope(name: String, owner: Owner) -> Self {
        Self { own: name.clone(), name, name_id: 0, body_ids: [0; 2], rest_is_body: false, kind: None, owner }
    }

    pub fn with_body(mut self, body: Option<Node<'_>>) -> Self {
        if let Some(body) = body {
            let free = usize::from(self.body_ids[0] != 0);
            self.body_ids[free] = body.id();
        }
        self
    }

    pub fn named(mut self, name: String) -> Self {
        self.name = name;
        self
    }
}

/// A name as it is written, with dots.
pub fn dotted(name: &str) -> String {
    let name: String = name.split_whitespace().collect();
    name.replace("::", ".").replace('\\', ".").trim_matches('.').to_owned()
}

type Adjusting = fn(Node<'_>, Option<&str>, &str, bool, &str) -> Adjust;
type Finding = fn(Node<'_>, &Place<'_>) -> Option<Found>;

/// Names of nodes, by what they mean to us.
pub struct Spec {
    pub skip: &'static [&'static str],
    pub through: &'static [&'static str],
    /// As if these were those.
    pub alike: &'static [(&'static str, &'static str)],
    pub drop_empty: &'static [&'static str],
    /// Nested in its like, or around one thing alone, it is not there.
    pub flat: &'static [&'static str],
    /// Among its siblings, its place means nothing.
    pub sorted: &'static [&'static str],
    /// The order of its children means nothing.
    pub orders: &'static [&'static str],
    /// Stands before a symbol, or in its head, and belongs to its body.
    pub attributes: &'static [&'static str],
    /// What is in it is made anew with each call.
    pub functions: &'static [&'static str],
    pub texts: &'static [(&'static str, Text)],
    /// `|` and `&` between its parts say nothing that its name does not.
    pub mutes_bars: &'static [&'static str],
    /// Operators that mean the same however a chain of them is grouped.
    pub chains: &'static [&'static str],
    pub adjusted: &'static [&'static str],
    pub adjust: Adjusting,
    pub candidates: &'static [&'static str],
    pub found: Finding,
}

impl Spec {
    const EMPTY: Self = Self {
        skip: &["comment", "empty_statement"],
        through: &["parenthesized_expression"],
        alike: &[],
        drop_empty: &[],
        flat: &[],
        sorted: &[],
        orders: &[],
        attributes: &[],
        functions: &[],
        texts: &[],
        mutes_bars: &[],
        chains: &[],
        adjusted: &[],
        adjust: |_, _, _, _, _| Adjust::Nothing,
        candidates: &[],
        found: |_, _| None,
    };
}

/// What is known of a kind of node.
pub struct Rule {
    pub skip: bool,
    pub through: bool,
    pub drop_empty: bool,
    pub flat: bool,
    pub sorted: bool,
    pub orders: bool,
    pub attribute: bool,
    pub function: bool,
    pub mutes_bars: bool,
    pub chains: bool,
    pub adjusted: bool,
    pub candidate: bool,
    pub text: Text,
    pub punctuation: bool,
    pub bar: bool,
    /// Of its kind.
    pub hash: u64,
    /// If it is a word of the language.
    pub word: u64,
}

pub struct Rules {
    kinds: Vec<Rule>,
    names: Vec<&'static str>,
    fallback: Rule,
    pub adjust: Adjusting,
    pub found: Finding,
}

impl Rules {
    fn new(grammar: &tree_sitter::Language, spec: &'static Spec) -> Self {
        let count = u16::try_from(grammar.node_kind_count()).unwrap_or(u16::MAX);
        let (mut kinds, mut names) = (Vec::new(), Vec::new());
        for id in 0..count {
            let name = grammar.node_kind_for_id(id).unwrap_or_default();
            let visible = grammar.node_kind_is_named(id);
            kinds.push(rule(spec, name, visible));
            let lists = spec.candidates.iter().chain(spec.adjusted).chain(KNOWN_PARENTS);
            names.push(lists.copied().find(|known| *known == name && visible).unwrap_or_default());
        }
        Self { kinds, names, fallback: rule(spec, "ERROR", true), adjust: spec.adjust, found: spec.found }
    }

    pub fn of(&self, id: u16) -> &Rule {
        self.kinds.get(usize::from(id)).unwrap_or(&self.fallback)
    }

    /// The name of a kind that somebody asks for as a parent; else nothing.
    pub fn name_of(&self, id: u16) -> &'static str {
        self.names.get(usize::from(id)).copied().unwrap_or_default()
    }
}

const KNOWN_PARENTS: &[&str] = &[
    "match_arm",
    "closure_expression",
    "module",
    "block",
    "concatenated_string",
    "arrow_function",
    "pair",
    "method_definition",
    "method_signature",
    "property_signature",
    "public_field_definition",
    "field_definition",
    "enum_assignment",
    "enum_body",
    "jsx_expression",
    "call_expression",
    "macro_invocation",
    "new_expression",
    "pair_pattern",
];

fn rule(spec: &Spec, name: &str, named: bool) -> Rule {
    let is = |list: &[&str]| named && list.contains(&name);
    let alike = spec.alike.iter().find(|(from, _)| named && *from == name).map_or(name, |(_, to)| *to);
    let text = spec.texts.iter().find(|(of, _)| named && *of == name).map_or(Text::Leaves, |(_, text)| *text);
    Rule {
        skip: is(spec.skip),
        through: is(spec.through),
        drop_empty: is(spec.drop_empty),
        flat: is(spec.flat),
        sorted: is(spec.sorted),
        orders: is(spec.orders),
        attribute: is(spec.attributes),
        function: is(spec.functions),
        mutes_bars: is(spec.mutes_bars),
        chains: !named && spec.chains.contains(&name),
        adjusted: is(spec.adjusted),
        candidate: is(spec.candidates),
        text,
        punctuation: !named && (matches!(name, "(" | ")" | "[" | "]" | "{" | "}" | "," | ";") || name.trim().is_empty()),
        bar: !named && matches!(name, "|" | "&"),
        hash: stream::hash(alike),
        word: stream::word(name),
    }
}
