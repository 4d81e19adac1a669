//! Pinned inputs.

use std::process::Command;

use super::*;

/// Two repositories, one of them a folder named by `--snapshot`.
fn pinned() -> (Inputs, String) {
    let inputs = Inputs::new(&[
        sample("one", "", "a"),
        sample_of(OTHER, "two", "", "\"related_tests\": [\"src/x\"]"),
    ]);
    inputs.chunks(REPO, &[file("a", "a\n")]);
    inputs.write("tree/src/x", "x\n");
    inputs.write("tree/b c", "");
    let named = format!("{OTHER}@{COMMIT}={}", inputs.path("tree").display());
    (inputs, named)
}

#[test]
fn written_digests_are_those_of_sha256sum_and_check_out() {
    let (inputs, named) = pinned();
    inputs.write("corpus/corpus_manifest.jsonl", "");
    let pins = inputs.path("pins");
    let pins = pins.to_str().expect("UTF-8");
    let printed = inputs.verify(&["--snapshot", &named, "--write-digests", pins]);
    assert_eq!((printed.code, printed.last()), (0, "verify: 2 samples, 2 snapshots, 1 findings"));
    let bytes = |name: &str| fs::read(inputs.path(name)).expect("read");
    let tree = format!("{}  b c\n{}  src/x\n", sha256(""), sha256("x\n"));
    let wanted = format!(
        "{}  acme/gadget@{COMMIT}\n{}  acme/widget@{COMMIT}\n{}  manifest\n{}  samples\n",
        sha256(bytes(&format!("corpus/acme__gadget/{COMMIT}.chunks.jsonl"))),
        sha256(tree),
        sha256(""),
        sha256(bytes("samples.jsonl")),
    );
    assert_eq!(fs::read_to_string(pins).expect("written"), wanted);

    let printed = inputs.verify(&["--snapshot", &named, "--check-digests", pins]);
    assert_eq!((printed.code, printed.of("digest").len()), (0, 0), "{}", printed.out);

    let printed = inputs.verify(&["--snapshot", &named, "--write-digests", pins]);
    assert_eq!((printed.code, printed.out.as_str()), (2, ""));
    assert!(printed.err.contains("never overwritten"), "{}", printed.err);
    assert_eq!(fs::read_to_string(pins).expect("kept"), wanted);
}

#[test]
fn digests_that_differ_are_missing_or_not_named_end_in_exit_code_3() {
    let (inputs, named) = pinned();
    let zeros = "0".repeat(64);
    let samples = sha256(fs::read(inputs.path("samples.jsonl")).expect("read"));
    let lines = format!("{zeros}  acme/gadget@{COMMIT}\n{samples} *samples\n{zeros}  manifest\n");
    let pins = inputs.write("pins", lines);
    let check = ["--snapshot", &named, "--check-digests", pins.to_str().expect("UTF-8")];
    let printed = inputs.plainly(&check);
    let rows = file("a", "a\n");
    let tree = format!("{}  b c\n{}  src/x\n", sha256(""), sha256("x\n"));
    assert_eq!(
        printed.findings(),
        [
            format!(
                "error[digest-differs] acme/gadget@{COMMIT}: pinned in pins as {zeros}, but it is {}",
                sha256(&rows)
            ),
            format!(
                "error[digest-unnamed] acme/widget@{COMMIT}: not pinned in pins; it is {}",
                sha256(tree)
            ),
            "error[digest-missing] manifest: pinned in pins, but these inputs neither have nor need it"
                .to_owned(),
        ]
    );
    assert_eq!(printed.code, 3);

    // A pinned snapshot that cannot be read is both an error of its samples and a pin that is not met.
    inputs.chunks(REPO, &["{\n".to_owned()]);
    let printed = inputs.plainly(&check);
    assert_eq!(printed.of("snapshot-unreadable").len(), 1);
    assert_eq!(
        printed.of("digest-missing")[0],
        format!(
            "error[digest-missing] acme/gadget@{COMMIT}: pinned in pins, but it cannot be read"
        )
    );
    assert_eq!(printed.code, 3);
}

#[test]
fn a_file_that_holds_no_digests_is_refused_with_its_line() {
    let (inputs, _) = pinned();
    let digest = "a".repeat(64);
    for (lines, wanted) in [
        (format!("{digest}  samples\n{digest}\n"), "pins, line 2: not a SHA-256"),
        (format!("{}  samples\n", "g".repeat(64)), "pins, line 1: not a SHA-256"),
        (format!("{digest}  x\n{digest}  x\n"), "pins, line 2: \"x\" is named twice"),
    ] {
        let pins = inputs.write("pins", lines);
        let printed = inputs.plainly(&["--check-digests", pins.to_str().expect("UTF-8")]);
        assert_eq!((printed.code, printed.out.as_str()), (2, ""));
        assert!(printed.err.contains(wanted), "{}", printed.err);
    }
    let printed = inputs.plainly(&["--check-digests", "/nowhere/pins"]);
    assert_eq!(printed.code, 2);
    assert!(printed.err.contains("digest file /nowhere/pins: cannot be read"), "{}", printed.err);
}

/// Runs Git in a folder, without anybody's configuration, and gives what it printed.
fn git(folder: &Path, words: &[&str]) -> String {
    let done = Command::new("git")
        .current_dir(folder)
        .args(["-c", "user.name=a", "-c", "user.email=a@b"])
        .args(words)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .expect("git starts");
    assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).expect("UTF-8").trim().to_owned()
}

#[test]
fn a_clone_and_a_folder_of_one_commit_have_one_digest() {
    let inputs = Inputs::new(&[]);
    let clone = inputs.write("clones/acme__gadget/src/a.go", "package a\n");
    let clone = clone.ancestors().nth(2).expect("the clone");
    inputs.write("clones/acme__gadget/b c", "b\n");
    git(clone, &["init", "-q"]);
    git(clone, &["add", "-A"]);
    git(clone, &["commit", "-q", "-m", "one"]);
    let commit = git(clone, &["rev-parse", "HEAD"]);
    let lines = sample("one", "", "src/a.go").replace(COMMIT, &commit);
    let samples = inputs.write("samples.jsonl", lines);
    let named = format!("{REPO}@{commit}={}", clone.display());
    let clones = inputs.path("clones");
    let clones = clones.to_str().expect("UTF-8");
    let tree = format!("{}  b c\n{}  src/a.go\n", sha256("b\n"), sha256("package a\n"));
    for (name, source) in
        [("of-clone", ["--clones", clones]), ("of-folder", ["--snapshot", &named])]
    {
        let pins = inputs.path(name);
        let pins = pins.to_str().expect("UTF-8");
        let corpus = inputs.path("corpus");
        let printed =
            verify(&samples, &corpus, &[&source[..], &["--write-digests", pins]].concat());
        assert_eq!(printed.out, "verify: 1 samples, 1 snapshots, 0 findings\n", "{}", printed.err);
        let pins = fs::read_to_string(pins).expect("written");
        let wanted = format!("{}  {REPO}@{commit}", sha256(&tree));
        assert_eq!(pins.lines().next(), Some(wanted.as_str()), "{name}");
    }
}
