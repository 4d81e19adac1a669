//! The reference's recorded command lines, against our plan.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use retrieval_bench::cli::{CliError, Outcome, Plan, Request, parse};
use serde_json::Value;

use super::typed;
use crate::fixture;

/// What a recorded `cli-*` line must come to here.
#[derive(Debug, PartialEq)]
enum Verdict {
    /// Refused before any file is read.
    Refused,
    /// Answered on standard output.
    Answered,
    /// A plan; what becomes of it is for another room to say.
    Planned,
}

/// The recorded lines that are not plainly refused by this room, each with its reason.
const OTHERWISE: [(&str, Verdict); 5] = [
    ("cli-dashdash", Verdict::Planned),
    // Help is an answer here.
    ("cli-h", Verdict::Answered),
    ("cli-help", Verdict::Answered),
    // Refused when the registration is created.
    ("cli-reg-exists", Verdict::Planned),
    // Refused when the report is read.
    ("cli-sum-absent", Verdict::Planned),
];

/// The recorded words, with two dashes before a long flag, and the output folder put in.
fn recorded(case: &Path, out: &Path) -> Vec<OsString> {
    let text = fs::read_to_string(case.join("cmd.json")).expect("a recorded command");
    let command: Value = serde_json::from_str(&text).expect("JSON");
    command["args"]
        .as_array()
        .expect("a list of words")
        .iter()
        .map(|word| {
            let word = word.as_str().expect("a word");
            let word = word.replace("$OUTDIR", &out.display().to_string());
            let one_dash = word.starts_with('-') && !word.starts_with("--") && word.len() > 2;
            OsString::from(if one_dash { format!("-{word}") } else { word })
        })
        .collect()
}

fn verdict(words: Vec<OsString>) -> Result<Verdict, CliError> {
    match parse(words)? {
        Request::Nothing => Ok(Verdict::Refused),
        Request::Print(_) => Ok(Verdict::Answered),
        Request::Do(args) => {
            match Plan::new(*args)? {
                Plan::Run(plan) => plan.check_destinations()?,
                Plan::Summarize(plan) => plan.check_destinations()?,
                other => panic!("a recorded line has no subcommand: {other:?}"),
            }
            Ok(Verdict::Planned)
        }
    }
}

#[test]
fn recorded_command_lines_get_the_recorded_verdict() {
    let Some(expected) = fixture::shared("data/harness-golden/expected") else { return };
    let out = tempfile::TempDir::new().expect("a scratch folder");
    let mut seen = 0;
    for entry in fs::read_dir(expected).expect("the recorded cases") {
        let case = entry.expect("a case").path();
        let name = case.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !name.starts_with("cli-") {
            continue;
        }
        seen += 1;
        let words = recorded(&case, out.path());
        let wanted = OTHERWISE.iter().find(|(case, _)| *case == name).map(|(_, verdict)| verdict);
        let wanted = wanted.unwrap_or(&Verdict::Refused);
        let got = verdict(words.clone()).unwrap_or(Verdict::Refused);
        assert_eq!(&got, wanted, "{name}: {words:?}");
        if got == Verdict::Refused && !words.is_empty() {
            let (outcome, stdout, stderr) = typed(words);
            assert_eq!((outcome, stdout.as_str()), (Outcome::Refused, ""), "{name}");
            assert!(stderr.starts_with("retrieval-bench: "), "{name}: {stderr}");
            assert_eq!(stderr.matches('\n').count(), 1, "{name}: {stderr}");
        }
    }
    assert!(seen >= 30, "{seen} recorded lines");
}

#[test]
fn recorded_runs_of_ready_arms_are_plans() {
    let Some(expected) = fixture::shared("data/harness-golden/expected") else { return };
    let out = tempfile::TempDir::new().expect("a scratch folder");
    for name in [
        "lexical-k20",
        "lexical-k50",
        "lexical-tasktype",
        "lexical-registration-flag",
        "lexical-stdout",
        "dirs-snapshot-flag",
        "snapshot-flag-chunkfile",
        "missing-snapshot-nocorpus",
        "summarize-merge",
        "arms-all",
    ] {
        let words = recorded(&expected.join(name), out.path());
        assert_eq!(verdict(words.clone()), Ok(Verdict::Planned), "{name}: {words:?}");
    }
}
