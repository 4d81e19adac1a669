//! Gold from patches.

use std::collections::{BTreeMap, BTreeSet};

use retrieval_bench::graph::gold::{Definition, Gold};
use retrieval_bench::graph::patch::Patch;

use super::outline::read;

const BEFORE: &str = "import os\n\n\n@cache\ndef first(a):\n    def inner():\n        return a\n    return inner()\n\n\nclass A:\n    x = 1\n\n    def __init__(self):\n        self.y = 2\n\n    def get(self):\n        return self.y\n";

fn gold(definition: Definition, files: &[(&str, &str)], patch: &str) -> Gold {
    let files: BTreeMap<&str, &str> = files.iter().copied().collect();
    Gold::of(
        &Patch::parse(patch).expect("a patch"),
        definition,
        &mut |path| files.get(path).map(|text| (*text).to_owned()),
        &mut |path, text| path.ends_with(".py").then(|| read(path, text)),
    )
    .expect("it applies")
}

fn edit(hunk: &str) -> Gold {
    let patch = format!("diff --git a/f.py b/f.py\n--- a/f.py\n+++ b/f.py\n{hunk}");
    gold(Definition::Table1, &[("f.py", BEFORE)], &patch)
}

fn set(ids: &[&str]) -> BTreeSet<String> {
    ids.iter().map(|id| (*id).to_owned()).collect()
}

#[test]
fn a_changed_line_counts_for_its_innermost_function() {
    let inner = edit("@@ -7 +7 @@\n-        return a\n+        return -a\n");
    assert_eq!(inner.functions, set(&["f.py:first.inner"]));
    let outer = edit("@@ -8 +8 @@\n-    return inner()\n+    return inner\n");
    assert_eq!(outer.functions, set(&["f.py:first"]));
    assert_eq!(outer.classes, set(&[]));
}

#[test]
fn a_decorator_belongs_to_its_function() {
    let gold = edit("@@ -4 +4 @@\n-@cache\n+@cached\n");
    assert_eq!(gold.functions, set(&["f.py:first"]));
}

#[test]
fn an_init_a_class_body_and_a_module_count_for_no_function() {
    let gold = edit(
        "@@ -1 +1 @@\n-import os\n+import sys\n@@ -12 +12 @@\n-    x = 1\n+    x = 2\n@@ -15 +15 @@\n-        self.y = 2\n+        self.y = 3\n",
    );
    assert_eq!((gold.functions, gold.classes), (set(&[]), set(&["f.py:A"])));
    assert_eq!(gold.files, set(&["f.py"]));
}

#[test]
fn an_added_function_counts_apart_and_added_lines_count_for_known_ones() {
    let gold = edit(
        "@@ -17,2 +17,6 @@\n     def get(self):\n+        pass\n         return self.y\n+\n+    def put(self):\n+        pass\n",
    );
    assert_eq!(gold.functions, set(&["f.py:A.get"]));
    assert_eq!(gold.added_functions, set(&["f.py:A.put"]));
}

#[test]
fn the_second_definition_takes_enclosing_functions_and_raw_numbers_and_no_decorators() {
    let patch = "diff --git a/f.py b/f.py\n--- a/f.py\n+++ b/f.py\n@@ -4 +4 @@\n-@cache\n+@cached\n@@ -7 +7,3 @@\n-        return a\n+        b = a\n+\n+        return b\n";
    let gold = gold(Definition::Table6, &[("f.py", BEFORE)], patch);
    assert_eq!(gold.functions, set(&["f.py:first", "f.py:first.inner"]));
}

#[test]
fn a_hunk_that_stands_elsewhere_counts_where_it_stands() {
    let gold = edit("@@ -3 +3 @@\n-        return a\n+        return -a\n");
    assert_eq!((gold.functions, gold.moved_hunks), (set(&["f.py:first.inner"]), 1));
}

#[test]
fn a_renamed_file_keeps_its_old_ids_and_a_deleted_one_loses_its_functions() {
    let renamed = "diff --git a/f.py b/g.py\nsimilarity index 90%\nrename from f.py\nrename to g.py\n--- a/f.py\n+++ b/g.py\n@@ -18 +18 @@\n-        return self.y\n+        return self.z\n";
    let moved = gold(Definition::Table1, &[("f.py", BEFORE)], renamed);
    assert_eq!((moved.functions, moved.files), (set(&["f.py:A.get"]), set(&["f.py"])));
    let deleted = "diff --git a/s.py b/s.py\ndeleted file mode 100644\n--- a/s.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-def f():\n-    pass\n";
    let gone = gold(Definition::Table1, &[("s.py", "def f():\n    pass\n")], deleted);
    assert_eq!(gone.functions, set(&["s.py:f"]));
}

#[test]
fn new_binary_and_unknown_files_are_files_and_nothing_else() {
    let patch = "diff --git a/n.py b/n.py\nnew file mode 100644\n--- /dev/null\n+++ b/n.py\n@@ -0,0 +1,2 @@\n+def f():\n+    pass\n\
        diff --git a/i.png b/i.png\nBinary files a/i.png and b/i.png differ\n\
        diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-x\n+y\n";
    let gold = gold(Definition::Table1, &[("a.txt", "x\n")], patch);
    assert_eq!((gold.functions, gold.added_functions), (set(&[]), set(&[])));
    assert_eq!(gold.files, set(&["a.txt", "i.png", "n.py"]));
}

#[test]
fn a_file_that_is_not_at_the_base_commit_is_an_error_that_names_it() {
    let patch = "diff --git a/f.py b/f.py\n--- a/f.py\n+++ b/f.py\n@@ -1 +1 @@\n-x\n+y\n";
    let error = Gold::of(
        &Patch::parse(patch).expect("a patch"),
        Definition::Table1,
        &mut |_| None,
        &mut |_, _| None,
    );
    let error = error.expect_err("there is no such file");
    assert!(error.reason.contains("f.py is no text at the base commit"), "{error}");
}
