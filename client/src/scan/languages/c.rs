//! C and C++. The name of a function lies somewhere inside its declarator.

use super::{Found, Kind, Owner, Place, Spec, Text};
use tree_sitter::Node;

pub const SPEC: Spec = Spec {
    sorted: &["preproc_include", "using_declaration"],
    attributes: &["attribute_declaration", "attribute_specifier", "template_parameter_list"],
    functions: &["function_definition", "lambda_expression"],
    texts: &[
        ("string_literal", Text::Verbatim),
        ("raw_string_literal", Text::Verbatim),
        ("char_literal", Text::Verbatim),
        ("preproc_arg", Text::Collapsed),
    ],
    candidates: &[
        "function_definition",
        "declaration",
        "field_declaration",
        "struct_specifier",
        "union_specifier",
        "enum_specifier",
        "class_specifier",
        "type_definition",
        "alias_declaration",
        "concept_definition",
        "namespace_definition",
        "preproc_def",
        "preproc_function_def",
    ],
    found,
    ..Spec::EMPTY
};

fn found(node: Node<'_>, place: &Place<'_>) -> Option<Found> {
    match node.kind() {
        "function_definition" => {
            let name = declared(node.child_by_field_name("declarator")?)?;
            let kind = if place.owner == Owner::Class || place.text_of(name).contains("::") { Kind::Method } else { Kind::Function };
            let found = Found::new(kind, name, place).with_body(node.child_by_field_name("body"));
            Some(Found { own: found.name.rsplit('.').next().unwrap_or_default().to_owned(), ..found })
        }
        "declaration" | "field_declaration" if place.is_lasting() => declaration(node, place),
        "struct_specifier" | "union_specifier" | "enum_specifier" if node.child_by_field_name("body").is_some() => {
            Found::plain(Kind::Type, node, place)
        }
        "class_specifier" if node.child_by_field_name("body").is_some() => Found::plain(Kind::Class, node, place),
        "type_definition" => {
            let name = declared(node.child_by_field_name("declarator")?)?;
            Some(Found::new(Kind::Type, name, place).with_body(node.child_by_field_name("type")))
        }
        "alias_declaration" => {
            Some(Found::new(Kind::Type, node.child_by_field_name("name")?, place).with_body(node.child_by_field_name("type")))
        }
        "concept_definition" => Some(Found { rest_is_body: true, ..Found::plain(Kind::Type, node, place)? }),
        "namespace_definition" => Found::plain(Kind::Module, node, place),
        "preproc_def" => Found::valued(Kind::Constant, node, "name", "value", place),
        "preproc_function_def" => {
            Some(Found::new(Kind::Function, node.child_by_field_name("name")?, place).with_body(node.child_by_field_name("value")))
        }
        _ => None,
    }
}

/// A prototype, or something that lasts; its first name. Plain fields belong to their type.
fn declaration(node: Node<'_>, place: &Place<'_>) -> Option<Found> {
    let declarator = node.child_by_field_name("declarator")?;
    let name = declared(declarator)?;
    if is_function(declarator) {
        return Some(Found::new(if place.owner == Owner::Class { Kind::Method } else { Kind::Function }, name, place));
    }
    if place.owner == Owner::Class {
        return None;
    }
    Some(Found::new(Kind::Constant, name, place).with_body(declarator.child_by_field_name("value")))
}

fn is_function(mut declarator: Node<'_>) -> bool {
    loop {
        match declarator.kind() {
            "function_declarator" => return true,
            "pointer_declarator" | "reference_declarator" | "attributed_declarator" => match inside(declarator) {
                Some(inner) => declarator = inner,
                None => return false,
            },
            _ => return false,
        }
    }
}

fn declared(mut declarator: Node<'_>) -> Option<Node<'_>> {
    loop {
        match declarator.kind() {
            "identifier"
            | "field_identifier"
            | "type_identifier"
            | "qualified_identifier"
            | "destructor_name"
            | "operator_name"
            | "operator_cast" => return Some(declarator),
            "template_function" => declarator = declarator.child_by_field_name("name")?,
            _ => declarator = inside(declarator)?,
        }
    }
}

fn inside(declarator: Node<'_>) -> Option<Node<'_>> {
    declarator.child_by_field_name("declarator").or_else(|| {
        let is_name = |child: &Node<'_>| child.kind().ends_with("declarator") || child.kind().ends_with("identifier");
        declarator.named_children(&mut declarator.walk()).find(is_name)
    })
}
