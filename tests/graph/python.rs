//! Declarations of Python.

use super::outline::{Case, hold};

#[test]
fn every_form_of_a_declaration_in_python_has_its_outline() {
    hold("a.py", &CASES);
}

/// The battery, which cutting is held to as well.
pub const CASES: [Case; 90] = [
    (
        "a decorated function's code begins at its def, and its decorator is called",
        "@cache\n@app.route('/')\ndef f(a, b=g()):\n    return h(a)\n",
        &["function f 3-4 (1) -> cache, route, h"],
    ),
    (
        "a property, its setter and an overload are declarations of one name",
        "class A(base.B, C):\n    @property\n    def x(self):\n        return 1\n    @x.setter\n    def x(self, v):\n        self.y(v)\n",
        &[
            "class A 1-7 < B, C",
            "function A.x 3-4 (2) -> property",
            "function A.x 6-7 (5) -> setter, y",
        ],
    ),
    (
        "an __init__ is folded into its class, and what it nests is lost",
        "class A:\n    @once\n    def __init__(self):\n        import a.b as c\n        def lost():\n            deep()\n        super().__init__()\n",
        &["class A 1-7 -> once, deep, __init__, super", "import a.b as c in A"],
    ),
    (
        "an async __init__ is a function, as is one outside a class",
        "class A:\n    async def __init__(self):\n        f()\ndef __init__():\n    from ..p import x as y, z\n",
        &[
            "class A 1-3",
            "function A.__init__ 2-3 -> f",
            "function __init__ 4-5",
            "import ..p {x as y, z} in __init__",
        ],
    ),
    (
        "a plain decorator is called by name",
        "@cache\ndef f():\n    pass\n",
        &["function f 2-3 (1) -> cache"],
    ),
    (
        "a decorator that is an attribute gives every attribute on the way",
        "@a.b.c\ndef f():\n    pass\n",
        &["function f 2-3 (1) -> c, b"],
    ),
    (
        "a decorator that is a call gives what is called, and the calls in its arguments",
        "@retry(times(3), on=errors.Timeout)\ndef f():\n    pass\n",
        &["function f 2-3 (1) -> retry, times, Timeout"],
    ),
    (
        "a decorator with a chain of calls gives each of its attributes",
        "@app.group('x').command(name='y')\ndef f():\n    pass\n",
        &["function f 2-3 (1) -> command, group"],
    ),
    (
        "stacked decorators may have comments and blank lines between them",
        "@a\n# why\n\n@b()\n\n# because\nclass C:\n    pass\n",
        &["class C 7-8 (1) -> a, b"],
    ),
    (
        "a decorator may hold a lambda, whose calls count",
        "@on(lambda e: e.kind() == name())\ndef f():\n    pass\n",
        &["function f 2-3 (1) -> on, kind, name"],
    ),
    (
        "a decorator may be any expression",
        "@handlers[0]\ndef f():\n    pass\n@(x := wrap)\ndef g():\n    pass\n@a or b()\ndef h():\n    pass\n",
        &["function f 2-3 (1)", "function g 5-6 (4)", "function h 8-9 (7) -> b"],
    ),
    (
        "a decorator may go over several lines",
        "@parametrize(\n    'x',\n    [one(), 2],\n)\ndef f():\n    pass\n",
        &["function f 5-6 (1) -> parametrize, one"],
    ),
    (
        "overloads are declared each",
        "@overload\ndef f(a: int) -> int: ...\n@overload\ndef f(a: str) -> str: ...\ndef f(a):\n    return g(a)\n",
        &[
            "function f 2-2 (1) -> overload",
            "function f 4-4 (3) -> overload",
            "function f 5-6 -> g",
        ],
    ),
    (
        "a deleter is a declaration too",
        "class A:\n    @x.deleter\n    def x(self):\n        del self.y\n",
        &["class A 1-4", "function A.x 3-4 (2) -> deleter"],
    ),
    (
        "functions and classes nest in each other, and calls belong to the innermost",
        "def f():\n    a()\n    def g():\n        b()\n        class C:\n            c()\n            def m(self):\n                d()\n        e()\n    h()\n",
        &[
            "function f 1-10 -> a, h",
            "function f.g 3-9 -> b, e",
            "class f.g.C 5-8",
            "function f.g.C.m 7-8 -> d",
        ],
    ),
    (
        "async functions begin at async, and what they await is called",
        "async def f():\n    async with a() as b, c():\n        await b.d()\n    async for e in g():\n        yield await h(e)\n",
        &["function f 1-5 -> a, c, d, g, h"],
    ),
    (
        "an async method and a decorated async function",
        "class A:\n    @b\n    async def m(self):\n        pass\n@c\nasync def f():\n    pass\n",
        &["class A 1-4", "function A.m 3-4 (2) -> b", "function f 6-7 (5) -> c"],
    ),
    (
        "an __init__ under a condition is a function, for it is no statement of the class",
        "class A:\n    if X:\n        def __init__(self):\n            f()\n",
        &["class A 1-4", "function A.__init__ 3-4 -> f"],
    ),
    (
        "two __init__ of a class are folded both, and so are their imports, in the class only if direct",
        "class A:\n    @overload\n    def __init__(self, a): ...\n    def __init__(self, a=None):\n        import b\n        if a:\n            from c import d\n        self.e(a)\n",
        &["class A 1-8 -> overload, e", "import b in A", "import c {d}"],
    ),
    (
        "an __init__ in a nested class and in a decorated class is folded too",
        "@final\nclass A:\n    class B:\n        def __init__(self): f()\n    def __init__(self): g()\n",
        &["class A 2-5 (1) -> final, g", "class A.B 3-4 -> f"],
    ),
    (
        "an __init__ in a function in a class is a function",
        "class A:\n    def m(self):\n        def __init__(self):\n            f()\n        return __init__\n",
        &["class A 1-5", "function A.m 2-5", "function A.m.__init__ 3-4 -> f"],
    ),
    (
        "what an __init__ is called with by default, and its annotations, are nobody's calls",
        "class A:\n    def __init__(self, a: b() = c()) -> d():\n        e()\n",
        &["class A 1-3 -> e"],
    ),
    (
        "an import in a function nested in an __init__ is the file's alone",
        "class A:\n    def __init__(self):\n        def g():\n            import b\n",
        &["class A 1-4", "import b"],
    ),
    (
        "functions stand in if, elif, else, try, except, else, finally, for, while, with and match",
        "if a:\n    def f1(): pass\nelif b:\n    def f2(): pass\nelse:\n    def f3(): pass\ntry:\n    def f4(): pass\nexcept E:\n    def f5(): pass\nelse:\n    def f6(): pass\nfinally:\n    def f7(): pass\nfor x in y:\n    def f8(): pass\nwhile z:\n    def f9(): pass\nwith w:\n    class C: pass\nmatch v:\n    case 1:\n        def f10(): pass\n",
        &[
            "function f1 2-2",
            "function f2 4-4",
            "function f3 6-6",
            "function f4 8-8",
            "function f5 10-10",
            "function f6 12-12",
            "function f7 14-14",
            "function f8 16-16",
            "function f9 18-18",
            "class C 20-20",
            "function f10 23-23",
        ],
    ),
    (
        "a conditional redefinition declares a name twice",
        "try:\n    from fast import f\nexcept ImportError:\n    def f(): return slow()\nif PY2:\n    def g(): pass\nelse:\n    def g(): pass\n",
        &["function f 4-4 -> slow", "function g 6-6", "function g 8-8", "import fast {f}"],
    ),
    (
        "lambdas are no entities, and their calls are their owner's, those of their defaults too",
        "f = lambda x: g(x)\ndef h():\n    return lambda x=i(): j(x)\n",
        &["function h 2-3 -> i, j"],
    ),
    (
        "code of a file or a class calls nothing",
        "print(f())\nif g():\n    h()\nclass A:\n    x = i()\n    y: j() = k()\n    for z in l():\n        m(z)\n",
        &["class A 4-8"],
    ),
    (
        "comprehensions call in the function that they stand in",
        "def f(a):\n    return [b(x) for x in c(a) if d(x)] + list({e(): g() async for y in h()})\n",
        &["function f 1-2 -> b, c, d, list, e, g, h"],
    ),
    (
        "default arguments call nothing, however nested",
        "def f(a=b(c()), *, d=[e(x) for x in g()], **k):\n    h()\n",
        &["function f 1-2 -> h"],
    ),
    (
        "annotations call nothing",
        "def f(a: b(), *c: d()) -> e(g()):\n    x: h() = i()\n    y: j()\n",
        &["function f 1-3 -> i"],
    ),
    (
        "a signature may go over lines and hold colons, lambdas, dictionaries and comments",
        "def f(\n    a: int = {1: 2, 3: [4]}[1],  # one: two\n    b=lambda x, y: (x, y),\n    *,\n    c: 'x: y' = \"):\",\n) -> Dict[str, 'a:b']:\n    g()\n",
        &["function f 1-7 -> g"],
    ),
    (
        "comments behind the last statement belong to no function",
        "class A:\n    def f(self):\n        g()\n        # inner\n    # outer\n    def h(self):\n        i()  # beside\n\n        # end\n# file\n",
        &["class A 1-7", "function A.f 2-3 -> g", "function A.h 6-7 -> i"],
    ),
    (
        "comments behind a nested block belong to no function",
        "def f():\n    if a:\n        b()\n        # deep\n    # less deep\n\ndef g():\n    try:\n        pass\n    finally:\n        c()\n# dedented\n",
        &["function f 1-3 -> b", "function g 7-11 -> c"],
    ),
    (
        "a comment may stand between the head and the body",
        "def f():  # head\n    # before\n\n    g()\nclass A:  # head\n# dedented\n    x = 1\n",
        &["function f 1-4 -> g", "class A 5-7"],
    ),
    (
        "global and nonlocal declare nothing",
        "def f():\n    global a, b\n    def g():\n        nonlocal c\n        a()\n",
        &["function f 1-5", "function f.g 3-5 -> a"],
    ),
    (
        "generics in brackets are neither bases nor part of a name",
        "def f[T: (int, str), *Ts, **P](a: T) -> T:\n    return g(a)\nclass A[T](B[T], C):\n    def m[U](self, x: U): h()\n",
        &["function f 1-2 -> g", "class A 3-4 < C", "function A.m 4-4 -> h"],
    ),
    (
        "type statements declare nothing, and type is a name as well",
        "type A = list[int]\ntype B[T] = dict[str, T]\ndef f(x):\n    type C = int\n    type = 1\n    return type(x)\n",
        &["function f 3-6 -> type"],
    ),
    (
        "match and case are names as well",
        "def f(match, case):\n    match = match(case)\n    match case:\n        case A(b=1) | [C(), *_] if d(): e()\n        case _: print(match)\n",
        &["function f 1-5 -> match, d, e, print"],
    ),
    (
        "a walrus calls like any expression",
        "def f():\n    if (m := g(x)) and (n := h()):\n        while i := j(): k(i)\n",
        &["function f 1-3 -> g, h, j, k"],
    ),
    (
        "a star imports every name",
        "from a.b import *\nfrom . import *\n",
        &["import a.b {*}", "import . {*}"],
    ),
    (
        "relative imports have levels, and maybe no module",
        "from . import a\nfrom .. import b as c\nfrom ...d.e import f\nfrom .... import g\nfrom . .h import i\n",
        &[
            "import . {a}",
            "import .. {b as c}",
            "import ...d.e {f}",
            "import .... {g}",
            "import ..h {i}",
        ],
    ),
    (
        "imported names may stand in parentheses, over lines, with comments and a last comma",
        "from a import (\n    b as c,  # why\n    d,\n    # e,\n    f as g,\n)\n",
        &["import a {b as c, d, f as g}"],
    ),
    (
        "one statement may import several modules, each with its own alias",
        "import a.b as c, d, e.f\nimport g; import h as i\n",
        &["import a.b as c", "import d", "import e.f", "import g", "import h as i"],
    ),
    (
        "imports go on behind a backslash, and dots may have blanks around them",
        "from a . b import c, \\\n    d\nimport e . f as g\n",
        &["import a.b {c, d}", "import e.f as g"],
    ),
    (
        "an import of the future is an import like any",
        "from __future__ import annotations, division as d\n",
        &["import __future__ {annotations, division as d}"],
    ),
    (
        "an import is within an entity only if it is a statement of its body",
        "def f():\n    import a\n    if x:\n        import b\n    try:\n        from c import d\n    except E:\n        d = None\n    with y: import e\n",
        &["function f 1-9", "import a in f", "import b", "import c {d}", "import e"],
    ),
    (
        "an import in a class is within it, and one in a method within the method",
        "class A:\n    import a\n    def m(self):\n        import b\n        class B:\n            from c import d\n    if x:\n        import e\n",
        &[
            "class A 1-8",
            "function A.m 3-6",
            "class A.m.B 5-6",
            "import a in A",
            "import b in A.m",
            "import c {d} in A.m.B",
            "import e",
        ],
    ),
    (
        "imports in decorated entities are within them",
        "@x\ndef f():\n    import a\n    if y: import b\n@z\nclass A:\n    import c\n    @w\n    def m(self):\n        import d\n",
        &[
            "function f 2-4 (1) -> x",
            "class A 6-10 (5) -> z",
            "function A.m 9-10 (8) -> w",
            "import a in f",
            "import b",
            "import c in A",
            "import d in A.m",
        ],
    ),
    (
        "a keyword in a class's head is no base",
        "class A(B, metaclass=Meta, total=False):\n    pass\nclass C(metaclass=abc.ABCMeta): pass\n",
        &["class A 1-2 < B", "class C 3-3"],
    ),
    (
        "only names and attributes are bases: subscripts, calls and stars are none",
        "class A(B[C], d.E): pass\nclass F(namedtuple('F', 'a b')): pass\nclass G(*bases, **kw): pass\nclass H(()): pass\nclass I(): pass\nclass J(a.b().K, L): pass\n",
        &[
            "class A 1-1 < E",
            "class F 2-2",
            "class G 3-3",
            "class H 4-4",
            "class I 5-5",
            "class J 6-6 < K, L",
        ],
    ),
    (
        "only names and attributes are called: of subscripts, calls, strings and brackets the attribute if any",
        "def f():\n    a[0]()\n    b()()\n    'x'.join(c)\n    d[1].e()\n    (g)()\n    (h or i)()\n    k().l().m()\n    (lambda: n())()\n",
        &["function f 1-9 -> b, join, e, g, m, l, k, n"],
    ),
    (
        "arguments call before nothing and after their function",
        "def f():\n    a(b(c()), *d(), k=e(), **g())\n    h(x for x in i())\n",
        &["function f 1-3 -> a, b, c, d, e, g, h, i"],
    ),
    (
        "a call in a formatted string counts, one in a plain string or a comment does not",
        "def f():\n    a = f'{b(c)!r:>{d()}} e()'\n    return 'g()'  # h()\n",
        &["function f 1-3 -> b, d"],
    ),
    (
        "a star before a call is no part of its name",
        "def f(*a):\n    [*b(a), *c.d(a)]\n    e(g(), *h.i(), *j())\n    k = *l(), *m()\n    return {**n(), **o.p()}\n",
        &["function f 1-5 -> b, d, e, g, i, j, l, m, n, p"],
    ),
    (
        "an assignment to an attribute of a type calls type",
        "def f(a):\n    type(a).b = c()\n    type(d(a))[0] = e\n    type(a).g += 1\nclass A:\n    def __init__(self):\n        type(self).b = i()\n    type(c).d = 1\n",
        &["function f 1-4 -> type, c, type, d, type", "class A 5-8 -> type, i"],
    ),
    (
        "whatever calls in the body of an __init__ calls for the class, annotations and what it nests too",
        "class A:\n    def __init__(self):\n        self.a: b() = c()\n        def d(e: g() = h()): i()\n",
        &["class A 1-4 -> b, c, g, h, i"],
    ),
    (
        "a callee or a decorator may stand in parentheses",
        "@(cache)\ndef f():\n    (g)()\n    ((h.i))(j)\n    (  # why\n    k)()\n@(l)()\nclass A((B)): pass\n",
        &["function f 2-6 (1) -> cache, g, i, k", "class A 8-8 (7) < B -> l"],
    ),
    (
        "every kind of statement may call",
        "def f():\n    return a()\n    raise b() from c()\n    assert d(), e()\n    del g().h\n    i().j = k()\n    l()[m()] += n()\n    yield o()\n    with p(): q()\n    for r in s(): pass\n    else: t()\n    try: u()\n    except v(): w()\n    x() if y() else z()\n",
        &["function f 1-14 -> a, b, c, d, e, g, i, k, l, m, n, o, p, q, s, t, u, v, w, x, y, z"],
    ),
    (
        "a backslash continues heads and statements",
        "def \\\n    f(a,\n      b): \\\n    return \\\n        g()\nclass \\\n    A: x = 1\n",
        &["function f 1-5 -> g", "class A 6-7"],
    ),
    (
        "tabs indent as well",
        "class A:\n\tdef f(self):\n\t\tif x:\n\t\t\tg()\n\n\tdef h(self):\n\t\ti()\n",
        &["class A 1-7", "function A.f 2-4 -> g", "function A.h 6-7 -> i"],
    ),
    (
        "a form feed is white space",
        "def f():\n    g()\n\x0c\ndef h():\n    i()\n\x0c\nclass A:\n    x = 1\n\x0c\n    def m(self): j()\n",
        &["function f 1-2 -> g", "function h 4-5 -> i", "class A 7-10", "function A.m 10-10 -> j"],
    ),
    (
        "lines may end with a carriage return and a line feed",
        "import a\r\n\r\n@b\r\nclass A(B):\r\n    '''d\r\n    e'''\r\n    def m(self,\r\n          x):\r\n        c(x)\r\n\r\n    # end\r\ndef f(): pass\r\n",
        &["class A 4-9 (3) < B -> b", "function A.m 7-9 -> c", "function f 12-12", "import a"],
    ),
    (
        "a byte order mark is no part of the source",
        "\u{feff}import a\ndef f():\n    g()\n",
        &["function f 2-3 -> g", "import a"],
    ),
    (
        "semicolons separate statements",
        "def f(): a(); b(); import c\nx = 1; y = 2;\nclass A: x = 1; y = z()\n",
        &["function f 1-1 -> a, b", "class A 3-3", "import c in f"],
    ),
    (
        "a function may be on one line",
        "def f(): return 1\ndef g(): return h()\nclass A: pass\nclass B:\n    def m(self): return n()\n",
        &[
            "function f 1-1",
            "function g 2-2 -> h",
            "class A 3-3",
            "class B 4-5",
            "function B.m 5-5 -> n",
        ],
    ),
    (
        "print and exec of Python 2 are statements",
        "def f():\n    print 'a', b()\n    print >>c, d()\n    exec 'e' in g()\n",
        &["function f 1-4 -> b, d, g"],
    ),
    ("an empty file declares nothing", "", &[]),
    (
        "a file of blank lines and comments declares nothing",
        "\n   \n# a\n    # def f(): pass\n\n",
        &[],
    ),
    (
        "names may have any letters",
        "class Größe(Größe2):\n    def größer(self, 数): return self.数え(数)\ndef ñ(): pass\nimport модуль.имя as м\n",
        &[
            "class Größe 1-2 < Größe2",
            "function Größe.größer 2-2 -> 数え",
            "function ñ 3-3",
            "import модуль.имя as м",
        ],
    ),
    (
        "words of declarations in strings declare nothing",
        "a = '''\ndef f():\n    g()\n'''\nb = \"class A:\\\n    pass\"\ndef h():\n    '''\nclass B:\n    import c\n'''\n",
        &["function h 7-11"],
    ),
    (
        "star expressions, slices, matrices and conversions are no hindrance",
        "def f(a, /, b, *, c, **d):\n    x, *y = a[1:2, ::3] @ b\n    return {**d, 'k': [*y, *g()]}, 0x_ff, 1_0.5e3j, ...\n",
        &["function f 1-3 -> g"],
    ),
    (
        "except* and parenthesised with statements are understood",
        "def f():\n    try:\n        a()\n    except* (E, F) as e:\n        b(e)\n    with (c() as d, g()):\n        h()\n",
        &["function f 1-7 -> a, b, c, g, h"],
    ),
    (
        "a class in a function in a method has all their names",
        "class A:\n    def m(self):\n        def n():\n            class B(A):\n                def o(self): pass\n",
        &[
            "class A 1-5",
            "function A.m 2-5",
            "function A.m.n 3-5",
            "class A.m.n.B 4-5 < A",
            "function A.m.n.B.o 5-5",
        ],
    ),
    (
        "a body of only a documentation, or of dots, is a body",
        "def f():\n    '''Doc.'''\nclass A:\n    '''Doc.'''\nclass B: ...\n",
        &["function f 1-2", "class A 3-4", "class B 5-5"],
    ),
    (
        "the last line needs no line feed",
        "class A:\n    def m(self):\n        f()",
        &["class A 1-3", "function A.m 2-3 -> f"],
    ),
    (
        "a decorator in a function calls for what it decorates, not for the function",
        "def f():\n    @wraps(g)\n    def h(*a): return g(*a)\n    return h\n",
        &["function f 1-4", "function f.h 3-3 (2) -> wraps, g"],
    ),
    (
        "conditions and loops in a class are no owners",
        "class A:\n    if x:\n        def f(self): pass\n    else:\n        class B:\n            pass\n    for y in z:\n        def g(self): pass\n",
        &["class A 1-8", "function A.f 3-3", "class A.B 5-6", "function A.g 8-8"],
    ),
    (
        "a name that is only the beginning of a keyword is a name",
        "def default():\n    classify()\n    importer()\nasync_ = 1\ndefined(x)\nclassy = 2\n",
        &["function default 1-3 -> classify, importer"],
    ),
    (
        "of broken code, what stands before and behind the break is recovered",
        "def f():\n    if x\n        a()\n    b()\ndef g():\n    c()\n",
        &["function f 1-4 -> a, b", "function g 5-6 -> c", "errors 2"],
    ),
    (
        "a call that is never closed hides no later declaration",
        "class A:\n    def m(self):\n        a(\n    def n(self):\n        b()\ndef g():\n    c()\n",
        &[
            "class A 1-5",
            "function A.m 2-3",
            "function A.n 4-5 -> b",
            "function g 6-7 -> c",
            "errors 1",
        ],
    ),
    (
        "a file that ends in the middle of a statement keeps its declarations",
        "class A:\n    def m(self):\n        f()\n        g(\n",
        &["class A 1-4", "function A.m 2-4 -> f", "errors 1"],
    ),
    (
        "a file that ends in the middle of a string keeps its declarations",
        "def f():\n    a()\ndef g():\n    return '''b\n    c()\n",
        &["function f 1-2 -> a", "function g 3-5 -> c", "errors 1"],
    ),
    (
        "a head without a body is a declaration",
        "class A:\ndef f():\n",
        &["class A 1-1", "function f 2-2"],
    ),
    (
        "each decorator of nothing is an error, and decorates nothing",
        "@a\nx = 1\ndef f(): pass\n@b\n",
        &["function f 3-3", "errors 2"],
    ),
    (
        "both sides of an unsolved merge are declared",
        "<<<<<<< ours\ndef f(): a()\n=======\ndef f(): b()\n>>>>>>> theirs\n",
        &["function f 2-2 -> a", "function f 4-4 -> b", "errors 3"],
    ),
    (
        "a closing bracket too many hides no declaration",
        "def f():\n    a()\n}}\ndef g():\n    b()\n",
        &["function f 1-2 -> a", "function g 4-5 -> b", "errors 1"],
    ),
    (
        "a template of a file is read as far as it is Python",
        "{% if x %}\ndef f(): a()\n{% endif %}\nclass B: pass\n",
        &["function f 2-2 -> a", "class B 4-4", "errors 3"],
    ),
    (
        "a string without an end ends with its line",
        "def f():\n    a = 'x\n    b()\ndef g(): c()\n",
        &["function f 1-3 -> b", "function g 4-4 -> c", "errors 1"],
    ),
    (
        "octal numbers, long ones, backticks, unequal, raise and except of Python 2 are understood",
        "def f((a, b), c):\n    print 0777L, `c`, ur'd'\n    if a <> b: d()\n    try: e()\n    except (E, F), g: h()\n    raise E, 'x'\n",
        &["function f 1-6 -> d, e, h"],
    ),
    (
        "an exec of Python 2 that the grammar does not know hides no declaration",
        "def f():\n    exec a['x']\n    print 'y',\ndef g():\n    c()\n",
        &["function f 1-3", "function g 4-5 -> c", "errors 1"],
    ),
];
