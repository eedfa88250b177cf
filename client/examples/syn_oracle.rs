//! What `syn` says of a tree of Rust files: a line of JSON for each symbol. `make bench-freshness` holds the scanner against
//! it. It shares nothing with the scanner: two symbols are the same if `syn` reads the same tokens from them, without
//! comments, trailing commas, redundant parentheses, and blocks around one expression.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use sha2::{Digest, Sha256};
use std::{env, fs, path::Path};
use syn::{
    Attribute, Block, Expr, ImplItem, Item, Stmt, TraitItem, Type,
    visit_mut::{self, VisitMut},
};

fn main() {
    let root = env::args().nth(1).expect("a folder");
    let mut files = Vec::new();
    list(Path::new(&root), &mut files);
    files.sort();
    for file in files {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let name = file.strip_prefix(&root).expect("inside").to_string_lossy().into_owned();
        match syn::parse_file(&text) {
            Ok(mut parsed) => {
                Plain.visit_file_mut(&mut parsed);
                items(&name, &parsed.items, "");
            }
            Err(_) => println!("{}", serde_json::json!({"file": name, "unreadable": true})),
        }
    }
}

fn list(folder: &Path, into: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            list(&path, into);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            into.push(path);
        }
    }
}

fn items(file: &str, all: &[Item], prefix: &str) {
    for item in all {
        match item {
            Item::Fn(one) => tell(file, prefix, &one.sig.ident, item),
            Item::Struct(one) => tell(file, prefix, &one.ident, item),
            Item::Enum(one) => tell(file, prefix, &one.ident, item),
            Item::Union(one) => tell(file, prefix, &one.ident, item),
            Item::Type(one) => tell(file, prefix, &one.ident, item),
            Item::Const(one) if one.ident != "_" => tell(file, prefix, &one.ident, item),
            Item::Static(one) => tell(file, prefix, &one.ident, item),
            Item::Macro(one) => one.ident.iter().for_each(|name| tell(file, prefix, name, item)),
            Item::Trait(one) => {
                tell(file, prefix, &one.ident, item);
                let inside = format!("{prefix}{}.", one.ident);
                for member in &one.items {
                    match member {
                        TraitItem::Fn(it) => tell(file, &inside, &it.sig.ident, member),
                        TraitItem::Const(it) => tell(file, &inside, &it.ident, member),
                        _ => {}
                    }
                }
            }
            Item::Impl(one) => {
                let inside = format!("{prefix}{}.", implementor(&one.self_ty));
                for member in &one.items {
                    match member {
                        ImplItem::Fn(it) => tell(file, &inside, &it.sig.ident, member),
                        ImplItem::Const(it) => tell(file, &inside, &it.ident, member),
                        ImplItem::Type(it) => tell(file, &inside, &it.ident, member),
                        _ => {}
                    }
                }
            }
            Item::Mod(one) => {
                if let Some((_, inner)) = &one.content {
                    tell(file, prefix, &one.ident, item);
                    items(file, inner, &format!("{prefix}{}.", one.ident));
                }
            }
            _ => {}
        }
    }
}

fn implementor(of: &Type) -> String {
    match of {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default(),
        Type::Reference(inner) => implementor(&inner.elem),
        Type::Ptr(inner) => implementor(&inner.elem),
        other => other.to_token_stream().to_string().split_whitespace().collect(),
    }
}

fn tell(file: &str, prefix: &str, name: &syn::Ident, item: &impl ToTokens) {
    let own = name.to_string();
    let mut text = String::new();
    write(item.to_token_stream(), &own, &mut text);
    let digest = format!("{:x?}", Sha256::digest(text.as_bytes()));
    println!("{}", serde_json::json!({"file": file, "name": format!("{prefix}{own}"), "digest": digest}));
}

fn write(tokens: TokenStream, own: &str, text: &mut String) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => {
                text.push_str(match group.delimiter() {
                    Delimiter::None => "",
                    // What stands around a macro's arguments is a matter of taste.
                    _ => "( ",
                });
                write(group.stream(), own, text);
                text.push_str(if group.delimiter() == Delimiter::None { "" } else { ") " });
            }
            TokenTree::Punct(punct) if punct.as_char() == ',' && at + 1 == tokens.len() => {}
            // `<A, B,>`: the comma before the end of what is between angles.
            TokenTree::Punct(punct)
                if punct.as_char() == ',' && matches!(&tokens[at + 1], TokenTree::Punct(next) if next.as_char() == '>') => {}
            TokenTree::Ident(ident) if *ident == own => text.push_str("\0 "),
            other => {
                text.push_str(&other.to_string());
                text.push(' ');
            }
        }
    }
}

struct Plain;

impl VisitMut for Plain {
    fn visit_attributes_mut(&mut self, attributes: &mut Vec<Attribute>) {
        const IDLE: [&str; 8] = ["doc", "allow", "expect", "warn", "deny", "forbid", "rustfmt", "clippy"];
        attributes.retain(|one| one.path().segments.first().is_none_or(|first| !IDLE.contains(&first.ident.to_string().as_str())));
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        visit_mut::visit_expr_mut(self, expr);
        if let Expr::Closure(closure) = expr {
            unwrap(&mut closure.body);
        }
        while let Expr::Paren(inner) = expr {
            *expr = (*inner.expr).clone();
        }
    }

    fn visit_arm_mut(&mut self, arm: &mut syn::Arm) {
        visit_mut::visit_arm_mut(self, arm);
        unwrap(&mut arm.body);
        arm.comma = None;
        if let syn::Pat::Or(or) = &mut arm.pat {
            or.leading_vert = None;
        }
    }

    fn visit_block_mut(&mut self, block: &mut Block) {
        visit_mut::visit_block_mut(self, block);
        // `return x` and `return x;` end a block alike.
        if let Some(Stmt::Expr(Expr::Return(_) | Expr::Break(_) | Expr::Continue(_), semicolon)) = block.stmts.last_mut() {
            *semicolon = None;
        }
    }
}

/// A block around one expression.
fn unwrap(expr: &mut Box<Expr>) {
    if let Expr::Block(block) = &**expr
        && block.label.is_none()
        && block.attrs.is_empty()
        && let [Stmt::Expr(inner, None)] = &block.block.stmts[..]
    {
        let inner = inner.clone();
        **expr = inner;
    }
}
