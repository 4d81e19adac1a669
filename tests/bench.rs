//! Whole runs: reports that repeat, journals that resume, snapshots that break alone.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::fixture::{Bench, Run, assert_same_report};

const LEXICAL: &str = "grep,grep-ident,bm25";

/// Three repositories, one with two commits that share a file, and samples that jump between them.
fn bench() -> Bench {
    let bench = Bench::new();
    let (a, b, c) = ("a".repeat(40), "b".repeat(40), "c".repeat(40));
    bench.chunks(
        "acme/gadget",
        &a,
        &[("widget.go", "func parseWidget() {}"), ("go.mod", "module g")],
    );
    bench.chunks(
        "acme/gadget",
        &b,
        &[("widget.go", "func parseWidget() {}"), ("new.go", "func evict_oldest() {}")],
    );
    bench.chunks(
        "acme/pyutil",
        &b,
        &[("retry.py", "def retry_with_backoff(): pass"), ("README", "retry")],
    );
    bench.chunks("zeta/last", &c, &[("main.rs", "fn mainLoop() {}")]);
    for (id, repo, commit, text, gold) in [
        ("z-1", "zeta/last", &c, "mainLoop", "main.rs"),
        ("g-1", "acme/gadget", &a, "parseWidget fails", "widget.go"),
        ("p-1", "acme/pyutil", &b, "retry_with_backoff in retry.py", "retry.py"),
        ("g-2", "acme/gadget", &b, "evict_oldest", "new.go"),
        ("g-3", "acme/gadget", &b, "nothing matches zzzz", "widget.go"),
    ] {
        bench.sample(
            id,
            repo,
            commit,
            json!({ "text": text }),
            json!({ "root_cause_files": [gold] }),
        );
    }
    bench
}

fn ids(report: &Value) -> Vec<&str> {
    let details = report["details"].as_array().expect("details");
    details.iter().map(|detail| detail["id"].as_str().expect("an id")).collect()
}

#[test]
fn the_same_command_gives_the_same_report_again_and_with_more_jobs() {
    let bench = bench();
    let once = bench.report(&["--arms", LEXICAL]);
    for more in [&["--arms", LEXICAL][..], &["--arms", LEXICAL, "--jobs", "2"], &["--jobs", "0"]] {
        assert_same_report(&bench.report(more), &once, &more.join(" "));
    }
}

#[test]
fn a_report_keeps_the_order_of_the_samples_file_whatever_the_order_of_work() {
    assert_eq!(ids(&bench().report(&[])), ["z-1", "g-1", "p-1", "g-2", "g-3"]);
}

#[test]
fn a_report_is_one_canonical_line() {
    let bench = bench();
    let text = bench.run(&["--output", "report.json"]).file("report.json");
    let value: Value = serde_json::from_str(&text).expect("JSON");
    let canonical = retrieval_bench::report::to_canonical(&value).expect("canonical");
    assert_eq!(text.as_bytes(), canonical);
    assert!(text.ends_with("}\n") && text.lines().count() == 1);
}

#[test]
fn rankings_metrics_and_census_of_a_small_run_are_the_ones_worked_out_by_hand() {
    let report = bench().report(&["--arms", LEXICAL]);
    let second = &report["details"][3];
    assert_eq!(second["arms"]["bm25:ident"]["ranked"], json!(["new.go"]));
    assert_eq!(second["metrics"]["bm25:ident"]["mrr@k"], json!(1));
    let third = &report["details"][4];
    assert_eq!(third["arms"]["grep-ident"]["abstained"], json!(true));
    assert_eq!(third["metrics"]["grep-ident"]["selective_success"], json!(0));
    let census = &report["snapshots"][format!("acme/gadget@{}", "a".repeat(40))]["census"];
    assert_eq!(
        (&census["files"], &census["text"], &census["bytes"]),
        (&json!(2), &json!(2), &json!(29))
    );
    assert_eq!(report["arms"]["grep"]["all"]["n"], json!(5));
}

#[test]
fn a_broken_snapshot_costs_its_samples_and_not_the_run() {
    let bench = bench();
    bench.write(&format!("corpus/acme__pyutil/{}.chunks.jsonl", "b".repeat(40)), "{bad\n");
    let run = bench.run(&["--output", "report.json"]);
    assert_eq!(run.code, 1, "{}", run.err);
    let report: Value = serde_json::from_str(&run.file("report.json")).expect("JSON");
    let errors: Vec<bool> = (0..5).map(|at| report["details"][at].get("error").is_some()).collect();
    assert_eq!(errors, [false, false, true, false, false]);
    assert_eq!(report["arms"]["grep"]["all"]["n"], json!(4));
    assert!(run.err.contains("p-1") && run.err.contains("line 1"), "{}", run.err);
}

#[test]
fn what_a_snapshot_calls_its_files_never_reaches_a_terminal_raw() {
    let bench = bench();
    let rows = [("x\u{1b}[31m", ""), ("x\u{1b}[31m/a\nb", "")];
    bench.chunks("acme/pyutil", &"b".repeat(40), &rows);
    let run = bench.binary(&["--output", "report.json"]).output().expect("runs");
    assert_eq!(run.status.code(), Some(1));
    let said = String::from_utf8(run.stderr).expect("UTF-8");
    let lines: Vec<&str> =
        said.lines().filter(|line| line.contains("is a file and also")).collect();
    assert_eq!(lines.len(), 2, "progress and summary: {said}");
    assert!(lines.iter().all(|line| line.ends_with("of `x\\u{1b}[31m/a\\nb`")), "{said}");
    assert!(!said.contains('\u{1b}'), "{said:?}");
}

#[test]
fn a_run_none_of_whose_snapshots_exists_is_refused_and_writes_nothing() {
    let bench = bench();
    let run = bench.run_over("nowhere", &["--output", "report.json"]);
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    assert!(run.err.contains("z-1"), "{}", run.err);
    assert!(!run.exists("report.json") && !run.exists("report.json.registration.json"));
}

#[test]
fn nothing_existing_is_overwritten() {
    for taken in ["report.json", "report.json.registration.json", "report.json.journal.jsonl"] {
        let bench = bench();
        bench.write(taken, "kept\n");
        let run = bench.run(&["--output", "report.json"]);
        assert_eq!(run.code, 2, "{taken}");
        assert!(run.err.contains(taken), "{}", run.err);
        assert_eq!(run.file(taken), "kept\n");
        let names =
            fs::read_dir(bench.path("")).expect("a folder").map(|entry| entry.expect("one"));
        let mut names: Vec<_> = names.map(|entry| entry.file_name()).collect();
        names.sort();
        assert_eq!(names, ["corpus", taken, "samples.jsonl"], "nothing else is left behind");
    }
}

#[test]
fn a_registration_in_the_place_of_the_journal_is_refused_and_writes_nothing() {
    let bench = bench();
    let words = ["--output", "report.json", "--registration", "report.json.journal.jsonl"];
    let run = bench.run(&words);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("--registration and the journal must name distinct files"));
    assert!(!run.exists("report.json.journal.jsonl"));
}

#[test]
fn a_run_that_died_behind_its_report_is_complete_and_its_journal_goes() {
    let died = Died::new();
    died.bench.write("r.json.journal.jsonl", std::str::from_utf8(&died.journal).expect("ASCII"));
    died.bench.write("r.json.registration.json", &died.registration);
    died.bench.write("r.json", &died.report);
    let run = died.bench.run(&["--output", "r.json", "--resume"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(run.file("r.json"), died.report);
    assert!(!run.exists("r.json.journal.jsonl"));
}

#[test]
fn task_types_are_registered_sorted_and_each_once() {
    let types = ["trace2code", "code2test", "trace2code"];
    let words: Vec<&str> = types.iter().flat_map(|name| ["--task-type", name]).collect();
    let report = bench().report(&words);
    assert_eq!(report["registration"]["task_types"], json!(["code2test", "trace2code"]));
}

#[test]
fn the_journal_goes_when_the_report_is_there_and_the_registration_stays() {
    let bench = bench();
    let run = bench.run(&["--output", "report.json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        run.exists("report.json.registration.json") && !run.exists("report.json.journal.jsonl")
    );
    let canonical = |value: &Value| {
        let text = retrieval_bench::report::to_canonical(value).expect("canonical");
        String::from_utf8(text).expect("JSON is UTF-8")
    };
    let registration = canonical(&run.json("report.json.registration.json"));
    let mut copy = run.json("report.json")["registration"].clone();
    for end in ["after", "became_noisy"] {
        assert!(!copy["conditions"][end].is_null(), "{end}");
        copy["conditions"][end] = Value::Null;
    }
    assert_eq!(canonical(&copy), registration);
}

/// The state of a run that died: its registration and the first bytes of its journal.
struct Died {
    bench: Bench,
    registration: String,
    journal: Vec<u8>,
    report: String,
    whole: Value,
}

impl Died {
    fn new() -> Died {
        Died::of(bench())
    }

    fn of(bench: Bench) -> Died {
        let run = bench.run(&["--output", "whole.json"]);
        let (report, whole) = (run.file("whole.json"), run.json("whole.json"));
        let registration = run.file("whole.json.registration.json");
        let journal = bench.journal(&sha256(registration.as_bytes()));
        Died { bench, registration, journal, report, whole }
    }

    /// Resumes a run whose journal has only its first `bytes`.
    fn resume(&self, bytes: usize, more: &[&str]) -> Run {
        let journal =
            std::str::from_utf8(&self.journal[..bytes]).expect("the small journal is ASCII");
        self.resume_from(journal, more)
    }

    fn resume_from(&self, journal: &str, more: &[&str]) -> Run {
        let _ = fs::remove_file(self.bench.path("r.json"));
        self.bench.write("r.json.registration.json", &self.registration);
        self.bench.write("r.json.journal.jsonl", journal);
        self.bench.run(&[&["--output", "r.json", "--resume"], more].concat())
    }
}

fn sha256(bytes: &[u8]) -> String {
    retrieval_bench::registration::Digest::of(bytes).to_string()
}

#[test]
fn a_run_that_died_at_any_byte_of_its_journal_resumes_to_the_report_of_one_that_did_not() {
    let died = Died::new();
    let length = died.journal.len();
    for bytes in (0..=length).step_by(length / 60).chain([length - 1, length]) {
        let run = died.resume(bytes, &[]);
        assert_eq!(run.code, 0, "{bytes} bytes: {}", run.err);
        assert_same_report(&run.json("r.json"), &died.whole, &format!("{bytes} bytes"));
        assert!(!run.exists("r.json.journal.jsonl"));
    }
}

#[test]
fn another_experiment_is_not_resumed_and_is_told_what_differs() {
    let died = Died::new();
    for (more, named) in [
        (&["--limit", "5"][..], "limit"),
        (&["--given", "keep"], "given"),
        (&["--arms", "grep"], "arms"),
        (&["--max-samples", "2"], "max_samples"),
    ] {
        let run = died.resume(200, more);
        assert_eq!(run.code, 2);
        assert!(run.err.contains(named), "{}", run.err);
    }
    died.bench.sample(
        "new",
        "zeta/last",
        &"c".repeat(40),
        json!({}),
        json!({"root_cause_files": ["main.rs"]}),
    );
    let run = died.resume(200, &[]);
    assert!(run.code == 2 && run.err.contains("samples_sha256"), "{}", run.err);
}

#[test]
fn a_journal_of_another_registration_or_with_a_bad_line_is_refused() {
    let died = Died::new();
    let text = String::from_utf8(died.journal.clone()).expect("ASCII");
    let lines: Vec<&str> = text.lines().collect();
    let foreign = lines[0].replace(&sha256(died.registration.as_bytes()), &sha256(b"another"));
    for (journal, named) in [
        (format!("{foreign}\n{}\n", lines[1]), "another registration"),
        (format!("{}\n{}\nnonsense\n{}\n", lines[0], lines[1], lines[2]), ":3:"),
    ] {
        let run = died.resume_from(&journal, &[]);
        assert_eq!(run.code, 2);
        assert!(run.err.contains(named), "{}", run.err);
    }
}

#[test]
fn a_snapshot_that_changed_since_the_run_began_is_not_mixed_with_what_was_measured() {
    let died = Died::new();
    let text = std::str::from_utf8(&died.journal).expect("ASCII");
    // The header, the first snapshot, and the first answer over it.
    let begun: String = text.split_inclusive('\n').take(3).collect();
    let gadget = "acme/gadget";
    assert!(begun.contains(gadget));
    died.bench.chunks(gadget, &"a".repeat(40), &[("widget.go", "func parseWidget() {}")]);
    let run = died.resume_from(&begun, &[]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains(gadget) && run.err.contains("began with"), "{}", run.err);
    assert!(!run.exists("r.json") && run.exists("r.json.journal.jsonl"));
}

#[test]
fn a_file_that_is_no_journal_is_left_as_it_is() {
    let died = Died::new();
    for text in ["notes without a line feed", "first line\nnotes without a line feed"] {
        let run = died.resume_from(text, &[]);
        assert_eq!(run.code, 2, "{text:?}");
        assert_eq!(run.file("r.json.journal.jsonl"), text);
    }
}

#[test]
fn a_full_disk_leaves_whole_lines_and_a_run_that_can_be_resumed() {
    let bench = bench();
    for number in 0..40 {
        let gold = json!({"root_cause_files": ["main.rs"]});
        let query = json!({"text": "mainLoop"});
        bench.sample(&format!("more-{number}"), "zeta/last", &"c".repeat(40), query, gold);
    }
    let died = Died::of(bench);
    // The limit lies inside the journal, behind everything that is written before it.
    let limit = died.registration.len().max(died.journal.len() / 2).div_ceil(1024);
    assert!(limit * 1024 < died.journal.len());
    let program = died.bench.binary(&["--output", "full.json", "--quiet"]);
    let limited = Command::new("bash")
        .args(["-c", &format!("ulimit -f {limit}; trap '' XFSZ; exec \"$0\" \"$@\"")])
        .arg(program.get_program())
        .args(program.get_args())
        .output()
        .expect("bash runs");
    let said = String::from_utf8_lossy(&limited.stderr);
    assert!(limited.status.code() == Some(2) && said.contains("append to"), "{said}");
    let journal = fs::read(died.bench.path("full.json.journal.jsonl")).expect("a journal");
    assert!(journal.ends_with(b"}\n"), "{}", String::from_utf8_lossy(&journal));
    let resumed = died.bench.binary(&["--output", "full.json", "--quiet", "--resume"]).output();
    assert!(resumed.expect("runs").status.success());
    assert!(died.bench.path("full.json").exists());
}

#[test]
fn a_finished_run_is_left_as_it_is_when_it_is_resumed() {
    let bench = bench();
    let first = bench.run(&["--output", "report.json"]);
    let report = first.file("report.json");
    let again = bench.run(&["--output", "report.json", "--resume"]);
    assert_eq!(again.code, 0, "{}", again.err);
    assert_eq!(again.file("report.json"), report);
}

#[test]
fn a_resume_of_a_run_that_never_began_is_refused() {
    let run = bench().run(&["--output", "report.json", "--resume"]);
    assert!(run.code == 2 && run.err.contains("never began"), "{}", run.err);
}

#[test]
fn runs_that_are_killed_again_and_again_end_in_the_report_of_an_undisturbed_one() {
    let bench = Bench::new();
    let commit = "a".repeat(40);
    for repo in 0..30 {
        let text = format!("fn handle_{repo}() {{ parseWidget(); }}\n").repeat(400);
        let name = format!("acme/r{repo}");
        bench.chunks(&name, &commit, &[("lib.rs", text.as_str()), ("other.rs", "parseWidget")]);
        for at in 0..4 {
            let query = json!({ "text": format!("handle_{repo} parseWidget number {at}") });
            bench.sample(
                &format!("s-{repo}-{at}"),
                &name,
                &commit,
                query,
                json!({"files": ["lib.rs"]}),
            );
        }
    }
    let finished = bench.binary(&["--output", "whole.json"]).output().expect("runs");
    assert!(finished.status.success());
    let mut kills = 0;
    for wait in (1..).map(|round| Duration::from_millis(round / 2)) {
        let started = bench.path("k.json.registration.json").exists();
        let mut child = bench.binary(&["--output", "k.json", "--quiet"]);
        if started {
            child.arg("--resume");
        }
        let mut child = child.stderr(Stdio::null()).spawn().expect("the binary starts");
        std::thread::sleep(wait);
        let done = child.try_wait().expect("a child of ours").is_some();
        child.kill().ok();
        child.wait().expect("reaped");
        kills += usize::from(!done);
        if bench.path("k.json").exists() {
            break;
        }
        assert!(kills < 2_000, "no progress");
    }
    let report = |name| -> Value {
        serde_json::from_str(&fs::read_to_string(bench.path(name)).expect("a file")).expect("JSON")
    };
    assert_same_report(&report("k.json"), &report("whole.json"), "killed and resumed");
    assert!(kills > 0, "nothing was killed");
}

#[test]
fn progress_is_a_plain_line_per_snapshot_where_there_is_no_terminal_and_nothing_with_quiet() {
    let bench = bench();
    let run = bench.binary(&["--output", "one.json"]).output().expect("runs");
    let lines = String::from_utf8(run.stderr).expect("UTF-8");
    let snapshots = lines.lines().filter(|line| line.starts_with("snapshot ")).count();
    assert_eq!(snapshots, 4, "{lines}");
    let quiet = bench.binary(&["--output", "two.json", "--quiet"]).output().expect("runs");
    assert_eq!(String::from_utf8(quiet.stderr).expect("UTF-8"), "");
}

#[test]
fn given_files_are_kept_in_the_ranking_only_when_asked_for() {
    let bench = Bench::new();
    let commit = "a".repeat(40);
    bench.chunks("acme/gadget", &commit, &[("a.go", "parseWidget"), ("b.go", "parseWidget")]);
    let gold = json!({ "files": ["b.go"], "given_files": ["a.go"] });
    bench.sample("s", "acme/gadget", &commit, json!({ "text": "parseWidget" }), gold);
    let ranked = |more: &[&str]| bench.report(more)["details"][0]["arms"]["grep"]["ranked"].clone();
    assert_eq!(ranked(&[]), json!(["b.go"]));
    assert_eq!(ranked(&["--given", "keep"]), json!(["a.go", "b.go"]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_report_does_not_depend_on_the_order_of_rows_in_a_chunk_file(turn in 0usize..5) {
        let mut files = vec![("a.go", "parseWidget"), ("b.go", "parse_widget x"), ("c.go", "widget"), ("d", ""), ("e/f.go", "zzz")];
        let report = |files: &[(&str, &str)]| {
            let bench = Bench::new();
            bench.chunks("acme/gadget", &"a".repeat(40), files);
            bench.sample("s", "acme/gadget", &"a".repeat(40), json!({ "text": "parseWidget parse_widget" }), json!({ "files": ["a.go"] }));
            bench.report(&[])
        };
        let want = report(&files);
        files.rotate_left(turn);
        assert_same_report(&report(&files), &want, "turned");
    }
}

#[test]
fn comparisons_are_called_registered_only_where_a_registration_was_written() {
    let bench = bench();
    assert_eq!(bench.report(&[])["significance"]["registered"], json!(false));
    let run = bench.run(&["--output", "report.json"]);
    assert_eq!(run.json("report.json")["significance"]["registered"], json!(true));
    assert_eq!(
        run.json("report.json")["significance"]["families"],
        bench.report(&[])["significance"]["families"]
    );
}

#[test]
fn a_run_is_continued_as_quietly_and_with_as_many_jobs_as_it_began() {
    let bench = bench();
    let whole = bench.run(&["--arms", LEXICAL, "--output", "report.json"]).json("report.json");
    let registration = bench.path("report.json.registration.json");
    let digest =
        retrieval_bench::registration::Digest::of(&fs::read(&registration).expect("written"));
    let died = || {
        let _ = fs::remove_file(bench.path("report.json"));
        let header = json!({"profile": "retrieval-bench-journal/1", "registration_sha256": digest.to_string()});
        bench.write("report.json.journal.jsonl", &format!("{header}\n"));
    };
    let resume = |more: &[&str]| {
        bench.run(&[&["--arms", LEXICAL, "--output", "report.json", "--resume"], more].concat())
    };
    died();
    let run = resume(&["--jobs", "2"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("began with --jobs 1"), "{}", run.err);
    for _ in 0..2 {
        died();
        let run = resume(&[]);
        assert_eq!(run.code, 0, "{}", run.err);
        assert_same_report(&run.json("report.json"), &whole, "resumed");
        let resumed = &run.json("report.json")["registration"]["conditions"]["resumed"];
        assert_eq!(
            resumed.as_array().map(Vec::len),
            Some(1),
            "the session that went on is on record"
        );
    }
    bench.write("report.json.journal.jsonl", "{bad\n");
    let _ = fs::remove_file(bench.path("report.json"));
    assert_eq!(resume(&["--quiet-host=require"]).code, 2, "a bad journal, whatever the host does");
}

#[test]
fn only_who_asked_for_no_quiet_host_may_go_on_without_one() {
    use retrieval_bench::registration::QuietHost::{Record, Require, Wait};
    for (now, began, may) in [
        (Record, Record, true),
        (Require, Record, true),
        (Wait, Record, true),
        (Record, Require, false),
        (Record, Wait, false),
        (Wait, Require, true),
        (Require, Wait, true),
    ] {
        assert_eq!(now.is_as_strict_as(began), may, "{now:?} after {began:?}");
    }
}
