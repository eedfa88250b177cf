//! Python. What `black` does besides spaces: quotes and prefixes of strings, case of numbers, parentheses, trailing commas.
//! Docstrings are comments.

use super::{Adjust, Found, Kind, Place, Spec, Text};
use tree_sitter::Node;

pub const SPEC: Spec = Spec {
    skip: &["comment", "line_continuation", "string_end"],
    // A type is an expression: in parentheses, the grammar itself takes it for one.
    through: &["parenthesized_expression", "parenthesized_list_splat", "with_item", "decorated_definition", "type", "type_parameter"],
    alike: &[
        ("tuple", "expression_list"),
        ("pattern_list", "expression_list"),
        ("tuple_pattern", "expression_list"),
        ("concatenated_string", "string"),
        ("generic_type", "subscript"),
        ("union_type", "binary_operator"),
        ("member_type", "attribute"),
    ],
    drop_empty: &["argument_list"],
    attributes: &["decorator"],
    functions: &["function_definition", "lambda"],
    texts: &[
        ("string_start", Text::StartOfString),
        ("string_content", Text::PieceOfString),
        ("integer", Text::Number),
        ("float", Text::Float),
    ],
    adjusted: &["string", "expression_statement", "tuple_pattern", "case_pattern"],
    adjust,
    candidates: &["function_definition", "class_definition", "assignment", "type_alias_statement"],
    found,
    ..Spec::EMPTY
};

fn found(node: Node<'_>, place: &Place<'_>) -> Option<Found> {
    match node.kind() {
        "function_definition" => Found::callable(node, place),
        "class_definition" => Found::plain(Kind::Class, node, place),
        "assignment" if node.child_by_field_name("left")?.kind() == "identifier" => {
            Found::valued(Kind::Constant, node, "left", "right", place)
        }
        "type_alias_statement" => {
            // `type A[T] = …`: the name is the first word of what is on the left.
            let left = node.child_by_field_name("left")?;
            let name = place.text_of(left).split('[').next()?.trim().to_owned();
            let found = Found::valued(Kind::Type, node, "left", "right", place)?;
            Some(Found { own: name.clone(), ..found }.named(name))
        }
        _ => None,
    }
}

/// Parentheses around one thing.
fn is_grouping(tuple: Node<'_>) -> bool {
    tuple.named_children(&mut tuple.walk()).filter(|child| !child.is_extra()).count() == 1
        && !tuple.children(&mut tuple.walk()).any(|child| child.kind() == ",")
}

fn adjust(node: Node<'_>, _field: Option<&str>, parent: &str, first: bool, _text: &str) -> Adjust {
    match node.kind() {
        // `(a) = 1` is no tuple.
        "tuple_pattern" if is_grouping(node) => Adjust::Through,
        // `case (a | b)` is `case a | b`.
        "case_pattern" if parent == "tuple_pattern" && node.parent().is_some_and(is_grouping) => Adjust::Through,
        "string" if parent == "concatenated_string" => Adjust::Through,
        "expression_statement" if first && matches!(parent, "module" | "block") => {
            let only = node.named_child_count() == 1;
            let is_text = node.named_child(0).is_some_and(|inner| matches!(inner.kind(), "string" | "concatenated_string"));
            if only && is_text { Adjust::Skip } else { Adjust::Nothing }
        }
        _ => Adjust::Nothing,
    }
}
