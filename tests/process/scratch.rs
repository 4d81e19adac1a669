//! Scratch folders of live and dead runs.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use retrieval_bench::process::Scratch;
use retrieval_bench::process::remove_tree;

/// A folder as a killed run leaves it.
fn abandoned(folder: &Path) -> PathBuf {
    let path = folder.join(".retrieval-bench-scratch-abcdefABCDEF");
    fs::create_dir_all(path.join("copy/locked")).expect("made");
    fs::write(path.join("copy/locked/file"), "x").expect("written");
    path
}

#[test]
fn a_scratch_folder_is_private_and_gone_with_its_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let scratch = Scratch::in_folder(folder.path()).expect("made");
    let path = scratch.path().to_owned();
    assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o700);
    fs::write(path.join("file"), "x").expect("written");
    drop(scratch);
    assert!(!path.exists());
}

#[test]
fn the_next_start_removes_what_a_dead_run_has_left_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let dead = abandoned(folder.path());
    fs::set_permissions(dead.join("copy/locked"), fs::Permissions::from_mode(0o000))
        .expect("locked");
    let live = Scratch::in_folder(folder.path()).expect("made");
    assert!(!dead.exists());
    let kept = [
        "retrieval-bench-demo",
        ".retrieval-bench-scratch-short",
        ".retrieval-bench-scratch-abcdefABCDEF0",
    ];
    for name in kept {
        fs::create_dir(folder.path().join(name)).expect("made");
    }
    let next = Scratch::in_folder(folder.path()).expect("made");
    assert!(live.path().exists() && next.path().exists());
    assert!(kept.iter().all(|name| folder.path().join(name).exists()));
}

#[test]
fn a_link_with_the_name_of_a_scratch_folder_is_not_followed() {
    let (folder, elsewhere) =
        (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("another"));
    fs::write(elsewhere.path().join("kept"), "x").expect("written");
    symlink(elsewhere.path(), folder.path().join(".retrieval-bench-scratch-abcdefABCDEF"))
        .expect("linked");
    let dead = folder.path().join(".retrieval-bench-scratch-ABCDEFabcdef");
    fs::create_dir(&dead).expect("made");
    symlink(elsewhere.path(), dead.join("link")).expect("linked");
    let _live = Scratch::in_folder(folder.path()).expect("made");
    assert!(!dead.exists());
    assert_eq!(fs::read_to_string(elsewhere.path().join("kept")).expect("there"), "x");
}

#[test]
fn folders_that_a_child_has_locked_are_removed_and_nothing_there_is_no_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = abandoned(folder.path());
    for locked in ["copy/locked", "copy", "."] {
        fs::set_permissions(path.join(locked), fs::Permissions::from_mode(0o000)).expect("locked");
    }
    remove_tree(&path).expect("removed");
    assert!(!path.exists());
    remove_tree(&path).expect("nothing to remove");
}

#[test]
fn a_link_that_takes_a_folder_s_place_while_it_is_removed_is_not_followed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (root, victim) = (folder.path().join("root"), folder.path().join("victim"));
    fs::create_dir(&victim).expect("made");
    fs::write(victim.join("kept"), "x").expect("written");
    for outer in 0..40 {
        for inner in 0..40 {
            fs::create_dir_all(root.join(format!("{outer}/{inner}"))).expect("made");
            fs::write(root.join(format!("{outer}/{inner}/file")), "x").expect("written");
        }
    }
    // Something that is still alive puts links where folders wait to be emptied.
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                for entry in fs::read_dir(&root).into_iter().flatten().flatten() {
                    let _ = fs::rename(entry.path(), folder.path().join("aside"));
                    let _ = symlink(&victim, entry.path());
                    let _ = fs::remove_dir_all(folder.path().join("aside"));
                }
            }
        });
        let _ = remove_tree(&root);
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    assert_eq!(fs::read_to_string(victim.join("kept")).expect("there"), "x");
}

#[test]
fn what_is_mounted_in_a_folder_is_not_emptied() {
    let folder = tempfile::tempdir().expect("a folder");
    let (victim, root) = (folder.path().join("victim"), folder.path().join("root"));
    for path in [&victim, &root.join("m"), &root.join("deep/er")] {
        fs::create_dir_all(path).expect("made");
    }
    fs::write(victim.join("kept"), "x").expect("written");
    // The start of a run removes the folder of a dead one, in a namespace in which something is mounted there.
    let dead = folder.path().join(".retrieval-bench-scratch-abcdefABCDEF");
    fs::rename(&root, &dead).expect("renamed");
    let script = "mount --bind \"$1/victim\" \"$2/m\" && mount --bind \"$1/victim\" \"$2/deep/er\" || exit 77\n\
                  TMPDIR=$1 \"$3\" --samples \"$1/none\" --corpus \"$1\" --arms corvint --corvint /bin/true";
    let output = std::process::Command::new("unshare")
        .args(["--mount", "sh", "-c", script, "sh"])
        .args([folder.path(), &dead, Path::new(env!("CARGO_BIN_EXE_retrieval-bench"))])
        .output();
    match output {
        Ok(output) if output.status.code() == Some(2) => {}
        other => return eprintln!("skipped: nothing can be mounted here: {other:?}"),
    }
    assert_eq!(fs::read_to_string(victim.join("kept")).expect("there"), "x");
}
