//! Fingerprints of this version of the scanner. What a server keeps was made by the scanner of its day: one that makes
//! others of the same source must say so, or every memory in the house is doubted at once.

use super::{cache::VERSION, scan};
use crate::clean::short_hash;
use std::fmt::Write as _;

/// A file with much that a scanner has an opinion on, and what this version makes of it.
const SAMPLES: [(&str, &str, &str); 12] = [
    (
        "a.rs",
        "use b::{c, a};\n#[derive(Clone)]\n#[must_use]\npub struct S<T>(T);\nimpl<T: Copy> Iterator for S<T> {\n    type Item = T;\n    fn next(&mut self) -> Option<T> {\n        let x = 1_000u32 + 0xff;\n        match x { 0 => None, _ => { Some((self.0)) } }\n    }\n}\nextern \"C\" fn k(a: &str) { println!(\"{a} \\u{e9}\"); }\nconst N: f64 = 1.50;\nmacro_rules! mm { ($a:expr) => { $a + 1 } }\nmod m { pub trait T { fn d(&self) -> u8 { 1 } } }\n",
        "59ed1e6e5509a2ea",
    ),
    (
        "a.py",
        "import os\nX: int = 0x10\n\n\n@cached(size=1)\nclass A(B):\n    \"\"\"Doc.\"\"\"\n\n    y = 'a' \"b\"\n\n    async def f(self, *, a: int = 1, **k) -> (str):\n        \"\"\"Doc.\"\"\"\n        return f'{a!r:>{10}} {\"x\"}' if (a) else (None,)\n\n\ndef g(x): return [i for i in x if not i == 1_0]\n",
        "7b8e84a5fabd5708",
    ),
    (
        "a.js",
        "'use strict'\nexport default class K extends L { static #s = 1; get q() { return this.#s }\n async *gen(a, { b = 2 } = {}) { yield* (a) } }\nconst o = { m() {}, 'n-p': () => 1.0, [x]: 2 }\nexports.a = function (a) { if (a) return; else b(`t ${a} \\n`) }\n",
        "1824a48bcc37182c",
    ),
    (
        "a.ts",
        "namespace N { export interface I<T extends string = 'a'> { a?(x: number): void; readonly b: T[] } }\nabstract class C { constructor(private readonly d: string) {}\n abstract e(): Promise<void>; @dec() f(@inj() a?: T) { return a! } }\nexport type U = A | { [k: string]: unknown };\nfunction over(a: string): void;\nfunction over(a: unknown) { return a as never }\n",
        "8171d9d10cf2d7a9",
    ),
    ("a.tsx", "export const B = ({ a }: P) => <div className='x' onClick={() => go(a)}>{a} text</div>;\n", "655e3bd45c7270a3"),
    (
        "a.go",
        "package p\n\nimport (\n\t\"fmt\"\n\ta \"os\"\n)\n\nconst A, B = 1, `raw`\n\ntype S[T any] struct {\n\tx int `json:\"x\"`\n\tE\n}\n\nfunc (s *S[T]) M(a, b int) (n int, err error) { return (s.x), nil }\n",
        "3e95d7b272234d13",
    ),
    (
        "A.java",
        "class A<T> implements B { @Deprecated static final long X = 1_000L; A(int... a) throws E { this.b = a; }\n String m() { return \"a\" + 'c' + \"\"\"\n t\"\"\"; } enum E { P { int v() { return 1; } }, Q } record R(int a) {} }\n",
        "a29c4fe1d491a5d6",
    ),
    (
        "a.c",
        "#define MAX(a, b) ((a) > (b) ? (a) : (b))\ntypedef struct s { int x : 3; } P;\nstatic const char *f(int a, ...) { return \"a\" \"b\"; }\nenum E { A = 1, B };\nint proto(void);\n",
        "73ead7f5cbf4241e",
    ),
    (
        "a.cpp",
        "namespace n { template <typename T, int N = 1> class K : public B { public: explicit K(T a) noexcept : a_(a) {} bool operator==(const K &) const = default; T a_; }; }\nint n::K::out(int a) { auto l = [&](auto x) { return x + a; }; return l(0b11); }\n",
        "3a8d3f67fe68815d",
    ),
    (
        "a.cs",
        "namespace N; [Serializable] public partial class A : B { public int P { get; init; } = 1; public A(int a = 2) => P = a; async Task<T> M<T>() where T : new() { return $\"{P:x}\" is { Length: > 1 } ? default : new(); } }\n",
        "5796e919da8131f1",
    ),
    (
        "a.rb",
        "module M\n  LIMIT = 1_000\n  class A < B\n    attr_reader :x\n    def self.s(a, b: 1, *c, &d) = a\n    def m?(x)\n      \"#{x} #{'y'}\" unless x.nil?\n    end\n  end\nend\n",
        "8552ddfe03edc225",
    ),
    (
        "a.php",
        "<?php\nnamespace App\\X;\nconst C = 0x1F;\n#[Attr]\nfinal class A extends B implements I { const D = [1, 'a' => 2]; private ?int $p = null; public function __construct(private readonly string $q = \"x{$y}\") {}\n public static function m(int ...$a): static { return fn ($x) => $x ?? match (true) { default => 1 }; } }\n",
        "aee1e73195bd56d3",
    ),
];

#[test]
fn other_fingerprints_are_another_version() {
    let mut differ = String::new();
    for (path, text, pinned) in SAMPLES {
        let scanned = scan(path, text.as_bytes());
        assert_eq!(scanned.passed, None, "{path}");
        let mut all = scanned.digest.clone();
        for symbol in &scanned.symbols {
            let (signature, body) = (symbol.signature.hex(), symbol.body.hex());
            let _ = write!(all, "\n{} {} {signature} {body} {:?}", symbol.name, symbol.kind.name(), symbol.shingles);
        }
        let made = short_hash(&all);
        if made != pinned {
            let _ = writeln!(differ, "{path}: {made}, not {pinned}");
        }
    }
    assert!(
        differ.is_empty(),
        "the scanner makes others of the same source than version {VERSION} did: raise VERSION, and pin these\n{differ}"
    );
    assert_eq!(VERSION, 4, "pin what this version makes of the samples");
}
