//! Patches as Git writes them.

use retrieval_bench::graph::patch::{FilePatch, Patch};

fn only(text: &str) -> FilePatch {
    let mut patch = Patch::parse(text).expect("a patch");
    assert_eq!(patch.files.len(), 1, "{text}");
    patch.files.remove(0)
}

fn one_hunk(header: &str, body: &str) -> String {
    format!("diff --git a/f.py b/f.py\nindex 1..2 100644\n--- a/f.py\n+++ b/f.py\n{header}\n{body}")
}

#[test]
fn lines_are_numbered_on_their_own_sides() {
    let file = only(&one_hunk("@@ -2,3 +2,4 @@ def f():", " b\n-c\n+C\n+CC\n d\n"));
    assert_eq!((file.deleted_lines(), file.added_lines()), (vec![3], vec![3, 4]));
    let (new, offsets) = file.apply("a\nb\nc\nd\ne\n").expect("it fits");
    assert_eq!((new.as_str(), offsets), ("a\nb\nC\nCC\nd\ne\n", vec![0]));
}

#[test]
fn a_hunk_that_moved_is_found_nearest_to_its_place() {
    let file = only(&one_hunk("@@ -1,2 +1,2 @@", " x\n-y\n+z\n"));
    let (new, offsets) = file.apply("0\n0\nx\ny\n0\nx\ny\n").expect("it fits");
    assert_eq!((new.as_str(), offsets), ("0\n0\nx\nz\n0\nx\ny\n", vec![2]));
    let error = file.apply("x\nq\n").expect_err("it fits nowhere");
    assert!(error.reason.contains("hunk 1 of f.py fits nowhere"), "{error}");
}

#[test]
fn a_missing_line_feed_at_the_end_is_kept_or_mended_as_the_patch_says() {
    let mends = "-a\n\\ No newline at end of file\n+a\n";
    let (new, _) = only(&one_hunk("@@ -1 +1 @@", mends)).apply("a").expect("it fits");
    assert_eq!(new, "a\n");
    let breaks = "-a\n+b\n\\ No newline at end of file\n";
    let (new, _) = only(&one_hunk("@@ -1 +1 @@", breaks)).apply("a\n").expect("it fits");
    assert_eq!(new, "b");
}

#[test]
fn carriage_returns_belong_to_their_lines() {
    let file = only(&one_hunk("@@ -1,2 +1,2 @@", " a\r\n-b\r\n+c\r\n"));
    assert_eq!(file.apply("a\r\nb\r\n").expect("it fits").0, "a\r\nc\r\n");
    assert!(file.apply("a\nb\n").is_err(), "another file");
}

#[test]
fn new_deleted_renamed_and_binary_files_say_so() {
    let text = "diff --git a/n.py b/n.py\nnew file mode 100644\n--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n+x\n\
        diff --git a/d.py b/d.py\ndeleted file mode 100644\n--- a/d.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\
        diff --git a/old name.py b/new name.py\nsimilarity index 100%\nrename from old name.py\nrename to new name.py\n\
        diff --git a/i.png b/i.png\nindex 1..2 100644\nBinary files a/i.png and b/i.png differ\n\
        diff --git a/e.py b/e.py\nnew file mode 100644\nindex 0..0\n";
    let files = Patch::parse(text).expect("a patch").files;
    let sides: Vec<_> =
        files.iter().map(|f| (f.old_path.as_deref(), f.new_path.as_deref(), f.is_binary)).collect();
    let expected = [
        (None, Some("n.py"), false),
        (Some("d.py"), None, false),
        (Some("old name.py"), Some("new name.py"), false),
        (Some("i.png"), Some("i.png"), true),
        (None, Some("e.py"), false),
    ];
    assert_eq!(sides, expected);
    assert_eq!(files[0].apply("").expect("it fits").0, "x\n");
    assert_eq!(files[1].apply("x\n").expect("it fits").0, "");
}

#[test]
fn a_patch_of_plain_diff_and_quoted_paths_are_read() {
    let plain = "--- a/x.py\t2020-01-01\n+++ b/x.py\t2020-01-02\n@@ -1 +1 @@\n-a\n+b\n--- a/y.py\n+++ b/y.py\n@@ -1 +1 @@\n-a\n+b\n";
    let files = Patch::parse(plain).expect("a patch").files;
    assert_eq!(files.iter().map(FilePatch::path).collect::<Vec<_>>(), ["x.py", "y.py"]);
    let quoted = "diff --git \"a/\\303\\244.py\" \"b/\\303\\244.py\"\n--- \"a/\\303\\244.py\"\n+++ \"b/\\303\\244.py\"\n@@ -1 +1 @@\n-a\n+b\n";
    assert_eq!(only(quoted).path(), "ä.py");
}

#[test]
fn a_deleted_line_that_looks_like_a_header_is_a_line() {
    let file = only(&one_hunk("@@ -1,2 +1,2 @@", "--- a/other\n+++ b/other\n x\n"));
    assert_eq!(file.apply("-- a/other\nx\n").expect("it fits").0, "++ b/other\nx\n");
}

#[test]
fn malformed_patches_are_refused_with_their_line() {
    let cases = [
        ("@@ -1 +1 @@\n-a\n+b\n", 1, "a hunk of no file"),
        (&one_hunk("@@ -x +1 @@", "-a\n+b\n"), 5, "no header of a hunk"),
        (&one_hunk("@@ -1,9 +1,9 @@", " a\n"), 5, "ends too early"),
        (&one_hunk("@@ -1,2 +1,2 @@", "*a\n b\n"), 6, "no line of a hunk"),
        (&one_hunk("@@ -1 +1,2 @@", "-a\n-b\n+c\n"), 7, "more lines than the header"),
    ];
    for (text, line, reason) in cases {
        let error = Patch::parse(text).expect_err(reason);
        assert_eq!(error.line, line, "{error}");
        assert!(error.reason.contains(reason), "{error}");
    }
}

#[test]
fn lines_before_the_first_place_and_empty_patches_do_no_harm() {
    assert_eq!(Patch::parse("").expect("a patch").files, []);
    assert_eq!(Patch::parse("From 0\nSubject: x\n\nwords\n").expect("a patch").files, []);
    let far = one_hunk("@@ -4294967295,1 +4294967295,1 @@", "-a\n+b\n");
    let file = only(&far);
    assert_eq!(file.apply("a\n").expect("it fits").0, "b\n");
    assert_eq!(file.deleted_lines(), [u32::MAX]);
}
