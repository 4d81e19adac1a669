//! Where a capture may not go, on real folders and links.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use retrieval_bench::corvint::capture::{
    Capture, CaptureError, CapturePlan, Destination, Surroundings,
};
use serde_json::json;

use super::{capture, scratch};

fn refusal(path: &Path, around: &Surroundings) -> String {
    let error = Destination::check(path, around).expect_err(&path.display().to_string());
    assert!(matches!(error, CaptureError::Refused(_)), "{error:?}");
    let error = error.to_string();
    assert!(error.starts_with("--context-packets "), "{error}");
    error
}

fn create(
    path: &Path,
    check: &Surroundings,
    create: &Surroundings,
) -> Result<Capture, CaptureError> {
    let plan = CapturePlan::new(&[], false).expect("no samples");
    let header = plan.header(&json!({})).expect("short");
    Capture::create(Destination::check(path, check)?, &plan, &header, create)
}

fn nothing() -> Surroundings<'static> {
    Surroundings::default()
}

#[test]
fn a_new_file_in_a_real_folder_is_taken_however_it_is_spelt() {
    let (_held, folder) = scratch();
    fs::create_dir_all(folder.join("a/b")).expect("folders");
    let expected = folder.join("a/new.jsonl");
    for spelling in ["a/new.jsonl", "a/./new.jsonl", "a//new.jsonl", "a/b/../new.jsonl"] {
        let destination = Destination::check(&folder.join(spelling), &nothing()).expect(spelling);
        assert_eq!(destination.path(), expected);
    }
    assert!(!expected.exists());
    create(&expected, &nothing(), &nothing()).expect("created");
    assert!(expected.exists());
}

#[test]
fn a_relative_path_is_one_below_the_current_folder() {
    // Tests share their current folder, which is the checkout, so nothing is created.
    let destination = Destination::check(Path::new("no-such-capture.jsonl"), &nothing());
    let expected = std::env::current_dir().expect("a folder").join("no-such-capture.jsonl");
    match destination {
        Ok(destination) => assert_eq!(destination.path(), expected),
        // A checkout may lie behind a link.
        Err(error) => assert!(error.to_string().contains("symbolic link"), "{error}"),
    }
}

#[test]
fn whatever_exists_is_refused_and_kept() {
    let (_held, folder) = scratch();
    let path = folder.join("capture.jsonl");
    fs::write(&path, "kept\n").expect("written");
    assert!(refusal(&path, &nothing()).contains("exists already"));
    assert_eq!(fs::read_to_string(&path).expect("a file"), "kept\n");
    assert!(refusal(&folder, &nothing()).contains("exists already"));
    assert!(refusal(Path::new("/"), &nothing()).contains("does not name a file"));
    assert!(
        refusal(&folder.join("x/../../../../../../../../../.."), &nothing())
            .contains("name a file")
    );
    assert!(matches!(Destination::check(Path::new(""), &nothing()), Err(CaptureError::Refused(_))));
}

#[test]
fn a_link_is_refused_in_every_component() {
    let (_held, folder) = scratch();
    fs::create_dir_all(folder.join("real/inner")).expect("folders");
    fs::write(folder.join("file"), "").expect("written");
    symlink("real", folder.join("link")).expect("a link");
    symlink(folder.join("real/inner"), folder.join("real/within")).expect("a link");
    symlink("nowhere", folder.join("dangling")).expect("a link");
    for name in ["link/new", "link/inner/new", "real/within/new", "dangling/new"] {
        let said = refusal(&folder.join(name), &nothing());
        assert!(said.contains("is a symbolic link"), "{name}: {said}");
    }
    for name in ["link", "dangling", "real/within"] {
        assert!(refusal(&folder.join(name), &nothing()).contains("is a symbolic link"), "{name}");
    }
    assert!(!folder.join("nowhere").exists());
}

#[test]
fn a_missing_folder_or_one_that_is_none_is_refused() {
    let (_held, folder) = scratch();
    fs::write(folder.join("file"), "").expect("written");
    let missing = refusal(&folder.join("absent/deeper/new"), &nothing());
    assert!(
        missing.contains(&format!("there is no folder {}", folder.join("absent").display())),
        "{missing}"
    );
    assert!(refusal(&folder.join("file/new"), &nothing()).contains("cannot open"));
    assert!(refusal(&folder.join("n".repeat(300)), &nothing()).contains("cannot be looked at"));
}

#[test]
fn the_files_of_the_run_are_refused_under_every_name() {
    let (_held, folder) = scratch();
    fs::create_dir_all(folder.join("out/inner")).expect("folders");
    symlink("out", folder.join("link")).expect("a link");
    symlink("out/new.jsonl", folder.join("dangling")).expect("a link");
    let path = folder.join("out/new.jsonl");
    for spelling in ["out/new.jsonl", "out/inner/../new.jsonl", "link/new.jsonl", "dangling"] {
        let other = folder.join(spelling);
        let around = Surroundings { files: vec![("--output", &other)], trees: Vec::new() };
        assert!(refusal(&path, &around).contains("is the file of --output"), "{spelling}");
    }
    let (a, b) = (folder.join("out/other.jsonl"), folder.join("absent/new.jsonl"));
    let around =
        Surroundings { files: vec![("--output", &a), ("the journal", &b)], trees: Vec::new() };
    Destination::check(&path, &around).expect("apart");
}

#[test]
fn nothing_is_written_into_the_trees() {
    let (_held, folder) = scratch();
    fs::create_dir_all(folder.join("corpus/deep/er")).expect("folders");
    fs::create_dir_all(folder.join("corpus-2")).expect("folders");
    symlink("corpus", folder.join("link")).expect("a link");
    symlink("corpus/deep", folder.join("deep")).expect("a link");
    let refused = |tree: &str, path: &str| {
        let tree = folder.join(tree);
        let around = Surroundings { files: Vec::new(), trees: vec![("--corpus", &tree)] };
        match Destination::check(&folder.join(path), &around) {
            Ok(_) => false,
            Err(error) => {
                assert!(error.to_string().contains("lies in --corpus"), "{error}");
                true
            }
        }
    };
    for tree in ["corpus", "corpus/", "corpus/deep/..", "link", "link/deep/.."] {
        assert!(refused(tree, "corpus/new"), "{tree}");
        assert!(refused(tree, "corpus/deep/er/new"), "{tree}");
        assert!(!refused(tree, "corpus-2/new"), "{tree}");
        assert!(!refused(tree, "new"), "{tree}");
    }
    // By the folder itself, under another name of it.
    assert!(refused("deep", "corpus/deep/new") && refused("deep", "corpus/deep/er/new"));
    assert!(!refused("deep", "corpus/new"));
    // By name alone, where the tree is not there.
    assert!(!refused("corpus/absent", "corpus/new"));
}

#[test]
fn what_changes_between_the_check_and_the_creation_is_noticed() {
    let (_held, folder) = scratch();
    fs::create_dir_all(folder.join("out")).expect("folders");
    let path = folder.join("out/new.jsonl");
    let plan = CapturePlan::new(&[], false).expect("no samples");
    let header = plan.header(&json!({})).expect("short");
    let checked = || Destination::check(&path, &nothing()).expect("a place");
    let create = |destination, around: &Surroundings| {
        Capture::create(destination, &plan, &header, around)
            .map(drop)
            .map_err(|error| error.to_string())
    };

    let destination = checked();
    fs::write(&path, "kept").expect("written");
    assert!(create(destination, &nothing()).expect_err("it is there").contains("exists already"));
    assert_eq!(fs::read_to_string(&path).expect("a file"), "kept");
    fs::remove_file(&path).expect("removed");

    let destination = checked();
    symlink("elsewhere", &path).expect("a link");
    assert!(create(destination, &nothing()).is_err());
    assert!(!folder.join("out/elsewhere").exists());
    fs::remove_file(&path).expect("removed");

    let destination = checked();
    fs::rename(folder.join("out"), folder.join("moved")).expect("renamed");
    fs::create_dir(folder.join("out")).expect("a folder");
    assert!(create(destination, &nothing()).expect_err("another folder").contains("replaced"));
    let destination = checked();
    fs::remove_dir(folder.join("out")).expect("removed");
    symlink("moved", folder.join("out")).expect("a link");
    assert!(create(destination, &nothing()).expect_err("a link").contains("symbolic link"));
    assert_eq!(fs::read_dir(folder.join("moved")).expect("a folder").count(), 0);

    fs::remove_file(folder.join("out")).expect("removed");
    fs::create_dir(folder.join("out")).expect("a folder");
    let destination = checked();
    let tree = folder.join("out");
    let around = Surroundings { files: Vec::new(), trees: vec![("--clones", &tree)] };
    assert!(create(destination, &around).expect_err("a tree").contains("lies in --clones"));
    create(checked(), &nothing()).expect("nothing changed");
}

#[test]
fn a_file_that_became_the_capture_is_noticed_before_the_report() {
    let (_held, folder) = scratch();
    let capture = capture(&folder, 0);
    let (path, report) = (capture.path().to_owned(), folder.join("report.json"));
    let files = [("--output", report.as_path())];
    capture.verify(&files).expect("apart");
    symlink("capture.jsonl", &report).expect("a link");
    let said = capture.verify(&files).expect_err("a link to it").to_string();
    assert!(said.contains("same file as --output"), "{said}");
    fs::remove_file(&report).expect("removed");
    fs::hard_link(&path, &report).expect("a link");
    assert!(capture.verify(&files).is_err());
    fs::remove_file(&report).expect("removed");
    fs::rename(&path, folder.join("moved")).expect("renamed");
    fs::write(&path, "another").expect("written");
    assert!(capture.verify(&files).expect_err("another").to_string().contains("took its name"));
    assert!(capture.finish().is_err());
    assert_eq!(fs::read_to_string(&path).expect("a file"), "another");
}

#[test]
fn a_capture_that_is_there_already_is_never_written_over() {
    let (_held, folder) = scratch();
    let path = folder.join("capture.jsonl");
    create(&path, &nothing(), &nothing()).expect("new").finish().expect("a footer");
    let before = fs::read(&path).expect("a file");
    create(&path, &nothing(), &nothing()).map(drop).expect_err("it exists");
    assert_eq!(fs::read(&path).expect("a file"), before);
}
