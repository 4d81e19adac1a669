//! A bench whose corvint arms call the scripted stand-in.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use serde_json::{Value, json};

use crate::fixture::Bench;

pub const REPO: &str = "acme/gadget";

/// The files of the one snapshot. Some names carry the case that `impact` and `affected` are to play.
const FILES: [(&str, &str); 4] = [
    ("README.md", "# gadget\n"),
    ("widget.go", "package gadget\n\nfunc Widget() {}\n"),
    ("widget_test.go", "package gadget\n"),
    (".gitignore", "*.log\n"),
];

/// A bench and the stand-in's scripts.
pub struct Arms {
    pub bench: Bench,
    pub commit: String,
}

/// What a run left: its exit code, what it said, its report.
pub struct Done {
    pub code: Option<i32>,
    pub err: String,
    pub report: Option<Value>,
}

impl Done {
    /// The report, which must be there.
    pub fn report(&self) -> &Value {
        self.report.as_ref().unwrap_or_else(|| panic!("no report: {}", self.err))
    }

    /// An arm's answer to a sample.
    pub fn answer(&self, sample: &str, arm: &str) -> &Value {
        let details = self.report()["details"].as_array().expect("details");
        let detail = details.iter().find(|detail| detail["id"] == sample).expect("the sample");
        &detail["arms"][arm]
    }
}

impl Arms {
    pub fn new() -> Arms {
        let arms = Arms { bench: Bench::new(), commit: "a".repeat(40) };
        for folder in ["stand-in", "tmp", "corpus"] {
            fs::create_dir(arms.bench.path(folder)).expect("made");
        }
        arms.files(&[]);
        arms
    }

    /// Puts these files into the snapshot, besides the ordinary ones.
    pub fn files(&self, more: &[(&str, &str)]) {
        self.bench.chunks(REPO, &self.commit, &[&FILES[..], more].concat());
    }

    /// What the stand-in does with a verb, or with a case of it (`query-slow`).
    pub fn script(&self, name: &str, script: &str) {
        self.bench.write(&format!("stand-in/{name}"), script);
    }

    /// A sample whose case is its id, with a changed file of that name.
    pub fn sample(&self, case: &str) {
        let query = json!({"text": format!("case:{case}"), "changed_file": "widget.go"});
        self.sample_of(case, query);
    }

    /// A sample with this query.
    pub fn sample_of(&self, id: &str, query: Value) {
        let gold = json!({"files": ["widget.go"]});
        self.bench.sample(id, REPO, &self.commit, query, gold);
    }

    /// The command line of a run, not started.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut words: Vec<&str> = vec!["--quiet"];
        words.extend(args);
        let mut command = self.bench.binary(&words);
        command.arg("--corvint").arg(stand_in());
        command.env("STAND_IN", self.bench.path("stand-in"));
        command.env("TMPDIR", self.bench.path("tmp"));
        command
    }

    /// Runs and reads the report from standard output; nothing may be left in the folder for temporary files.
    pub fn run(&self, args: &[&str]) -> Done {
        let done = self.done(&self.command(args).output().expect("runs"));
        assert_eq!(self.left(), Vec::<OsString>::new(), "left in the folder for temporary files");
        done
    }

    pub fn done(&self, output: &Output) -> Done {
        Done {
            code: output.status.code(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
            report: serde_json::from_slice(&output.stdout).ok(),
        }
    }

    /// What lies in the folder for temporary files.
    pub fn left(&self) -> Vec<OsString> {
        names(&self.bench.path("tmp"))
    }

    /// The verbs that were called, in order.
    pub fn calls(&self) -> Vec<String> {
        let calls = fs::read_to_string(self.bench.path("stand-in/calls")).unwrap_or_default();
        calls.lines().map(str::to_owned).collect()
    }

    /// The heartbeats, by name, that still go on.
    pub fn beating(&self) -> Vec<OsString> {
        let lengths = || -> Vec<(OsString, u64)> {
            let beats = names(&self.bench.path("stand-in")).into_iter();
            beats
                .filter(|name| name.to_string_lossy().starts_with("beat-"))
                .map(|name| {
                    let path = self.bench.path("stand-in").join(&name);
                    (name, fs::metadata(path).map_or(0, |found| found.len()))
                })
                .collect()
        };
        let before = lengths();
        std::thread::sleep(Duration::from_millis(100));
        let after = lengths().into_iter();
        after.filter(|beat| !before.contains(beat)).map(|(name, _)| name).collect()
    }

    /// Whether a heartbeat of this name has ever been.
    pub fn has_beaten(&self, name: &str) -> bool {
        self.bench.path("stand-in").join(format!("beat-{name}")).exists()
    }
}

/// The stand-in's own file.
pub fn stand_in() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stand-in/corvint")
}

fn names(folder: &Path) -> Vec<OsString> {
    let mut names: Vec<OsString> =
        fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.file_name()).collect();
    names.sort();
    names
}

/// Everything below a folder: paths, kinds, bytes, modes and times.
pub fn fingerprint(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").flatten() {
            let (path, seen) = (entry.path(), entry.metadata().expect("there"));
            let bytes =
                if seen.is_file() { fs::read(&path).expect("readable") } else { Vec::new() };
            let digest = retrieval_bench::registration::Digest::of(&bytes);
            let (mode, time) = (seen.mode(), (seen.mtime(), seen.mtime_nsec()));
            found.push(format!("{} {mode:o} {time:?} {digest}", path.display()));
            if seen.is_dir() {
                folders.push(path);
            }
        }
    }
    found.sort();
    found
}
