//! The four arms from end to end, over a stand-in that plays every state and every failure.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::bench::{Arms, REPO, fingerprint, stand_in};

/// What an answer must be: its ranking, whether it abstained, its state, and its error.
struct Expected {
    ranked: Value,
    abstained: bool,
    state: &'static str,
    error: &'static str,
}

fn answered(ranked: &[&str], state: &'static str) -> Expected {
    Expected { ranked: json!(ranked), abstained: false, state, error: "" }
}

fn abstained(ranked: &[&str], state: &'static str) -> Expected {
    Expected { ranked: json!(ranked), abstained: true, state, error: "" }
}

fn failed(error: &'static str) -> Expected {
    Expected { ranked: json!([]), abstained: false, state: "", error }
}

#[test]
fn every_state_and_every_bad_answer_of_a_verb_is_recorded_as_what_it_is() {
    let row = |path: &str| format!("{{\"evidence\":[{{\"path\":\"{path}\"}}]}}");
    let (a, b) = (row("a.go"), row("b.go"));
    let cases: Vec<(&str, &str, String, Expected)> = vec![
        ("corvint", "query", format!("query_packet READY '{a},{b},{a}'"), answered(&["a.go", "b.go"], "READY")),
        ("corvint", "query", format!("query_packet NEEDS_WIDENING '{b}'"), answered(&["b.go"], "NEEDS_WIDENING")),
        ("corvint", "query", format!("query_packet OUT_OF_SCOPE '{a}'"), abstained(&["a.go"], "OUT_OF_SCOPE")),
        ("corvint", "query", "query_packet READY ''".into(), abstained(&[], "READY")),
        ("corvint", "query", "query_packet BUDGETED '{}'".into(), abstained(&[], "BUDGETED")),
        ("context", "context", "context_packet READY '{\"id\":\"a.go\"},{\"id\":\"\"},{\"id\":\"a.go\"}'".into(),
            answered(&["a.go"], "READY")),
        ("context", "context", "context_packet NO_CANDIDATES '{\"id\":\"a.go\"}'".into(),
            abstained(&["a.go"], "NO_CANDIDATES")),
        ("context", "context",
            "printf '{\"state\":\"READY\",\"results\":[{\"id\":\"AGENTS.md\"}],\"coverage\":{\"answerability\":{\"verdict\":\"unsupported-conjunction\"}}}'".into(),
            abstained(&["AGENTS.md"], "READY/unsupported-conjunction")),
        ("impact", "impact", format!("query_packet READY '{},{a}'", row("widget.go")), answered(&["a.go"], "READY")),
        ("impact", "impact", format!("query_packet READY '{}'", row("widget.go")), abstained(&[], "READY")),
        ("impact", "impact", "refuse unsupported-impact-path-suffix 'not a path'".into(),
            failed("corvint impact: exit status 2: {\"code\": \"unsupported-impact-path-suffix\", \"error\": \"not a path\", \"ok\": false}")),
        ("affected", "affected", "[ \"$(dirty)\" = widget.go ] && plan_packet BOUNDED '{\"tests\":[\"b_test.go\",\"widget.go\"]}'".into(),
            answered(&["b_test.go"], "BOUNDED")),
        ("affected", "affected", "plan_packet UNKNOWN '{}'".into(), abstained(&[], "UNKNOWN")),
        ("corvint", "query", "echo '  boom: exit\tthree' >&2; exit 3".into(),
            failed("corvint query: exit status 3: boom: exit three")),
        ("corvint", "query", "echo \"no such file: $root/x\" >&2; exit 1".into(),
            failed("corvint query: exit status 1: no such file: $COPY/x")),
        ("corvint", "query", "kill -9 $$".into(), failed("corvint query: signal: killed")),
        ("corvint", "query", "kill -SEGV $$".into(), failed("corvint query: signal: segmentation fault")),
        ("context", "context", "exit 0".into(), failed("corvint context: unreadable packet: nothing was printed")),
        ("corvint", "query", "query_packet READY ''; printf x".into(), failed("corvint query: unreadable packet: trailing")),
        ("corvint", "query", "printf '{\"context\":{\"state\":5}}'".into(), failed("corvint query: unreadable packet: invalid type")),
        ("corvint", "query", "printf '{\"context\":'".into(), failed("corvint query: unreadable packet: EOF")),
        ("corvint", "query", "printf '{\"context\":{\"state\":\"\\377\"}}'".into(), failed("corvint query: unreadable packet: byte 22 is not UTF-8")),
        ("corvint", "query", "printf '{\"context\":{}}\\0'".into(), failed("corvint query: unreadable packet: ")),
    ];
    for (arm, verb, script, expected) in cases {
        let arms = Arms::new();
        arms.sample("it");
        arms.script(verb, &script);
        let done = arms.run(&["--arms", arm]);
        assert_eq!(done.code, Some(0), "{arm}: {script}: {}", done.err);
        let answer = done.answer("it", arm);
        let error = answer["error"].as_str().unwrap_or_default();
        assert!(error.starts_with(expected.error), "{arm}: {script}: {error}");
        assert_eq!(expected.error.is_empty(), error.is_empty(), "{arm}: {script}: {error}");
        assert_eq!(answer["ranked"], expected.ranked, "{arm}: {script}");
        assert_eq!(answer["abstained"], json!(expected.abstained), "{arm}: {script}");
        assert_eq!(answer["state"].as_str().unwrap_or_default(), expected.state, "{arm}: {script}");
        assert_eq!(answer["cache_state"], "COLD_UNIQUE", "{arm}: {script}");
        assert_eq!(
            answer["wall_ms"].is_null(),
            !error.is_empty(),
            "only an answer is timed: {script}"
        );
        assert_eq!(done.report()["metrics"]["selective_success"], Value::Null);
    }
}

#[test]
fn output_may_reach_its_bound_and_not_pass_it_by_a_byte() {
    let arms = Arms::new();
    let packet =
        "{\"context\":{\"state\":\"READY\",\"results\":[{\"evidence\":[{\"path\":\"a.go\"}]}]}}";
    for (case, more) in [("at", 0), ("over", 1)] {
        arms.sample(case);
        let padding = (8 << 20) - packet.len() + more;
        let script = format!("printf '%s' '{packet}'; head -c {padding} /dev/zero | tr '\\0' ' '");
        arms.script(&format!("query-{case}"), &script);
    }
    let done = arms.run(&["--arms", "corvint"]);
    let at = done.answer("at", "corvint");
    assert_eq!((&at["ranked"], &at["packet_bytes"]), (&json!(["a.go"]), &json!(8 << 20)));
    assert_eq!(
        done.answer("over", "corvint")["error"],
        "corvint query: output exceeds 8388608 bytes"
    );
}

#[test]
fn what_is_said_of_a_failure_is_four_kibibytes_without_control_characters() {
    let arms = Arms::new();
    arms.sample("loud");
    arms.script("query", "printf '\\033[31mred\\r\\n\\0' >&2; yes é | head -c 100000 >&2; exit 9");
    let done = arms.run(&["--arms", "corvint"]);
    let error = done.answer("loud", "corvint")["error"].as_str().expect("an error");
    let said = error.strip_prefix("corvint query: exit status 9: ").expect("its start");
    assert!(said.starts_with("[31mred é é"), "{said:.40}");
    assert!(said.len() <= 4096 && said.len() > 2048, "{}", said.len());
    assert!(!said.contains(char::is_control));
}

#[test]
fn whatever_a_call_starts_or_ignores_nothing_is_left_of_it_and_the_next_sample_is_asked() {
    let packet = "query_packet READY '{\"evidence\":[{\"path\":\"widget.go\"}]}'";
    let killed = "corvint query: did not end within 1 s and was killed";
    let cases = [
        ("background", format!("beat background & begun background; {packet}"), ""),
        ("twice", format!("( beat twice & ) ; begun twice; {packet}"), ""),
        ("apart", format!("beat_apart apart; begun apart; {packet}"), ""),
        ("deaf", "trap '' TERM INT HUP QUIT; beat deaf".to_owned(), killed),
        ("hanging", "beat_apart hanging; begun hanging; sleep 60".to_owned(), killed),
        (
            "drip",
            "while :; do printf ' '; echo x >> \"$STAND_IN/beat-drip\"; sleep 0.02; done"
                .to_owned(),
            killed,
        ),
        ("mute", "exec >&- 2>&-; beat mute".to_owned(), killed),
        ("stopped", "beat stopped & begun stopped; kill -STOP $$".to_owned(), killed),
        (
            "parricide",
            "beat_apart parricide; beat other & begun parricide; kill -9 $PPID; sleep 60"
                .to_owned(),
            "corvint query: its guard is gone",
        ),
    ];
    let arms = Arms::new();
    for (case, script, _) in &cases {
        arms.sample(case);
        arms.script(&format!("query-{case}"), script);
    }
    arms.sample("after");
    let began = Instant::now();
    let done = arms.run(&["--arms", "corvint", "--timeout", "1"]);
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    assert_eq!(done.code, Some(0), "{}", done.err);
    for (case, _, error) in cases {
        let said = done.answer(case, "corvint")["error"].as_str().unwrap_or_default();
        assert!(said.starts_with(error) && said.is_empty() == error.is_empty(), "{case}: {said}");
        assert!(arms.has_beaten(case), "{case} never began");
    }
    assert_eq!(done.answer("after", "corvint")["ranked"], json!(["widget.go", "README.md"]));
    assert_eq!(arms.beating(), Vec::<std::ffi::OsString>::new());
}

#[test]
fn a_call_that_leaves_the_copy_dirty_spoils_its_sample_and_not_the_next() {
    let scripts = [
        ("leak", "echo x > \"$root/leaked.txt\"", "?? leaked.txt"),
        ("edit", "echo x >> \"$root/README.md\"", " M README.md"),
        ("remove", "rm \"$root/widget.go\"", " D widget.go"),
        (
            "commit",
            "cd \"$root\" && git -c user.name=x -c user.email=x@x commit -qm x --allow-empty",
            "HEAD is not the commit",
        ),
        (
            "hook",
            "mkdir -p \"$root/.git/hooks\" && echo x > \"$root/.git/hooks/pre-commit\"",
            "`.git/hooks` was added",
        ),
        ("config", "git -C \"$root\" config core.fsmonitor evil", "`.git/config` was changed"),
    ];
    let arms = Arms::new();
    for (case, script, _) in scripts {
        arms.sample(case);
        arms.script(
            &format!("query-{case}"),
            &format!(
                "{script}; query_packet READY '{{\"evidence\":[{{\"path\":\"widget.go\"}}]}}'"
            ),
        );
        arms.sample(&format!("after-{case}"));
    }
    let done = arms.run(&["--arms", "corvint,grep"]);
    assert_eq!(done.code, Some(1), "{}", done.err);
    for (case, _, what) in scripts {
        let answer = done.answer(case, "corvint");
        let error = answer["error"].as_str().unwrap_or_else(|| panic!("{case} is no error"));
        assert!(error.contains(what), "{case}: {error}");
        assert!(done.err.contains(what), "{case}: {}", done.err);
        assert!(done.answer(case, "grep")["error"].is_null(), "{case}: a baseline is not spoiled");
        let next = done.answer(&format!("after-{case}"), "corvint");
        assert_eq!(next["ranked"], json!(["widget.go", "README.md"]), "after {case}");
    }
    let spoiled = done.report()["details"].as_array().expect("details").iter();
    assert_eq!(spoiled.filter(|detail| detail.get("error").is_some()).count(), scripts.len());
}

#[test]
fn affected_dirties_one_tracked_file_and_leaves_it_as_it_was() {
    let arms = Arms::new();
    arms.files(&[("a b/c.go", "x"), ("empty", ""), ("notes.log", "ignored")]);
    for (id, changed) in [
        ("plain", "widget.go"),
        ("spaces", "a b/c.go"),
        ("empty", "empty"),
        ("ignored", "notes.log"),
        ("absent", "no/such.go"),
        ("folder", "a b"),
    ] {
        arms.sample_of(id, json!({"text": "x", "changed_file": changed}));
    }
    arms.sample_of("none", json!({"text": "x"}));
    arms.script("affected", "tail -c 2 \"$root/$(dirty)\" | od -An -c | tr -d ' \\n' > \"$STAND_IN/tail\"\n\
        plan_packet BOUNDED \"{\\\"tests\\\":[\\\"$(dirty)|$(cat \"$STAND_IN/tail\" | tr -d '\\\\')\\\"]}\"");
    let done = arms.run(&["--arms", "affected"]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    for (id, ranked) in
        [("plain", "widget.go|nn"), ("spaces", "a b/c.go|nn"), ("empty", "empty|nn")]
    {
        assert_eq!(done.answer(id, "affected")["ranked"], json!([ranked]), "{id}");
    }
    for (id, error) in [
        ("ignored", "corvint affected: "),
        ("absent", "corvint affected: "),
        ("folder", "corvint affected: "),
        ("none", "no changed_file in query"),
    ] {
        let said = done.answer(id, "affected")["error"]
            .as_str()
            .unwrap_or_else(|| panic!("{id} is no error"));
        assert!(said.starts_with(error), "{id}: {said}");
    }
    assert_eq!(arms.calls(), ["affected"; 3], "no process without a file to change");
}

#[test]
fn a_query_sees_a_prefix_and_context_all_of_the_text_and_options_are_no_options() {
    let arms = Arms::new();
    arms.sample_of("long", json!({"text": "é".repeat(3000)}));
    for verb in ["query", "context"] {
        let packet = if verb == "query" { "query_packet" } else { "trace; context_packet" };
        let script = format!(
            "printf '%s' \"$5\" | wc -m | tr -d ' ' > \"$STAND_IN/length-{verb}\"; {packet} READY ''"
        );
        arms.script(verb, &script);
    }
    let mut command = arms.command(&["--arms", "corvint,context"]);
    let done = arms.done(&command.env("LC_ALL", "C.UTF-8").output().expect("runs"));
    assert_eq!(done.code, Some(0), "{}", done.err);
    let length = |verb: &str| {
        fs::read_to_string(arms.bench.path(&format!("stand-in/length-{verb}"))).expect("called")
    };
    assert_eq!(length("query"), "2000\n");
    assert_eq!(length("context"), format!("{}\n", 3000 + "{\"text\": \"\"}".len()));
    assert_eq!(done.report()["details"][0]["query_truncated"], true);
}

#[test]
fn the_tool_is_identified_before_and_after() {
    let arms = Arms::new();
    arms.sample("it");
    let done = arms.run(&["--arms", "corvint"]);
    let digest =
        retrieval_bench::registration::Digest::of(&fs::read(stand_in()).expect("a script"));
    assert_eq!(
        done.report()["corvint"],
        json!({"sha256": digest.to_string(), "version": "Corvint 0.0.0 (stand-in)"})
    );
    assert_eq!(done.report()["registration"]["corvint_sha256"], digest.to_string());

    let own = arms.bench.path("own");
    fs::copy(stand_in(), &own).expect("copied");
    arms.script("query", "echo '# changed' >> \"$OWN\"; query_packet READY ''");
    let mut command = arms.command(&["--arms", "corvint", "--output", "report.json"]);
    let output = command.arg("--corvint").arg(&own).env("OWN", &own).output().expect("runs");
    assert_eq!(output.status.code(), Some(3));
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(err.contains("was changed while it was measured"), "{err}");
    assert!(!arms.bench.path("report.json").exists());
}

#[test]
fn a_tool_that_is_not_there_is_refused_before_anything_is_written() {
    let arms = Arms::new();
    arms.sample("it");
    let version = "the version";
    for (executable, script, why) in [
        ("./no-such-corvint", "", "No such file"),
        ("no-such-corvint", "", "in PATH"),
        ("./", "", "not a file"),
        ("stand-in", "exit 2", "--version"),
        ("stand-in", "printf 'two\\nlines\\n'", "--version"),
        ("stand-in", "sleep 60", "in time"),
    ] {
        if executable == "stand-in" {
            arms.script("version", script);
        }
        let mut command =
            arms.command(&["--arms", "corvint", "--output", "report.json", "--timeout", "1"]);
        if executable != "stand-in" {
            command.args(["--corvint", executable]);
        }
        let output = command.output().expect("runs");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{executable}: {version}: {err}");
        assert!(
            err.starts_with("retrieval-bench: --corvint") && err.contains(why),
            "{executable}: {err}"
        );
        assert!(
            output.stdout.is_empty() && !arms.bench.path("report.json.registration.json").exists()
        );
        assert!(arms.left().is_empty(), "{:?}", arms.left());
    }
}

#[test]
fn arms_that_nobody_chose_are_left_out_where_there_is_no_tool() {
    let arms = Arms::new();
    arms.sample("it");
    let mut command = arms.bench.binary(&[]);
    let output = command.env("PATH", "/usr/bin:/bin").output().expect("runs");
    let done = arms.done(&output);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(done.err.contains("left out corvint, context, impact, affected"), "{}", done.err);
    let ran: Vec<&String> = done.report()["arms"].as_object().expect("arms").keys().collect();
    assert_eq!(ran, ["bm25:all", "bm25:ident", "grep", "grep-ident"]);
    assert_eq!(done.report()["corvint"]["sha256"], "NOT_RUN");
}

#[test]
fn what_a_snapshot_folder_holds_is_never_written_to() {
    let arms = Arms::new();
    arms.sample("it");
    let tree = arms.bench.path("tree");
    fs::create_dir_all(tree.join("sub")).expect("made");
    fs::write(tree.join("widget.go"), "package x\n").expect("written");
    fs::write(tree.join("sub/b.go"), "package y\n").expect("written");
    let script = "echo x > \"$root/leaked\"; echo y >> \"$root/widget.go\"; query_packet READY ''";
    arms.script("query", script);
    let before = fingerprint(&tree);
    let named = format!("{REPO}@{}={}", arms.commit, tree.display());
    let done = arms.run(&["--arms", "corvint,affected", "--snapshot", &named]);
    assert_eq!(done.code, Some(1), "the copy was dirty: {}", done.err);
    assert_eq!(fingerprint(&tree), before);
}

#[test]
fn another_binary_than_the_expected_one_is_refused_with_its_own_exit_code() {
    let arms = Arms::new();
    arms.sample("it");
    let digest =
        retrieval_bench::registration::Digest::of(&fs::read(stand_in()).expect("a script"))
            .to_string();
    let flags = ["--arms", "corvint", "--output", "report.json", "--expect-corvint"];
    let other = "0".repeat(64);
    let refused = arms.run(&[&flags[..], &[&other]].concat());
    assert_eq!(refused.code, Some(3), "{}", refused.err);
    assert!(refused.err.contains(&digest) && refused.err.contains(&other), "{}", refused.err);
    assert!(!arms.bench.path("report.json.registration.json").exists());
    // Not even asked for its version.
    arms.script("version", "echo x > \"$STAND_IN/ran\"; exit 2");
    assert_eq!(arms.run(&[&flags[..], &[&other]].concat()).code, Some(3));
    assert!(!arms.bench.path("stand-in/ran").exists());
    fs::remove_file(arms.bench.path("stand-in/version")).expect("removed");
    let run = arms.run(&[&flags[..], &[&digest.to_uppercase()]].concat());
    assert_eq!(run.code, Some(0), "{}", run.err);
}

#[test]
fn a_call_that_fills_the_disk_costs_its_sample_and_the_next_finds_room() {
    let arms = Arms::new();
    arms.sample("full");
    arms.sample("after");
    arms.script(
        "query-full",
        "dd if=/dev/zero of=\"$root/fill\" bs=64k 2>/dev/null; query_packet READY ''",
    );
    let run = arms.command(&["--arms", "corvint"]);
    // A small file system of its own, gone with the namespace.
    let mut command = std::process::Command::new("unshare");
    command.args(["--mount", "sh", "-c"]);
    command.arg(
        "mount -t tmpfs -o size=3m tmpfs \"$TMPDIR\" || exit 77\n\
         \"$@\"; code=$?; ls -A \"$TMPDIR\" >&2; exit $code",
    );
    command.arg("sh").arg(run.get_program()).args(run.get_args());
    for (name, value) in run.get_envs() {
        command.env(name, value.expect("set"));
    }
    let done = match command.output() {
        Ok(output) if output.status.code() != Some(77) && !output.stdout.is_empty() => {
            arms.done(&output)
        }
        other => {
            eprintln!("skipped: no file system can be mounted here: {other:?}");
            return;
        }
    };
    assert_eq!(done.code, Some(1), "{}", done.err);
    assert!(done.err.trim_end().ends_with("`?? fill`"), "and nothing is left: {}", done.err);
    assert_eq!(done.answer("after", "corvint")["ranked"], json!(["widget.go", "README.md"]));
}

#[test]
fn private_copies_are_not_made_inside_a_tree_that_is_measured() {
    let arms = Arms::new();
    arms.sample("it");
    let inside = arms.bench.path("corpus/tmp");
    fs::create_dir(&inside).expect("made");
    let output =
        arms.command(&["--arms", "corvint"]).env("TMPDIR", &inside).output().expect("runs");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.contains("--corpus") && err.contains("TMPDIR"), "{err}");
    assert_eq!(fs::read_dir(&inside).expect("there").count(), 0);
}

#[test]
fn what_is_asked_of_the_tool_by_name_is_never_left_out_with_it() {
    let arms = Arms::new();
    arms.sample("it");
    for flag in [
        "--snapshot-latency",
        "--context-packets=capture.jsonl",
        "--expect-corvint=".to_owned().as_str(),
    ] {
        let flag =
            if flag.ends_with('=') { format!("{flag}{}", "0".repeat(64)) } else { flag.to_owned() };
        let mut command = arms.bench.binary(&["--output", "report.json", &flag]);
        let output = command
            .env("PATH", "/usr/bin:/bin")
            .current_dir(arms.bench.path(""))
            .output()
            .expect("runs");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{flag}: {err}");
        assert!(err.contains("no executable \"corvint\" in PATH"), "{flag}: {err}");
    }
    assert!(!arms.bench.path("report.json.registration.json").exists());
}

#[test]
fn no_path_of_a_run_stands_in_its_report() {
    let arms = Arms::new();
    for case in ["says", "ranks", "unreadable"] {
        arms.sample(case);
    }
    arms.script("context-says", "echo \"$root $TMPDIR/x ${TMPDIR%/*}/y\" >&2; exit 2");
    arms.script("context-ranks", "context_packet READY \"{\\\"id\\\":\\\"$root/widget.go\\\"}\"");
    arms.script("context-unreadable", "printf '{\"state\":{\"%s\":1}}' \"$root\"");
    let done = arms.run(&["--arms", "context"]);
    let text = serde_json::to_string(done.report()).expect("JSON");
    assert!(!text.contains("scratch-"), "{text}");
    assert_eq!(
        done.answer("says", "context")["error"],
        "corvint context: exit status 2: $COPY $TMPDIR/x $SCRATCH/y"
    );
    assert_eq!(done.answer("ranks", "context")["ranked"], json!(["$COPY/widget.go"]));
}

#[test]
fn no_call_finds_what_another_has_left_in_its_folder_for_temporary_files() {
    let arms = Arms::new();
    for case in ["one", "two"] {
        arms.sample(case);
    }
    for verb in ["query", "context"] {
        let packet = if verb == "query" { "query_packet" } else { "trace; context_packet" };
        arms.script(verb, &format!("ls -A \"$TMPDIR\" >> \"$STAND_IN/found\"; echo x > \"$TMPDIR/{verb}\"; {packet} READY ''"));
    }
    let done = arms.run(&["--arms", "corvint,context"]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_eq!(fs::read_to_string(arms.bench.path("stand-in/found")).expect("called"), "");
}

#[test]
fn a_tool_that_takes_itself_away_is_an_error_with_its_reason() {
    let arms = Arms::new();
    for case in ["goes", "after", "later"] {
        arms.sample(case);
    }
    let own = arms.bench.path("own");
    fs::copy(stand_in(), &own).expect("copied");
    arms.script("query-goes", "mv \"$OWN\" \"$OWN.gone\"; kill -9 $PPID; sleep 60");
    let mut command = arms.command(&["--arms", "corvint", "--registration", "r.json"]);
    let output = command.arg("--corvint").arg(&own).env("OWN", &own).output().expect("runs");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{err}");
    let journal = fs::read_to_string(arms.bench.path("r.json.journal.jsonl")).expect("a journal");
    assert!(journal.contains("its guard is gone: it was killed or has ended"), "{journal}");
    assert_eq!(journal.matches("own cannot be opened: No such file").count(), 2, "{journal}");
}

#[test]
fn this_program_is_looked_at_again_too() {
    let arms = Arms::new();
    arms.sample("it");
    let own = arms.bench.path("own");
    fs::copy(env!("CARGO_BIN_EXE_retrieval-bench"), &own).expect("copied");
    arms.script("query", "cp \"$OWN\" \"$OWN.new\"; echo >> \"$OWN.new\"; mv \"$OWN.new\" \"$OWN\"; query_packet READY ''");
    let run = arms.command(&["--arms", "corvint"]);
    let mut command = std::process::Command::new(&own);
    command.args(run.get_args()).env("OWN", &own);
    for (name, value) in run.get_envs() {
        command.env(name, value.expect("set"));
    }
    let output = command.output().expect("runs");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{err}");
    assert!(err.contains("this program's file was changed"), "{err}");
}
