//! `--context-packets` from end to end: what a run keeps of its calls, and when it keeps no report.

use std::fs;

use serde_json::{Value, json};

use super::bench::Arms;

const FLAGS: [&str; 4] = ["--arms", "context,grep", "--output", "report.json"];

fn lines(arms: &Arms) -> Vec<Value> {
    let text = fs::read_to_string(arms.bench.path("capture.jsonl")).expect("a capture");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn capture(arms: &Arms) -> String {
    arms.bench.path("capture.jsonl").display().to_string()
}

#[test]
fn each_call_is_kept_with_its_bytes_and_what_became_of_them() {
    let arms = Arms::new();
    for case in ["fine", "bad", "refused", "slow", "loud"] {
        arms.sample(case);
    }
    arms.script("context-bad", "printf '{'");
    arms.script("context-refused", "refuse x y");
    arms.script("context-slow", "sleep 60");
    arms.script("context-loud", "head -c 70000 /dev/zero >&2; context_packet READY ''");
    let run =
        arms.run(&[&FLAGS[..], &["--timeout", "1", "--context-packets", &capture(&arms)]].concat());
    assert_eq!(run.code, Some(0), "{}", run.err);
    let lines = lines(&arms);
    let found: Vec<Value> = lines[1..6]
        .iter()
        .map(|line| {
            let (out, err) = (&line["stdout"], &line["stderr"]);
            json!([
                line["invocation"]["sample_id"],
                line["parse_status"],
                out["status"],
                out["bytes"],
                err["status"]
            ])
        })
        .collect();
    let fine = "{\"state\":\"READY\",\"results\":[{\"id\":\"widget.go\"},{\"id\":\"README.md\"}],\"ok\":true}\n".len();
    let loud = "{\"state\":\"READY\",\"results\":[],\"ok\":true}\n".len();
    assert_eq!(
        json!(found),
        json!([
            ["fine", "PARSED", "COMPLETE", fine, "COMPLETE"],
            ["bad", "MALFORMED", "COMPLETE", 1, "COMPLETE"],
            ["refused", "NOT_RUN", "NOT_PRODUCED", null, "COMPLETE"],
            ["slow", "NOT_RUN", "NOT_PRODUCED", null, "COMPLETE"],
            ["loud", "PARSED", "COMPLETE", loud, "TRUNCATED"],
        ])
    );
    assert_eq!(lines[6]["status"], "PARTIAL", "standard error was cut");
    let registration = fs::read_to_string(arms.bench.path("report.json.registration.json"))
        .expect("a registration");
    assert_eq!(
        lines[0]["registration"],
        serde_json::from_str::<Value>(&registration).expect("JSON")
    );
    assert_eq!(lines.len(), 7);
}

#[test]
fn a_capture_that_cannot_go_on_leaves_no_footer_and_no_report() {
    let arms = Arms::new();
    for number in 0..9 {
        arms.sample(&format!("big-{number}"));
    }
    let packet = "printf '{\"state\":\"READY\"}'; head -c 8000000 /dev/zero | tr '\\0' ' '";
    arms.script("context", packet);
    let run = arms.run(&[&FLAGS[..], &["--context-packets", &capture(&arms)]].concat());
    assert_eq!(run.code, Some(2), "{}", run.err);
    assert!(run.err.contains("capture.jsonl"), "{}", run.err);
    assert!(!arms.bench.path("report.json").exists());
    assert!(lines(&arms).iter().all(|line| line["type"] != "footer"));
}

#[test]
fn a_capture_goes_neither_into_an_input_nor_over_another_file_nor_with_a_resumed_run() {
    let arms = Arms::new();
    arms.sample("it");
    arms.bench.write("there.jsonl", "kept");
    let at = |name: &str| arms.bench.path(name).display().to_string();
    for (path, more, why) in [
        (at("there.jsonl"), None, "exists already"),
        (at("corpus/new.jsonl"), None, "--corpus"),
        (at("report.json"), None, "--output"),
        (at("report.json.journal.jsonl"), None, "journal"),
        (at("no/such/folder.jsonl"), None, "--context-packets"),
        (at("new.jsonl"), Some("--resume"), "--resume"),
    ] {
        let mut args = [&FLAGS[..], &["--context-packets", &path]].concat();
        args.extend(more);
        let run = arms.run(&args);
        assert_eq!(run.code, Some(2), "{path}: {}", run.err);
        assert!(run.err.contains(why), "{path}: {}", run.err);
        assert!(!arms.bench.path("report.json.registration.json").exists(), "{path}");
    }
    assert_eq!(fs::read_to_string(at("there.jsonl")).expect("there"), "kept");
}
