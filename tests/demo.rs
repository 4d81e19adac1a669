//! The built-in benchmark: frozen data that keep the benchmark's own rules, and a run that anyone can repeat.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use retrieval_bench::arm::{ARMS, Family};
use retrieval_bench::cli::{self, Outcome, Streams};
use retrieval_bench::dataset::{self, ReadOptions, Samples, Stratum, leaks};
use retrieval_bench::demo;
use retrieval_bench::report::{Report, registration_schema, report_schema};
use retrieval_bench::snapshot::{ChunkFile, Tree};
use retrieval_bench::text::json::Json;
use retrieval_bench::text::{python_json, token};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::fixture::assert_same_report;

/// The data of the demo and their digests.
const FROZEN: [(&str, &[u8], &str); 2] = [
    (
        "samples.jsonl",
        demo::SAMPLES,
        "d90cea865a847f5ccab2c94d2d0204f41e1957a0dc5addb5e232a9deacc9cdd9",
    ),
    (
        "corpus.chunks.jsonl",
        demo::CORPUS,
        "9fa298ac1d4580d81f79138c08aa62cc5cd5be4a85e3f401a4461f9db4c6c565",
    ),
];

/// What each arm comes to: recall@5, recall@10, recall@20, mrr@k, hit@k, selective_success, abstained.
const FIGURES: [(&str, [f64; 7]); 4] = [
    ("grep", [0.315972, 0.489583, 0.666667, 0.296344, 0.770833, 0.627119, 0.0]),
    ("grep-ident", [0.40625, 0.472222, 0.53125, 0.33428, 0.625, 0.576271, 0.118644]),
    ("bm25:all", [0.513889, 0.704861, 0.864583, 0.405916, 0.916667, 0.745763, 0.0]),
    ("bm25:ident", [0.583333, 0.701389, 0.802083, 0.453084, 0.854167, 0.745763, 0.101695]),
];
const FIGURE_NAMES: [&str; 7] =
    ["recall@5", "recall@10", "recall@20", "mrr@k", "hit@k", "selective_success", "abstained"];

fn samples() -> Samples {
    dataset::parse(demo::SAMPLES, "samples.jsonl", &ReadOptions::default()).expect("samples")
}

/// The rows as JSON, for members that no sample keeps.
fn rows() -> Vec<Value> {
    let text = std::str::from_utf8(demo::SAMPLES).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn corpus() -> ChunkFile<&'static [u8]> {
    ChunkFile::open(&demo::key(), "the corpus", demo::CORPUS).expect("a chunk file")
}

fn paths() -> BTreeSet<String> {
    let corpus = corpus();
    (0..corpus.len()).map(|file| corpus.path(file).to_owned()).collect()
}

/// The program in this process: outcome, standard output, standard error.
fn typed(words: &[&Path]) -> (Outcome, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let words: Vec<OsString> = words.iter().map(|word| word.as_os_str().to_owned()).collect();
    let outcome = cli::main(words, &mut Streams { out: &mut out, err: &mut err });
    let text = |bytes| String::from_utf8(bytes).expect("the program writes UTF-8");
    (outcome, text(out), text(err))
}

/// A finished demo in a scratch folder, which is to be kept alive.
fn finished() -> (TempDir, String) {
    let scratch = TempDir::new().expect("a scratch folder");
    let folder = scratch.path().join("demo");
    let (outcome, out, err) = typed(&["demo".as_ref(), "--output".as_ref(), &folder]);
    assert_eq!((outcome, err.as_str()), (Outcome::Complete, ""), "{out}");
    (scratch, out)
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON")
}

fn entries(folder: &Path) -> Vec<String> {
    let list = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> = list
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn the_data_are_frozen() {
    for (name, bytes, wanted) in FROZEN {
        let digest: String =
            Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(
            digest, wanted,
            "src/demo/{name} must never change: figures of the demo are compared across versions. Restore it; \
             a better demo is another one"
        );
    }
}

#[test]
fn the_corpus_is_whole_and_without_the_demos_own_data() {
    let mut corpus = corpus();
    assert!(demo::CORPUS.len() <= 1 << 20, "{} bytes", demo::CORPUS.len());
    assert_eq!(corpus.len(), 184);
    assert_eq!((corpus.notes().unsafe_paths, corpus.notes().replaced_rows), (0, 0));
    let mut text = Vec::new();
    for file in 0..corpus.len() {
        corpus.read(file, &mut text).expect("a text");
        assert!(!text.is_empty() && !text.ends_with(b"...[truncated]"), "{}", corpus.path(file));
    }
    let paths = paths();
    assert!(paths.contains("src/main.rs") && paths.contains("README.md"));
    assert!(!paths.iter().any(|path| path.starts_with("src/demo/")), "answers among the questions");
}

#[test]
fn every_task_and_every_stratum_has_its_samples() {
    let samples = samples();
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for sample in &samples.kept {
        *counts.entry((&sample.task, sample.stratum.name())).or_default() += 1;
        assert_eq!(sample.snapshot, demo::key(), "{}", sample.id);
    }
    let wanted = [
        (("abstention", Stratum::CounterfactualNoGold.name()), 5),
        (("abstention", Stratum::NaturalNoGold.name()), 6),
        (("code2test", Stratum::Positive.name()), 12),
        (("comment2context", Stratum::Positive.name()), 12),
        (("edit2ripple", Stratum::Positive.name()), 12),
        (("trace2code", Stratum::Positive.name()), 12),
    ];
    assert_eq!(counts, BTreeMap::from(wanted));
    assert_eq!((samples.kept.len(), samples.no_gold_unlabeled), (59, 0));
}

#[test]
fn rows_are_written_as_the_benchmark_writes_them_under_ids_of_their_own() {
    let mut seen = BTreeSet::new();
    for line in std::str::from_utf8(demo::SAMPLES).expect("UTF-8").lines() {
        let row = Json::parse(line).expect("JSON");
        assert_eq!(python_json::dumps(&row).as_deref(), Ok(line));
    }
    for row in rows() {
        let (id, task) = (row["id"].as_str().unwrap_or_default(), row["task_type"].as_str());
        let kind = id.strip_prefix("demo-").and_then(|rest| rest.split('-').next());
        let wanted: &[&str] = match task.unwrap_or_default() {
            "code2test" => &["c2t"],
            "comment2context" => &["c2c"],
            "trace2code" => &["t2c"],
            "edit2ripple" => &["e2r"],
            _ => &["nat", "cf"],
        };
        assert!(kind.is_some_and(|kind| wanted.contains(&kind)), "{id}: {task:?}");
        assert!(seen.insert(id.to_owned()), "{id} occurs twice");
        let notes = row["audit"]["notes"].as_str().unwrap_or_default();
        assert!(notes.len() > 30 && notes.ends_with('.'), "{id}: {notes}");
    }
}

#[test]
fn every_file_that_a_row_names_is_in_the_corpus() {
    let paths = paths();
    let lists = [
        "files",
        "given_files",
        "must_context_files",
        "negative_distractors",
        "related_tests",
        "root_cause_files",
        "supporting_files",
    ];
    let mut named = 0;
    for row in rows() {
        let gold = lists.iter().filter_map(|list| row["gold"][*list].as_array()).flatten();
        let gold = gold.filter_map(|item| item.as_str().or(item["path"].as_str()));
        let asked = ["anchor_file", "changed_file", "given_file", "path"];
        let asked = asked.iter().filter_map(|name| row["query"][*name].as_str());
        for path in gold.chain(asked) {
            assert!(paths.contains(path), "{}: {path}", row["id"]);
            named += 1;
        }
    }
    assert!(named > 200, "{named}");
}

#[test]
fn no_query_gives_its_answer_away() {
    let samples = samples();
    for sample in &samples.kept {
        let id = &sample.id;
        let fix_commits = samples.fix_commits.get(id).map(Vec::as_slice).unwrap_or_default();
        assert_eq!(leaks(sample, fix_commits), [], "{id}");
        let sizes = if sample.is_positive() { 1..=3 } else { 0..=0 };
        assert!(sizes.contains(&sample.gold.len()), "{id}");
        for path in &sample.gold {
            assert!(!sample.query.text.contains(path.as_str()), "{id} names {path}");
            assert!(!sample.given.contains(path), "{id}: {path} is held already");
            assert!(!sample.hard_negatives.contains(path), "{id}: {path} is right and wrong");
        }
    }
    let with_negatives = samples.kept.iter().filter(|sample| !sample.hard_negatives.is_empty());
    assert!(with_negatives.count() >= 40);
}

#[test]
fn what_people_write_names_identifiers_in_some_samples_and_uses_words_only_in_others() {
    let (mut naming, mut in_words) = (0, 0);
    for row in rows() {
        let written = ["pr_title", "pr_body", "review_comment", "intent"];
        let written: Vec<&str> =
            written.iter().filter_map(|name| row["query"][*name].as_str()).collect();
        match (written.is_empty(), token::identifiers(written).is_empty()) {
            (true, _) => {}
            (false, true) => in_words += 1,
            (false, false) => naming += 1,
        }
    }
    assert_eq!((naming, in_words), (9, 27));
}

#[test]
fn the_demo_runs_every_ready_arm_and_leaves_inputs_registration_and_report() {
    let began = Instant::now();
    let (scratch, out) = finished();
    // Far above the tenth of a second that an optimised build takes: this catches a demo that has become a run.
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
    let folder = scratch.path().join("demo");
    let left = ["corpus", "report.json", "report.json.registration.json", "samples.jsonl"];
    assert_eq!(entries(&folder), left);

    let report = json(&folder.join("report.json"));
    for (schema, path) in [(report_schema(), left[1]), (registration_schema(), left[2])] {
        let validator = jsonschema::validator_for(&schema).expect("the schema compiles");
        let value = json(&folder.join(path));
        let errors: Vec<String> =
            validator.iter_errors(&value).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{path}: {errors:#?}");
    }
    assert_eq!(report["samples_sha256"], FROZEN[0].2);
    assert_eq!(fs::read(folder.join("samples.jsonl")).expect("samples"), demo::SAMPLES);
    let ready: Vec<&str> =
        ARMS.iter().filter(|row| row.family == Family::Lexical).map(|row| row.name).collect();
    let arms: BTreeSet<&str> =
        report["arms"].as_object().expect("arms").keys().map(String::as_str).collect();
    assert_eq!(arms, ready.iter().copied().collect());

    let report: Report = serde_json::from_value(report).expect("a report");
    assert!(report.details.iter().all(|detail| detail.error.is_empty()));
    let (first, rest) = out.split_once("\n\n").expect("a first line");
    assert_eq!(
        first,
        format!(
            "demo: 59 hand-labelled questions over this program's own source (184 files), put to {} arms",
            ready.len()
        )
    );
    assert!(rest.starts_with(&report.table()), "{out}");
    for line in out.lines() {
        let fits = line.chars().count() <= 100 || line.starts_with("    retrieval-bench ");
        assert!((fits || line.starts_with("In ")) && line == line.trim_end(), "{line:?}");
    }
}

#[test]
fn the_demos_figures_are_these() {
    let (scratch, _) = finished();
    let report = json(&scratch.path().join("demo/report.json"));
    for (arm, wanted) in FIGURES {
        let all = &report["arms"][arm]["all"];
        let found = FIGURE_NAMES.map(|name| all[name].as_f64().expect("a figure"));
        assert_eq!(found, wanted, "{arm}: a ranking or a metric has changed");
    }
}

#[test]
fn an_ordinary_run_over_the_inputs_that_are_left_gives_the_same_report() {
    let (scratch, _) = finished();
    let at = |name: &str| scratch.path().join("demo").join(name);
    let (outcome, out, err) = typed(&[
        "--samples".as_ref(),
        &at("samples.jsonl"),
        "--corpus".as_ref(),
        &at("corpus"),
        "--output".as_ref(),
        &at("again.json"),
        "--quiet".as_ref(),
    ]);
    assert_eq!((outcome, out.as_str(), err.as_str()), (Outcome::Complete, "", ""));
    assert_same_report(
        &json(&at("again.json")),
        &json(&at("report.json")),
        "the demo and an ordinary run",
    );
}

#[test]
fn every_command_that_is_printed_last_does_what_it_says() {
    let (scratch, out) = finished();
    let commands: Vec<&str> =
        out.lines().filter_map(|line| line.strip_prefix("    retrieval-bench ")).collect();
    assert_eq!(commands.len(), 4, "{out}");
    for command in commands {
        let done = Command::new(env!("CARGO_BIN_EXE_retrieval-bench"))
            .args(command.split_whitespace())
            .output()
            .expect("the binary starts");
        let printed = String::from_utf8(done.stdout).expect("UTF-8");
        let err = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(0), "{command}: {err}");
        if command.starts_with("verify ") {
            let no_gold = "samples.jsonl: 11 samples have no gold by intent";
            assert!(printed.contains(no_gold), "{printed}");
            assert!(
                printed.ends_with("\nverify: 59 samples, 1 snapshots, 1 findings\n"),
                "{printed}"
            );
        }
    }
    assert!(scratch.path().join("demo/bm25.json").exists());
}

#[test]
fn a_folder_with_a_strange_name_is_shown_as_a_shell_takes_it() {
    let scratch = TempDir::new().expect("a scratch folder");
    let folder = scratch.path().join("it's a demo");
    let (outcome, out, err) = typed(&["demo".as_ref(), "--output".as_ref(), &folder]);
    assert_eq!(outcome, Outcome::Complete, "{err}");
    let line = out.lines().find_map(|line| line.strip_prefix("    retrieval-bench verify "));
    let done = Command::new("sh")
        .arg("-c")
        .arg(format!(
            "'{}' verify {}",
            env!("CARGO_BIN_EXE_retrieval-bench"),
            line.expect("a line")
        ))
        .output()
        .expect("a shell");
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn an_existing_folder_is_refused_and_left_as_it_is() {
    let scratch = TempDir::new().expect("a scratch folder");
    let (outcome, out, err) = typed(&["demo".as_ref(), "--output".as_ref(), scratch.path()]);
    assert_eq!((outcome, out.as_str()), (Outcome::Refused, ""));
    assert_eq!(
        err,
        format!(
            "retrieval-bench: demo: {} exists already and is never overwritten; name a new folder with --output\n",
            scratch.path().display()
        )
    );
    assert_eq!(entries(scratch.path()), Vec::<String>::new());
}

#[test]
fn a_refused_demo_leaves_no_empty_folder() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let scratch = TempDir::new().expect("a scratch folder");
    let words = ["demo".into(), "--output".into(), scratch.path().join("demo").into_os_string()];
    let outcome = cli::main(words, &mut Streams { out: &mut Full, err: &mut Vec::new() });
    assert_eq!((outcome, entries(scratch.path())), (Outcome::Refused, Vec::new()));
}

/// The binary in a folder of its own choosing.
fn binary(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_retrieval-bench"));
    command.arg("demo").current_dir(folder);
    command
}

#[test]
fn without_a_name_each_demo_gets_a_new_folder_and_its_table_is_printed_to_a_pipe() {
    let scratch = TempDir::new().expect("a scratch folder");
    for folder in ["retrieval-bench-demo", "retrieval-bench-demo-2"] {
        let done = binary(scratch.path()).output().expect("the binary starts");
        let out = String::from_utf8(done.stdout).expect("UTF-8");
        assert_eq!((done.status.code(), done.stderr.as_slice()), (Some(0), &b""[..]));
        assert!(out.contains("\nbm25:all ") && out.contains(&format!("\nIn {folder}: ")), "{out}");
        assert!(scratch.path().join(folder).join("report.json").exists());
    }
}

#[test]
#[cfg(target_os = "linux")]
fn where_no_folder_can_be_created_a_sentence_says_so() {
    // Not even root can create anything there.
    let done = binary(Path::new("/proc")).output().expect("the binary starts");
    assert_eq!((done.status.code(), done.stdout.as_slice()), (Some(2), &b""[..]));
    let err = String::from_utf8(done.stderr).expect("UTF-8");
    let start = "retrieval-bench: demo: cannot create the folder retrieval-bench-demo: ";
    assert!(
        err.starts_with(start) && err.ends_with("; name one elsewhere with --output\n"),
        "{err}"
    );
}
