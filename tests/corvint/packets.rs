//! The rules of each verb, on packets made for them.

use retrieval_bench::arm::Answer;
use retrieval_bench::corvint::{Asked, verb};

fn answer(arm: &str, packet: &str, asked: &Asked) -> Result<Answer, String> {
    (verb(arm).expect("an arm of the table").answer)(packet.as_bytes(), asked)
}

fn refusal(arm: &str, packet: &[u8]) -> String {
    let asked = Asked { limit: 20, excluded: &[], changed: None };
    let answered = (verb(arm).expect("an arm of the table").answer)(packet, &asked);
    answered.expect_err(&String::from_utf8_lossy(packet))
}

/// What `packet` says when asked with the limit 20, `c.go` changed, `g.go` and `h.go` given.
fn says(arm: &str, packet: &str) -> (Vec<String>, bool, String) {
    let given = ["g.go", "h.go"].map(str::to_owned);
    let asked = Asked { limit: 20, excluded: &given, changed: Some("c.go") };
    let answer = answer(arm, packet, &asked).expect(packet);
    assert_eq!(answer.packet_bytes, packet.len() as u64);
    assert_eq!((answer.error.as_str(), answer.top_score), ("", 0.0));
    (answer.ranked, answer.abstained, answer.state)
}

/// Holds each packet to its ranking, abstention and state.
fn table(arm: &str, rows: &[(&str, &[&str], bool, &str)]) {
    for (packet, ranked, abstained, state) in rows {
        let ranked: Vec<String> = ranked.iter().map(|path| path.to_string()).collect();
        assert_eq!(says(arm, packet), (ranked, *abstained, state.to_string()), "{arm}: {packet}");
    }
}

#[test]
fn query_ranks_the_first_place_of_each_result() {
    table(
        "corvint",
        &[
            (
                r#"{"context":{"state":"READY","results":[{"evidence":[{"path":"a.go"},{"path":"z.go"}]},
                    {"evidence":[{"path":"b.go"}]},{"evidence":[{"path":"a.go"}]}]}}"#,
                &["a.go", "b.go"],
                false,
                "READY",
            ),
            // No evidence is no row; evidence without a path is the empty path, once.
            (
                r#"{"context":{"results":[{"evidence":[]},{},null,{"evidence":null},{"evidence":[{}]},
                    {"evidence":[null,{"path":"z"}]},{"evidence":[{"path":null}]},{"evidence":[{"path":"a"}]}]}}"#,
                &["", "a"],
                false,
                "",
            ),
            // Abstention is looked at before the given files go; the changed file is not this verb's concern.
            (
                r#"{"context":{"state":"READY","results":[{"evidence":[{"path":"g.go"}]}]}}"#,
                &[],
                false,
                "READY",
            ),
            (
                r#"{"context":{"state":"READY","results":[{"evidence":[{"path":"c.go"}]}]}}"#,
                &["c.go"],
                false,
                "READY",
            ),
            (
                r#"{"context":{"state":"OUT_OF_SCOPE","results":[{"evidence":[{"path":"a"}]}]}}"#,
                &["a"],
                true,
                "OUT_OF_SCOPE",
            ),
            (
                r#"{"context":{"state":"NEEDS_WIDENING","results":[{"evidence":[{"path":"a"}]}]}}"#,
                &["a"],
                false,
                "NEEDS_WIDENING",
            ),
            (r#"{"context":{"state":"READY","results":[{"evidence":[]}]}}"#, &[], true, "READY"),
            (r#"{"context":{"state":null,"results":null}}"#, &[], true, ""),
            (r#"{"context":null,"ok":true}"#, &[], true, ""),
            (" {}\n", &[], true, ""),
        ],
    );
}

#[test]
fn context_ranks_ids_and_says_what_it_cannot_support() {
    table(
        "context",
        &[
            (
                r#"{"state":"READY","results":[{"id":"b","evidence":[{"path":"q"}]},{"id":"a"},{"id":"b"},
                    {"id":""},{},{"id":null},null,{"id":"c.go"}]}"#,
                &["b", "a", "c.go"],
                false,
                "READY",
            ),
            (r#"{"state":"NO_CANDIDATES","results":[{"id":"a"}]}"#, &["a"], true, "NO_CANDIDATES"),
            (r#"{"state":"OUT_OF_SCOPE","results":[{"id":"a"}]}"#, &["a"], false, "OUT_OF_SCOPE"),
            (r#"{"state":"READY","results":[{"id":""},{}]}"#, &[], true, "READY"),
            (r#"{"state":"READY","results":[{"id":"g.go"}]}"#, &[], false, "READY"),
            (
                r#"{"state":"READY","results":[{"id":"AGENTS.md"}],
                    "coverage":{"answerability":{"verdict":"unsupported-conjunction"}}}"#,
                &["AGENTS.md"],
                true,
                "READY/unsupported-conjunction",
            ),
            (
                r#"{"coverage":{"answerability":{"verdict":"unsupported-conjunction"}},"state":"NO_CANDIDATES"}"#,
                &[],
                true,
                "NO_CANDIDATES/unsupported-conjunction",
            ),
            (
                r#"{"state":"READY","results":[{"id":"a"}],"coverage":{"answerability":{"verdict":"supported"}}}"#,
                &["a"],
                false,
                "READY",
            ),
            (
                r#"{"state":"READY","results":[{"id":"a"}],"coverage":{"answerability":null}}"#,
                &["a"],
                false,
                "READY",
            ),
            (r#"{"state":"READY","results":[{"id":"a"}],"coverage":null}"#, &["a"], false, "READY"),
            ("{}", &[], true, ""),
        ],
    );
}

#[test]
fn impact_ranks_every_place_but_the_change_itself() {
    table(
        "impact",
        &[
            (
                r#"{"context":{"state":"READY","results":[{"evidence":[{"path":"c.go"},{"path":"t.go"}]},
                    {"evidence":[{"path":"t.go"},{"path":"g.go"},{},{"path":"d.md"}]},{}]}}"#,
                &["t.go", "", "d.md"],
                false,
                "READY",
            ),
            (
                r#"{"context":{"state":"READY","results":[{"evidence":[{"path":"c.go"},{"path":"h.go"}]}]}}"#,
                &[],
                true,
                "READY",
            ),
            (
                r#"{"context":{"state":"OUT_OF_SCOPE","results":[{"evidence":[{"path":"a"}]}]}}"#,
                &["a"],
                true,
                "OUT_OF_SCOPE",
            ),
            (r#"{"context":{"state":"READY"}}"#, &[], true, "READY"),
            ("{}", &[], true, ""),
        ],
    );
}

#[test]
fn affected_ranks_the_tests_of_the_plan() {
    table(
        "affected",
        &[
            (
                r#"{"plan":{"scope":"BOUNDED","selected":[{"tests":["t.go","c.go"]},{"tests":["t.go","u.go"]},
                    {},{"tests":null},null,{"tests":[null]}]}}"#,
                &["t.go", "u.go", ""],
                false,
                "BOUNDED",
            ),
            (
                r#"{"plan":{"scope":"UNKNOWN","selected":[{"tests":["c.go","g.go"]}]}}"#,
                &[],
                true,
                "UNKNOWN",
            ),
            (r#"{"plan":{"scope":"BOUNDED","selected":[]}}"#, &[], true, "BOUNDED"),
            (r#"{"plan":null}"#, &[], true, ""),
            (r#"{"plan":{"scope":null,"selected":null}}"#, &[], true, ""),
            ("{}", &[], true, ""),
        ],
    );
}

#[test]
fn a_ranking_is_cut_to_the_limit_after_what_may_not_be_ranked_is_gone() {
    let excluded = ["f1".to_owned()];
    let names: Vec<String> = (0..60).map(|at| format!("f{at}")).collect();
    let join = |row: fn(&String) -> String| names.iter().map(row).collect::<Vec<_>>().join(",");
    let places = join(|name| format!(r#"{{"evidence":[{{"path":"{name}"}}]}}"#));
    let ids = join(|name| format!(r#"{{"id":"{name}"}}"#));
    let tests = join(|name| format!("{name:?}"));
    for (arm, packet, first) in [
        ("corvint", format!(r#"{{"context":{{"results":[{places}]}}}}"#), ["f0", "f2", "f3"]),
        ("context", format!(r#"{{"results":[{ids}]}}"#), ["f0", "f2", "f3"]),
        ("impact", format!(r#"{{"context":{{"results":[{places}]}}}}"#), ["f2", "f3", "f4"]),
        (
            "affected",
            format!(r#"{{"plan":{{"selected":[{{"tests":[{tests}]}}]}}}}"#),
            ["f2", "f3", "f4"],
        ),
    ] {
        for limit in [1, 2, 3, 50] {
            let asked = Asked { limit, excluded: &excluded, changed: Some("f0") };
            let ranked = answer(arm, &packet, &asked).expect(arm).ranked;
            assert_eq!(ranked.len(), limit, "{arm}");
            assert_eq!(ranked[..limit.min(3)], first[..limit.min(3)], "{arm}");
        }
    }
}

#[test]
fn what_is_no_packet_is_refused_in_one_sentence() {
    let deep = format!(r#"{{"x":{}{}}}"#, "[".repeat(200), "]".repeat(200));
    for verb in &retrieval_bench::corvint::VERBS {
        for (packet, reason) in [
            (&b""[..], "nothing was printed"),
            (b" \n\t", "nothing was printed"),
            (b"not json", "not an object"),
            (b"null", "not an object"),
            (b"[]", "expected an object"),
            (b"\"text\"", "expected an object"),
            (b"{\"context\":", "EOF"),
            (b"{} x", "trailing characters"),
            (b"{}{}", "trailing characters"),
            (b"{}\0", "trailing characters"),
            (b"\0{}", "expected value"),
            (b"\xef\xbb\xbf{}", "expected value"),
            (b"{\"other\":\"\xff\"}", "byte 11 is not UTF-8"),
            (b"{\"other\":\"a\0b\"}", "control character"),
            (br#"{"other":"\ud800"}"#, "hex escape"),
            (br#"{"other":[1,]}"#, "trailing comma"),
            (deep.as_bytes(), "recursion limit"),
        ] {
            let said = refusal(verb.arm, packet);
            assert!(said.starts_with("unreadable packet: "), "{said}");
            assert!(said.contains(reason), "{}: {said}", verb.arm);
        }
    }
}

#[test]
fn a_member_of_another_type_is_refused_and_not_repeated_at_length() {
    let long = "x".repeat(100_000);
    for (arm, packet) in [
        ("corvint", r#"{"context":{"state":5,"results":{}}}"#.to_owned()),
        ("corvint", r#"{"context":[]}"#.to_owned()),
        ("corvint", r#"{"context":["READY",[]]}"#.to_owned()),
        ("corvint", r#"{"context":{"results":{}}}"#.to_owned()),
        ("corvint", r#"{"context":{"results":[[]]}}"#.to_owned()),
        ("corvint", r#"{"context":{"results":[{"evidence":{}}]}}"#.to_owned()),
        ("corvint", r#"{"context":{"results":[{"evidence":["a.go"]}]}}"#.to_owned()),
        ("corvint", r#"{"context":{"results":[{"evidence":[{"path":7}]}]}}"#.to_owned()),
        ("corvint", r#"{"context":{"state":"A","state":"B"}}"#.to_owned()),
        ("corvint", r#"{"context":{"results":[{"evidence":[{"path":"a\u0000"}]}]}}"#.to_owned()),
        ("corvint", format!(r#"{{"context":{{"results":"{long}"}}}}"#)),
        ("impact", r#"{"context":{"results":[{"evidence":[{},{"path":[]}]}]}}"#.to_owned()),
        ("context", r#"{"context":{},"results":{},"state":5}"#.to_owned()),
        ("context", r#"{"results":[{"id":{}}]}"#.to_owned()),
        ("context", r#"{"coverage":{"answerability":{"verdict":true}}}"#.to_owned()),
        ("context", format!(r#"{{"coverage":"{long}"}}"#)),
        ("affected", r#"{"plan":{"selected":[{"tests":"a"}]}}"#.to_owned()),
        ("affected", r#"{"plan":{"selected":[{"tests":[1]}]}}"#.to_owned()),
        ("affected", r#"{"plan":{"scope":[]}}"#.to_owned()),
    ] {
        let said = refusal(arm, packet.as_bytes());
        assert!(said.starts_with("unreadable packet: "), "{said}");
        assert!(said.chars().count() < 260, "{said}");
    }
    let said = refusal("context", format!(r#"{{"results":"\u001b{long}"}}"#).as_bytes());
    assert!(said.contains("xx…xx") && said.contains("\", expected a sequence at line 1"), "{said}");
    assert!(!said.contains('\u{1b}'), "{said}");
}

#[test]
fn members_that_nobody_reads_may_hold_anything() {
    let packet = r#"{"mutates":false,"ok":7,"tool":[{"é":1e300}],"plan":5,"context":{"state":"READY",
        "learning":{"results":[]},"results":[{"kind":null,"id":4,"evidence":[{"line":"x","path":"a"}]}]}}"#;
    table("corvint", &[(packet, &["a"], false, "READY")]);
}
