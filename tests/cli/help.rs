//! Help, completions and the manual page follow the flags.

use clap::{Command, CommandFactory};
use retrieval_bench::cli::manual::{self, EXAMPLES};
use retrieval_bench::cli::{Args, EXIT_CODES, Outcome};

use super::{planned, typed, words};

/// The program and its subcommands, built.
fn commands() -> Vec<Command> {
    let mut program = Args::command().disable_help_subcommand(true);
    program.build();
    let mut commands: Vec<Command> = program.get_subcommands().cloned().collect();
    commands.push(program);
    commands
}

/// Every long flag of the program and its subcommands, without dashes.
fn long_flags() -> Vec<String> {
    let commands = commands();
    let mut flags: Vec<String> = commands
        .iter()
        .flat_map(Command::get_arguments)
        .filter_map(|arg| arg.get_long().map(str::to_string))
        .collect();
    flags.sort();
    flags.dedup();
    assert!(flags.len() >= 25, "{flags:?}");
    flags
}

#[test]
fn the_definitions_are_consistent() {
    Args::command().debug_assert();
}

#[test]
fn every_flag_has_a_summary_and_a_full_sentence() {
    for command in commands() {
        for arg in command.get_arguments() {
            let id = arg.get_id().as_str();
            if ["help", "version"].contains(&id) {
                continue;
            }
            let short = arg.get_help().map(ToString::to_string).unwrap_or_default();
            assert!(
                !short.is_empty() && short.len() <= 80 && !short.contains('\n'),
                "{id}: {short}"
            );
            let long = arg.get_long_help().map(ToString::to_string).unwrap_or_default();
            let body = long.split("\n\n").nth(1).unwrap_or_default();
            assert!(body.ends_with('.'), "{id}: {long}");
            assert!(body.split_whitespace().count() >= 5, "{id}: {long}");
        }
    }
}

#[test]
fn help_and_version_are_answers() {
    for line in ["--help", "-h", "help", "--samples s --help", "verify --help", "help verify"] {
        let (outcome, out, err) = typed(words(line));
        assert_eq!((outcome, err.as_str()), (Outcome::Complete, ""), "{line}");
        assert!(out.contains("Usage: retrieval-bench"), "{line}: {out}");
        for text in out.lines() {
            assert!(text.chars().count() <= 100, "{line}: {text}");
        }
    }
    let (outcome, out, _) = typed(words("--version"));
    let version = format!("retrieval-bench {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!((outcome, out), (Outcome::Complete, version));
}

#[test]
fn help_prints_the_exit_codes_that_outcomes_have() {
    let (_, help, _) = typed(words("--help"));
    for row in &EXIT_CODES {
        assert!(help.contains(&format!("  {:<6} {}", row.code, row.meaning)), "{}", row.code);
    }
    let fixed = [
        Outcome::Complete,
        Outcome::Partial,
        Outcome::Refused,
        Outcome::NotRegistered,
        Outcome::NotQuiet,
    ];
    let codes: Vec<String> = fixed.iter().map(|outcome| outcome.code().to_string()).collect();
    let rows: Vec<&str> = EXIT_CODES.iter().map(|row| row.code).collect();
    assert_eq!(rows, [codes, vec!["128+N".into()]].concat());
    assert_eq!(Outcome::Stopped(2).code(), 130);
    assert_eq!(Outcome::Stopped(255).code(), 255);
}

#[test]
fn every_documented_invocation_is_a_valid_plan() {
    let (_, help, _) = typed(words("--help"));
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for example in &EXAMPLES {
        assert!(help.contains(example.line), "{}", example.line);
        assert!(example.line.len() <= 96, "wrapped, so it cannot be copied: {}", example.line);
        let command = example.line.split(" > ").next().unwrap_or_default();
        let mut line = words(command);
        assert_eq!(line.remove(0), manual::PROGRAM);
        assert!(planned(line).is_ok(), "{command}");
    }
}

#[test]
fn completions_know_every_long_flag() {
    for shell in ["bash", "zsh", "fish"] {
        let (outcome, script, _) = typed(words(&format!("completions {shell}")));
        assert_eq!(outcome, Outcome::Complete);
        for flag in long_flags() {
            let spelled = if shell == "fish" { format!("-l {flag}") } else { format!("--{flag}") };
            assert!(script.contains(&spelled), "{shell}: {spelled}");
        }
    }
}

#[test]
fn the_manual_page_knows_every_flag_and_exit_code() {
    let (outcome, page, _) = typed(words("man"));
    assert_eq!(outcome, Outcome::Complete);
    assert!(page.contains(".TH RETRIEVAL-BENCH 1"), "{}", &page[..200]);
    let plain = page.replace("\\-", "-");
    for flag in long_flags() {
        assert!(plain.contains(&format!("--{flag}")), "{flag}");
    }
    let status = plain.split(".SH \"EXIT STATUS\"").nth(1).unwrap_or_default();
    for row in &EXIT_CODES {
        assert!(status.contains(&format!("\\fB{}\\fR\n{}", row.code, row.meaning)), "{}", row.code);
    }
    for example in &EXAMPLES {
        assert!(plain.contains(example.line), "{}", example.line);
    }
}
