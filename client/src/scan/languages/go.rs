//! Go. A method carries the type it is on.

use super::{Found, Kind, Place, Spec, Text};
use tree_sitter::Node;

pub const SPEC: Spec = Spec {
    through: &["parenthesized_expression", "parenthesized_type", "var_spec_list", "statement_list"],
    sorted: &["import_declaration"],
    orders: &["import_spec_list"],
    functions: &["function_declaration", "method_declaration", "func_literal"],
    texts: &[
        ("interpreted_string_literal", Text::Verbatim),
        ("raw_string_literal", Text::Verbatim),
        ("int_literal", Text::Number),
        ("float_literal", Text::Float),
    ],
    candidates: &["function_declaration", "method_declaration", "type_spec", "type_alias", "const_spec", "var_spec"],
    found,
    ..Spec::EMPTY
};

fn found(node: Node<'_>, place: &Place<'_>) -> Option<Found> {
    match node.kind() {
        "function_declaration" => Found::plain(Kind::Function, node, place),
        "method_declaration" => {
            let found = Found::plain(Kind::Method, node, place)?;
            let receiver = node.child_by_field_name("receiver").map(|receiver| place.text_of(receiver)).unwrap_or_default();
            // `(s *Server[T])` is on `Server`.
            let on = receiver.split('[').next().unwrap_or_default().trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
            let on = on.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
            let name = if on.is_empty() { found.name.clone() } else { format!("{on}.{}", found.name) };
            Some(found.named(name))
        }
        "type_spec" | "type_alias" => Found::valued(Kind::Type, node, "name", "type", place),
        "const_spec" | "var_spec" => Found::valued(Kind::Constant, node, "name", "value", place),
        _ => None,
    }
}
