//! The registration: written once, readable again, comparable.

use std::ffi::OsString;
use std::fs;
use std::time::{Duration, UNIX_EPOCH};

use retrieval_bench::arm::Given;
use retrieval_bench::registration::{
    Conditions, Digest, Gate, LiveHost, PROFILE, QuietHost, Registration, RegistrationError,
    environment, own_binary_sha256, plan_families, relevant, rfc3339,
};
use retrieval_bench::snapshot::CorpusText;
use serde_json::Value;

use super::{System, intel};
use crate::fixture::shared;

/// A registration of which everything but the digest of the experiment is there.
pub fn registration() -> Registration {
    let samples = [("code2test", "positive"), ("<trace>", "natural_no_gold")];
    Registration {
        arms: ["grep", "bm25:all"].map(str::to_owned).to_vec(),
        bench_sha256: "b".repeat(64),
        conditions: conditions(),
        corvint_sha256: "NOT_RUN".to_owned(),
        environment: vec!["GOGC=off".to_owned()],
        families: plan_families(&["grep", "bm25:all"], 20, samples),
        fold_map_sha256: "f".repeat(64),
        limit: 20,
        profile: PROFILE.to_owned(),
        sample_ids: ["one", "zwei/2 <&>"].map(str::to_owned).to_vec(),
        samples_sha256: "a".repeat(64),
        timeout_seconds: 120.0,
        version: "0.1.0".to_owned(),
        ..Registration::default()
    }
}

/// The conditions of a run that begins on a quiet server.
fn conditions() -> Conditions {
    let system = intel();
    let mut host = LiveHost::new(system.root());
    let mut gate = Gate::new(QuietHost::Record, &mut host);
    let before = gate.pass(Duration::ZERO, |_| {}).expect("it is only recorded").clone();
    let now = rfc3339(UNIX_EPOCH);
    Conditions::new(&system.root(), 2, QuietHost::Record, before, now)
}

#[test]
fn a_registration_reads_back_as_it_was_written_with_the_digest_of_its_bytes() {
    let folder = tempfile::tempdir().expect("the temporary folder is writable");
    let path = folder.path().join("report.json.registration.json");
    let written = registration().sealed().expect("it renders");
    let digest = written.write_new(&path).expect("nothing is there yet");
    let bytes = fs::read(&path).expect("it was written");
    assert_eq!(Digest::of(&bytes), digest);
    let (read, again) = Registration::read(&path).expect("it is a registration");
    assert_eq!(read, written);
    assert_eq!(again, digest);
    let text = String::from_utf8(bytes).expect("JSON is UTF-8");
    assert!(text.starts_with("{\n  \"arms\": [\n    \"grep\",\n"), "{text}");
    assert!(text.ends_with("\n}\n"));
    let keys: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("  \""))
        .filter_map(|line| line.trim().split('"').nth(1))
        .collect();
    assert!(keys.is_sorted(), "{keys:?}");
}

#[test]
fn an_existing_registration_is_refused_and_kept() {
    let folder = tempfile::tempdir().expect("the temporary folder is writable");
    let path = folder.path().join("registration.json");
    fs::write(&path, "kept\n").expect("writable");
    let error = registration().write_new(&path).expect_err("it exists");
    assert!(error.to_string().contains("exists already"), "{error}");
    assert_eq!(fs::read_to_string(&path).expect("readable"), "kept\n");
}

#[test]
fn what_is_no_registration_of_this_version_is_refused_by_name() {
    let folder = tempfile::tempdir().expect("the temporary folder is writable");
    let path = folder.path().join("registration.json");
    let other = Registration { profile: "retrieval-bench-registration/9".into(), ..registration() };
    for text in ["", "[]", "{}", &other.text().expect("it renders")] {
        fs::write(&path, text).expect("writable");
        let error = Registration::read(&path).expect_err(text);
        assert!(matches!(error, RegistrationError::Parse { .. }), "{error:?}");
        assert!(error.to_string().contains("registration.json"), "{error}");
    }
    assert!(Registration::read(&folder.path().join("absent")).is_err());
}

#[test]
fn runs_of_one_experiment_differ_in_host_and_conditions_alone() {
    let first = registration();
    let mut second = first.clone();
    second.conditions = Conditions { jobs: 7, cores: Some(99), ..Conditions::default() };
    second.host = intel().host();
    assert_eq!(first.differences(&second), Vec::<String>::new());
    second.limit = 5;
    second.given = Given::Keep;
    second.corpus_text = CorpusText::Stitched;
    second.families.pop();
    second.timeout_seconds = 2.5;
    assert_eq!(
        first.differences(&second),
        ["corpus_text", "families", "given", "limit", "timeout_seconds"]
    );
}

#[test]
fn every_member_of_the_reference_is_there_under_its_name() {
    let ours = serde_json::to_value(registration()).expect("it renders");
    let Some(path) = shared("data/harness-golden/expected/arms-all/report.json") else { return };
    let report: Value =
        serde_json::from_slice(&fs::read(path).expect("readable")).expect("it is JSON");
    for name in report["registration"].as_object().expect("an object").keys() {
        // The time is a condition here.
        let found = if name == "registered_at" { &ours["conditions"][name] } else { &ours[name] };
        assert!(!found.is_null(), "{name}");
    }
}

#[test]
fn times_are_written_as_rfc_3339_in_utc() {
    let at = |seconds, nanos| rfc3339(UNIX_EPOCH + Duration::new(seconds, nanos));
    assert_eq!(at(0, 0), "1970-01-01T00:00:00.000000000Z");
    assert_eq!(at(951_782_400, 1), "2000-02-29T00:00:00.000000001Z");
    assert_eq!(at(951_868_799, 999_999_999), "2000-02-29T23:59:59.999999999Z");
    assert_eq!(at(951_868_800, 0), "2000-03-01T00:00:00.000000000Z");
    assert_eq!(at(1_796_078_812, 18_487_735), "2026-11-30T22:46:52.018487735Z");
    assert_eq!(at(4_107_542_399, 0), "2100-02-28T23:59:59.000000000Z");
    assert_eq!(at(4_107_542_400, 0), "2100-03-01T00:00:00.000000000Z", "2100 has no leap day");
    let before = UNIX_EPOCH - Duration::new(1, 500_000_000);
    assert_eq!(rfc3339(before), "1969-12-31T23:59:58.500000000Z");
    let before = UNIX_EPOCH - Duration::from_secs(86_400);
    assert_eq!(rfc3339(before), "1969-12-31T00:00:00.000000000Z");
}

#[test]
fn the_conditions_say_when_and_how() {
    let conditions = conditions();
    assert_eq!(conditions.jobs, 2);
    assert!(conditions.cores.is_some_and(|cores| cores >= 1));
    assert_eq!(conditions.registered_at, "1970-01-01T00:00:00.000000000Z");
    assert_eq!(conditions.kernel.as_deref(), Some("Linux 6.8.0-45-generic"));
    assert_eq!(conditions.load_average.as_deref(), Some(&[0.08, 0.11, 0.09][..]));
    assert_eq!((conditions.after, conditions.became_noisy), (None, None));
    assert!(conditions.unknown.is_empty());
}

#[test]
fn a_condition_that_cannot_be_read_is_null_with_its_reason() {
    let nothing = System::with(&[]);
    let mut host = LiveHost::new(nothing.root());
    let mut gate = Gate::new(QuietHost::Record, &mut host);
    let before = gate.pass(Duration::ZERO, |_| {}).expect("it is only recorded").clone();
    let conditions = Conditions::new(&nothing.root(), 1, QuietHost::Record, before, String::new());
    assert_eq!((conditions.kernel, conditions.load_average), (None, None));
    assert_eq!(conditions.unknown["kernel"], "there is no /proc/sys/kernel/ostype");
    assert_eq!(conditions.unknown["load_average"], "there is no /proc/loadavg");
}

#[test]
fn only_variables_that_change_the_tool_are_registered() {
    let variables = [
        ("PATH", "/bin"),
        ("GOGC", "off"),
        ("CORVINT_CONTEXT_Z", "a=b"),
        ("CORVINT_CONTEXT_A", ""),
        ("CORVINT_CONTEXTUAL", "no"),
        ("CORVINT_INDEX_SHARDS", "4"),
        ("GOMAXPROCS", "2"),
        ("CORVINT_SNAPSHOT_FORMAT", "2"),
        ("XGOGC", "no"),
    ];
    let variables = variables.map(|(name, value)| (OsString::from(name), OsString::from(value)));
    assert_eq!(
        relevant(variables),
        [
            "CORVINT_CONTEXT_A=",
            "CORVINT_CONTEXT_Z=a=b",
            "CORVINT_INDEX_SHARDS=4",
            "CORVINT_SNAPSHOT_FORMAT=2",
            "GOGC=off",
            "GOMAXPROCS=2",
        ]
    );
    assert!(environment().is_sorted());
}

#[test]
fn digests_are_those_of_the_standard_and_of_the_running_program() {
    assert_eq!(
        Digest::of(b"abc").to_string(),
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
    assert_eq!(Digest::of_reader(&b"abc"[..]).expect("memory is readable"), Digest::of(b"abc"));
    let itself = std::env::current_exe().and_then(fs::read).expect("the test can read itself");
    assert_eq!(own_binary_sha256().expect("so can the program"), Digest::of(&itself));
}

#[test]
fn families_follow_from_the_arms_the_limit_and_the_samples_names() {
    let samples = [
        ("trace2code", "positive"),
        ("code2test", "positive"),
        ("code2test", "positive"),
        ("abstention", "natural_no_gold"),
    ];
    let families = plan_families(&["bm25:all", "corvint", "grep", "nobody"], 10, samples);
    let names: Vec<&str> = families.iter().map(|family| family.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "recall@5/all",
            "recall@5/task:code2test",
            "recall@5/task:trace2code",
            "recall@10/all",
            "recall@10/task:code2test",
            "recall@10/task:trace2code",
            "mrr@k/all",
            "mrr@k/task:code2test",
            "mrr@k/task:trace2code",
            "selective_success/all",
            "selective_success/stratum:natural_no_gold",
        ]
    );
    for family in &families {
        let pairs: Vec<(&str, &str)> = family
            .comparisons
            .iter()
            .map(|pair| (pair.arm.as_str(), pair.baseline.as_str()))
            .collect();
        let wanted = [("corvint", "grep"), ("corvint", "bm25:all"), ("bm25:all", "grep")];
        assert_eq!(pairs, wanted, "{}", family.name);
        assert_eq!(family.name, format!("{}/{}", family.metric, family.group));
    }
    let reversed = samples.into_iter().rev();
    assert_eq!(plan_families(&["grep", "bm25:all", "corvint"], 10, reversed), families);
    let two_retrievers = plan_families(&["corvint", "context"], 1, [("t", "positive")]);
    assert_eq!(two_retrievers[0].comparisons[0].arm, "context", "the later of the table leads");
    assert!(plan_families(&["grep"], 20, samples).is_empty(), "one arm has nothing to compare");
    assert!(plan_families(&["grep", "bm25:all"], 20, []).is_empty());
}
