//! The text of Python's entities: documentation, signatures and comments; and nesting that is too deep.

use super::outline::{outline, read};

/// What the case shows, the source, and the path and the documentation of each entity.
type Told<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);

#[test]
fn a_documentation_is_the_plain_string_that_a_body_begins_with() {
    let cases: [Told<'_>; 15] = [
        ("one quote", "def f():\n    'a'\n", &[("f", "'a'")]),
        (
            "three quotes",
            "class A:\n    \"\"\"a\n\n    b\"\"\"\n",
            &[("A", "\"\"\"a\n\n    b\"\"\"")],
        ),
        ("raw, unicode", "def f(): r'\\a'\ndef g(): u'a'\n", &[("f", "r'\\a'"), ("g", "u'a'")]),
        ("several in a row", "def f():\n    'a' \\\n    \"b\"\n", &[("f", "'a' \\\n    \"b\"")]),
        ("in parentheses", "def f():\n    ('a'\n     'b')\n", &[("f", "'a'\n     'b'")]),
        ("formatted", "def f(): f'a'\ndef g(): 'a' rF'b'\n", &[("f", ""), ("g", "")]),
        ("bytes", "def f(): b'a'\ndef g(): Rb'b'\n", &[("f", ""), ("g", "")]),
        ("behind comments", "def f():  # a\n    # b\n\n    'c'\n", &[("f", "'c'")]),
        ("behind a statement", "def f():\n    x = 1\n    'a'\n", &[("f", "")]),
        ("before another", "def f(): 'a'; g()\n", &[("f", "'a'")]),
        ("in an expression", "def f(): 'a' % b\ndef g(): 'a', 'b'\n", &[("f", ""), ("g", "")]),
        ("assigned, called", "def f(): x = 'a'\ndef g(): 'a'.b()\n", &[("f", ""), ("g", "")]),
        ("the inner one's", "class A:\n  def f(self):\n    'a'\n", &[("A", ""), ("A.f", "'a'")]),
        ("quotes in it", "def f():\n    '''\" ' '' \\''''\n", &[("f", "'''\" ' '' \\''''")]),
        ("empty", "def f():\n    ''\n", &[("f", "''")]),
    ];
    for (about, source, expected) in cases {
        let fragment = read("a.py", source);
        let found = (0u32..).zip(&fragment.entities).map(|(id, entity)| {
            let bytes = entity.documentation.start as usize..entity.documentation.end as usize;
            (fragment.path(id), &source[bytes])
        });
        let found: Vec<(String, &str)> = found.collect();
        let expected: Vec<(String, &str)> =
            expected.iter().map(|(path, text)| ((*path).to_owned(), *text)).collect();
        assert_eq!(found, expected, "{about}:\n{source}");
    }
}

#[test]
fn a_signature_reaches_from_behind_the_name_to_the_colon() {
    let cases = [
        ("def f(): pass\n", "()"),
        ("def f(a, b=1) -> int:\n    pass\n", "(a, b=1) -> int"),
        ("def f (a) :\n    pass\n", " (a) "),
        ("def f[T: (int, str)](a: T) -> T: pass\n", "[T: (int, str)](a: T) -> T"),
        ("async def f(*, a: 'b:c' = {1: 2}[1]): pass\n", "(*, a: 'b:c' = {1: 2}[1])"),
        ("def f(a=lambda x: x): return lambda: 1\n", "(a=lambda x: x)"),
        (
            "def f(\n    a,  # b:\n    c,\n):  # d\n    # e\n    pass\n",
            "(\n    a,  # b:\n    c,\n)",
        ),
        ("def f(a) \\\n    -> b[1:2]:\n    pass\n", "(a) \\\n    -> b[1:2]"),
        ("def größe(ä: ö): pass\n", "(ä: ö)"),
        ("class A(B): pass\n", ""),
    ];
    for (source, expected) in cases {
        let fragment = read("a.py", source);
        let signature = &fragment.entities[0].signature;
        assert_eq!(&source[signature.start as usize..signature.end as usize], expected, "{source}");
    }
}

#[test]
fn a_comment_belongs_to_every_function_around_it_up_to_the_last_statement() {
    let source = "# 0\nclass A:\n    # 1\n    @x  # 2\n    # 3\n    def f(self):  # 4\n        # 5\n        def g():\n            # 6\n            pass  # 7\n            # 8\n        return g  # 9\n        # 10\n    # 11\n";
    let fragment = read("a.py", source);
    let found = (0u32..).zip(&fragment.entities).map(|(id, entity)| {
        let text = entity.comments.iter().map(|at| &source[at.start as usize..at.end as usize]);
        (fragment.path(id), text.collect())
    });
    let found: Vec<(String, Vec<&str>)> = found.collect();
    let expected = [
        ("A".to_owned(), vec![]),
        ("A.f".to_owned(), vec!["# 4", "# 5", "# 6", "# 7", "# 8"]),
        ("A.f.g".to_owned(), vec!["# 6"]),
    ];
    assert_eq!(found, expected);
}

#[test]
fn what_is_declared_too_deep_belongs_to_the_entity_around_it() {
    let head = |depth: usize| format!("{}def f{depth}(a=b()):\n", " ".repeat(depth));
    let mut source: String = (0..70).map(head).collect();
    source += &format!("{}deepest()\n", " ".repeat(70));
    source += &format!("{0}@decorated()\n{0}class C(Base):\n{0} import m\n", " ".repeat(66));
    source += &format!("{}after()\n", " ".repeat(64));
    let fragment = read("a.py", &source);
    assert_eq!(fragment.errors, 0);
    assert_eq!(fragment.entities.len(), 64);
    for (id, entity) in (0u32..).zip(&fragment.entities) {
        assert_eq!((entity.first_line, entity.last_line), (id + 1, 75), "{}", entity.name);
    }
    let last = &fragment.entities[63];
    assert_eq!(last.calls, ["deepest", "after"]);
    assert_eq!(last.bases, [""; 0]);
    assert_eq!(fragment.imports.len(), 1);
    assert_eq!(fragment.imports[0].within, None);
}

#[test]
fn no_nesting_of_brackets_exhausts_the_stack() {
    let forms = [
        ("(", ")"),
        ("[", "]"),
        ("{1: ", "}"),
        ("i(", ")"),
        ("not ", ""),
        ("-", ""),
        ("lambda: ", ""),
    ];
    for (open, close) in forms {
        let (open, close) = (open.repeat(5_000), close.repeat(5_000));
        let source = format!("def f():\n    x = {open}g(){close}\ndef h():\n    pass\n");
        let lines = outline(&read("a.py", &source));
        assert!(lines[0].starts_with("function f 1-2"), "{}", lines[0]);
        assert!(lines.iter().any(|line| line == "function h 3-4"), "{lines:?}");
    }
    let chain = format!("def f():\n    a{}\n", ".b()".repeat(5_000));
    assert_eq!(read("a.py", &chain).entities[0].calls.len(), 5_000);
    let parts = format!("class A(a{}): pass\n", ".b".repeat(5_000));
    assert_eq!(outline(&read("a.py", &parts)), ["class A 1-1 < b"]);
}
