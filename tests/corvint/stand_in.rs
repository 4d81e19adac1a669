//! The reference's recorded runs of its scripted stand-in: the script is asked with our command lines, and what we
//! make of it is what the reference reported.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

use retrieval_bench::corvint::{Asked, Call, Ended, Observed, TRACE_VARIABLE, VERBS, failure};
use retrieval_bench::dataset::{self, ReadOptions};
use serde_json::Value;

use crate::fixture::shared;

/// The verb's arm of every sample, as the recorded report has it.
fn replay(case: &str, limit: usize) {
    let Some(golden) = shared("data/harness-golden") else { return };
    let report = fs::read_to_string(golden.join("expected").join(case).join("report.json"));
    let report: Value = serde_json::from_str(&report.expect("recorded")).expect("JSON");
    let samples = dataset::read(&golden.join("inputs/samples-arms.jsonl"), &ReadOptions::default());
    let samples = samples.expect("samples").kept;
    let details = report["details"].as_array().expect("details");
    assert_eq!(details.len(), samples.len());
    for (sample, detail) in samples.iter().zip(details) {
        let changed = sample.changed_file.as_deref();
        let root = tempfile::tempdir().expect("a scratch folder");
        if let Some(changed) = changed {
            dirty(root.path(), changed);
        }
        for verb in VERBS.iter().filter(|verb| changed.is_some() || !verb.needs_changed_file) {
            let expected = &detail["arms"][verb.arm];
            let about = format!("{} {}", sample.id, verb.arm);
            let call = Call {
                root: root.path(),
                task: &sample.query.text,
                changed: changed.unwrap_or_default(),
                limit,
            };
            let output = Command::new("sh")
                .arg(golden.join("inputs/fake-corvint"))
                .args((verb.arguments)(&call))
                .env(TRACE_VARIABLE, "1")
                .stdin(Stdio::null())
                .output()
                .expect("a shell");
            if !output.status.success() {
                let ended = match (output.status.code(), output.status.signal()) {
                    (Some(code), _) => Ended::Exited(code),
                    (None, signal) => Ended::Killed(signal.unwrap_or_default()),
                };
                let text = failure(verb.word, &ended, &output.stderr, root.path());
                // The reference ends in a colon where nothing was said; its stand-in knows no folders.
                let recorded = expected["error"].as_str().unwrap_or_default();
                let recorded = recorded.trim_end_matches(": ");
                if !changed.is_some_and(|path| path.contains('/')) || !verb.needs_changed_file {
                    assert_eq!(text, recorded, "{about}");
                }
                assert!(!recorded.is_empty(), "{about}");
                continue;
            }
            let asked = Asked { limit, excluded: &sample.given, changed };
            match (verb.answer)(&output.stdout, &asked) {
                Ok(answer) => {
                    let ranked: Vec<&str> = expected["ranked"]
                        .as_array()
                        .expect("a ranking")
                        .iter()
                        .map(|path| path.as_str().expect("a path"))
                        .collect();
                    assert_eq!(answer.ranked, ranked, "{about}");
                    assert_eq!(Value::from(answer.abstained), expected["abstained"], "{about}");
                    assert_eq!(Value::from(answer.state), expected["state"], "{about}");
                    assert_eq!(
                        Value::from(answer.packet_bytes),
                        expected["packet_bytes"],
                        "{about}"
                    );
                    let noise = sample.id == "stderr-noise";
                    if verb.arm == "context" && !noise {
                        assert_eq!(Observed::on(&output.stderr), Observed::Miss, "{about}");
                    }
                }
                Err(error) => assert!(expected["error"].is_string(), "{about}: {error}"),
            }
        }
    }
}

/// A repository in which `changed` is all that is dirty.
fn dirty(root: &Path, changed: &str) {
    let made = Command::new("git").args(["init", "-q"]).current_dir(root).status();
    assert!(made.expect("git").success());
    let path = root.join(changed);
    fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
    fs::write(path, "\n\n").expect("written");
}

#[test]
fn the_recorded_run_with_every_arm_is_reproduced() {
    replay("arms-all", 20);
}

#[test]
fn the_recorded_run_with_the_limit_two_is_reproduced() {
    replay("arms-all-k2", 2);
}
