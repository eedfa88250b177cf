//! Java. Annotations belong to the body: they change what happens, not how it is called.

use super::{Found, Kind, Owner, Place, Spec, Text};
use tree_sitter::Node;

pub const SPEC: Spec = Spec {
    skip: &["line_comment", "block_comment", "empty_statement"],
    sorted: &["import_declaration"],
    attributes: &["annotation", "marker_annotation"],
    functions: &["method_declaration", "constructor_declaration", "compact_constructor_declaration", "lambda_expression"],
    texts: &[("string_literal", Text::Verbatim), ("character_literal", Text::Verbatim)],
    candidates: &[
        "class_declaration",
        "record_declaration",
        "interface_declaration",
        "enum_declaration",
        "annotation_type_declaration",
        "method_declaration",
        "constructor_declaration",
        "compact_constructor_declaration",
        "field_declaration",
        "constant_declaration",
        "enum_constant",
    ],
    found,
    ..Spec::EMPTY
};

fn found(node: Node<'_>, place: &Place<'_>) -> Option<Found> {
    match node.kind() {
        "class_declaration" | "record_declaration" => Found::plain(Kind::Class, node, place),
        "interface_declaration" | "enum_declaration" | "annotation_type_declaration" => Found::plain(Kind::Type, node, place),
        "method_declaration" | "constructor_declaration" | "compact_constructor_declaration" => Found::plain(Kind::Method, node, place),
        "enum_constant" => {
            let found = Found::plain(Kind::Constant, node, place)?;
            Some(Found { owner: Owner::Class, ..found.with_body(node.child_by_field_name("arguments")) })
        }
        "field_declaration" | "constant_declaration" => {
            let declarator = node.child_by_field_name("declarator")?;
            let found = Found::new(Kind::Constant, declarator.child_by_field_name("name")?, place);
            Some(found.with_body(declarator.child_by_field_name("value")))
        }
        _ => None,
    }
}
