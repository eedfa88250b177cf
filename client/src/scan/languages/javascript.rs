//! JavaScript, TypeScript and TSX. What `prettier` does besides spaces: quotes, semicolons, trailing commas, parentheses,
//! numbers, quoted property names, flags of regular expressions, the grouping of `&&`, `||` and `??`, the layout of JSX and
//! of tagged templates.

use super::{Adjust, Found, Kind, Owner, Place, Spec, Text};
use crate::scan::literals;
use tree_sitter::Node;

pub const SPEC: Spec = Spec {
    skip: &["comment", "html_comment", "empty_statement", "hash_bang_line"],
    through: &["parenthesized_expression", "parenthesized_type", "formal_parameters"],
    drop_empty: &["arguments"],
    flat: &["union_type", "intersection_type", "required_parameter"],
    attributes: &["decorator"],
    functions: FUNCTIONS,
    texts: &[("string", Text::Quoted), ("number", Text::Number), ("jsx_text", Text::Words)],
    mutes_bars: &["union_type", "intersection_type"],
    chains: &["&&", "||", "??"],
    adjusted: &["string", "jsx_expression", "template_string", "number", "regex_flags"],
    adjust,
    candidates: &[
        "function_declaration",
        "generator_function_declaration",
        "function_signature",
        "class_declaration",
        "abstract_class_declaration",
        "interface_declaration",
        "type_alias_declaration",
        "enum_declaration",
        "internal_module",
        "module",
        "method_definition",
        "abstract_method_signature",
        "method_signature",
        "public_field_definition",
        "field_definition",
        "variable_declarator",
        "pair",
        "assignment_expression",
    ],
    found,
    ..Spec::EMPTY
};

const FUNCTIONS: &[&str] = &[
    "function_declaration",
    "generator_function_declaration",
    "function_expression",
    "generator_function",
    "arrow_function",
    "method_definition",
    "class_static_block",
];

fn found(node: Node<'_>, place: &Place<'_>) -> Option<Found> {
    match node.kind() {
        "function_declaration" | "generator_function_declaration" | "function_signature" => Found::plain(Kind::Function, node, place),
        "class_declaration" | "abstract_class_declaration" => Found::plain(Kind::Class, node, place),
        "interface_declaration" => Some(Found { owner: Owner::Value, ..Found::plain(Kind::Type, node, place)? }),
        "enum_declaration" => Found::plain(Kind::Type, node, place),
        "type_alias_declaration" => {
            let found = Found::new(Kind::Type, node.child_by_field_name("name")?, place);
            Some(Found { owner: Owner::Value, ..found.with_body(node.child_by_field_name("value")) })
        }
        "internal_module" | "module" => {
            let name = node.child_by_field_name("name")?;
            let text = place.text_of(name).trim_matches(['"', '\'']).to_owned();
            Some(Found::plain(Kind::Module, node, place)?.named(text))
        }
        "method_definition" | "abstract_method_signature" | "method_signature"
            if place.owner == Owner::Class || (node.kind() == "method_definition" && in_object(place)) =>
        {
            Some(Found::plain(Kind::Method, node, place)?.named(member(node, "name", place)?))
        }
        "public_field_definition" => field(node, "name", place),
        "field_definition" => field(node, "property", place),
        "pair" if in_object(place) => {
            let value = node.child_by_field_name("value").filter(|value| is_function(*value))?;
            let found = Found::new(Kind::Method, node.child_by_field_name("key")?, place).named(member(node, "key", place)?);
            Some(found.with_body(value.child_by_field_name("body")))
        }
        "variable_declarator" if place.is_lasting() => {
            let name = node.child_by_field_name("name").filter(|name| name.kind() == "identifier")?;
            Some(assigned(name, node.child_by_field_name("value"), Kind::Function, place))
        }
        "assignment_expression" if place.is_lasting() => {
            let left = node.child_by_field_name("left").filter(|left| left.kind() == "member_expression")?;
            let right = node.child_by_field_name("right").filter(|right| is_function(*right) || is_class(*right))?;
            let written: String = place.text_of(left).split_whitespace().collect();
            let name = written.trim_start_matches("module.").trim_start_matches("exports.").replace(".prototype.", ".");
            let plain = name.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '$' | '.'));
            let kind = if name.contains('.') { Kind::Method } else { Kind::Function };
            plain.then(|| assigned(left, Some(right), kind, place).named(name))
        }
        _ => None,
    }
}

fn in_object(place: &Place<'_>) -> bool {
    place.owner == Owner::Value && place.direct && !place.in_function
}

fn field(node: Node<'_>, name: &str, place: &Place<'_>) -> Option<Found> {
    let label = member(node, name, place).filter(|_| place.owner == Owner::Class)?;
    Some(assigned(node.child_by_field_name(name)?, node.child_by_field_name("value"), Kind::Method, place).named(label))
}

/// What a name stands for: a function of this kind, a class, or some other value.
fn assigned(name: Node<'_>, value: Option<Node<'_>>, callable: Kind, place: &Place<'_>) -> Found {
    match value {
        Some(value) if is_function(value) => Found::new(callable, name, place).with_body(value.child_by_field_name("body")),
        Some(value) if is_class(value) => Found::new(Kind::Class, name, place).with_body(value.child_by_field_name("body")),
        value => Found::new(Kind::Constant, name, place).with_body(value),
    }
}

fn is_function(node: Node<'_>) -> bool {
    matches!(node.kind(), "function_expression" | "arrow_function" | "generator_function")
}

fn is_class(node: Node<'_>) -> bool {
    node.kind() == "class"
}

/// A member's name as one calls it.
fn member(node: Node<'_>, field: &str, place: &Place<'_>) -> Option<String> {
    let name = node.child_by_field_name(field)?;
    Some(place.text_of(name).trim_matches(['"', '\'']).split_whitespace().collect())
}

fn adjust(node: Node<'_>, field: Option<&str>, parent: &str, _first: bool, text: &str) -> Adjust {
    let said = &text[node.byte_range()];
    match node.kind() {
        // `{"a": 1}` and `{a: 1}`.
        "string" if names_a_member(field, parent) => Adjust::Words(vec![literals::quoted(said)[1..].to_owned()]),
        "string" if parent == "jsx_expression" && literals::quoted(said)[1..].trim().is_empty() => Adjust::Skip,
        "number" if names_a_member(field, parent) => Adjust::Words(vec![literals::number(said)]),
        "regex_flags" => {
            let mut flags: Vec<char> = said.chars().collect();
            flags.sort_unstable();
            Adjust::Words(vec![flags.into_iter().collect()])
        }
        "jsx_expression" if node.named_child_count() == 1 && node.named_child(0).is_some_and(|inner| inner.kind() == "string") => {
            Adjust::Through
        }
        // CSS, HTML and GraphQL in templates are laid out anew.
        "template_string" if parent == "call_expression" && node.named_child_count() <= 1 => {
            Adjust::Words(vec![format!("`{}", literals::collapsed(said.trim_matches('`')))])
        }
        _ => Adjust::Nothing,
    }
}

fn names_a_member(field: Option<&str>, parent: &str) -> bool {
    matches!(field, Some("key" | "name" | "property"))
        && matches!(
            parent,
            "pair"
                | "pair_pattern"
                | "method_definition"
                | "method_signature"
                | "property_signature"
                | "public_field_definition"
                | "field_definition"
                | "enum_assignment"
                | "enum_body"
        )
}
