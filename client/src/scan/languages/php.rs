//! PHP.

use super::{Found, Kind, Owner, Place, Spec, Text};
use tree_sitter::Node;

pub const SPEC: Spec = Spec {
    skip: &["comment", "empty_statement", "php_tag", "php_end_tag"],
    sorted: &["namespace_use_declaration"],
    attributes: &["attribute_list"],
    functions: &["function_definition", "method_declaration", "anonymous_function", "arrow_function"],
    texts: &[("integer", Text::Number), ("string_content", Text::Verbatim), ("nowdoc_string", Text::Verbatim)],
    candidates: &[
        "namespace_definition",
        "function_definition",
        "method_declaration",
        "class_declaration",
        "interface_declaration",
        "trait_declaration",
        "enum_declaration",
        "enum_case",
        "const_element",
        "property_element",
    ],
    found,
    ..Spec::EMPTY
};

fn found(node: Node<'_>, place: &Place<'_>) -> Option<Found> {
    match node.kind() {
        "namespace_definition" if node.child_by_field_name("body").is_some() => Found::plain(Kind::Module, node, place),
        "function_definition" => Found::plain(Kind::Function, node, place),
        "method_declaration" => Found::plain(Kind::Method, node, place),
        "class_declaration" | "trait_declaration" => Found::plain(Kind::Class, node, place),
        "interface_declaration" | "enum_declaration" => Found::plain(Kind::Type, node, place),
        "enum_case" => Found::valued(Kind::Constant, node, "name", "value", place),
        "const_element" => {
            let name = node.named_child(0).filter(|_| place.is_lasting())?;
            Some(Found::new(Kind::Constant, name, place).with_body(node.named_child(1)))
        }
        "property_element" if place.owner == Owner::Class => {
            let found = Found::valued(Kind::Constant, node, "name", "default_value", place)?;
            let name = found.name.trim_start_matches('$').to_owned();
            Some(found.named(name))
        }
        _ => None,
    }
}
