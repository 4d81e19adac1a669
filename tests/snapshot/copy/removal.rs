//! Nothing of a copy is left, whatever was done in it, and nothing else is touched.

use std::ffi::CString;
use std::fs;
use std::os::fd::AsFd;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use nix::fcntl::{OFlag, openat};
use nix::sys::stat::{Mode, SFlag, mkdirat, mknod};

use super::{Made, as_nobody, copy_of, state};

const FILES: [(&str, &str); 3] = [("a", "one\n"), ("sub/b", "two\n"), ("sub/deep/c", "three\n")];

fn lock(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn nothing_is_left_and_nothing_else_is_touched() {
    if as_nobody("snapshot::copy::removal::nothing_is_left_and_nothing_else_is_touched") {
        return;
    }
    type Change = fn(&Made);
    let changes: [Change; 10] = [
        |_| {},
        |made| lock(&made.at("sub/deep"), 0),
        |made| {
            lock(&made.at("sub/deep/c"), 0);
            lock(&made.at("sub/deep"), 0o555);
            lock(&made.at("sub"), 0);
            lock(&made.at(".git/objects"), 0o111);
        },
        |made| lock(made.copy.path(), 0),
        |made| {
            fs::create_dir_all(made.at("empty/locked")).unwrap();
            lock(&made.at("empty/locked"), 0);
        },
        |made| {
            symlink(made.outside("victim"), made.at("link")).unwrap();
            symlink(made.outside("victim"), made.at("sub/deep/link")).unwrap();
            symlink("..", made.at("sub/deep/up")).unwrap();
            fs::hard_link(made.outside("victim/file"), made.at("hard")).unwrap();
        },
        |made| {
            fs::remove_dir_all(made.at("sub")).unwrap();
            symlink(made.outside("victim"), made.at("sub")).unwrap();
        },
        |made| {
            // Names that removal itself gives.
            fs::create_dir_all(made.at(".removing-1/x/y")).unwrap();
            fs::create_dir_all(made.at(".removing-2/.removing-3/z")).unwrap();
            fs::write(made.at(".removing-4"), "").unwrap();
        },
        |made| {
            let mode = Mode::from_bits_truncate(0);
            nix::unistd::mkfifo(&made.at("sub/pipe"), mode).unwrap();
            std::os::unix::net::UnixListener::bind(made.at("s")).unwrap();
            let _ = mknod(&made.at("device"), SFlag::S_IFCHR, mode, nix::sys::stat::makedev(1, 3));
        },
        |made| {
            use std::os::unix::ffi::OsStrExt;
            let name = std::ffi::OsStr::from_bytes(b"\xff\n");
            fs::create_dir(made.at("sub").join(name)).unwrap();
            fs::write(made.at("sub").join(name).join(name), "x").unwrap();
        },
    ];
    for (at, change) in changes.into_iter().enumerate() {
        for is_dropped in [false, true] {
            let made = copy_of(&FILES);
            let victim = made.outside("victim");
            fs::create_dir(&victim).unwrap();
            fs::write(victim.join("file"), "kept").unwrap();
            fs::create_dir(victim.join("folder")).unwrap();
            lock(&victim, 0o750);
            let before = state(&victim);
            change(&made);
            let Made { copy, scratch } = made;
            if is_dropped {
                drop(copy)
            } else {
                copy.remove().unwrap()
            }
            let left: Vec<_> = fs::read_dir(scratch.path()).unwrap().collect();
            assert_eq!(left.len(), 1, "case {at}: {left:?}");
            let mut after = state(&victim);
            // A second name that came and went is a date on the file.
            let file = victim.join("file");
            after.get_mut(&file).unwrap().4 = before[&file].4;
            assert!(before == after, "case {at}");
        }
    }
}

#[test]
fn a_copy_that_is_gone_is_removed_and_one_that_was_replaced_is_not_followed() {
    let made = copy_of(&FILES);
    fs::remove_dir_all(made.copy.path()).unwrap();
    made.copy.remove().unwrap();

    let made = copy_of(&FILES);
    fs::rename(made.copy.path(), made.outside("moved")).unwrap();
    symlink(made.outside("moved"), made.copy.path()).unwrap();
    let Made { copy, scratch } = made;
    copy.remove().unwrap();
    assert!(scratch.path().join("copy").symlink_metadata().is_err());
    assert!(scratch.path().join("moved/sub/deep/c").exists());
}

#[test]
fn no_depth_stops_it() {
    let made = copy_of(&FILES);
    let name = CString::new("d".repeat(200)).unwrap();
    let mut folder = std::os::fd::OwnedFd::from(fs::File::open(made.at("sub")).unwrap());
    for _ in 0..1_500 {
        mkdirat(folder.as_fd(), name.as_c_str(), Mode::S_IRWXU).unwrap();
        let flags = OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW;
        folder = openat(folder.as_fd(), name.as_c_str(), flags, Mode::empty()).unwrap();
    }
    drop(folder);
    let Made { copy, scratch } = made;
    copy.remove().unwrap();
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
}

#[test]
fn what_cannot_be_removed_is_said_and_the_rest_is_gone() {
    let made = copy_of(&FILES);
    let (path, scratch) = (made.copy.path().to_owned(), &made.scratch);
    let flag = |flag: &str, path: &Path| {
        let status = std::process::Command::new("chattr").arg(flag).arg(path).output();
        status.is_ok_and(|output| output.status.success())
    };
    if !flag("+i", &path.join("sub/b")) {
        eprintln!("skipped: no file can be made immutable here");
        return;
    }
    let said = made.copy.remove().unwrap_err();
    // Its folder has another name by now.
    let left: Vec<_> = fs::read_dir(&path).unwrap().flatten().map(|entry| entry.path()).collect();
    assert_eq!(left.len(), 1, "{left:?}");
    assert!(flag("-i", &left[0].join("b")));
    assert_eq!(fs::read_dir(&left[0]).unwrap().count(), 1);
    let shown = path.display();
    assert!(
        said.starts_with(&format!("the private copy {shown} cannot be removed wholly: ")),
        "{said}"
    );
    assert!(scratch.path().exists());
}
