//! Runs on hosts that are made up: what is refused, what is recorded, what is said.

use std::ffi::OsString;
use std::fs;

use retrieval_bench::cli::{CliError, Outcome, Plan, Streams, run};
use serde_json::{Value, json};

use super::planned;
use crate::fixture::Bench;
use crate::registration::{System, intel};

/// A benchmark of one sample.
fn bench() -> Bench {
    let bench = Bench::new();
    let commit = "a".repeat(40);
    bench.chunks("acme/gadget", &commit, &[("widget.go", "func parseWidget() {}")]);
    let gold = json!({"root_cause_files": ["widget.go"]});
    bench.sample("one", "acme/gadget", &commit, json!({"text": "parseWidget"}), gold);
    bench
}

/// Runs the benchmark on a host; what it came to, and what it said.
fn on(system: &System, bench: &Bench, flags: &[&str]) -> (Result<Outcome, CliError>, String) {
    let at = |name: &str| bench.path(name).into_os_string();
    let mut words: Vec<OsString> = vec!["--samples".into(), at("samples.jsonl")];
    words.extend(["--corpus".into(), at("corpus"), "--output".into(), at("report.json")]);
    words.extend(flags.iter().map(OsString::from));
    let mut plan = match planned(words) {
        Ok(Plan::Run(plan)) => plan,
        other => panic!("{other:?}"),
    };
    plan.host_root = system.root();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let done = run(Plan::Run(plan), &mut Streams { out: &mut out, err: &mut err });
    (done, String::from_utf8(err).expect("the program writes UTF-8"))
}

fn read(bench: &Bench, name: &str) -> Value {
    let bytes = fs::read(bench.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    serde_json::from_slice(&bytes).expect("JSON")
}

fn noisy() -> System {
    let system = intel();
    system.write("proc/loadavg", b"8.00 7.00 6.00 1/99 9\n");
    system.write("sys/devices/system/cpu/intel_pstate/no_turbo", b"0\n");
    system
}

#[test]
fn a_noisy_host_is_refused_with_its_own_exit_code_before_anything_is_written() {
    for flags in [&["--quiet-host", "require"][..], &["--quiet-host=wait", "--quiet-wait=0"]] {
        let bench = bench();
        let (done, _) = on(&noisy(), &bench, flags);
        let error = done.expect_err("the host is noisy");
        assert_eq!((error.outcome(), error.outcome().code()), (Outcome::NotQuiet, 4));
        let message = error.to_string();
        assert!(message.starts_with("--quiet-host="), "{message}");
        assert!(message.contains("load_per_cpu is 2.0") && message.contains("turbo"), "{message}");
        for name in ["report.json", "report.json.registration.json", "report.json.journal.jsonl"] {
            assert!(!bench.path(name).exists(), "{name}");
        }
    }
}

#[test]
fn what_is_wrong_with_the_inputs_is_said_before_what_is_wrong_with_the_host() {
    let bench = bench();
    bench.write("samples.jsonl", "{");
    let (done, _) = on(&noisy(), &bench, &["--quiet-host", "require"]);
    assert_eq!(done.expect_err("the samples are bad").outcome(), Outcome::Refused);
}

#[test]
fn a_run_that_only_records_keeps_every_verdict_before_and_after() {
    let bench = bench();
    let (done, err) = on(&noisy(), &bench, &[]);
    assert_eq!(done, Ok(Outcome::Complete), "{err}");
    let file = read(&bench, "report.json.registration.json");
    let copy = &read(&bench, "report.json")["registration"];
    assert_eq!(file["conditions"]["quiet_host"], "record");
    assert_eq!(file["conditions"]["before"]["checks"][0]["verdict"], "fail");
    assert_eq!(
        (&file["conditions"]["after"], &file["conditions"]["became_noisy"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(copy["conditions"]["after"]["checks"][0]["verdict"], "unknown");
    assert_eq!(copy["conditions"]["became_noisy"], json!(false), "it was noisy from the start");
    assert_eq!(file["host"], copy["host"]);
    assert_eq!(file["host"]["cpu_model"], "Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz");
    assert_eq!(file["identity"], copy["identity"]);
    assert_eq!(file["identity"]["bench"]["sha256"], file["bench_sha256"]);
    assert_eq!(file["identity"]["corvint"]["version"], "NOT_RUN");
}

#[test]
fn a_run_does_not_continue_on_another_host_but_a_complete_one_is_complete_everywhere() {
    let bench = bench();
    let first = intel();
    assert_eq!(on(&first, &bench, &[]).0, Ok(Outcome::Complete));
    let second = intel();
    second.write("proc/sys/kernel/osrelease", b"6.9.0\n");
    second.write("sys/devices/system/cpu/smt/active", b"1\n");
    let (done, err) = on(&second, &bench, &["--resume"]);
    assert_eq!(done, Ok(Outcome::Complete));
    assert!(err.contains("is complete already"), "{err}");
    fs::remove_file(bench.path("report.json")).expect("it was there");
    let message = on(&second, &bench, &["--resume"]).0.expect_err("another host").to_string();
    assert!(message.contains("began on another host"), "{message}");
    assert!(message.contains("kernel_release, smt differ"), "{message}");
    first.write("proc/loadavg", b"8.00 7.00 6.00 1/99 9\n");
    assert_eq!(on(&first, &bench, &["--resume"]).0, Ok(Outcome::Complete), "load is no host");
}
