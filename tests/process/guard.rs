//! Calls through a guard. Whether a process lives is read from a file that it keeps writing, never from a list of names.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use retrieval_bench::process::{Call, Ended, Finished, Guard, Scratch};
use tempfile::TempDir;

/// A guard of a shell.
struct Shell {
    guard: Guard,
    scratch: Scratch,
    folder: TempDir,
}

impl Shell {
    fn new() -> Shell {
        Shell::of(&shell())
    }

    fn of(executable: &Path) -> Shell {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let scratch = Scratch::in_folder(folder.path()).expect("a scratch folder");
        let guard = start(executable, &scratch).expect("a guard");
        Shell { guard, scratch, folder }
    }

    fn run(&mut self, script: &str) -> Finished {
        self.call(Call { arguments: ["-c", script].map(OsString::from).to_vec(), ..ordinary() })
    }

    fn call(&mut self, mut call: Call) -> Finished {
        call.variables.push(("FOLDER".into(), self.folder.path().into()));
        self.guard.call(&call, &self.scratch)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Whether something still writes the heartbeat.
    fn beats(&self) -> bool {
        let length = || fs::metadata(self.file("beat")).map_or(0, |found| found.len());
        assert!(length() > 0, "it never began to beat");
        let before = length();
        std::thread::sleep(Duration::from_millis(150));
        length() != before
    }
}

fn start(executable: &Path, scratch: &Scratch) -> Result<Guard, String> {
    let program = Path::new(env!("CARGO_BIN_EXE_retrieval-bench"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let environment = vec![("PATH".into(), path)];
    Guard::start(program, executable, environment, scratch).map_err(|why| why.to_string())
}

/// The shell itself, not a name that leads to it.
fn shell() -> PathBuf {
    fs::canonicalize("/bin/sh").expect("a shell")
}

fn ordinary() -> Call {
    Call {
        arguments: Vec::new(),
        variables: Vec::new(),
        timeout: Duration::from_secs(20),
        stdout_limit: 1 << 20,
        stderr_limit: 1 << 10,
    }
}

/// Beats until it is killed, and has begun to when the line after it runs.
const BEAT: &str = "beat() { while :; do echo x >> \"$FOLDER/beat\"; sleep 0.02; done; }\n\
                    begun() { while [ ! -s \"$FOLDER/beat\" ]; do sleep 0.01; done; }\n";

#[test]
fn a_call_is_told_exactly_what_it_was_sent_and_hands_back_exactly_what_it_wrote() {
    let mut shell = Shell::new();
    let finished = shell.call(Call {
        arguments: [
            "-c",
            "printf '%s|' \"$@\" \"$GIVEN\"; printf '\\377\\0' >&2; exit 7",
            "sh",
            "a b",
            "",
            "ü\n",
        ]
        .map(OsString::from)
        .to_vec(),
        variables: vec![("GIVEN".into(), "here".into())],
        ..ordinary()
    });
    assert_eq!(finished.ended, Ended::Exited(7));
    assert_eq!(finished.stdout, "a b||ü\n|here|".as_bytes());
    assert_eq!(finished.stderr, b"\xff\0");
    assert!(!finished.stderr_cut && !finished.left_running);
}

#[test]
fn a_call_inherits_nothing_but_an_empty_input_and_its_two_pipes() {
    let mut shell = Shell::new();
    let script = "cat; n=3; while [ $n -lt 64 ]; do [ -e /proc/$$/fd/$n ] && echo open $n; n=$((n+1)); done\n\
                  readlink /proc/$$/fd/0; [ \"$(cut -d' ' -f5 /proc/$$/stat)\" = $$ ] && echo leads a group\n\
                  env | grep -c ^HOME=";
    let said = String::from_utf8(shell.run(script).stdout).expect("UTF-8");
    assert_eq!(said, "/dev/null\nleads a group\n0\n", "and HOME was not given");
    // The shell itself blocks signals while it waits for others.
    let status = String::from_utf8(shell.run("exec cat /proc/self/status").stdout).expect("UTF-8");
    let mask = |name| {
        let mask = status.lines().find_map(|line| line.strip_prefix(name)).expect("a mask");
        u64::from_str_radix(mask.trim(), 16).expect("hexadecimal")
    };
    assert_eq!(mask("SigBlk:"), 0);
    assert_eq!(mask("SigIgn:") >> 12 & 1, 0, "a broken pipe ends it, as it does everywhere");
}

#[test]
fn standard_output_may_reach_its_bound_and_not_pass_it_by_a_byte() {
    let mut shell = Shell::new();
    for (bytes, ended) in [(1000, Ended::Exited(0)), (1001, Ended::TooMuchOutput(1000))] {
        let script = format!("head -c {bytes} /dev/zero");
        let finished = shell.call(Call {
            arguments: ["-c".into(), script.into()].to_vec(),
            stdout_limit: 1000,
            ..ordinary()
        });
        assert_eq!((finished.ended, finished.stdout.len()), (ended, 1000), "{bytes}");
    }
}

#[test]
fn a_call_that_passes_its_bound_is_killed_at_once() {
    let mut shell = Shell::new();
    let began = Instant::now();
    let finished = shell.run("yes; sleep 19");
    assert_eq!((finished.ended, finished.stdout.len()), (Ended::TooMuchOutput(1 << 20), 1 << 20));
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}

#[test]
fn standard_error_is_kept_up_to_its_bound_and_the_call_goes_on() {
    let mut shell = Shell::new();
    for (bytes, cut) in [(1024, false), (1025, true), (3_000_000, true)] {
        let finished = shell.run(&format!("head -c {bytes} /dev/zero >&2; echo done"));
        assert_eq!(
            (finished.ended, finished.stdout.as_slice()),
            (Ended::Exited(0), &b"done\n"[..])
        );
        assert_eq!((finished.stderr.len(), finished.stderr_cut), (1024, cut), "{bytes}");
    }
}

#[test]
fn a_call_ends_at_its_time_bound_whatever_it_does_meanwhile() {
    let cases = [
        ("sleep", "sleep 100"),
        ("drip", "while :; do echo drip; sleep 0.05; done"),
        ("ignore TERM", "trap '' TERM INT HUP QUIT; while :; do sleep 0.05; done"),
        ("flood standard error", "yes >&2"),
        ("close its pipes", "exec >&- 2>&-; sleep 100"),
        ("stop itself", "kill -STOP $$"),
    ];
    let mut shell = Shell::new();
    for (what, script) in cases {
        let began = Instant::now();
        let finished = shell.call(Call {
            arguments: ["-c".into(), script.into()].to_vec(),
            timeout: Duration::from_millis(300),
            ..ordinary()
        });
        assert_eq!(finished.ended, Ended::TooSlow(Duration::from_millis(300)), "{what}");
        let took = began.elapsed();
        assert!(
            took >= Duration::from_millis(300) && took < Duration::from_secs(3),
            "{what}: {took:?}"
        );
    }
}

#[test]
fn nothing_that_a_call_started_is_left_when_it_has_ended() {
    let cases = [
        ("in the background, holding the pipes", "beat & begun"),
        ("forked twice", "( ( beat & ) & ); begun"),
        ("in a session of its own", "setsid sh -c \"$BEAT_SCRIPT beat\" & begun"),
        (
            "in a session of its own, forked twice, without our pipes",
            "( setsid sh -c \"$BEAT_SCRIPT beat\" >/dev/null 2>&1 </dev/null & ) ; begun",
        ),
        ("ignoring signals", "( trap '' TERM HUP INT; beat ) & begun"),
        (
            "several levels down",
            "sh -c \"$BEAT_SCRIPT sh -c \\\"\\$BEAT_SCRIPT beat & sleep 100\\\" & sleep 100\" & begun",
        ),
    ];
    for (what, script) in cases {
        let mut shell = Shell::new();
        let began = Instant::now();
        let finished = shell.call(Call {
            arguments: ["-c".into(), format!("{BEAT}{script}; echo answered").into()].to_vec(),
            variables: vec![("BEAT_SCRIPT".into(), BEAT.into())],
            ..ordinary()
        });
        assert_eq!(finished.ended, Ended::Exited(0), "{what}");
        assert_eq!(finished.stdout, b"answered\n", "{what}");
        assert!(!finished.left_running, "{what}");
        assert!(!shell.beats(), "{what}");
        assert!(began.elapsed() < Duration::from_secs(5), "{what}: {:?}", began.elapsed());
    }
}

#[test]
fn what_a_killed_call_has_started_ends_with_it() {
    let mut shell = Shell::new();
    let finished = shell.call(Call {
        arguments: [
            "-c".into(),
            format!("{BEAT}( setsid sh -c \"$BEAT_SCRIPT beat\" & ); beat").into(),
        ]
        .to_vec(),
        variables: vec![("BEAT_SCRIPT".into(), BEAT.into())],
        timeout: Duration::from_millis(500),
        ..ordinary()
    });
    assert_eq!(finished.ended, Ended::TooSlow(Duration::from_millis(500)));
    assert!(!shell.beats());
}

#[test]
fn what_is_on_its_way_ends_when_its_guard_is_dropped() {
    let shell = Shell::new();
    let (mut guard, scratch) = (shell.guard, shell.scratch);
    let folder = shell.folder;
    let call = Call {
        arguments: ["-c".into(), format!("{BEAT}beat").into()].to_vec(),
        variables: vec![("FOLDER".into(), folder.path().into())],
        timeout: Duration::from_millis(400),
        ..ordinary()
    };
    assert_eq!(guard.call(&call, &scratch).ended, Ended::TooSlow(call.timeout));
    drop(guard);
    drop(scratch);
    let left: Vec<_> =
        fs::read_dir(folder.path()).expect("a folder").flatten().map(|e| e.file_name()).collect();
    assert_eq!(left, ["beat"], "the scratch folder is gone");
}

#[test]
fn a_signal_that_was_not_ours_is_told_apart() {
    let mut shell = Shell::new();
    for signal in [1, 6, 9, 11, 15] {
        let finished = shell.run(&format!("kill -{signal} $$; sleep 10"));
        assert_eq!(finished.ended, Ended::Killed(signal));
    }
}

#[test]
fn an_argument_that_no_command_line_can_hold_fails_that_call_alone() {
    let mut shell = Shell::new();
    for (argument, why) in [("a\0b".to_owned(), "NUL"), ("x".repeat(3 << 20), "too long")] {
        let finished = shell.run(&argument);
        let Ended::NotStarted(said) = finished.ended else { panic!("{:?}", finished.ended) };
        assert!(said.contains(why), "{said}");
    }
    assert_eq!(shell.run("exit 3").ended, Ended::Exited(3), "the guard goes on");
}

#[test]
fn what_cannot_be_executed_is_refused_with_its_path() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let scratch = Scratch::in_folder(folder.path()).expect("a scratch folder");
    let plain = folder.path().join("plain");
    fs::write(&plain, "text").expect("written");
    for (path, why) in [
        (folder.path().join("absent"), "No such file"),
        (folder.path().to_owned(), "not a file"),
        (plain, "not executable"),
    ] {
        let said = start(&path, &scratch).expect_err("refused");
        assert!(said.contains(why) && said.contains(&*path.to_string_lossy()), "{said}");
    }
}

#[test]
fn a_program_that_lost_its_name_to_another_is_not_executed_and_the_other_neither() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let tool = folder.path().join("tool");
    fs::copy(shell(), &tool).expect("copied");
    let mut shell = Shell::of(&tool);
    let before = shell.guard.measure(&shell.scratch).expect("measured");
    assert_eq!(
        (before.open.as_str(), before.at_path.as_str()),
        (shell.guard.sha256(), shell.guard.sha256())
    );
    let other = folder.path().join("other");
    fs::copy("/bin/true", &other).expect("copied");
    fs::rename(&other, &tool).expect("replaced");
    let ended = shell.run("exit 5").ended;
    let Ended::NotStarted(why) = ended else { panic!("the other one must not run: {ended:?}") };
    assert!(why.contains("is not the file that was digested"), "{why}");
    let after = shell.guard.measure(&shell.scratch).expect("measured");
    assert_eq!(after.open, before.open);
    assert_ne!(after.at_path, before.open, "and the replacement is seen");
}

#[test]
fn a_script_that_was_changed_is_not_executed() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let tool = folder.path().join("tool");
    fs::write(&tool, "#!/bin/sh\necho first\n").expect("written");
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).expect("executable");
    let mut shell = Shell::of(&tool);
    assert_eq!(shell.call(ordinary()).stdout, b"first\n");
    fs::write(&tool, "#!/bin/sh\necho another one\n").expect("written");
    let finished = shell.call(ordinary());
    let Ended::NotStarted(why) = finished.ended else { panic!("{:?}", finished.ended) };
    assert!(why.contains("is not the file that was digested"), "{why}");
}

#[test]
fn a_pipe_is_refused_and_not_waited_for() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let scratch = Scratch::in_folder(folder.path()).expect("a scratch folder");
    let pipe = folder.path().join("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).expect("made");
    assert!(start(&pipe, &scratch).expect_err("refused").contains("not a file"));
}

#[test]
fn an_interpreter_that_is_not_there_fails_the_call() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let tool = folder.path().join("tool");
    fs::write(&tool, "#!/no/such/interpreter\n").expect("written");
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).expect("executable");
    let finished = Shell::of(&tool).call(ordinary());
    assert!(matches!(finished.ended, Ended::NotStarted(_)), "{:?}", finished.ended);
}
