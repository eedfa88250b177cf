//! Ruby.

use super::{Found, Kind, Place, Spec, Text};
use tree_sitter::Node;

pub const SPEC: Spec = Spec {
    skip: &["comment", "empty_statement", "heredoc_end"],
    through: &["parenthesized_statements", "body_statement"],
    drop_empty: &["method_parameters", "argument_list"],
    functions: &["method", "singleton_method", "lambda", "block", "do_block"],
    texts: &[("integer", Text::Number), ("string_content", Text::Verbatim), ("heredoc_content", Text::Verbatim)],
    adjusted: &["string"],
    adjust,
    candidates: &["class", "module", "method", "singleton_method", "assignment"],
    found,
    ..Spec::EMPTY
};

fn found(node: Node<'_>, place: &Place<'_>) -> Option<Found> {
    match node.kind() {
        "class" => Found::plain(Kind::Class, node, place),
        // Functions in a module are its methods, too.
        "module" => Some(Found { owner: super::Owner::Class, ..Found::plain(Kind::Module, node, place)? }),
        "method" | "singleton_method" => Found::callable(node, place),
        "assignment" if node.child_by_field_name("left")?.kind() == "constant" => {
            Found::valued(Kind::Constant, node, "left", "right", place)
        }
        _ => None,
    }
}

/// `'a'` and `"a"`, where nothing in them has a meaning.
fn adjust(node: Node<'_>, _field: Option<&str>, _parent: &str, _first: bool, text: &str) -> super::Adjust {
    let said = &text[node.byte_range()];
    let inner = said.get(1..said.len().saturating_sub(1)).unwrap_or_default();
    let plain = said.starts_with(['"', '\'']) && !inner.contains(['\\', '#', '"', '\'']);
    if plain { super::Adjust::Words(vec![format!("\"{inner}")]) } else { super::Adjust::Nothing }
}
