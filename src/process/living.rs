//! The children of this process that are not reaped yet, so that whoever stops the program can end them.
//!
//! Invariants: a child is listed from before its first instruction until it is reaped, both under one lock; whoever holds
//! the lock knows every listed id to be a child's and no stranger's. Once the program is being stopped the lock is never
//! given back, so nothing is started any more.

use std::collections::BTreeMap;
use std::io;
use std::process::{Child, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill, killpg};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid, waitpid};
use nix::unistd::Pid;

use super::reap;

/// How a child is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It leads a process group, which is killed.
    Group,
    /// It is a guard, which is told to end what it guards.
    Guard,
}

static LIVING: Mutex<BTreeMap<i32, Kind>> = Mutex::new(BTreeMap::new());

/// The list, locked.
pub(super) type Living = MutexGuard<'static, BTreeMap<i32, Kind>>;

/// Locks the list.
pub(super) fn lock() -> Living {
    LIVING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a child and lists it.
pub(super) fn start(kind: Kind, spawn: impl FnOnce() -> io::Result<Child>) -> io::Result<Child> {
    let mut living = lock();
    let child = spawn()?;
    living.insert(child.id().cast_signed(), kind);
    Ok(child)
}

/// Waits for the child's end and leaves it unreaped, so that its id stays its own.
pub(super) fn await_end(child: &Child) {
    let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT;
    while waitid(Id::Pid(pid(child)), flags) == Err(nix::errno::Errno::EINTR) {}
}

/// Waits for the child's end, but no longer than so.
pub(super) fn await_end_within(child: &Child, patience: Duration) {
    let until = Instant::now() + patience;
    let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
    let running = || waitid(Id::Pid(pid(child)), flags) == Ok(WaitStatus::StillAlive);
    while running() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Reaps a child that has ended and takes it off the list.
pub(super) fn reap(child: &mut Child) -> io::Result<ExitStatus> {
    let mut living = lock();
    let status = child.wait();
    living.remove(&child.id().cast_signed());
    status
}

/// How long what a guard has left to us may take to die.
const ADOPTED: Duration = Duration::from_secs(2);

/// Kills and reaps what a guard that died has left to us; whether all of it. Ours are not touched. The list is free in
/// between, so that whoever stops the program need not wait.
pub(super) fn end_adopted() -> bool {
    let until = Instant::now() + ADOPTED;
    loop {
        let living = lock();
        let adopted: Vec<Pid> = reap::children()
            .into_iter()
            .filter(|child| !living.contains_key(&child.as_raw()))
            .collect();
        for &child in &adopted {
            let _ = kill(child, Signal::SIGKILL);
            let _ = waitpid(child, Some(WaitPidFlag::WNOHANG));
        }
        drop(living);
        if adopted.is_empty() || Instant::now() >= until {
            return adopted.is_empty();
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Ends a listed child; for whoever holds the lock.
pub(super) fn end(child: i32, kind: Kind) {
    let child = Pid::from_raw(child);
    let _ = match kind {
        Kind::Group => killpg(child, Signal::SIGKILL),
        Kind::Guard => kill(child, Signal::SIGTERM),
    };
}

/// Kills the group of a listed child, unless it is being ended by whoever stops the program.
pub(super) fn kill_group(leader: Pid) {
    // Under the lock, without which nobody is reaped.
    let _living = lock();
    let _ = killpg(leader, Signal::SIGKILL);
}

/// The child's id.
pub(super) fn pid(child: &Child) -> Pid {
    Pid::from_raw(child.id().cast_signed())
}
