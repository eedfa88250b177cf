//! C#. Attributes belong to the body.

use super::{Found, Kind, Owner, Place, Spec, Text};
use tree_sitter::Node;

pub const SPEC: Spec = Spec {
    sorted: &["using_directive"],
    attributes: &["attribute_list"],
    functions: &[
        "method_declaration",
        "constructor_declaration",
        "destructor_declaration",
        "operator_declaration",
        "local_function_statement",
        "lambda_expression",
        "anonymous_method_expression",
    ],
    texts: &[
        ("string_literal", Text::Verbatim),
        ("verbatim_string_literal", Text::Verbatim),
        ("raw_string_literal", Text::Verbatim),
        ("character_literal", Text::Verbatim),
    ],
    candidates: &[
        "namespace_declaration",
        "class_declaration",
        "record_declaration",
        "struct_declaration",
        "interface_declaration",
        "enum_declaration",
        "enum_member_declaration",
        "delegate_declaration",
        "method_declaration",
        "constructor_declaration",
        "destructor_declaration",
        "operator_declaration",
        "indexer_declaration",
        "local_function_statement",
        "property_declaration",
        "event_declaration",
        "field_declaration",
        "event_field_declaration",
    ],
    found,
    ..Spec::EMPTY
};

fn found(node: Node<'_>, place: &Place<'_>) -> Option<Found> {
    match node.kind() {
        "namespace_declaration" => Found::plain(Kind::Module, node, place),
        "class_declaration" | "record_declaration" => Found::plain(Kind::Class, node, place),
        "struct_declaration" | "interface_declaration" | "enum_declaration" | "delegate_declaration" => {
            Found::plain(Kind::Type, node, place)
        }
        "enum_member_declaration" => Found::valued(Kind::Constant, node, "name", "value", place),
        "method_declaration" | "constructor_declaration" => Found::plain(Kind::Method, node, place),
        "destructor_declaration" => {
            let found = Found::plain(Kind::Method, node, place)?;
            let name = format!("~{}", found.name);
            Some(found.named(name))
        }
        "operator_declaration" => {
            let operator = node.child_by_field_name("operator")?;
            let name = format!("operator{}", place.text_of(operator));
            Some(Found::new(Kind::Method, operator, place).named(name).with_body(node.child_by_field_name("body")))
        }
        "indexer_declaration" => {
            let found = Found { kind: Some(Kind::Method), ..Found::scope("this[]".to_owned(), Owner::Function) };
            Some(found.with_body(node.child_by_field_name("accessors")).with_body(node.child_by_field_name("value")))
        }
        "local_function_statement" => Found::plain(Kind::Function, node, place),
        "property_declaration" | "event_declaration" => {
            let found = Found::new(Kind::Method, node.child_by_field_name("name")?, place);
            Some(found.with_body(node.child_by_field_name("accessors")).with_body(node.child_by_field_name("value")))
        }
        "field_declaration" | "event_field_declaration" => {
            let declaration = named(node, "variable_declaration")?;
            let declarator = named(declaration, "variable_declarator")?;
            let name = declarator.child_by_field_name("name")?;
            let value = declarator.named_children(&mut declarator.walk()).find(|child| child.id() != name.id());
            Some(Found::new(Kind::Constant, name, place).with_body(value))
        }
        _ => None,
    }
}

fn named<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    node.named_children(&mut node.walk()).find(|child| child.kind() == kind)
}
