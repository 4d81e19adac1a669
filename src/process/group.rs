//! A child in a process group of its own, with a time bound.
//!
//! Invariants: when a [`Group`] is dropped, its leader is reaped and every member of its group has been killed. While
//! it is busy (as it is from the start), it is killed once the bound has passed, which ends every read of its pipes.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use nix::unistd::Pid;

use super::fork;
use super::living::{self, Kind};

/// A running child and whatever it started.
#[derive(Debug)]
pub(super) struct Group {
    child: Child,
    watch: Arc<Watch>,
    watcher: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Watch {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    busy_since: Option<Instant>,
    ended: bool,
    expired: bool,
}

/// How often an idle child is looked at: how much later than its bound it may be killed.
const IDLE_LOOK: Duration = Duration::from_secs(1);

impl Watch {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Kills the group when it has been busy for `bound`, unless it ends before.
    fn keep(&self, group: Pid, bound: Duration) {
        let mut state = self.lock();
        while !state.ended {
            let left = match state.busy_since {
                Some(start) => bound.saturating_sub(start.elapsed()),
                None => IDLE_LOOK,
            };
            if left.is_zero() {
                state.expired = true;
                // Under this lock too: the leader is not reaped before it says that it has ended.
                living::kill_group(group);
                return;
            }
            state =
                self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Group {
    /// Starts `command` as the leader of a new group.
    pub fn spawn(command: &mut Command, bound: Duration) -> io::Result<Group> {
        let command = fork::dies_with_us(command.process_group(0));
        let child = living::start(Kind::Group, || command.spawn())?;
        let state = State { busy_since: Some(Instant::now()), ended: false, expired: false };
        let watch = Arc::new(Watch { state: Mutex::new(state), changed: Condvar::new() });
        let mut group = Group { child, watch, watcher: None };
        let (watch, leader) = (Arc::clone(&group.watch), group.leader());
        let watcher = std::thread::Builder::new().spawn(move || watch.keep(leader, bound));
        // The child is ended here if there is no thread to watch it.
        group.watcher = Some(watcher?);
        Ok(group)
    }

    /// The child, for its pipes.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Says whether the child has something to do; its bound starts anew.
    pub fn set_busy(&self, busy: bool) {
        self.watch.lock().busy_since = busy.then(Instant::now);
    }

    /// Whether it was killed because the bound had passed.
    pub fn expired(&self) -> bool {
        self.watch.lock().expired
    }

    /// Kills the group now.
    pub fn kill(&self) {
        living::kill_group(self.leader());
    }

    /// Waits for the leader, kills what it left behind, and reaps it. `None` if the bound ended it.
    pub fn wait(mut self) -> io::Result<Option<ExitStatus>> {
        // Not reaping yet keeps the id of the group from being given to others before the group is killed.
        living::await_end(&self.child);
        let status = self.end()?;
        Ok((!self.expired()).then_some(status))
    }

    fn end(&mut self) -> io::Result<ExitStatus> {
        self.kill();
        self.watch.lock().ended = true;
        self.watch.changed.notify_all();
        if let Some(watcher) = self.watcher.take() {
            let _ = watcher.join();
        }
        living::await_end(&self.child);
        living::reap(&mut self.child)
    }

    fn leader(&self) -> Pid {
        living::pid(&self.child)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.watch.lock().ended {
            let _ = self.end();
        }
    }
}
