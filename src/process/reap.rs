//! Ending processes that are children of this one, however they became so.
//!
//! A subreaper inherits what its descendants leave behind: what a leader started in the background, forked twice, or
//! moved into a session of its own. Only own children are ever signalled, and a child's id is its own until it is reaped, so
//! no signal can reach a stranger.

use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, getpid};

/// How long to wait between two looks at children that were killed and are not dead yet.
const LOOK: Duration = Duration::from_micros(200);

/// Kills and reaps every child of this process, and theirs, until there is none but those in `beyond`. Answers whether that
/// was done within `patience`, and adds what is left to `beyond`: a process in uninterruptible sleep, or of another user, is
/// beyond a kill, and so is a chain of processes that fork faster than they can be found.
pub(super) fn end_everything(patience: Duration, beyond: &mut BTreeSet<Pid>) -> bool {
    let until = Instant::now() + patience;
    loop {
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Err(Errno::ECHILD) => return true,
            Ok(WaitStatus::StillAlive) => {
                let left: Vec<Pid> =
                    children().into_iter().filter(|child| !beyond.contains(child)).collect();
                for &child in &left {
                    let _ = kill(child, Signal::SIGKILL);
                }
                if left.is_empty() {
                    return true;
                }
                if Instant::now() >= until {
                    beyond.extend(left);
                    return false;
                }
                std::thread::sleep(LOOK);
            }
            Ok(_) | Err(_) if Instant::now() >= until => {
                beyond.extend(children());
                return false;
            }
            Ok(_) | Err(_) => {}
        }
    }
}

/// The children of this process, those of every thread. Some may be missing while others end: ask again.
pub(super) fn children() -> Vec<Pid> {
    let mut found = Vec::new();
    let Ok(threads) = fs::read_dir("/proc/self/task") else { return by_parent() };
    for thread in threads.flatten() {
        match fs::read_to_string(thread.path().join("children")) {
            Ok(list) => found.extend(list.split_ascii_whitespace().filter_map(number)),
            // A thread that ended meanwhile, or a kernel without these lists.
            Err(_) if thread.path().exists() => return by_parent(),
            Err(_) => {}
        }
    }
    found
}

/// The processes that say we are their parent.
fn by_parent() -> Vec<Pid> {
    let us = getpid();
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let processes = entries.flatten().filter_map(|entry| number(entry.file_name().to_str()?));
    processes.filter(|&process| parent(process) == Some(us)).collect()
}

fn parent(of: Pid) -> Option<Pid> {
    let stat = fs::read(format!("/proc/{of}/stat")).ok()?;
    // The name stands in parentheses and may hold anything.
    let behind_name = stat.iter().rposition(|&byte| byte == b')')? + 1;
    let fields = std::str::from_utf8(stat.get(behind_name..)?).ok()?;
    number(fields.split_ascii_whitespace().nth(1)?)
}

fn number(text: &str) -> Option<Pid> {
    text.parse().ok().map(Pid::from_raw)
}
