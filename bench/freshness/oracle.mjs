// What the TypeScript compiler says of a tree of TypeScript and JavaScript files: a line of JSON for each symbol.
//
// It shares nothing with the scanner. Two symbols are the same if their syntax trees are, without positions, comments,
// redundant parentheses and empty statements.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript";

const root = process.argv[2];
const lines = [];

function* files(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* files(path);
    else if (/\.(ts|tsx|js|mjs)$/.test(entry.name)) yield path;
  }
}

const transparent = new Set([ts.SyntaxKind.ParenthesizedExpression, ts.SyntaxKind.ParenthesizedType]);
const skipped = new Set([ts.SyntaxKind.EmptyStatement, ts.SyntaxKind.EndOfFileToken, ts.SyntaxKind.SemicolonClassElement]);

/** The tree as text. `own` is what the symbol calls itself; `without` is left out. */
function dump(node, own, without, out = []) {
  if (node === without || skipped.has(node.kind)) return out;
  if (transparent.has(node.kind)) {
    ts.forEachChild(node, (child) => void dump(child, own, without, out));
    return out;
  }
  out.push("(", String(node.kind));
  if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) out.push(node.text === own ? "\0" : node.text);
  else if (ts.isLiteralExpression(node) || ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node))
    out.push(JSON.stringify(node.text));
  else if (ts.isJsxText(node)) out.push(node.text.split(/\s+/).join(" "));
  if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node) || ts.isTypeOperatorNode(node)) out.push(String(node.operator));
  if (ts.isHeritageClause(node)) out.push(String(node.token));
  if (ts.isMetaProperty(node)) out.push(String(node.keywordToken));
  if (ts.isVariableDeclarationList(node)) out.push(String(node.flags & ts.NodeFlags.BlockScoped));
  ts.forEachChild(node, (child) => void dump(child, own, without, out));
  out.push(")");
  return out;
}

const memberName = (name) =>
  ts.isIdentifier(name) || ts.isPrivateIdentifier(name) || ts.isStringLiteral(name) || ts.isNumericLiteral(name) ? name.text : name.getText().replace(/\s+/g, "");

function tell(file, name, node, nameNode) {
  const own = ts.isIdentifier(nameNode) || ts.isPrivateIdentifier(nameNode) ? nameNode.text : undefined;
  // `export` says who sees it from outside and is no part of what it is.
  const exported = new Set([ts.SyntaxKind.ExportKeyword, ts.SyntaxKind.DefaultKeyword, ts.SyntaxKind.DeclareKeyword]);
  const out = [];
  ts.forEachChild(node, (child) => {
    if (!exported.has(child.kind)) dump(child, own, nameNode, out);
  });
  const digest = createHash("sha256").update(`${node.kind} ${out.join(" ")}`).digest("hex").slice(0, 24);
  lines.push(JSON.stringify({ file, name, digest }));
}

function symbols(file, node, prefix, inFunction) {
  const deeper = (inner, name, isFunction) => ts.forEachChild(inner, (child) => symbols(file, child, `${prefix}${name}.`, isFunction));
  if (ts.isFunctionDeclaration(node) && node.name) {
    tell(file, prefix + node.name.text, node, node.name);
    if (node.body) deeper(node.body, node.name.text, true);
  } else if (ts.isClassDeclaration(node) && node.name) {
    tell(file, prefix + node.name.text, node, node.name);
    for (const member of node.members) {
      if ((ts.isMethodDeclaration(member) || ts.isAccessor(member) || ts.isPropertyDeclaration(member)) && member.name)
        tell(file, `${prefix}${node.name.text}.${memberName(member.name)}`, member, member.name);
      else if (ts.isConstructorDeclaration(member)) tell(file, `${prefix}${node.name.text}.constructor`, member, member);
    }
  } else if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isEnumDeclaration(node)) {
    tell(file, prefix + node.name.text, node, node.name);
  } else if (ts.isModuleDeclaration(node) && ts.isIdentifier(node.name)) {
    if (node.body) deeper(node.body, node.name.text, inFunction);
  } else if (ts.isVariableStatement(node) && !inFunction) {
    for (const one of node.declarationList.declarations) if (ts.isIdentifier(one.name)) tell(file, prefix + one.name.text, one, one.name);
  } else if (ts.isBlock(node) || ts.isIfStatement(node) || ts.isTryStatement(node) || ts.isSourceFile(node)) {
    ts.forEachChild(node, (child) => symbols(file, child, prefix, inFunction));
  }
}

for (const path of files(root)) {
  const file = relative(root, path);
  const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
  if (source.parseDiagnostics.length && !/\.m?js$/.test(path)) lines.push(JSON.stringify({ file, unreadable: true }));
  else symbols(file, source, "", false);
}
process.stdout.write(lines.join("\n") + "\n");
