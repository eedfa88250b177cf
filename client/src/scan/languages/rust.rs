//! Rust. What `rustfmt` does besides spaces: trailing commas, blocks around one expression, the order of `use` and `mod`,
//! merged derives, parentheses.

use super::{Adjust, Found, Kind, Owner, Place, Spec, Text};
use tree_sitter::Node;

pub const SPEC: Spec = Spec {
    skip: &["line_comment", "block_comment", "empty_statement", "shebang"],
    through: &["parenthesized_expression", "scoped_identifier", "scoped_type_identifier", "scoped_use_list"],
    drop_empty: &["type_parameters", "where_clause"],
    flat: &["or_pattern", "use_list", "match_pattern"],
    sorted: &["use_declaration", "extern_crate_declaration"],
    orders: &["use_list"],
    attributes: &["attribute_item"],
    functions: &["function_item", "closure_expression", "async_block", "const_block"],
    texts: &[("string_literal", Text::Verbatim), ("raw_string_literal", Text::Verbatim), ("char_literal", Text::Verbatim)],
    mutes_bars: &["or_pattern", "match_pattern"],
    adjusted: &["attribute_item", "inner_attribute_item", "block", "expression_statement", "token_tree", "extern_modifier"],
    adjust,
    candidates: &[
        "function_item",
        "function_signature_item",
        "struct_item",
        "enum_item",
        "union_item",
        "trait_item",
        "type_item",
        "const_item",
        "static_item",
        "mod_item",
        "macro_definition",
        "impl_item",
    ],
    found,
    ..Spec::EMPTY
};

fn found(node: Node<'_>, place: &Place<'_>) -> Option<Found> {
    match node.kind() {
        "function_item" | "function_signature_item" => Found::callable(node, place),
        "struct_item" | "enum_item" | "union_item" | "trait_item" => Found::plain(Kind::Type, node, place),
        "type_item" if place.owner != Owner::Function => {
            Some(Found::new(Kind::Type, node.child_by_field_name("name")?, place).with_body(node.child_by_field_name("type")))
        }
        "const_item" | "static_item" => {
            let name = node.child_by_field_name("name")?;
            if place.text_of(name) == "_" { None } else { Found::valued(Kind::Constant, node, "name", "value", place) }
        }
        "mod_item" if node.child_by_field_name("body").is_some() => Found::plain(Kind::Module, node, place),
        "macro_definition" => Some(Found { rest_is_body: true, ..Found::new(Kind::Function, node.child_by_field_name("name")?, place) }),
        "impl_item" => Some(Found::scope(implementor(node.child_by_field_name("type")?, place), Owner::Class)),
        _ => None,
    }
}

/// `a::B<C>` is `B`; `&mut [T]` is what it is.
fn implementor(mut of: Node<'_>, place: &Place<'_>) -> String {
    loop {
        let inner = match of.kind() {
            "generic_type" | "reference_type" | "pointer_type" => of.child_by_field_name("type"),
            "scoped_type_identifier" => of.child_by_field_name("name"),
            "dynamic_type" => of.child_by_field_name("trait"),
            _ => None,
        };
        match inner {
            Some(inner) => of = inner,
            None => return place.text_of(of).split_whitespace().collect(),
        }
    }
}

/// What is said to the tools, not to the program.
const IDLE: [&str; 8] = ["doc", "allow", "expect", "warn", "deny", "forbid", "rustfmt", "clippy"];

fn adjust(node: Node<'_>, field: Option<&str>, parent: &str, _first: bool, text: &str) -> Adjust {
    let said = &text[node.byte_range()];
    match node.kind() {
        "attribute_item" | "inner_attribute_item" => {
            let inner: String = said.trim_start_matches(['#', '!', '[', ' ', '\n']).split_whitespace().collect();
            let path = inner.split(['(', '=', ':', ']']).next().unwrap_or_default();
            if IDLE.contains(&path) {
                return Adjust::Skip;
            }
            match inner.strip_prefix("derive(") {
                Some(derived) => {
                    let traits = derived.trim_end_matches([']', ')']).split(',').filter(|name| !name.is_empty());
                    Adjust::Words(traits.map(|name| format!("#derive {name}")).collect())
                }
                None => Adjust::Nothing,
            }
        }
        "block" if (parent == "match_arm" && field == Some("value")) || (parent == "closure_expression" && field == Some("body")) => {
            if holds_one_expression(node, text) {
                Adjust::Through
            } else {
                Adjust::Nothing
            }
        }
        "expression_statement" if !said.ends_with(';') || leaves(node) => Adjust::Through,
        // Of a macro's arguments nobody knows what they are: braces may be a block around one expression.
        "token_tree" if said.starts_with('{') || parent == "macro_invocation" => Adjust::Through,
        "extern_modifier" if said == "extern" => Adjust::Words(vec!["extern".to_owned(), "\"C\"".to_owned()]),
        _ => Adjust::Nothing,
    }
}

fn holds_one_expression(block: Node<'_>, text: &str) -> bool {
    let mut cursor = block.walk();
    let mut inside = block.named_children(&mut cursor).filter(|child| !child.kind().ends_with("_comment"));
    let (Some(one), None) = (inside.next(), inside.next()) else { return false };
    match one.kind() {
        "expression_statement" => !text[one.byte_range()].ends_with(';') || leaves(one),
        "let_declaration" | "use_declaration" | "label" | "attribute_item" | "inner_attribute_item" => false,
        kind => !kind.ends_with("_item"),
    }
}

/// `return x` and `return x;` end a block alike.
fn leaves(statement: Node<'_>) -> bool {
    statement.named_child(0).is_some_and(|inner| matches!(inner.kind(), "return_expression" | "break_expression" | "continue_expression"))
}
