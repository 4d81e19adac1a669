//! Outputs must be distinct files that can exist.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use retrieval_bench::cli::{Plan, destination};
use tempfile::TempDir;

use super::{planned, run_plan, words};

fn folder() -> TempDir {
    TempDir::new().expect("a scratch folder")
}

/// The message with which an output and a registration in `folder` are refused, if they are.
fn check(folder: &Path, registration: &str, output: &str) -> Option<String> {
    let at = |name: &str| folder.join(name).display().to_string();
    let line = format!(
        "--samples {} --corpus c --registration {} --output {}",
        at("samples.jsonl"),
        at(registration),
        at(output)
    );
    run_plan(&line).check_destinations().err().map(|error| error.to_string())
}

#[test]
fn distinct_names_in_one_folder_are_fine() {
    let folder = folder();
    assert_eq!(check(folder.path(), "r.json", "o.json"), None);
    assert_eq!(fs::read_dir(folder.path()).map(Iterator::count).ok(), Some(0), "nothing is made");
}

#[test]
fn one_file_under_two_names_is_refused() {
    let folder = folder();
    let root = folder.path();
    fs::create_dir(root.join("sub")).expect("a folder");
    fs::write(root.join("file"), "kept").expect("a file");
    fs::hard_link(root.join("file"), root.join("hard")).expect("a hard link");
    symlink("file", root.join("soft")).expect("a link");
    symlink("absent", root.join("dangling")).expect("a link");
    symlink(root.join("dangling"), root.join("twice")).expect("a link");
    symlink(".", root.join("here")).expect("a link");
    for (registration, output) in [
        ("r.json", "r.json"),
        ("r.json", "./r.json"),
        ("r.json", "sub/../r.json"),
        ("r.json", "here/r.json"),
        ("file", "hard"),
        ("file", "soft"),
        ("absent", "dangling"),
        ("twice", "absent"),
    ] {
        let message = check(root, registration, output).unwrap_or_default();
        assert!(message.contains("must name distinct files"), "{registration} {output}: {message}");
    }
    assert_eq!(check(root, "dangling", "file"), None);
}

#[test]
fn an_output_over_the_samples_is_refused() {
    let folder = folder();
    fs::write(folder.path().join("samples.jsonl"), "{}").expect("a file");
    let message = check(folder.path(), "r.json", "samples.jsonl").unwrap_or_default();
    assert!(message.contains("--samples") && message.contains("distinct files"), "{message}");
}

#[test]
fn a_digest_file_over_the_samples_is_refused() {
    let folder = folder();
    let samples = folder.path().join("samples.jsonl");
    fs::write(&samples, "{}").expect("a file");
    let samples = samples.display();
    let line = format!("verify --samples {samples} --corpus c --write-digests {samples}");
    match planned(words(&line)) {
        Ok(Plan::Verify(plan)) => assert!(plan.check_destinations().is_err()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_output_that_cannot_be_a_file_is_refused_and_named() {
    let folder = folder();
    fs::create_dir(folder.path().join("sub")).expect("a folder");
    for (output, reason) in [
        ("no/such/dir.json", "no/such: No such file"),
        ("sub", "is a folder; name a file"),
        ("sub/..", "is a folder; name a file"),
    ] {
        let message = check(folder.path(), "r.json", output).unwrap_or_default();
        assert!(message.starts_with("--output ") && message.contains(reason), "{message}");
    }
}

#[test]
fn a_ring_of_links_is_refused() {
    let folder = folder();
    symlink("b", folder.path().join("a")).expect("a link");
    symlink("a", folder.path().join("b")).expect("a link");
    let message = check(folder.path(), "r.json", "a").unwrap_or_default();
    assert!(message.contains("more than 40 symbolic links"), "{message}");
}

#[test]
fn forty_links_are_followed() {
    let folder = folder();
    for n in 0..41 {
        symlink(format!("l{}", n + 1), folder.path().join(format!("l{n}"))).expect("a link");
    }
    let over = |path: &str| {
        let path = folder.path().join(path);
        destination::check(&[("--output", Some(&path))], &[]).is_err()
    };
    assert!(!over("l1"));
    assert!(over("l0"));
}

#[test]
fn a_bare_name_lies_in_the_current_folder() {
    let check =
        |a, b| destination::check(&[("--a", Some(Path::new(a))), ("--b", Some(Path::new(b)))], &[]);
    assert!(check("new.json", "./new.json").is_err());
    assert!(check("new.json", "other.json").is_ok());
}
