//! Cutting a file never changes what it declares: the pieces together say what the walk of the whole file says.

use retrieval_bench::graph::fragment::Fragment;
use retrieval_bench::graph::pieces::Pieces;

use super::outline::read;
use super::python::CASES;

/// What the pieces of `source` declare together, and how many they are.
fn in_pieces(source: &str) -> (Fragment, usize) {
    let mut pieces = Pieces::default();
    let reading = pieces.read("a.py", source.as_bytes(), &mut |_, _, _| {});
    let reading = reading.expect("a known language").expect("a readable file");
    (pieces.whole(&reading), reading.len())
}

fn hold(about: &str, source: &str) -> usize {
    let (found, count) = in_pieces(source);
    assert_eq!(found, read("a.py", source), "{about}:\n{source}");
    count
}

#[test]
fn every_case_of_the_battery_is_the_same_in_pieces() {
    for (about, source, _) in CASES {
        hold(about, source);
        hold(about, &source.replace("\r\n", "\n").replace('\n', "\r\n"));
        hold(about, source.trim_end());
        // Between declarations, where more cuts are possible.
        let between =
            format!("class Before:\n    def m(self): pass\n{source}\ndef behind(): pass\n");
        hold(about, &between);
    }
}

#[test]
fn every_two_cases_of_the_battery_in_a_row_are_the_same_in_pieces() {
    for (about, first, _) in CASES {
        for (_, second, _) in CASES {
            hold(about, &format!("{first}{second}"));
        }
    }
}

/// What the case shows, the source, and in how many pieces it is read.
const NASTY: [(&str, &str, usize); 41] = [
    (
        "text at column 0 in a string is no code",
        "def f():\n    '''\ndef x():\n    pass\n'''\n    a()\ndef g(): b()\n",
        2,
    ),
    (
        "nor in a string of a class",
        "class A:\n    x = \"\"\"\nclass B:\n    def m(self): pass\n\"\"\"\n    def n(self): c()\n",
        2,
    ),
    (
        "nor in a string at the top",
        "a = '''\ndef x(): pass\nclass Y: pass\n'''\ndef g(): pass\n",
        2,
    ),
    (
        "a bracket goes on over lines that look like code",
        "def f():\n    x = (\nclass_, (\ndef_), [\n1\n])\n    a()\ndef g(): b()\n",
        2,
    ),
    (
        "a bracket goes on in a class",
        "class A:\n    x = {\n  1: 2,\n3: 4}\n    def m(self): a()\n",
        2,
    ),
    (
        "decorators stay with what they decorate, over comments and blank lines",
        "def f(): a()\n@b\n# c\n\n# d\n@e(\n  1)\n\ndef g(): h()\n",
        2,
    ),
    (
        "decorators of methods too",
        "class A:\n    def f(self): a()\n    @b\n    # c\n\n    # d\n    @e(\n1)\n\n    def g(self): h()\n",
        3,
    ),
    (
        "a dedented comment between them is an error of the grammar",
        "class A:\n    def f(self): a()\n    @b\n# c\n    def g(self): h()\n",
        1,
    ),
    (
        "a class with a documentation",
        "class A:\n    '''\n    def x(): pass\n    '''\n\n    def m(self): a()\n    def n(self): b()\n",
        3,
    ),
    (
        "code behind a class is no part of it",
        "class A:\n    def m(self): a()\nx = b()\nif x:\n    y = c()\nclass B: pass\n",
        4,
    ),
    (
        "imports behind a class are no part of it",
        "class A:\n    import a\n    def m(self): import b\nimport c\ndef f(): import d\n",
        4,
    ),
    (
        "nested classes go with their class",
        "class A:\n    class B:\n        def m(self): a()\n        def n(self): b()\n    class C: pass\n    def o(self): c()\n",
        4,
    ),
    (
        "async functions and methods",
        "async def f():\n    await a()\nclass A:\n    async def m(self): b()\n    async def __init__(self): c()\n    def __init__(self): d()\n",
        5,
    ),
    (
        "an else at column 0 behind a function in an if",
        "if a:\n    def f(): b()\nelse:\n    def f(): c()\ndef g(): d()\n",
        2,
    ),
    (
        "an else behind a declaration at column 0",
        "for x in y:\n    pass\nelse:\n    class A:\n        def m(self): pass\ntry:\n    def f(): a()\nexcept B:\n    pass\nfinally:\n    def g(): c()\n",
        1,
    ),
    (
        "an if between declarations",
        "def f(): a()\nif b:\n    def g(): c()\nelif d:\n    def g(): e()\nelse:\n    class A:\n        def m(self): h()\ndef i(): j()\n",
        3,
    ),
    (
        "a string goes on behind a backslash",
        "def f():\n    a('b\\\ndef x():\\\n')\ndef g(): c()\n",
        2,
    ),
    (
        "a string's quotes are escaped",
        "def f(): a('\\'', \"\\\"\", r'\\'', '\\\\')\ndef g(): b('''\\'''' )\n",
        2,
    ),
    (
        "formatted strings nest",
        "def f(): return f\"{a(f'{b()}')}\" f'''{\nc()}'''\ndef g(): return f\"{d(\"e\")}\"\ndef h(): i()\n",
        3,
    ),
    (
        "a hash in a string is no comment, and a quote in a comment no string",
        "def f(): a('#')  # it's\ndef g(): b(\"#\")  # \"\n# '''\ndef h(): c()\n",
        3,
    ),
    (
        "carriage returns",
        "import a\r\nclass A:\r\n    '''b'''\r\n\r\n    def m(self):\r\n        c(1,\r\n  2)\r\n\r\n    # d\r\n    @e\r\n    def n(self): '''f\r\n'''\r\n\r\n\r\ndef g():\r\n    h()\r\n",
        5,
    ),
    ("no line feed at the end", "class A:\n    def m(self): a()\n    def n(self): b()", 3),
    ("white space at the end", "class A:\n    def m(self): a()\n    def n(self): b()\n    \n  ", 3),
    (
        "a comment at the end without a line feed",
        "class A:\n    def m(self):\n        a()\n        # b",
        2,
    ),
    (
        "comments at column 0 in a class and its functions",
        "class A:\n# a\n    def m(self):\n# b\n        c()\n# d\n        e()\n# f\n    def n(self): g()\n# h\n",
        3,
    ),
    (
        "comments that are dedented or indented at will",
        "class A:\n        # a\n    x = 1\n  # b\n    def m(self):\n            # c\n        d()\n      # e\n  # f\n    def n(self): g()\n",
        3,
    ),
    (
        "a comment before a declaration",
        "def f():\n    a()\n    # b\n\n# c\ndef g():\n    # d\n    e()\n    # f\n# g\nclass A:\n    # h\n    def m(self): pass\n    # i\n    def n(self): pass\n    # j\n# k\n",
        5,
    ),
    (
        "a class on one line",
        "class A: x = 1\nclass B: pass; y = a()\nclass C:\n    def m(self): pass\n",
        4,
    ),
    (
        "a class whose head goes over lines",
        "class A(\n    B,\n    metaclass=C,\n):\n    def m(self): a()\nclass D(E,\nF): x = 1\ndef f(): pass\n",
        4,
    ),
    (
        "a class decorated",
        "@a\nclass A:\n    def m(self): b()\n    import c\n    def n(self): d()\n",
        3,
    ),
    (
        "a class indented by one, and one by eight",
        "class A:\n def m(self):\n  a()\n def n(self): b()\nclass B:\n        def m(self):\n         c()\n        import d\n",
        5,
    ),
    (
        "code between methods belongs to the class",
        "class A:\n    def m(self): a()\n    x = b()\n    if c:\n        def n(self): d()\n    import e\n    def o(self): f()\n",
        3,
    ),
    (
        "an __init__ in each place",
        "class A:\n    def m(self): a()\n    def __init__(self):\n        b()\n        import c\n        def lost(): d()\n    if e:\n        def __init__(self): f()\nclass B:\n    def __init__(self): g()\n",
        5,
    ),
    (
        "semicolons before declarations",
        "x = 1; y = 2\ndef f(): a(); b()\nclass A: x = 1; y = 2\n",
        3,
    ),
    (
        "a backslash before a line",
        "x = 1 + \\\n    2\ndef \\\nf(): a()\nclass A: \\\n    x = 1\nclass B:\n    def m(self): return \\\n1\n",
        5,
    ),
    (
        "tabs leave a file whole",
        "class A:\n\tdef m(self): a()\n\tdef n(self): b()\ndef f(): c()\n",
        1,
    ),
    ("tabs in the line do not", "def f(): a()\t# b\t\nclass\tA:\n    x\t=\t1\ndef\tg(): c()\n", 2),
    (
        "indentation that fits nothing",
        "class A:\n    def m(self): a()\n  def n(self): b()\ndef f(): c()\n",
        1,
    ),
    (
        "names that begin with keywords",
        "define = 1\nclassy = 2\ndef f(): a()\nasyncio.run(f)\ndefault(b)\n",
        3,
    ),
    (
        "keywords behind a break",
        "if a: pass\nelse: pass\nasync with b: pass\nasync for c in d: pass\ndef f(): e()\n",
        4,
    ),
    (
        "a soft keyword and a type",
        "type A = int\nmatch b:\n    case 1:\n        def f(): c()\ndef g(): d()\nprint = e\n",
        3,
    ),
];

#[test]
fn nasty_files_are_the_same_in_pieces() {
    for (about, source, _) in NASTY {
        hold(about, source);
        hold(about, &source.replace("\r\n", "\n").replace('\n', "\r\n"));
        hold(about, source.trim_end());
    }
}

#[test]
fn nasty_files_are_cut_where_they_can_be() {
    for (about, source, expected) in NASTY {
        assert_eq!(in_pieces(source).1, expected, "{about}:\n{source}");
    }
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        // Knuth's linear congruential generator; its high bits are good enough to choose lines.
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
}

/// Heads of blocks; what follows is deeper. A pilcrow stands for the indentation of the first line.
const HEADS: [&str; 17] = [
    "def f():",
    "def g(a, b=h(1)) -> c:  # head",
    "def m(self,\n x=')', y={1: 2}):",
    "async def n(self):",
    "def __init__(self):",
    "class A:",
    "class B(A, c.D, metaclass=E):",
    "class C(\n):",
    "@once\n¶def o():",
    "@twice(1)\n\n# between\n¶class D:",
    "if x:",
    "for x in y():",
    "with z() as w:",
    "while (\nv):",
    "try: pass\n¶except u as t:",
    "def \\\n  p():",
    "class F[T]: # '",
];

/// Statements on their own.
const LINES: [&str; 31] = [
    "pass",
    "a()",
    "x = b(c(), d=e)",
    "return f",
    "'documentation'",
    "'''more\ndef x():\n    y()\n'''",
    "\"\"\"it's\n\\\"\"\"\nclass Z:\n\"\"\"",
    "s = 'quo\\'te' \"#\" r'\\'' + ''",
    "s = f'{a()!r}' f\"{b['c']}\"",
    "s = 'go\\\non'",
    "x = (\n1,\ndef_,\n)",
    "y = [\n  '''\n]\n''',\n    {1: 2}]",
    "z = a + \\\n  b()",
    "# comment",
    "# it's a \"comment\" '''",
    "x = 1  # behind:",
    "import a.b as c, d",
    "from ..e import (f,\n g as h)",
    "from i import *",
    "from __future__ import j",
    "@k.l(m)\n¶# on\n¶@k\n¶def l(): pass",
    "if i: j()\n¶elif k: l()\n¶else:\n¶  def m(): n()",
    "def q(): r()",
    "class S: pass",
    "class T: t = u(); v()",
    "async def w(): await x()",
    "type(y).z = aa()",
    "print 'bb', cc()",
    "[*dd(ee)]; ff()",
    "lambda: gg(lambda x: hh)",
    "größe = 数()",
];

/// What is broken in most places, or not for the cutter.
const ODD: [&str; 20] = [
    "else:",
    "elif n:",
    "except o as p:",
    "finally: pass",
    "case 1:",
    "match q:",
    "try:",
    "@lonely",
    "@",
    "def",
    "class:",
    "x = :",
    "'open",
    "(",
    "]",
    "\tx = 1",
    "\x0c",
    "$ ?",
    "'''",
    "\\",
];

/// A file of random lines, most of them where they may stand.
fn file(dice: &mut Dice) -> String {
    let mut source = String::new();
    let end = dice.of(&["\n", "\n", "\n", "\r\n"]);
    let width = [4, 4, 4, 2, 1, 8][dice.below(6)];
    let is_odd = dice.below(4) == 0;
    let (mut depth, mut opens) = (0, false);
    for _ in 0..dice.below(24) {
        let is_stray = is_odd && dice.below(20) == 0;
        let indent = " ".repeat(depth * width + usize::from(is_stray));
        let (text, deeper) = match dice.below(20) {
            0 | 1 => {
                // Blank lines and comments may stand anywhere.
                source += &" ".repeat(dice.below(10));
                source += dice.of(&["", "# anywhere", "#"]);
                source += end;
                continue;
            }
            2 if is_odd => (dice.of(&ODD), false),
            3..=10 => (dice.of(&HEADS), true),
            _ => (dice.of(&LINES), false),
        };
        source += &indent;
        source += &text.replace('\n', end).replace('¶', &indent);
        source += end;
        opens = deeper || opens && text.starts_with('#');
        let may_close = !opens || is_odd && dice.below(8) == 0;
        depth = match (deeper, may_close) {
            (true, false) => depth + 1,
            (_, true) => dice.below(depth + 1).min(dice.below(depth + 1)),
            _ => depth,
        };
    }
    if opens && !is_odd {
        source += &" ".repeat(depth * width);
        source += "pass";
    }
    if dice.below(3) == 0 { source.trim_end().to_owned() } else { source }
}

#[test]
fn random_files_are_the_same_in_pieces() {
    let mut dice = Dice(1);
    let (mut cut, mut broken) = (0, 0);
    for number in 0..4_000 {
        let source = file(&mut dice);
        let in_pieces = hold(&format!("file {number}"), &source) > 1;
        cut += usize::from(in_pieces);
        broken += usize::from(read("a.py", &source).errors > 0);
    }
    // Enough of them are cut, and enough of them are sound, for the comparison to mean something.
    assert!(cut > 2_000, "{cut} are cut");
    assert!((200..2_000).contains(&broken), "{broken} are broken");
}
