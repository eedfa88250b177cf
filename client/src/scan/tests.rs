//! What changes a fingerprint and what does not, in each language.

use super::{Kind, Passed, Scanned, scan};
use std::collections::BTreeMap;

/// The symbols whose fingerprints differ.
fn different(path: &str, one: &str, other: &str) -> Vec<String> {
    let (one, other) = (parsed(path, one), parsed(path, other));
    let known: BTreeMap<&str, _> = one.symbols.iter().map(|symbol| (symbol.name.as_str(), symbol)).collect();
    let names: Vec<&str> = other.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
    assert!(!names.is_empty(), "{path} has symbols");
    let mut found: Vec<String> = known.keys().filter(|name| !names.contains(name)).map(|name| format!("-{name}")).collect();
    for symbol in &other.symbols {
        match known.get(symbol.name.as_str()) {
            None => found.push(format!("+{}", symbol.name)),
            Some(before) if before.signature != symbol.signature => found.push(format!("{}()", symbol.name)),
            Some(before) if before.body != symbol.body => found.push(symbol.name.clone()),
            Some(_) => {}
        }
    }
    if found.is_empty() && one.digest != other.digest {
        found.push("the file".to_owned());
    }
    found.sort();
    found
}

fn parsed(path: &str, text: &str) -> Scanned {
    let scanned = scan(path, text.as_bytes());
    assert_eq!(scanned.passed, None, "{path}: {text}");
    scanned
}

fn names(path: &str, text: &str) -> Vec<(String, &'static str)> {
    parsed(path, text).symbols.into_iter().map(|symbol| (symbol.name, symbol.kind.name())).collect()
}

fn listed(names: &[(String, &'static str)]) -> Vec<String> {
    names.iter().map(|(name, kind)| format!("{name} {kind}")).collect()
}

#[test]
fn rustfmt_changes_nothing() {
    let before = r#"
use b::B; use a::{z,y}; use c::{d};
mod tests;
#[derive(Debug)] #[derive(Clone)] #[allow(dead_code)]
pub struct A{pub x:u32,y:Vec<String>}
impl A{
/// Says it.
pub fn f(&self,a:u32)->u32{let c=|x|{x+1};match a{0=>{1},| 1 | 2=>c(a),_=>{return ((a))}}}
fn g(&self){println!("{}",vec![1,2,3].len())}
}
fn h(x:Option<u32>)->u32{if let Some(y)=x{return y} 7}
extern fn k(){}
"#;
    let after = r#"
use a::{y, z};
use b::B;
use c::d;
mod tests;

// A comment.
#[derive(Debug, Clone)]
pub struct A {
    pub x: u32,
    y: Vec<String>, // trailing
}

impl A {
    /// Says it differently.
    pub fn f(
        &self,
        a: u32,
    ) -> u32 {
        let c = |x| x + 1;
        match a {
            0 => 1,
            1 | 2 => c(a),
            _ => return a,
        }
    }
    fn g(&self) {
        println!(
            "{}",
            vec![1, 2, 3,].len(),
        )
    }
}

fn h(x: Option<u32>) -> u32 {
    if let Some(y) = x {
        return y;
    }
    7
}

extern "C" fn k() {}
"#;
    assert_eq!(different("a.rs", before, after), Vec::<String>::new());
}

#[test]
fn black_changes_nothing() {
    let before = r#"
import os
class A():
    '''Doc.'''
    x = (1)
    def f(self,a,b = 'it\'s',*args,**kw):
        "doc"
        for (i,j) in (a): print( i,j )
        return (a + 0XFF)
    @property
    def g(self): return {'a':1,"b":2}
def h(x): 
    if (x in (1,2)): del (x)
    with open('a') as f, open('b') as g: pass
    y = z = "a" 'b' \
        "c"
    return  not(x), U'text', F"{x!r}" , 1E5, 10J
def i(a) -> (Union["A", t.List[int]]): return a
def j(a) -> Optional[Dict[str, List[int]]]: return a
def k(a) -> (t.Any | Dict[str, int] | None): return a
def l(a):
    match a:
        case A(1, 2) | B() | None: return 1
        case [x, (y)]: return 2
"#;
    let after = r#"
import os


class A:
    """Another doc."""

    x = 1

    def f(
        self,
        a,
        b="it's",
        *args,
        **kw,
    ):
        """doc, too"""
        for i, j in a:
            print(i, j)
        return a + 0xFF  # because

    @property
    def g(self):
        return {"a": 1, "b": 2}


def h(x):
    if x in (1, 2):
        del x
    with open("a") as f, open("b") as g:
        pass
    y = (z) = "a" "bc"
    return not (x), "text", f"{x!r}", 1e5, 10j


def i(a) -> Union["A", t.List[int]]:
    return a


def j(
    a,
) -> (
    Optional[Dict[str, List[int]]]
):
    return a


def k(a) -> t.Any | Dict[str, int] | None:
    return a


def l(a):
    match a:
        case (
            A(1, 2)
            | B()  # why
            | None
        ):
            return 1
        case [x, y]:
            return 2
"#;
    assert_eq!(different("a.py", before, after), Vec::<String>::new());
}

#[test]
fn prettier_changes_nothing() {
    let before = r#"
import {a,b} from 'x'
export type U = | 'a' | ("b") ; type F = (x:number)=>void
interface I { a:string, 'b':number }
export class C extends (B) { x = 1; 'y' = .5
  m(a,b) { return (a && b) || new Foo }
  n(a,b,c,d) { return a && ((b === c) && (c && !d)) && /x/ig.test(a) }
  get z() { return x => x }
}
export const f = async x => { if (x) { return {'k':1, q:"it's"} } }, n = 0XAB
function g<T>(a : T , ...r) { const s = styled.div`
   color:  red;
`; ;; return typeof(a) + 1.50 }
"#;
    let after = r#"
import { a, b } from "x";
export type U = "a" | "b";
type F = (x: number) => void;
interface I {
  a: string;
  b: number;
}
export class C extends B {
  x = 1;
  y = 0.5;
  m(a, b) {
    return (a && b) || new Foo();
  }
  n(a, b, c, d) {
    return a && b === c && c && !d && /x/gi.test(a);
  }
  get z() {
    return (x) => x;
  }
}
export const f = async (x) => {
    if (x) {
      return { k: 1, q: "it's" }; // why
    }
  },
  n = 0xab;
function g<T>(a: T, ...r) {
  const s = styled.div`
    color: red;
  `;
  return typeof a + 1.5;
}
"#;
    assert_eq!(different("a.ts", before, after), Vec::<String>::new());
    let before = "const A = () => { return (<div className='x' id={\"y\"}>hello   world {name}\n  more</div>) }\n";
    let after = "const A = () => {\n  return (\n    <div className=\"x\" id=\"y\">\n      hello world {name}{\" \"}\n      more\n    </div>\n  );\n};\n";
    assert_eq!(different("a.tsx", before, after), Vec::<String>::new());
    assert_eq!(different("a.jsx", before, after), Vec::<String>::new());
}

#[test]
fn what_changes_is_said_and_nothing_else() {
    let rust = "pub fn a(x: u32) -> u32 { x + 1 }\nimpl B { fn c(&self) { self.d() } }\nconst E: u32 = 5;\n";
    for (from, to, says) in [
        ("x + 1", "x + 2", vec!["a"]),
        ("x + 1", "x - 1", vec!["a"]),
        ("x: u32", "x: u64", vec!["a()"]),
        ("pub fn a", "fn a", vec!["a()"]),
        ("self.d()", "self.e()", vec!["B.c"]),
        ("= 5", "= 6", vec!["E"]),
        ("E: u32", "E: u64", vec!["E()"]),
        ("fn a(", "fn z(", vec!["+z", "-a"]),
        ("{ x + 1 }", "{ x + 1; }", vec!["a"]),
    ] {
        assert_eq!(different("a.rs", rust, &rust.replace(from, to)), says, "{from} → {to}");
    }
    let python = "class A:\n    x = 1\n    def f(self, a):\n        return (a + 1) * 2\n\ndef g():\n    pass\n";
    for (from, to, says) in [
        ("(a + 1) * 2", "a + 1 * 2", vec!["A", "A.f"]),
        ("self, a", "self, a=1", vec!["A", "A.f()"]),
        ("x = 1", "x = 'a'", vec!["A", "A.x"]),
        ("x = 1", "x = 1.0", vec!["A", "A.x"]),
        ("class A:", "class A(B):", vec!["A()"]),
        ("pass", "return 'a'", vec!["g"]),
    ] {
        assert_eq!(different("a.py", python, &python.replace(from, to)), says, "{from} → {to}");
    }
    let typescript = "export function a(x: string) { return x + 'b' }\nconst c = (d) => d.e;\ntype F = 'g' | 'h'\n";
    for (from, to, says) in [
        ("'b'", "'c'", vec!["a"]),
        ("x: string", "x?: string", vec!["a()"]),
        ("d.e", "d.f", vec!["c"]),
        ("(d)", "(d, e)", vec!["c()"]),
        ("'g' | 'h'", "'g' & 'h'", vec!["F"]),
    ] {
        assert_eq!(different("a.ts", typescript, &typescript.replace(from, to)), says, "{from} → {to}");
    }
}

#[test]
fn a_chain_is_the_same_however_it_is_grouped_and_only_then() {
    let body = |expression: &str| parsed("a.js", &format!("function f() {{ return {expression} }}")).symbols[0].body;
    for (one, other) in [
        ("a && (b && c)", "a && b && c"),
        ("a && (b && (c && d))", "a && b && c && d"),
        ("(a && b) && (c && (d && e) && f)", "a && b && c && d && e && f"),
        ("a || ((b && (c && d)) || e)", "a || (b && c && d) || e"),
        ("a ?? (x => x && (y && z)) ?? (b ?? c)", "a ?? (x => x && y && z) ?? b ?? c"),
    ] {
        assert_eq!(body(one), body(other), "{one}");
    }
    for (one, other) in [
        ("a && (b || c)", "a && b || c"),
        ("a - (b - c)", "a - b - c"),
        ("a && f(b && c)", "a && f(b) && c"),
        ("a && !(b && c)", "a && !b && c"),
        ("a && (b && c)", "b && (a && c)"),
        ("a && (b, c && d)", "a && b && (c, d)"),
    ] {
        assert_ne!(body(one), body(other), "{one}");
    }
}

#[test]
fn a_renamed_function_that_calls_itself_keeps_its_body() {
    let one = parsed("a.py", "def fact(n):\n    return n * fact(n - 1) if n else 1\n");
    let other = parsed("b.py", "def factorial(n):\n    return n * factorial(n - 1) if n else 1\n");
    assert_eq!((one.symbols[0].signature, one.symbols[0].body), (other.symbols[0].signature, other.symbols[0].body));
    assert_eq!(one.symbols[0].shingles, other.symbols[0].shingles);
}

#[test]
fn a_near_same_body_shares_most_of_its_shingles() {
    let long = (0..60).map(|n| format!("    step_{n}(value_{n}, {n})\n")).collect::<Vec<_>>().concat();
    let one = parsed("a.py", &format!("def f():\n{long}"));
    let other = parsed("a.py", &format!("def f():\n{}", long.replace("step_7(", "leap_7(")));
    let (one, other) = (&one.symbols[0], &other.symbols[0]);
    assert_ne!(one.body, other.body);
    let shared = one.shingles.iter().filter(|shingle| other.shingles.contains(shingle)).count();
    assert!(one.shingles.len() == 64 && shared > 48, "{shared} of {}", one.shingles.len());
}

#[test]
fn symbols_have_the_names_that_people_use() {
    let rust = "mod m { pub struct S<T>(T); impl<T> std::fmt::Debug for S<T> { fn fmt(&self) {} } impl<T> S<T> { const N: u8 = 1; fn fmt(&self) {} } }\ntrait T { fn a(); }\nmacro_rules! mm { () => {} }\nstatic Q: u8 = 1;\nfn f() { const INNER: u8 = 1; fn g() {} }\n";
    assert_eq!(
        listed(&names("a.rs", rust)),
        [
            "m module",
            "m.S type",
            "m.S.N constant",
            "m.S.fmt method",
            "T type",
            "T.a method",
            "mm function",
            "Q constant",
            "f function",
            "f.g function"
        ]
    );
    let python = "X: int = 1\nclass A:\n    y = 2\n    def f(self):\n        z = 3\n        def g(): pass\n    class B: pass\nif X:\n    def h(): pass\n";
    assert_eq!(
        listed(&names("a.py", python)),
        ["X constant", "A class", "A.y constant", "A.f method", "A.f.g function", "A.B class", "h function"]
    );
    let javascript = "exports.a = function () {}\nFoo.prototype.bar = function () {}\nconst o = { m() {}, n: () => 1, p: 2 }\nlet v = 1;\n(function () { const hidden = 1; function seen() {} })()\nclass K { static s = 1; #p() {} get q() {} set q(v) {} }\n";
    assert_eq!(
        listed(&names("a.js", javascript)),
        [
            "a function",
            "Foo.bar method",
            "o constant",
            "o.m method",
            "o.n method",
            "v constant",
            "seen function",
            "K class",
            "K.#p method",
            "K.q method",
            "K.s constant"
        ]
    );
    let typescript = "namespace N { export interface I { a(): void } export enum E { A } }\nabstract class C { abstract d(): void; private e = () => 1 }\nexport default function f(): void {}\ndeclare function g(): void;\n";
    assert_eq!(
        listed(&names("a.ts", typescript)),
        ["N module", "N.E type", "N.I type", "C class", "C.d method", "C.e method", "f function", "g function"]
    );
    let go = "package p\nconst A = 1\nvar b, c = 2, 3\ntype S struct { x int }\nfunc (s *S[T]) M() int { return s.x }\nfunc F() {}\n";
    assert_eq!(listed(&names("a.go", go)), ["A constant", "b constant", "S type", "S.M method", "F function"]);
    let java =
        "class A { @Deprecated int x = 1; A() {} void m() { int y = 2; } enum E { P, Q } interface I { void n(); } }\nrecord R(int a) {}\n";
    assert_eq!(
        listed(&names("A.java", java)),
        [
            "A class",
            "A.A method",
            "A.E type",
            "A.E.P constant",
            "A.E.Q constant",
            "A.I type",
            "A.I.n method",
            "A.m method",
            "A.x constant",
            "R class"
        ]
    );
    let c = "#define N 1\n#define MAX(a, b) ((a) > (b) ? (a) : (b))\ntypedef struct { int x; } P;\nstruct S { int y; };\nenum E { A, B };\nint g = 1;\nint proto(int a);\nstatic int *f(int a) { int local = 1; return &g; }\n";
    assert_eq!(
        listed(&names("a.c", c)),
        ["N constant", "MAX function", "P type", "S type", "E type", "g constant", "proto function", "f function"]
    );
    let cpp = "namespace n { class K { public: K(); int m() const { return 1; } int x; }; template <typename T> T id(T a) { return a; } using U = int; }\nint n::K::out(int a) { return a; }\n";
    assert_eq!(
        listed(&names("a.cpp", cpp)),
        ["n module", "n.K class", "n.K.K method", "n.K.m method", "n.U type", "n.id function", "n.K.out method"]
    );
    let c_sharp = "namespace N { [Serializable] class A { int f = 1; public int P { get; set; } A() {} void M() {} enum E { X } delegate void D(); } interface I { void Q(); } }\n";
    assert_eq!(
        listed(&names("a.cs", c_sharp)),
        [
            "N module",
            "N.A class",
            "N.A.A method",
            "N.A.D type",
            "N.A.E type",
            "N.A.E.X constant",
            "N.A.M method",
            "N.A.P method",
            "N.A.f constant",
            "N.I type",
            "N.I.Q method"
        ]
    );
    let ruby = "module M\n  LIMIT = 1\n  class A < B\n    def self.s; end\n    def m(x)\n      x\n    end\n  end\nend\ndef top; end\n";
    assert_eq!(listed(&names("a.rb", ruby)), ["M module", "M.LIMIT constant", "M.A class", "M.A.s method", "M.A.m method", "top function"]);
    let php = "<?php\nnamespace App\\X;\nconst C = 1;\nclass A { const D = 2; private $p = 3; public function m() {} }\ninterface I { public function n(); }\nfunction f() {}\n";
    assert_eq!(
        listed(&names("a.php", php)),
        ["C constant", "A class", "A.D constant", "A.m method", "A.p constant", "I type", "I.n method", "f function"]
    );
}

#[test]
fn layout_and_comments_mean_nothing_in_the_other_languages_too() {
    for (path, before, after) in [
        (
            "a.go",
            "package p\nimport (\"b\";\"a\")\nfunc F(a int)int{return (a+1)}\n",
            "package p\n\nimport (\n\t\"a\"\n\t\"b\"\n)\n\n// F adds.\nfunc F(a int) int {\n\treturn a + 1 // one\n}\n",
        ),
        (
            "A.java",
            "class A{@X int m(int a){return (a+1);}}",
            "/** Doc. */\nclass A {\n  @X\n  int m(int a) {\n    return a + 1; // one\n  }\n}\n",
        ),
        ("a.c", "#define N  1\nint f(int a){return (a+N);}\n", "#define N 1\n/* adds */\nint f(int a)\n{\n    return a + N;\n}\n"),
        ("a.cpp", "template<class T>T id(T a){return (a);}\n", "// The same.\ntemplate <class T>\nT id(T a) {\n  return a;\n}\n"),
        (
            "a.cs",
            "class A{[X]int M(int a){return (a+1);}}",
            "class A\n{\n    [X]\n    int M(int a)\n    {\n        return a + 1; // one\n    }\n}\n",
        ),
        ("a.rb", "class A\n def m(x); x + 'a'; end\nend\n", "# A class.\nclass A\n  def m(x)\n    x + \"a\"\n  end\nend\n"),
        (
            "a.php",
            "<?php class A{function m($a){return ($a+1);}}",
            "<?php\n/** Doc. */\nclass A\n{\n    function m($a)\n    {\n        return $a + 1; // one\n    }\n}\n",
        ),
    ] {
        assert_eq!(different(path, before, after), Vec::<String>::new(), "{path}");
        let changed = after.replace("+ 1", "+ 2").replace("+ N", "- N").replace("return a;", "return b;").replace("\"a\"", "\"b\"");
        assert!(!different(path, before, &changed).is_empty(), "{path}");
    }
}

#[test]
fn lines_are_where_the_symbol_is() {
    let scanned = parsed("a.py", "\n\n@x\ndef f():\n    pass\n");
    let symbol = &scanned.symbols[0];
    assert_eq!((symbol.kind, symbol.start_line, symbol.end_line), (Kind::Function, 4, 5));
}

#[test]
fn what_cannot_be_read_is_passed_over_and_nothing_breaks() {
    assert_eq!(scan("a.py", b"x = 1\0").passed, Some(Passed::Binary));
    assert_eq!(scan("a.py", b"x = '\xff'").passed, Some(Passed::NotUtf8));
    assert_eq!(scan("a.py", &vec![b' '; 5 * 1024 * 1024]).passed, Some(Passed::TooLarge));
    assert_eq!(scan("notes.txt", b"\0\xff").passed, None);
    assert_eq!(scan("a.rs", b"fn a() {}\nfn b() { let x = ").passed, Some(Passed::HalfWritten));
    assert_eq!(scan("a.py", b"def f(:\n  class\n").passed, Some(Passed::HalfWritten));
    for path in ["a.rs", "a.py", "a.js", "a.ts", "a.tsx", "a.go", "a.java", "a.c", "a.cpp", "a.cs", "a.rb", "a.php"] {
        for open in ["(", "[", "{", "<", "a(", "if (a) {", "x = [", "`${", "'", "\\", "fn f() {", "class A { void m() {"] {
            let _ = scan(path, open.repeat(1_000).as_bytes());
        }
        let deep = format!("x = {}1{}", "(".repeat(20_000), ")".repeat(20_000));
        let _ = scan(path, deep.as_bytes());
        let _ = scan(path, b"");
        let _ = scan(path, "\u{feff}\u{202e}".as_bytes());
    }
}
