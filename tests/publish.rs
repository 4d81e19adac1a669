//! Files that are written once.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use retrieval_bench::publish::{
    MAX_LINKS, PublishError, distinct, ensure_vacant, publish, resolve,
};

type Writer = fn(&Path, &[u8]) -> Result<(), PublishError>;

const WRITERS: [(&str, Writer); 1] = [("publish", publish)];

fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().expect("the temporary folder is writable")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the scratch folder is there");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("it is readable").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_new_file_holds_exactly_the_bytes_and_nothing_lies_beside_it() {
    for (name, write) in WRITERS {
        let folder = scratch();
        let path = folder.path().join("report.json");
        write(&path, b"{}\n").expect(name);
        assert_eq!(fs::read(&path).expect(name), b"{}\n", "{name}");
        assert_eq!(names(folder.path()), ["report.json"], "{name}");
        let mode = fs::metadata(&path).expect(name).permissions().mode();
        assert_eq!(mode & 0o777 & !0o644, 0, "{name}: at most 0644");
        assert_eq!(mode & 0o600, 0o600, "{name}");
    }
}

#[test]
fn nothing_existing_is_ever_overwritten() {
    for (name, write) in WRITERS {
        let folder = scratch();
        let file = folder.path().join("file");
        fs::write(&file, "kept").expect(name);
        let inode = fs::metadata(&file).expect(name).ino();
        let link = folder.path().join("link");
        symlink("nowhere", &link).expect(name);
        let inner = folder.path().join("folder");
        fs::create_dir(&inner).expect(name);
        for path in [&file, &link, &inner] {
            let error = write(path, b"new").expect_err(name);
            assert!(matches!(&error, PublishError::Exists(at) if at == path), "{name}: {error:?}");
            assert!(matches!(ensure_vacant(path), Err(PublishError::Exists(_))), "{name}");
        }
        assert_eq!(fs::read_to_string(&file).expect(name), "kept", "{name}");
        assert_eq!(fs::metadata(&file).expect(name).ino(), inode, "{name}");
        assert_eq!(names(folder.path()), ["file", "folder", "link"], "{name}: no leftovers");
    }
}

#[test]
fn a_path_that_could_not_be_written_is_refused_before_the_work() {
    let folder = scratch();
    let absent = folder.path().join("no/such/report.json");
    let file = folder.path().join("file");
    fs::write(&file, "").expect("writable");
    for path in [absent, file.join("report.json"), PathBuf::from("/"), PathBuf::new()] {
        assert!(ensure_vacant(&path).is_err(), "{}", path.display());
        assert!(distinct(&[("--output", &path)]).is_err(), "{}", path.display());
        for (name, write) in WRITERS {
            write(&path, b"x").expect_err(name);
        }
    }
    ensure_vacant(&folder.path().join("new.json")).expect("nothing is there");
    assert_eq!(names(folder.path()), ["file"]);
}

#[test]
fn two_outputs_that_reach_one_file_are_refused_whatever_they_are_called() {
    let folder = scratch();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("file"), "").expect("writable");
    fs::hard_link(at("file"), at("twin")).expect("links work");
    fs::create_dir(at("inner")).expect("writable");
    symlink("inner", at("door")).expect("links work");
    symlink("new", at("dangling")).expect("links work");
    symlink("dangling", at("second")).expect("links work");
    for (first, second) in [
        ("new", "new"),
        ("file", "twin"),
        ("inner/x", "door/x"),
        ("inner/../new", "new"),
        ("dangling", "new"),
        ("second", "dangling"),
    ] {
        let error = distinct(&[("--registration", &at(first)), ("--output", &at(second))])
            .expect_err(first);
        assert_eq!(error.to_string(), "--registration and --output must name distinct files");
    }
    distinct(&[("--registration", &at("new")), ("--output", &at("other")), ("-", &at("file"))])
        .expect("three files");
}

#[test]
fn a_chain_of_links_is_followed_as_far_as_the_kernel_would() {
    let folder = scratch();
    let at = |index: usize| folder.path().join(index.to_string());
    for index in 0..MAX_LINKS + 1 {
        symlink((index + 1).to_string(), at(index)).expect("links work");
    }
    let end = folder.path().canonicalize().expect("it is there").join((MAX_LINKS + 1).to_string());
    assert_eq!(resolve(&at(1)).expect("40 links"), end);
    assert!(matches!(resolve(&at(0)), Err(PublishError::TooManyLinks(_))), "41 links");
    symlink("loop", folder.path().join("loop")).expect("links work");
    assert!(matches!(resolve(&folder.path().join("loop")), Err(PublishError::TooManyLinks(_))));
}
