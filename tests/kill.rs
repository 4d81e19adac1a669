//! The kill battery: the program is stopped at random moments, and nothing of it may be left or torn.
//!
//! `KILL_ROUNDS` says how many rounds (`scripts/kill-battery N`); `cargo test` plays a few.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use retrieval_bench::registration::Digest;
use serde_json::{Value, json};

use crate::corvint::bench::{Arms, REPO, fingerprint};
use crate::fixture::assert_same_report;

const SIGNALS: [Signal; 5] =
    [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT, Signal::SIGKILL];

/// How soon a signal must have ended the program. The machine that tests may be busy with other things.
const SOON: Duration = Duration::from_secs(3);

/// How long the loader may need before the program's first instruction, on a busy machine.
const BEFORE_MAIN: Duration = Duration::from_millis(20);

const FEW_ROUNDS: u32 = 25;

/// Two snapshots, one of them a folder, and a tool that leaves processes of every kind behind while it works.
fn arms() -> Arms {
    let arms = Arms::new();
    let other = "b".repeat(40);
    for case in ["one", "two", "three"] {
        arms.sample(case);
    }
    let tree = arms.bench.path("tree");
    fs::create_dir_all(tree.join("sub")).expect("made");
    for (name, text) in
        [("widget.go", "package w\n"), ("sub/x.go", "package x\n"), ("README.md", "r\n")]
    {
        fs::write(tree.join(name), text).expect("written");
    }
    for case in ["four", "five"] {
        let query = json!({"text": format!("case:{case}"), "changed_file": "widget.go"});
        arms.bench.sample(case, REPO, &other, query, json!({"files": ["widget.go"]}));
    }
    for verb in ["query", "context", "impact", "affected"] {
        let packet = match verb {
            "context" => "trace; context_packet READY '{\"id\":\"widget.go\"}'",
            "affected" => "plan_packet BOUNDED '{\"tests\":[\"x_test.go\"]}'",
            _ => "query_packet READY '{\"evidence\":[{\"path\":\"widget.go\"}]}'",
        };
        let script = format!(
            "beat {verb}-a & beat_apart {verb}-b; begun {verb}-a; begun {verb}-b; {packet}"
        );
        arms.script(verb, &script);
    }
    arms
}

fn start(arms: &Arms, more: &[&str]) -> Command {
    let named = format!("{REPO}@{}={}", "b".repeat(40), arms.bench.path("tree").display());
    let mut command = arms.command(&["--output", "report.json", "--snapshot", &named]);
    command.args(more).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

fn await_end(child: &mut Child) -> (ExitStatus, Duration) {
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child") {
            return (status, began.elapsed());
        }
        assert!(began.elapsed() < Duration::from_secs(30), "it does not end");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// What a stopped run has left on the disk holds together.
fn check_files(arms: &Arms, undisturbed: &Value, about: &str) {
    let at = |name: &str| arms.bench.path(name);
    let registration = fs::read(at("report.json.registration.json")).ok();
    if let Some(bytes) = &registration {
        serde_json::from_slice::<Value>(bytes).unwrap_or_else(|why| panic!("{about}: {why}"));
    }
    if let Ok(journal) = fs::read_to_string(at("report.json.journal.jsonl"))
        && let Some((header, _)) = journal.split_once('\n')
    {
        let header: Value = serde_json::from_str(header).expect(about);
        let digest = Digest::of(&registration.clone().expect("a registration before its journal"));
        assert_eq!(header["registration_sha256"], digest.to_string(), "{about}");
    }
    if let Ok(bytes) = fs::read(at("report.json")) {
        let report: Value =
            serde_json::from_slice(&bytes).unwrap_or_else(|why| panic!("{about}: {why}"));
        assert!(registration.is_some(), "{about}");
        assert_same_report(&report, undisturbed, about);
    }
    for entry in fs::read_dir(at("")).expect("a folder").flatten() {
        let name = entry.file_name();
        assert!(!name.to_string_lossy().starts_with(".retrieval-bench"), "{about}: {name:?}");
    }
}

fn clear(arms: &Arms) {
    for name in ["report.json", "report.json.registration.json", "report.json.journal.jsonl"] {
        let _ = fs::remove_file(arms.bench.path(name));
    }
    for entry in fs::read_dir(arms.bench.path("stand-in")).expect("a folder").flatten() {
        if entry.file_name().to_string_lossy().starts_with("beat-") {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Waits until nothing beats any more and nobody holds a scratch folder: the guard of a killed run needs a moment.
fn check_silence(arms: &Arms, about: &str) {
    let began = Instant::now();
    let is_held = |name: &std::ffi::OsString| {
        let folder = fs::File::open(arms.bench.path("tmp").join(name));
        folder.is_ok_and(|folder| folder.try_lock().is_err())
    };
    while !arms.beating().is_empty() || arms.left().iter().any(is_held) {
        assert!(began.elapsed() < Duration::from_secs(5), "{about}: {:?} live on", arms.beating());
    }
}

#[test]
fn a_run_that_is_stopped_at_any_moment_leaves_nothing_alive_and_nothing_torn() {
    let rounds = std::env::var("KILL_ROUNDS").ok().and_then(|rounds| rounds.parse().ok());
    let rounds: u32 = rounds.unwrap_or(FEW_ROUNDS);
    let arms = arms();
    let began = Instant::now();
    let done = start(&arms, &[]).output().expect("runs");
    let whole = began.elapsed();
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    let undisturbed: Value =
        serde_json::from_slice(&fs::read(arms.bench.path("report.json")).expect("a report"))
            .expect("JSON");
    let tree = fingerprint(&arms.bench.path("tree"));
    let mut random = ChaCha8Rng::seed_from_u64(20_260_901);
    let (mut slowest, mut stopped) = (Duration::ZERO, 0);
    for round in 0..rounds {
        clear(&arms);
        let signal = SIGNALS[round as usize % SIGNALS.len()];
        let after = whole.mul_f64(f64::from(random.next_u32()) / f64::from(u32::MAX) * 1.05);
        let about = format!("round {round}, {signal} after {after:?} of {whole:?}");
        let mut child = start(&arms, &[]).spawn().expect("starts");
        std::thread::sleep(after);
        let pid = Pid::from_raw(child.id().cast_signed());
        let _ = kill(pid, signal);
        let (status, took) = await_end(&mut child);
        let ended_before = status.code() == Some(0);
        if !ended_before {
            stopped += 1;
            slowest = slowest.max(took);
            assert!(took < SOON, "{about}: it took {took:?}");
        }
        if signal == Signal::SIGKILL {
            assert!(ended_before || status.signal() == Some(9), "{about}: {status}");
            check_silence(&arms, &about);
            check_files(&arms, &undisturbed, &about);
            // The next start clears up: the journal is taken up where it was left.
            let resumed = resume(&arms, &about);
            assert_same_report(&resumed, &undisturbed, &about);
        } else {
            // Before the program's first instruction the signal does what it does to any process; a shell sees the
            // same 128+N.
            let too_early = after < BEFORE_MAIN && status.signal() == Some(signal as i32);
            let as_told = status.code() == Some(128 + signal as i32);
            assert!(ended_before || as_told || too_early, "{about}: {status}");
            assert_eq!(arms.beating(), Vec::<std::ffi::OsString>::new(), "{about}");
            check_files(&arms, &undisturbed, &about);
            if round % 7 == 0 {
                assert_same_report(&resume(&arms, &about), &undisturbed, &about);
            }
        }
        assert_eq!(arms.left(), Vec::<std::ffi::OsString>::new(), "{about}");
        assert_eq!(fingerprint(&arms.bench.path("tree")), tree, "{about}");
    }
    println!("{rounds} rounds, {stopped} of them stopped a run, the slowest in {slowest:?}");
    assert!(rounds < 10 || stopped * 2 > rounds, "most rounds stop a run: {stopped} of {rounds}");
}

/// The report of the run that is continued, or begun where it had not begun.
fn resume(arms: &Arms, about: &str) -> Value {
    let began = arms.bench.path("report.json.registration.json").exists();
    let output = start(arms, if began { &["--resume"] } else { &[] }).output().expect("runs");
    assert_eq!(
        output.status.code(),
        Some(0),
        "{about}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let report = fs::read(arms.bench.path("report.json")).expect("a report");
    serde_json::from_slice(&report).expect("JSON")
}

#[test]
fn a_signal_says_how_the_run_goes_on() {
    let arms = arms();
    arms.script("query", "beat query; sleep 60");
    let mut child = start(&arms, &[]).spawn().expect("starts");
    let began = Instant::now();
    while !arms.has_beaten("query") {
        assert!(began.elapsed() < Duration::from_secs(20), "the tool is never called");
        std::thread::sleep(Duration::from_millis(5));
    }
    let pid = Pid::from_raw(child.id().cast_signed());
    // Twice, as an impatient person would.
    kill(pid, Signal::SIGTERM).expect("sent");
    let _ = kill(pid, Signal::SIGTERM);
    let (status, _) = await_end(&mut child);
    assert_eq!(status.code(), Some(143));
    let mut said = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().expect("piped"), &mut said)
        .expect("UTF-8");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains("stopped by SIGTERM") && said.contains("--resume"), "{said}");
    assert!(arms.beating().is_empty() && arms.left().is_empty());
    assert!(Path::new(&arms.bench.path("report.json.journal.jsonl")).exists());
}

/// A run whose tool has begun to beat, with that script.
fn under_way(script: &str, stderr: Stdio) -> (Arms, Child) {
    let arms = arms();
    arms.script("query", script);
    let child = start(&arms, &[]).stderr(stderr).spawn().expect("starts");
    let began = Instant::now();
    while !arms.has_beaten("query") {
        assert!(began.elapsed() < Duration::from_secs(20), "the tool is never called");
        std::thread::sleep(Duration::from_millis(5));
    }
    (arms, child)
}

#[test]
fn a_guard_that_cannot_do_its_work_is_stood_in_for() {
    let script = "beat_apart query; beat other & begun query; kill -STOP $PPID; sleep 60";
    let (arms, mut child) = under_way(script, Stdio::null());
    // It has stopped its guard by then.
    std::thread::sleep(Duration::from_millis(100));
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGTERM).expect("sent");
    let (status, took) = await_end(&mut child);
    assert_eq!(status.code(), Some(143));
    assert!(took < SOON, "{took:?}");
    assert!(arms.beating().is_empty() && arms.left().is_empty(), "{:?}", arms.beating());
}

#[test]
fn a_terminal_that_takes_no_more_words_does_not_keep_the_program() {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    let mut full = writer.try_clone().expect("a pipe");
    nix::fcntl::fcntl(&full, nix::fcntl::FcntlArg::F_SETFL(nix::fcntl::OFlag::O_NONBLOCK))
        .expect("set");
    while std::io::Write::write(&mut full, &[b'x'; 4096]).is_ok() {}
    nix::fcntl::fcntl(&full, nix::fcntl::FcntlArg::F_SETFL(nix::fcntl::OFlag::empty()))
        .expect("set");
    let (arms, mut child) = under_way("beat query; sleep 60", Stdio::from(writer));
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGTERM).expect("sent");
    let (status, took) = await_end(&mut child);
    drop(reader);
    assert_eq!(status.code(), Some(143));
    assert!(took < SOON && arms.beating().is_empty() && arms.left().is_empty(), "{took:?}");
}
