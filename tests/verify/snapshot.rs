//! Findings of snapshots and of the corpus manifest.

use super::*;

#[test]
fn a_chunk_file_cut_inside_a_row_is_an_error_that_names_file_line_and_samples() {
    let ids = ["one", "two", "three", "four"];
    let inputs = Inputs::new(&ids.map(|id| sample(id, "", "a")));
    let whole = [file("a", "a\n"), file("b", "b\n")].concat();
    inputs.chunks(REPO, &[whole[..whole.len() - 9].to_owned()]);
    let printed = inputs.plainly(&[]);
    let found = printed.of("snapshot-unreadable");
    assert_eq!(found.len(), 1, "{}", printed.out);
    assert!(found[0].starts_with(&format!("error[snapshot-unreadable] {KEY}: ")), "{}", found[0]);
    for part in
        ["corpus/acme__gadget/", "line 2", "; 4 samples cannot be measured (one, two, three, …)"]
    {
        assert!(found[0].contains(part), "{}", found[0]);
    }
    assert_eq!(
        printed.of("no-final-line-feed"),
        [format!(
            "note[no-final-line-feed] {KEY}: corpus/acme__gadget/{COMMIT}.chunks.jsonl does not end in a \
             line feed, and was cut inside a row; build it again"
        )]
    );
    assert_eq!(printed.code, 1);
}

#[test]
fn a_pipe_in_the_place_of_a_chunk_file_is_an_error_and_not_waited_for() {
    let inputs = Inputs::new(&[sample("one", "", "a")]);
    let chunks = inputs.chunks(REPO, &[]);
    fs::remove_file(&chunks).expect("removed");
    nix::unistd::mkfifo(&chunks, nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
    let printed = inputs.plainly(&[]);
    let found = printed.of("snapshot-unreadable");
    assert_eq!(found.len(), 1, "{}", printed.out);
    assert!(found[0].contains("it is no regular file"), "{}", found[0]);
    assert_eq!(printed.code, 1);
}

#[test]
fn a_chunk_file_without_a_last_line_feed_is_allowed_but_noted() {
    let inputs = Inputs::new(&[sample("one", "", "a")]);
    inputs.chunks(REPO, &[file("a", "a\n").trim_end().to_owned()]);
    let printed = inputs.plainly(&[]);
    let found = printed.findings();
    assert_eq!(found.len(), 1, "{}", printed.out);
    assert!(found[0].ends_with("does not end in a line feed, and may have been cut there"));
    assert_eq!(printed.code, 0);
}

#[test]
fn unsafe_paths_and_replaced_rows_are_counted_and_the_first_is_named() {
    let inputs = Inputs::new(&[sample("one", "", "a")]);
    inputs.chunks(
        REPO,
        &[
            file("a", "a"),
            file("../b", "b"),
            file(".git/config", ""),
            file("a", "c"),
            file("a", "c"),
        ],
    );
    let printed = inputs.plainly(&[]);
    assert_eq!(
        printed.findings(),
        [
            format!(
                "warning[unsafe-path] {KEY}: 2 paths are not safe and left out, first on line 2: \"../b\" \
                 has a `..` component"
            ),
            format!(
                "warning[replaced-row] {KEY}: 1 row is replaced by a later row of the same path with \
                 another text"
            ),
        ]
    );
}

#[test]
fn a_chunk_file_cut_at_a_line_end_is_told_by_its_symbol_rows() {
    let text = "a\nb\nc\nd\n";
    let first = [file("a", text), symbol("a", 2, 3), symbol("a", 4, 4)].concat();
    let last = [file("b", text), symbol("b", 1, 2), symbol("b", 3, 4)];
    let inputs = Inputs::new(&[sample("one", "", "a")]);
    let path = format!("corpus/acme__gadget/{COMMIT}.chunks.jsonl");
    for (rows, wanted) in [
        (&last[..], None),
        (&last[..2], Some("stops at line 2 of 4 of its last file b")),
        // A file without symbols says nothing of where it ends.
        (&last[..1], None),
    ] {
        inputs.chunks(REPO, &[first.clone(), rows.concat()]);
        let printed = inputs.plainly(&[]);
        let wanted: Vec<String> = wanted
            .map(|what| {
                format!(
                    "warning[cut-at-line-end] {KEY}: {path} {what}: it was cut at a line end, and what \
                     follows is missing; build it again"
                )
            })
            .into_iter()
            .collect();
        assert_eq!(printed.findings(), wanted);
    }
}

#[test]
fn symbol_rows_that_do_not_tile_their_files_say_nothing_of_a_cut() {
    let text = "a\nb\nc\nd\n";
    let inputs = Inputs::new(&[sample("one", "", "a")]);
    inputs.chunks(REPO, &[file("a", text), symbol("a", 1, 2), file("b", text), symbol("b", 1, 2)]);
    assert_eq!(inputs.plainly(&[]).findings(), Vec::<&str>::new());
}

#[test]
fn rows_of_another_snapshot_are_named() {
    let inputs = Inputs::new(&[sample("one", "", "a")]);
    let commit = "c".repeat(40);
    inputs.chunks(
        REPO,
        &[
            file("a", "a"),
            row(OTHER, "file", "b", (1, 1), "b"),
            file("c", "c").replace(COMMIT, &commit),
            "{\"kind\": \"file\", \"path\": \"unsigned\", \"text\": \"\"}\n".to_owned(),
        ],
    );
    let printed = inputs.plainly(&[]);
    assert_eq!(
        printed.findings(),
        [format!(
            "warning[foreign-row] {KEY}: 2 rows name another snapshot, first \
             corpus/acme__gadget/{COMMIT}.chunks.jsonl:2: repo \"acme/widget\""
        )]
    );
}

#[test]
fn a_manifest_that_disagrees_is_named_with_its_line() {
    let inputs = Inputs::new(&[
        sample("one", "", "a"),
        sample_of(OTHER, "two", "", "\"related_tests\": [\"x\"]"),
    ]);
    inputs.chunks(REPO, &[file("a", "a\n"), symbol("a", 1, 1)]);
    inputs.chunks(OTHER, &[row(OTHER, "file", "x", (1, 1), "x")]);
    let stated = |repo: &str, status: &str, counts: [u32; 3]| {
        let [chunks, files, symbols] = counts;
        let row = serde_json::json!({
            "repo": repo, "base_commit": COMMIT, "status": status, "chunk_count": chunks,
            "file_count": files, "symbol_count": symbols, "skipped_large": null,
        });
        format!("{row}\n")
    };
    let other = format!("snapshot acme/widget@{COMMIT}");
    let manifest = |rows: &[String]| inputs.write("corpus/corpus_manifest.jsonl", rows.concat());

    manifest(&[stated(REPO, "ok", [2, 1, 1]), stated(OTHER, "ok", [1, 1, 0])]);
    assert_eq!(inputs.plainly(&[]).findings(), Vec::<&str>::new());

    // The last row that is ok counts, as for the benchmark's loader.
    manifest(&[
        stated(REPO, "ok", [9, 9, 9]),
        stated(REPO, "ok", [3, 1, 2]),
        stated(REPO, "missing_commit", [0, 0, 0]),
        "nonsense\n".to_owned(),
    ]);
    let name = "corpus/corpus_manifest.jsonl";
    let printed = inputs.plainly(&[]);
    assert_eq!(
        printed.findings()[..2],
        [
            format!(
                "warning[manifest-count] {KEY}: {name}:2 states chunk_count 3 where 2 are, symbol_count 2 \
                 where 1 are; build the chunk file again"
            ),
            format!("note[manifest-unnamed] {other}: {name} has no row for it"),
        ]
    );
    assert!(
        printed.findings()[2]
            .starts_with(&format!("warning[manifest-unreadable] {name}:4: not JSON"))
    );

    fs::remove_file(inputs.path("corpus/corpus_manifest.jsonl")).expect("removed");
    let rows = [stated(REPO, "ok", [2, 1, 1]), stated(OTHER, "missing_commit", [1, 1, 0])];
    inputs.write("corpus_manifest.jsonl", rows.concat());
    let printed = inputs.plainly(&[]);
    assert_eq!(
        printed.findings(),
        [format!(
            "warning[manifest-status] {other}: corpus/../corpus_manifest.jsonl:2 gives it the status \
             \"missing_commit\""
        )]
    );
    assert_eq!(printed.code, 0);
}
