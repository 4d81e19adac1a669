//! Inputs for tests: scratch folders, small corpora, and the shared reference data where a checkout has it beside it.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use retrieval_bench::arm::{ARMS, Family, Given, RankOptions};
use retrieval_bench::bench::{Experiment, Journal, Show};
use retrieval_bench::cli::{self, Streams};
use retrieval_bench::dataset::{self, ReadOptions};
use retrieval_bench::snapshot::Sources;
use serde_json::{Value, json};

/// A file or folder of the reference data beside the checkout, or `None` (said on standard error) where there is
/// none: the data are not part of the project, and every test that needs them must pass without them. Where
/// `RETRIEVAL_BENCH_SHARED` is set they must be there, so that nothing is skipped in silence.
pub fn shared(path: &str) -> Option<PathBuf> {
    let full = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared").join(path);
    if full.exists() {
        return Some(full);
    }
    assert!(
        std::env::var_os("RETRIEVAL_BENCH_SHARED").is_none(),
        "RETRIEVAL_BENCH_SHARED is set, and there is no ../shared/{path}"
    );
    eprintln!("skipped: no reference data at ../shared/{path}");
    None
}

/// A scratch folder with a samples file and a corpus, in which the program is run.
pub struct Bench {
    root: tempfile::TempDir,
}

/// What a run said and left.
pub struct Run {
    /// The exit code.
    pub code: u8,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
    root: PathBuf,
}

impl Run {
    /// A file of the scratch folder.
    pub fn file(&self, name: &str) -> String {
        fs::read_to_string(self.root.join(name))
            .unwrap_or_else(|error| panic!("{name}: {error}; {}", self.err))
    }

    /// A file of the scratch folder, as JSON.
    pub fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.file(name)).expect("JSON")
    }

    /// Whether the scratch folder has a file.
    pub fn exists(&self, name: &str) -> bool {
        self.root.join(name).exists()
    }
}

impl Bench {
    /// An empty one.
    pub fn new() -> Bench {
        let bench = Bench { root: tempfile::tempdir().expect("a scratch folder") };
        bench.write("samples.jsonl", "");
        bench
    }

    /// A path in the scratch folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// Writes a file, whatever was there, and the folders above it.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, text).expect("written");
    }

    /// A chunk file of one snapshot.
    pub fn chunks(&self, repo: &str, commit: &str, files: &[(&str, &str)]) {
        let row = |(path, text): &(&str, &str)| {
            format!("{}\n", json!({"kind": "file", "path": path, "text": text}))
        };
        let rows: String = files.iter().map(row).collect();
        self.write(&format!("corpus/{}/{commit}.chunks.jsonl", repo.replace('/', "__")), &rows);
    }

    /// One more sample, of the task `trace2code`.
    pub fn sample(&self, id: &str, repo: &str, commit: &str, query: Value, gold: Value) {
        let row = json!({"id": id, "task_type": "trace2code", "repo": repo, "base_commit": commit,
            "query": query, "gold": gold, "metadata": {}});
        let so_far = fs::read_to_string(self.path("samples.jsonl")).expect("samples");
        self.write("samples.jsonl", &format!("{so_far}{row}\n"));
    }

    /// The whole command line: the samples, the corpus, and these; files to write are named in the scratch folder.
    fn words(&self, corpus: &str, args: &[&str]) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec!["--samples".into(), self.path("samples.jsonl").into()];
        words.extend(["--corpus".into(), self.path(corpus).into()]);
        let mut is_file = false;
        for arg in args {
            words.push(if is_file { self.path(arg).into() } else { arg.into() });
            is_file = ["--output", "--registration"].contains(arg);
        }
        words
    }

    /// Runs the program in this process.
    pub fn run(&self, args: &[&str]) -> Run {
        self.run_over("corpus", args)
    }

    /// Runs the program in this process over another corpus folder.
    pub fn run_over(&self, corpus: &str, args: &[&str]) -> Run {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut words = self.words(corpus, args);
        words.push("--quiet".into());
        let outcome = cli::main(words, &mut Streams { out: &mut out, err: &mut err });
        let text = |bytes| String::from_utf8(bytes).expect("the program writes UTF-8");
        Run {
            code: outcome.code(),
            out: text(out),
            err: text(err),
            root: self.root.path().to_owned(),
        }
    }

    /// The report that a run writes to standard output.
    pub fn report(&self, args: &[&str]) -> Value {
        let run = self.run(args);
        assert_eq!(run.code, 0, "{}", run.err);
        serde_json::from_str(&run.out).expect("a report")
    }

    /// The program as a process of its own, not started.
    pub fn binary(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_retrieval-bench"));
        command.args(self.words("corpus", args));
        command
    }

    /// The journal of a complete run that never came to its report.
    pub fn journal(&self, registration_sha256: &str) -> Vec<u8> {
        let samples =
            dataset::read(&self.path("samples.jsonl"), &ReadOptions::default()).expect("samples");
        let experiment = Experiment {
            samples: samples.kept,
            sources: Sources { corpus: Some(self.path("corpus")), ..Sources::default() },
            arms: ARMS.iter().filter(|row| row.family == Family::Lexical).collect(),
            options: RankOptions { limit: 20, given: Given::Remove },
            tool: None,
            jobs: 1,
        };
        let path = self.path("complete.journal.jsonl");
        let _ = fs::remove_file(&path);
        let journal = Journal::create(&path, registration_sha256).expect("a journal");
        experiment.run(journal, Show::Nothing).expect("a run");
        fs::read(path).expect("a journal")
    }
}

/// Holds two reports to be the same apart from what is measured; says where they first differ.
pub fn assert_same_report(left: &Value, right: &Value, about: &str) {
    let (left, right) = (without_measurements(left), without_measurements(right));
    if let Some(difference) = first_difference(&left, &right, "") {
        panic!("{about}: {difference}");
    }
}

fn first_difference(left: &Value, right: &Value, at: &str) -> Option<String> {
    match (left, right) {
        (Value::Object(a), Value::Object(b)) => {
            let names: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            let value = |of: &serde_json::Map<String, Value>, name| {
                of.get(name).cloned().unwrap_or_default()
            };
            names.into_iter().find_map(|name| {
                first_difference(&value(a, name), &value(b, name), &format!("{at}.{name}"))
            })
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let mut pairs = a.iter().zip(b).enumerate();
            pairs.find_map(|(i, (a, b))| first_difference(a, b, &format!("{at}[{i}]")))
        }
        (Value::Number(a), Value::Number(b)) if a.as_f64() == b.as_f64() => None,
        _ if left == right => None,
        _ => Some(format!("{at}: {left} and {right}")),
    }
}

/// A report less what is measured: wall times, the latency section, the registration's conditions.
fn without_measurements(report: &Value) -> Value {
    let mut report = report.clone();
    let members = report.as_object_mut().expect("an object");
    members.remove("latency");
    if let Some(registration) = members.get_mut("registration").and_then(Value::as_object_mut) {
        registration.remove("conditions");
    }
    for detail in members["details"].as_array_mut().expect("details") {
        for (_, answer) in detail["arms"].as_object_mut().expect("arms") {
            answer.as_object_mut().expect("an answer").remove("wall_ms");
        }
    }
    report
}
