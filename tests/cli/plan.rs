//! Flags → plan, and the order in which they are refused.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use retrieval_bench::arm::{ARMS, Family, Given};
use retrieval_bench::cli::{Outcome, Plan, SchemaOf};
use retrieval_bench::dataset::{ChangedFileFrom, SnapshotKey};
use retrieval_bench::registration::{HostRoot, QuietHost};
use retrieval_bench::snapshot::CorpusText;

use super::{planned, refusal, run_plan, typed, words};

fn names(line: &str) -> Vec<&'static str> {
    run_plan(line).arms.iter().map(|row| row.name).collect()
}

#[test]
fn the_defaults_are_the_documented_ones() {
    let plan = run_plan("--samples s --corpus c");
    assert_eq!(plan.inputs.samples, Path::new("s"));
    assert_eq!(plan.inputs.corpus.as_deref(), Some(Path::new("c")));
    assert_eq!((plan.limit, plan.max_samples, plan.jobs), (20, 0, 1));
    assert_eq!(plan.timeout, Duration::from_secs(120));
    assert_eq!(plan.given, Given::Remove);
    assert_eq!(plan.inputs.corpus_text, CorpusText::Rows);
    assert_eq!((plan.corvint, plan.expect_corvint), (None, None));
    assert_eq!((plan.quiet_host, plan.quiet_wait), (QuietHost::Record, Duration::from_secs(600)));
    assert_eq!(plan.host_root, HostRoot::default());
    assert_eq!((&plan.output, &plan.registration), (&None, &None));
    assert!(
        plan.task_types.is_empty() && plan.inputs.named.is_empty() && plan.inputs.clones.is_none()
    );
    assert!(
        !plan.resume && !plan.quiet && !plan.inputs.contextbench_compat && !plan.snapshot_latency
    );
}

#[test]
fn every_flag_reaches_the_plan() {
    let plan = run_plan(
        "--samples=s --clones k --limit=50 --max-samples 7 --task-type a --task-type=b --given keep \
         --corpus-text stitched --jobs 3 --timeout 0.25 --corvint ./x --registration r --output o \
         --resume --quiet --contextbench-compat --quiet-host wait --quiet-wait 7",
    );
    assert_eq!(plan.inputs.clones.as_deref(), Some(Path::new("k")));
    assert_eq!((plan.limit, plan.max_samples, plan.jobs), (50, 7, 3));
    assert_eq!(plan.task_types, ["a", "b"]);
    assert_eq!(plan.timeout, Duration::from_millis(250));
    assert_eq!((plan.given, plan.inputs.corpus_text), (Given::Keep, CorpusText::Stitched));
    assert_eq!(plan.corvint, Some("./x".into()));
    assert_eq!((plan.quiet_host, plan.quiet_wait), (QuietHost::Wait, Duration::from_secs(7)));
    assert_eq!(plan.registration.as_deref(), Some(Path::new("r")));
    assert_eq!(plan.output.as_deref(), Some(Path::new("o")));
    assert!(plan.resume && plan.quiet && plan.inputs.contextbench_compat);
}

#[test]
fn members_that_may_name_the_changed_file_keep_their_order_and_count_once() {
    use ChangedFileFrom::{AnchorFile, GivenFile, ImplementationFiles};
    let line = "--samples s --corpus c --changed-file-from given_file,anchor_file,given_file \
                --changed-file-from=implementation_files";
    assert_eq!(run_plan(line).changed_file_from, [GivenFile, AnchorFile, ImplementationFiles]);
    assert!(run_plan("--samples s --corpus c").changed_file_from.is_empty());
    for wrong in ["changed_file", "path", "given_file,,anchor_file", "given-file"] {
        let said = refusal(&format!("--samples s --corpus c --changed-file-from {wrong}"));
        assert!(said.contains("--changed-file-from"), "{said}");
    }
}

#[test]
fn the_registration_stands_beside_the_output_by_default() {
    let plan = run_plan("--samples s --corpus c --output out/report.json");
    let expected = Path::new("out/report.json.registration.json");
    assert_eq!(plan.registration.as_deref(), Some(expected));
}

#[test]
fn the_last_of_a_repeated_flag_wins() {
    let plan = run_plan(
        "--samples a --samples b --corpus c --limit 3 --limit 4 --quiet --quiet \
         --snapshot-latency --snapshot-latency=false",
    );
    assert_eq!((plan.inputs.samples.as_path(), plan.limit), (Path::new("b"), 4));
    assert!(!plan.snapshot_latency);
}

#[test]
fn an_empty_value_means_the_flag_was_not_given() {
    let plan = run_plan("--samples s --corpus c --output= --registration= --clones=");
    assert_eq!((plan.output, plan.registration, plan.inputs.clones), (None, None, None));
    assert!(refusal("--samples= --corpus c").starts_with("--samples is required"));
}

#[test]
fn without_arms_all_of_them_are_asked_for_and_none_was_chosen() {
    let plan = run_plan("--samples s --corpus c");
    assert!(plan.arms.iter().map(|row| row.name).eq(ARMS.iter().map(|row| row.name)));
    assert!(!plan.arms_chosen && run_plan("--samples s --corpus c --arms grep").arms_chosen);
}

#[test]
fn arms_that_are_timed_refuse_to_run_side_by_side() {
    for row in &ARMS {
        let line = format!("--samples s --corpus c --jobs 2 --arms {}", row.name);
        match row.family {
            Family::Lexical => assert_eq!(run_plan(&line).jobs, 2),
            Family::Corvint => {
                let message = refusal(&line);
                assert!(message.contains(row.name) && message.contains("is timed"), "{message}");
            }
        }
    }
}

#[test]
fn private_copies_are_counted_from_one() {
    assert_eq!(run_plan("--samples s --corpus c").copies, 1);
    assert_eq!(run_plan("--samples s --corpus c --copies 3").copies, 3);
    for bad in ["0", "-1", "513"] {
        let message = refusal(&format!("--samples s --corpus c --copies {bad}"));
        assert!(message.starts_with("--copies must be within 1..512"), "{message}");
    }
}

#[test]
fn arms_come_in_the_order_of_the_table_and_once() {
    let line = "--samples s --corpus c --arms bm25:ident,grep --arms grep --arms=grep-ident";
    assert_eq!(names(line), ["grep", "grep-ident", "bm25:ident"]);
    assert_eq!(names("--samples s --corpus c --arms bm25"), ["bm25:all", "bm25:ident"]);
}

#[test]
fn the_expected_corvint_is_a_digest_and_needs_an_arm_that_calls_it() {
    let long = "0123456789abcdefABCDEF".repeat(3);
    for wrong in ["x", &long[..63], &long[..65], &"g".repeat(64)] {
        let message = refusal(&format!("--samples s --corpus c --expect-corvint {wrong}"));
        assert!(message.starts_with("--expect-corvint must be a SHA-256 in 64"), "{message}");
    }
    let line = format!("--samples s --corpus c --arms grep --expect-corvint {}", &long[..64]);
    let message = refusal(&line);
    assert_eq!(message, "--expect-corvint needs an arm that calls corvint, and none is selected");
    let plan = run_plan(&line.replace("grep", "grep,context"));
    assert_eq!(plan.expect_corvint.as_deref(), Some(&*long[..64].to_lowercase()));
    assert_eq!(
        run_plan("--samples s --corpus c --arms grep --expect-corvint=").expect_corvint,
        None
    );
}

#[test]
fn a_named_snapshot_is_cut_at_the_first_signs_and_the_last_one_wins() {
    let plan = run_plan("--samples s --snapshot a/b@c@d=x=y@z --snapshot e@f=1 --snapshot e@f=2");
    let key = |repo: &str, commit: &str| SnapshotKey { repo: repo.into(), commit: commit.into() };
    let expected =
        [(key("a/b", "c@d"), PathBuf::from("x=y@z")), (key("e", "f"), PathBuf::from("2"))];
    assert_eq!(plan.inputs.named.into_iter().collect::<Vec<_>>(), expected);
    for bad in ["nope", "@=x", "a/b@=x", "@c=x", "a/b@c=", "a/b=c@d", "="] {
        let message = refusal(&format!("--samples s --snapshot {bad}"));
        assert!(message.starts_with("--snapshot must be OWNER/NAME@COMMIT=PATH"), "{message}");
    }
}

#[test]
fn a_snapshot_path_may_hold_any_bytes() {
    let mut line = words("--samples s --snapshot");
    line.push(OsString::from_vec(b"a/b@c=x\xff".to_vec()));
    match planned(line) {
        Ok(Plan::Run(plan)) => {
            let paths: Vec<&[u8]> =
                plan.inputs.named.values().map(|path| path.as_os_str().as_bytes()).collect();
            assert_eq!(paths, [b"x\xff"]);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn numbers_are_decimal_and_within_their_ranges() {
    let ok = "--samples s --corpus c";
    for (flags, message) in [
        ("--limit 0", "--limit must be within 1..50, not 0"),
        ("--limit 51", "--limit must be within 1..50, not 51"),
        ("--limit -1", "--limit must be within 1..50, not -1"),
        ("--limit 0x5", "decimal digits"),
        ("--limit 1_0", "decimal digits"),
        ("--limit=", "decimal digits"),
        ("--limit 99999999999999999999", "out of range"),
        ("--max-samples -1", "--max-samples must not be negative"),
        ("--jobs -1", "--jobs must be within 0..512, not -1"),
        ("--jobs 513", "--jobs must be within 0..512, not 513"),
        (
            "--quiet-host wait --quiet-wait -1",
            "--quiet-wait must be within 0..86400 seconds, not -1",
        ),
        ("--quiet-host wait --quiet-wait 86401", "--quiet-wait must be within 0..86400 seconds"),
        ("--quiet-host wait --quiet-wait 0.5", "decimal digits"),
        ("--quiet-wait 600", "--quiet-wait needs --quiet-host=wait"),
        ("--quiet-host require --quiet-wait 600", "--quiet-wait needs --quiet-host=wait"),
        ("--quiet-host loud", "possible values: require, wait, record"),
        ("--timeout 0", "--timeout must be above 0"),
        ("--timeout -3", "--timeout must be above 0"),
        ("--timeout 0.00000000001", "--timeout must be above 0"),
        ("--timeout 86401", "--timeout must be above 0 and at most 86400 seconds, not 86401"),
        ("--timeout 1e3", "decimal digits"),
        ("--timeout nan", "decimal digits"),
        ("--timeout .", "decimal digits"),
    ] {
        let got = refusal(&format!("{ok} {flags}"));
        assert!(got.contains(message), "{flags}: {got}");
    }
    assert!(run_plan(&format!("{ok} --jobs 0")).jobs >= 1);
    assert_eq!(run_plan(&format!("{ok} --limit 010")).limit, 10);
}

#[test]
fn flags_that_cannot_be_read_are_refused_with_the_way_to_the_help() {
    for (line, message) in [
        ("-limit=50 --samples s", "unknown flag '-limit=50': flags take two dashes"),
        ("-help", "unknown flag '-help': flags take two dashes"),
        ("--nope", "unknown flag '--nope'"),
        ("--sample s", "did you mean '--samples'?"),
        ("extra", "unexpected argument 'extra'"),
        ("--samples s extra", "unexpected argument 'extra'"),
        ("--samples s -- extra", "unexpected argument 'extra'"),
        ("--samples s demo", "demo takes flags of its own"),
        ("demo --samples s", "unknown flag '--samples'"),
        ("verfy", "did you mean 'verify'?"),
        ("--samples", "a value is required for '--samples <FILE>'"),
        ("--snapshot-latency true", "unexpected argument 'true'"),
        ("--snapshot-latency=yes", "possible values: true, false"),
        ("--given away", "possible values: remove, keep"),
        ("completions", "<SHELL>"),
        ("verify --samples s --given keep", "unknown flag '--given'"),
        ("verify --write-digests a --check-digests b", "cannot be used with"),
    ] {
        let got = refusal(line);
        assert!(got.contains(message), "{line}: {got}");
        assert!(got.ends_with("; try 'retrieval-bench --help'"), "{line}: {got}");
    }
}

#[test]
fn a_refusal_is_one_line_whatever_was_typed() {
    for word in ["--bad\nflag", "a\r\nb", "\u{1b}[31m", "--limit=\n\nerror: x"] {
        let (outcome, out, err) = typed(vec![word.into()]);
        assert_eq!((outcome, out.as_str()), (Outcome::Refused, ""), "{word:?}");
        let line = err.strip_suffix('\n').unwrap_or_default();
        assert!(line.starts_with("retrieval-bench: "), "{err:?}");
        assert!(!line.chars().any(char::is_control), "{err:?}");
    }
}

#[test]
fn checks_come_in_the_order_of_the_reference() {
    // Each line breaks every later rule too.
    for (line, first) in [
        ("--summarize r --corpus c --arms bogus --limit 0", "--summarize takes no --corpus"),
        ("--arms bogus --limit 0 --snapshot x", "--samples is required"),
        ("--samples s --arms bogus --snapshot-latency --limit 0", "--arms: unknown arm \"bogus\""),
        ("--samples s --arms grep --snapshot-latency --context-packets p", "--snapshot-latency"),
        ("--samples s --arms grep --context-packets p --limit 0", "--context-packets needs"),
        ("--samples s --limit 0 --max-samples -1 --snapshot x", "--limit"),
        ("--samples s --max-samples -1 --jobs -1 --snapshot x", "--max-samples"),
        ("--samples s --jobs -1 --timeout 0 --snapshot x", "--jobs"),
        ("--samples s --timeout 0 --resume --snapshot x", "--timeout"),
        ("--samples s --expect-corvint z --quiet-wait 1 --resume --snapshot x", "--expect-corvint"),
        ("--samples s --quiet-wait 1 --resume --snapshot x", "--quiet-wait needs"),
        ("--samples s --resume --snapshot x", "--resume needs --output or --registration"),
        ("--samples s --snapshot x", "--snapshot must be"),
        ("--samples s", "--corpus, --clones or --snapshot is required"),
    ] {
        let got = refusal(line);
        assert!(got.starts_with(first), "{line}: {got}");
    }
}

#[test]
fn a_merge_refuses_inputs_and_holds_other_flags_to_their_rules() {
    for flag in [
        "--samples s",
        "--corpus c",
        "--snapshot a@b=c",
        "--clones k",
        "--resume",
        "--expect-corvint x",
        "--quiet-host wait",
        "--quiet-wait 1",
    ] {
        let message = refusal(&format!("--summarize r {flag}"));
        assert!(message.starts_with("--summarize takes no --"), "{flag}: {message}");
    }
    for (flags, message) in [
        ("--arms bogus", "--arms: unknown arm"),
        ("--arms grep --snapshot-latency", "--snapshot-latency needs the context arm"),
        ("--snapshot-latency", "--snapshot-latency needs --registration"),
        ("--context-packets p", "--context-packets and --summarize exclude one another"),
        ("--limit 0", "--limit"),
        ("--max-samples -1", "--max-samples"),
        ("--timeout 0", "--timeout"),
    ] {
        let got = refusal(&format!("--summarize r {flags}"));
        assert!(got.starts_with(message), "{flags}: {got}");
    }
    match planned(words("--summarize b --summarize a --output o --arms corvint --limit 3")) {
        Ok(Plan::Summarize(plan)) => {
            assert_eq!(plan.reports, [Path::new("b"), Path::new("a")]);
            assert_eq!(plan.output.as_deref(), Some(Path::new("o")));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn subcommands_reach_the_plan() {
    let plan = |line: &str| planned(words(line));
    assert!(matches!(plan("demo"), Ok(Plan::Demo { output: None })));
    assert!(matches!(plan("demo --output d"), Ok(Plan::Demo { output: Some(_) })));
    assert!(matches!(plan("schema"), Ok(Plan::Schema(SchemaOf::Report))));
    assert!(matches!(plan("schema registration"), Ok(Plan::Schema(SchemaOf::Registration))));
    assert!(matches!(plan("arms"), Ok(Plan::Arms)));
    assert!(matches!(plan("man"), Ok(Plan::Man)));
    let line = "verify --samples s --snapshot a@b=c --corpus-text stitched --contextbench-compat \
                --check-digests d --jobs 2";
    match plan(line) {
        Ok(Plan::Verify(plan)) => {
            assert_eq!((plan.inputs.samples.as_path(), plan.jobs), (Path::new("s"), 2));
            assert_eq!(
                (plan.inputs.named.len(), plan.inputs.corpus_text),
                (1, CorpusText::Stitched)
            );
            assert!(plan.inputs.contextbench_compat);
            assert_eq!(plan.check_digests.as_deref(), Some(Path::new("d")));
        }
        other => panic!("{other:?}"),
    }
    assert!(refusal("verify --corpus c").starts_with("--samples is required"));
    assert!(refusal("verify --samples s").starts_with("--corpus, --clones or --snapshot"));
}
