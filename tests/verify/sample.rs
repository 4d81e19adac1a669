//! Findings of samples, alone and over their snapshots.

use super::*;

#[test]
fn a_samples_file_that_a_run_refuses_is_refused_whole() {
    let twice = [sample("one", "", "a"), sample("one", "", "b")];
    let unsafe_path = [sample("one", "", "a"), sample("two", "", "../b")];
    for (samples, wanted) in [
        (twice, "samples.jsonl, line 2 (sample \"one\"): its id already stands on line 1"),
        (
            unsafe_path,
            "samples.jsonl, line 2 (sample \"two\"): gold file \"../b\" has a `..` component",
        ),
    ] {
        let printed = Inputs::new(&samples).plainly(&[]);
        assert_eq!((printed.code, printed.out.as_str()), (2, ""));
        assert!(printed.err.contains(wanted), "{}", printed.err);
        assert_eq!(printed.err.lines().count(), 1);
    }
}

#[test]
fn samples_without_gold_are_counted() {
    let inputs = Inputs::new(&[
        sample("one", "", "a"),
        sample_of(REPO, "two", "", "\"related_tests\": []"),
        sample_of(REPO, "three", "", "\"related_tests\": [], \"files\": []"),
        sample_of(REPO, "four", "", "\"no_gold\": true"),
    ]);
    inputs.chunks(REPO, &[file("a", "a")]);
    let printed = inputs.plainly(&[]);
    assert_eq!(
        printed.of("unlabelled"),
        [
            "note[unlabelled] samples.jsonl: 2 positive samples name no gold file; a run leaves such \
          samples out and counts them"
        ]
    );
    assert_eq!(
        printed.of("no-gold"),
        [
            "note[no-gold] samples.jsonl: 1 sample has no gold by intent; only abstaining answers such \
          samples"
        ]
    );
    assert_eq!((printed.code, printed.last()), (0, "verify: 2 samples, 1 snapshots, 4 findings"));
}

#[test]
fn a_samples_file_without_samples_does_not_pass_in_silence() {
    let printed = Inputs::new(&["\n".to_owned()]).plainly(&[]);
    assert_eq!(
        printed.findings(),
        ["warning[no-samples] samples.jsonl: holds no sample that a run would ask"]
    );
    assert_eq!(printed.code, 0);
}

#[test]
fn queries_that_give_their_answer_away_are_named() {
    let fix = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
    let gold = format!("\"related_tests\": [\"a\"], \"fix_commit\": \"{fix}\"");
    let inputs = Inputs::new(&[
        sample("fine", "\"pr_title\": \"diff --gitter\"", "a"),
        sample("patch", "\"pr_body\": \"see\\n--- a/x.go\\n\"", "a"),
        sample_of(REPO, "fix", &format!("\"pr_body\": \"as in {fix}\""), &gold),
    ]);
    inputs.chunks(REPO, &[file("a", "a")]);
    let printed = inputs.plainly(&[]);
    let skips = "; the benchmark's own evaluator skips the sample";
    assert_eq!(
        printed.findings(),
        [
            format!(
                "warning[leak] samples.jsonl:2: sample patch: the query holds a raw patch{skips}"
            ),
            format!(
                "warning[leak] samples.jsonl:3: sample fix: the query names the fixing commit {fix}{skips}"
            ),
        ]
    );
    assert_eq!(printed.code, 0);
}

#[test]
fn samples_from_a_pipe_are_held_to_the_rules_like_those_of_a_file() {
    let row = sample("one", "", "a").replace("code2test", "other");
    let inputs = Inputs::new(std::slice::from_ref(&row));
    let path = inputs.path("samples.jsonl");
    let by_file = inputs.plainly(&[]).of("row-rule").len();
    fs::remove_file(&path).expect("removed");
    nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
    let writer = std::thread::spawn(move || fs::write(path, row));
    let by_pipe = inputs.plainly(&[]).of("row-rule").len();
    writer.join().expect("no panic").expect("written");
    assert!(by_file > 0 && by_pipe == by_file, "{by_pipe} of {by_file}");
}

#[test]
fn rules_of_the_benchmark_that_rows_break_are_named_once_each() {
    let other = "b".repeat(40);
    let good = sample("one", "", "a");
    let corpus_type = "\"repo_at_base_commit\", \"base_commit\"";
    let inputs = Inputs::new(&[
        good.clone(),
        good.replace("one", "two")
            .replace(&format!("{corpus_type}: \"{COMMIT}"), &format!("{corpus_type}: \"{other}")),
        good.replace("one", "three").replace("code2test", "guess"),
        good.replace("one", "four").replace("code2test", "guess"),
        good.replace("one", "five").replace("code2test", "abstention").replace(
            "\"related_tests\": [\"a\"]",
            "\"no_gold\": true, \"files\": [], \"reason\": \"flaky_ci\"",
        ),
    ]);
    inputs.chunks(REPO, &[file("a", "a")]);
    let printed = inputs.plainly(&[]);
    let rule = |rows: &str, says: &str, first: &str| {
        format!("samples.jsonl: {rows} the benchmark's rule `{says}`, first on line {first}")
    };
    let mut wanted = vec![
        format!(
            "note[row-rule] {}",
            rule("2 rows break", "task_type is one of the benchmark's", "3 (sample three)")
        ),
        format!(
            "warning[other-corpus] {}",
            rule(
                "1 row breaks",
                "candidate_corpus.base_commit is the row's base_commit",
                "2 (sample two)"
            )
        ),
    ];
    for (rows, says, first) in [
        ("1 row breaks", "abstention: query.source is one of the benchmark's", "5 (sample five)"),
        ("1 row breaks", "abstention: query.text is not blank", "5 (sample five)"),
        ("2 rows break", "there are gold.root_cause_files", "3 (sample three)"),
    ] {
        wanted.push(format!("note[row-rule] {}", rule(rows, says, first)));
    }
    let found: Vec<&str> =
        printed.findings().into_iter().filter(|line| line.contains("rule `")).collect();
    assert_eq!(found, wanted);
}

#[test]
fn a_sample_without_a_snapshot_is_an_error_and_the_others_are_looked_at() {
    let inputs = Inputs::new(&[
        sample_of(OTHER, "lost", "", "\"related_tests\": [\"x\"]"),
        sample("one", "", "b"),
        sample_of(OTHER, "lost too", "", "\"related_tests\": [\"x\"]"),
    ]);
    inputs.chunks(REPO, &[file("a", "a")]);
    let printed = inputs.plainly(&[]);
    let starts = [
        "error[no-snapshot] samples.jsonl:1: sample lost: snapshot acme/widget@aaaa",
        "warning[gold-missing] samples.jsonl:2: sample one: gold file b is not in the snapshot",
        "error[no-snapshot] samples.jsonl:3: sample lost too: snapshot acme/widget@aaaa",
    ];
    let found = printed.findings();
    assert_eq!(found.len(), starts.len(), "{}", printed.out);
    for (line, start) in found.iter().zip(starts) {
        assert!(line.starts_with(start), "{line}");
    }
    assert_eq!((printed.code, printed.last()), (1, "verify: 3 samples, 2 snapshots, 3 findings"));
    assert!(printed.out.contains("\n      2 error[no-snapshot] samples whose snapshot"));
}

#[test]
fn gold_that_is_missing_or_cut_is_named_with_its_sample() {
    let query = "\"changed_file\": \"gone.go\"";
    let gold =
        "\"related_tests\": [\"cut.go\", \"whole.go\", \"new.go\"], \"given_files\": [\"a.go\"]";
    let inputs =
        Inputs::new(&[sample("first", "", "whole.go"), sample_of(REPO, "second", query, gold)]);
    inputs.chunks(
        REPO,
        &[
            file("cut.go", "package a\n...[truncated]"),
            file("whole.go", "says ...[truncated] and goes on"),
        ],
    );
    let printed = inputs.plainly(&[]);
    let place = "samples.jsonl:2: sample second";
    assert_eq!(
        printed.findings(),
        [
            format!(
                "warning[gold-cut] {place}: gold file cut.go was cut by the corpus builder; --corpus-text \
                 stitched restores what its symbol rows hold"
            ),
            format!(
                "warning[gold-missing] {place}: gold file new.go is not in the snapshot: no arm can find it"
            ),
            format!("note[given-missing] {place}: given file a.go is not in the snapshot"),
            format!("note[changed-missing] {place}: changed_file gone.go is not in the snapshot"),
        ]
    );
    assert!(
        printed.out.contains(
            "1 warning[gold-cut] gold files that the corpus builder cut, of 4 looked for\n"
        )
    );
    assert_eq!(printed.code, 0);
}

#[test]
fn a_gold_file_that_is_rebuilt_from_its_symbol_rows_is_noted() {
    let inputs = Inputs::new(&[sample("one", "", "cut.go")]);
    let whole = row(REPO, "symbol", "cut.go", (1, 3), "a\nb\nc");
    inputs.chunks(REPO, &[row(REPO, "file", "cut.go", (1, 3), "a\n...[truncated]"), whole]);
    let printed = inputs.plainly(&["--corpus-text", "stitched"]);
    assert_eq!(
        printed.findings(),
        [
            "note[gold-rebuilt] samples.jsonl:1: sample one: gold file cut.go was cut, and rebuilt from \
          its symbol rows"
        ]
    );
    assert_eq!(inputs.plainly(&[]).of("gold-cut").len(), 1);
}
