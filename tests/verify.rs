//! What is wrong with inputs: one small corpus per kind of finding, and the real ones.

mod digest;
mod real;
mod sample;
mod snapshot;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use retrieval_bench::cli::{Outcome, Streams, main};
use retrieval_bench::verify::{Finding, KINDS, Kind};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

const REPO: &str = "acme/gadget";
const OTHER: &str = "acme/widget";
const COMMIT: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const KEY: &str = "snapshot acme/gadget@aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

/// A samples file and a corpus in a scratch folder.
struct Inputs(TempDir);

/// How `verify` ended and what it printed.
struct Printed {
    code: u8,
    out: String,
    err: String,
}

impl Printed {
    /// The lines that are findings.
    fn findings(&self) -> Vec<&str> {
        let is_finding = |line: &&str| !line.starts_with([' ', 'v']);
        self.out.lines().filter(is_finding).collect()
    }

    /// The lines of one kind.
    fn of(&self, kind: &str) -> Vec<&str> {
        let kind = format!("[{kind}]");
        self.findings().into_iter().filter(|line| line.contains(&kind)).collect()
    }

    fn last(&self) -> &str {
        self.out.lines().last().unwrap_or_default()
    }
}

impl Inputs {
    fn new(samples: &[String]) -> Inputs {
        let inputs = Inputs(TempDir::new().expect("a scratch folder"));
        inputs.write("samples.jsonl", samples.concat());
        inputs.write("corpus/keep", "");
        inputs
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(&path, bytes).expect("written");
        path
    }

    /// Writes the chunk file of a repository at the one commit.
    fn chunks(&self, repo: &str, rows: &[String]) -> PathBuf {
        let name = format!("corpus/{}/{COMMIT}.chunks.jsonl", repo.replace('/', "__"));
        self.write(&name, rows.concat())
    }

    fn verify(&self, more: &[&str]) -> Printed {
        let corpus = self.path("corpus");
        verify(&self.path("samples.jsonl"), &corpus, more)
    }

    /// The same, with the scratch folder's name taken out of what is printed.
    fn plainly(&self, more: &[&str]) -> Printed {
        let printed = self.verify(more);
        let root = format!("{}/", self.0.path().display());
        let plain = |text: String| text.replace(&root, "");
        Printed { out: plain(printed.out), err: plain(printed.err), ..printed }
    }
}

fn verify(samples: &Path, corpus: &Path, more: &[&str]) -> Printed {
    let mut words: Vec<OsString> = ["verify", "--samples"].map(OsString::from).into();
    words.extend([samples.into(), "--corpus".into(), corpus.into()]);
    words.extend(more.iter().map(OsString::from));
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let outcome = main(words, &mut Streams { out: &mut out, err: &mut err });
    let text = |bytes| String::from_utf8(bytes).expect("the program writes UTF-8");
    Printed { code: Outcome::code(outcome), out: text(out), err: text(err) }
}

/// A code2test row with these members of `query` and `gold`.
fn sample_of(repo: &str, id: &str, query: &str, gold: &str) -> String {
    let corpus = format!("{{\"type\": \"repo_at_base_commit\", \"base_commit\": \"{COMMIT}\"}}");
    format!(
        "{{\"id\": \"{id}\", \"version\": 1, \"task_type\": \"code2test\", \"repo\": \"{repo}\", \
         \"base_commit\": \"{COMMIT}\", \"candidate_corpus\": {corpus}, \"query\": {{{query}}}, \
         \"gold\": {{{gold}}}}}\n"
    )
}

/// The same over the first repository, with one gold file.
fn sample(id: &str, query: &str, gold: &str) -> String {
    sample_of(REPO, id, query, &format!("\"related_tests\": [\"{gold}\"]"))
}

/// A row of a chunk file, as the corpus builder writes it.
fn row(repo: &str, kind: &str, path: &str, lines: (u32, u32), text: &str) -> String {
    let row = serde_json::json!({
        "repo": repo, "base_commit": COMMIT, "kind": kind, "path": path, "chunk_id": "",
        "symbol": "", "start_line": lines.0, "end_line": lines.1, "text": text,
    });
    format!("{row}\n")
}

fn file(path: &str, text: &str) -> String {
    row(REPO, "file", path, (1, text.lines().count() as u32), text)
}

fn symbol(path: &str, first: u32, last: u32) -> String {
    row(REPO, "symbol", path, (first, last), "fn")
}

fn sha256(bytes: impl AsRef<[u8]>) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn the_table_of_kinds_is_in_the_order_of_the_kinds() {
    for row in &KINDS {
        assert_eq!(row.kind.row().name, row.name);
        assert_eq!(row.kind.row().kind, row.kind);
    }
    let mut names: Vec<&str> = KINDS.iter().map(|row| row.name).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), KINDS.len());
}

#[test]
fn a_finding_is_one_line_whatever_it_quotes() {
    let finding = Finding::new(Kind::GoldMissing, "a\nb", "tab\tand \u{1b}[0m");
    assert_eq!(finding.to_string(), "warning[gold-missing] a\\nb: tab\\tand \\u{1b}[0m");
}

#[test]
fn good_inputs_have_no_findings() {
    let inputs = Inputs::new(&[sample("one", "\"changed_file\": \"a.go\"", "a_test.go")]);
    inputs.chunks(REPO, &[file("a.go", "a\nb\n"), symbol("a.go", 1, 2), file("a_test.go", "c\n")]);
    let printed = inputs.verify(&[]);
    assert_eq!(printed.out, "verify: 1 samples, 1 snapshots, 0 findings\n");
    assert_eq!((printed.code, printed.err.as_str()), (0, ""));
}

#[test]
fn jobs_do_not_change_what_is_printed() {
    let repos: Vec<String> = (0..20).map(|number| format!("acme/r{number:02}")).collect();
    // File order is the reverse of the snapshots' order.
    let samples = repos.iter().rev().enumerate();
    let samples: Vec<String> = samples
        .map(|(id, repo)| sample_of(repo, &id.to_string(), "", "\"related_tests\": [\"none\"]"))
        .collect();
    let inputs = Inputs::new(&samples);
    for repo in repos.iter().skip(1) {
        inputs.chunks(repo, &[row(OTHER, "file", "a", (1, 1), "a")]);
    }
    let one = inputs.verify(&["--jobs", "1"]);
    let lines: Vec<usize> = one
        .findings()
        .iter()
        .filter_map(|line| line.split("samples.jsonl:").nth(1)?.split(':').next()?.parse().ok())
        .collect();
    assert_eq!(lines, (1..=20).collect::<Vec<_>>());
    let foreign = one.of("foreign-row");
    assert_eq!(foreign.len(), 19);
    assert!(foreign.is_sorted());
    for jobs in ["2", "7", "0"] {
        let more = inputs.verify(&["--jobs", jobs]);
        assert_eq!((more.code, more.out), (one.code, one.out.clone()));
    }
}
