//! The digest of the experiment, and what it does and does not cover.

use std::fs;

use retrieval_bench::registration::{
    Conditions, Digest, IMAGE_VARIABLE, Identity, Program, Registration,
};
use serde_json::{Value, json};

use super::intel;
use super::record::registration;

fn sealed(registration: Registration) -> String {
    registration.sealed().expect("it renders").identity.sha256
}

#[test]
fn the_digest_is_that_of_the_canonical_text_of_everything_else() {
    let sealed = registration().sealed().expect("it renders");
    let mut value = serde_json::to_value(&sealed).expect("it renders");
    let members = value.as_object_mut().expect("an object");
    members.remove("host");
    members.remove("conditions");
    members["identity"].as_object_mut().expect("an object").remove("sha256");
    let canonical = retrieval_bench::report::to_canonical(&value).expect("it renders");
    let text = canonical.strip_suffix(b"\n").expect("a line");
    assert_eq!(sealed.identity.sha256, Digest::of(text).to_string());
}

#[test]
fn the_experiment_moves_the_digest_and_the_place_and_time_do_not() {
    let first = sealed(registration());
    let elsewhere = Registration {
        host: intel().host(),
        conditions: Conditions { jobs: 9, ..Conditions::default() },
        ..registration()
    };
    assert_eq!(sealed(elsewhere), first);
    let claimed = Identity {
        image_digest: Some(format!("sha256:{}", "1".repeat(64))),
        ..Identity::default()
    };
    for other in [
        Registration { limit: 21, ..registration() },
        Registration { environment: Vec::new(), ..registration() },
        Registration { bench_sha256: "c".repeat(64), ..registration() },
        Registration { identity: claimed, ..registration() },
    ] {
        assert_ne!(sealed(other), first);
    }
}

#[test]
fn a_registration_that_was_changed_afterwards_is_refused() {
    let folder = tempfile::tempdir().expect("the temporary folder is writable");
    let path = folder.path().join("registration.json");
    let sealed = registration().sealed().expect("it renders");
    let mut value: Value = serde_json::to_value(&sealed).expect("it renders");
    let read = |value: &Value| {
        fs::write(&path, value.to_string()).expect("writable");
        Registration::read(&path).map(|(registration, _)| registration)
    };
    assert_eq!(read(&value).expect("it is whole"), sealed);
    value["limit"] = json!(19);
    let error = read(&value).expect_err("it was changed").to_string();
    assert!(error.contains("identity.sha256"), "{error}");
}

#[test]
fn the_image_is_what_its_starter_claims_or_unknown_with_a_reason() {
    let claimed = |text: &str| {
        let image = Some(text.into());
        let identity = Identity::of(Program::default(), Program::default(), image);
        assert_eq!(identity.image_digest.is_none(), identity.unknown.contains_key("image_digest"));
        identity.image_digest
    };
    let digits = "0123456789abcdef".repeat(4);
    let expected = Some(format!("sha256:{digits}"));
    assert_eq!(claimed(&format!("sha256:{digits}")), expected);
    assert_eq!(claimed(&digits.to_uppercase()), expected);
    for wrong in ["", "latest", "sha256:", &digits[1..], &format!("sha512:{digits}")] {
        assert_eq!(claimed(wrong), None, "{wrong}");
    }
    let identity = Identity::of(Program::default(), Program::default(), None);
    assert_eq!(identity.unknown["image_digest"], format!("{IMAGE_VARIABLE} is not set"));
}

#[test]
fn a_tool_that_no_arm_calls_was_not_run() {
    let corvint = serde_json::to_value(Program::default()).expect("it renders");
    assert_eq!(corvint, json!({"sha256": "NOT_RUN", "version": "NOT_RUN"}));
}

#[test]
fn the_report_holds_the_registration_with_the_end_added() {
    let written = registration().sealed().expect("it renders");
    let mut copy = written.clone();
    copy.conditions.end(copy.conditions.before.clone());
    // As a report writes it: integral numbers without a fraction.
    let text = retrieval_bench::report::to_canonical(&copy).expect("it renders");
    let copy: Registration = serde_json::from_slice(&text).expect("it reads back");
    assert!(copy.conditions.after.is_some());
    assert!(written.is_copied_in(&copy));
    let other = Registration { limit: 3, ..copy };
    assert!(!written.is_copied_in(&other));
}
