//! Declarations of Python.

use super::outline::{Case, hold};

#[test]
fn every_form_of_a_declaration_in_python_has_its_outline() {
    hold("a.py", &CASES);
}

const CASES: [Case; 4] = [
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
];
