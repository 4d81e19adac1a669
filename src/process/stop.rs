//! Stopping at a signal: INT, TERM, HUP or QUIT.
//!
//! The signals are blocked in every thread and awaited by one of their own, so no code runs in a signal handler. At the first
//! one nothing new is started, children are ended, scratch folders go, and the program exits; what was registered and
//! measured stays on the disk. What the other threads make of it is without effect: before they write down what they saw they
//! pass [`checkpoint`], which does not return once the program is being stopped.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::prctl;
use nix::sys::signal::{SigSet, Signal};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;

use super::living::{self, Kind};
use super::{reap, scratch};

/// What stops a run.
const SIGNALS: [Signal; 4] = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT];

/// How long each part of stopping may take; together they are less than a second.
const PATIENCE: Duration = Duration::from_millis(350);
const LEFTOVERS: Duration = Duration::from_millis(200);
const REMOVAL: Duration = Duration::from_millis(250);
const WORDS: Duration = Duration::from_millis(100);

static STOPPING: AtomicBool = AtomicBool::new(false);
static LAST_WORDS: Mutex<String> = Mutex::new(String::new());

/// From now on a signal stops the program with the exit code that `code` gives for its number, and what a dying guard
/// leaves behind is inherited by this process. To be called while it has one thread, since later ones inherit what it
/// blocks. HUP stays ignored where it is ignored when the program starts, as `nohup` does.
pub fn at_signals(code: fn(u8) -> u8) -> io::Result<()> {
    prctl::set_child_subreaper(true)?;
    let mut signals = SigSet::empty();
    SIGNALS
        .iter()
        .filter(|&&signal| signal != Signal::SIGHUP || !hangup_is_ignored())
        .for_each(|&s| signals.add(s));
    signals.thread_block()?;
    thread::Builder::new().name("signals".into()).spawn(move || {
        loop {
            if let Ok(signal) = signals.wait() {
                stop(signal, code);
            }
        }
    })?;
    Ok(())
}

/// What is said beside the signal's name when the program is stopped: what is left, and how to go on.
pub fn last_words(text: impl Into<String>) {
    *LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner) = text.into();
}

/// To be passed before each effect that a stopped program must not have: never returns once it is being stopped.
pub fn checkpoint() {
    while STOPPING.load(Ordering::SeqCst) {
        thread::park();
    }
}

fn stop(signal: Signal, code: fn(u8) -> u8) -> ! {
    STOPPING.store(true, Ordering::SeqCst);
    let until = Instant::now() + PATIENCE;
    // Kept to the end: nothing is started or reaped any more.
    let living = living::lock();
    living.iter().for_each(|(&child, &kind)| living::end(child, kind));
    let guards = living
        .iter()
        .filter(|(_, kind)| **kind == Kind::Guard)
        .map(|(&guard, _)| Pid::from_raw(guard));
    for guard in guards {
        while is_running(guard) && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
        }
    }
    // What is left belongs to a guard that could not do its work, and comes to us when that is killed.
    reap::end_everything(LEFTOVERS, &mut BTreeSet::new());
    within(REMOVAL, scratch::remove_all);
    within(WORDS, move || {
        let words = LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(io::stderr(), "retrieval-bench: stopped by {signal}{words}");
    });
    std::process::exit(i32::from(code(u8::try_from(signal as i32).unwrap_or(u8::MAX))))
}

/// Does `work`, or as much of it as there is time for: what is left of a folder the next start removes, and a terminal that
/// takes no more words gets none.
fn within(time: Duration, work: impl FnOnce() + Send + 'static) {
    let (done, waiting) = mpsc::channel();
    let begun = thread::Builder::new().spawn(move || {
        work();
        let _ = done.send(());
    });
    if begun.is_ok() {
        let _ = waiting.recv_timeout(time);
    }
}

fn is_running(child: Pid) -> bool {
    let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
    waitid(Id::Pid(child), flags) == Ok(WaitStatus::StillAlive)
}

fn hangup_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (Signal::SIGHUP as i32 - 1) & 1 == 1
}
