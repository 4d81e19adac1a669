//! The texts around the flags: usage, examples, exit codes, completions, and the manual page.
//!
//! Everything that names a flag is generated from [`crate::cli::args`]; a test holds the examples against the plan.

use std::io::{self, Write};

use clap::CommandFactory;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use crate::cli::{Args, EXIT_CODES};

/// The program's name.
pub const PROGRAM: &str = "retrieval-bench";

/// The usage lines of `--help`.
pub const USAGE: &str = "\
retrieval-bench --samples FILE (--corpus DIR | --clones DIR | --snapshot KEY=PATH) [OPTIONS]
       retrieval-bench --summarize REPORT [--summarize REPORT]... [--output PATH]
       retrieval-bench <COMMAND>";

/// The last line of `-h`.
pub const SHORT_TAIL: &str =
    "'--help' says more about every flag, gives examples, and lists the exit codes.";

/// What a bare invocation prints on standard error.
pub const FIRST_STEPS: &str = "\
retrieval-bench measures code retrieval for coding agents.

The first thing to try:  retrieval-bench demo
Then, with real inputs:  retrieval-bench --samples FILE --corpus DIR --output report.json
Everything there is:     retrieval-bench --help
";

/// A documented invocation.
#[derive(Debug)]
pub struct Example {
    /// What it does.
    pub what: &'static str,
    /// The words, as typed in a shell.
    pub line: &'static str,
}

/// The documented invocations; each one is a valid plan.
pub static EXAMPLES: [Example; 8] = [
    Example {
        what: "See a report without having any data",
        line: "retrieval-bench demo --output demo",
    },
    Example {
        what: "Ask every sample over a corpus of chunk files",
        line: "retrieval-bench --samples samples.jsonl --corpus corpus --output report.json",
    },
    Example {
        what: "Run both BM25 baselines on one task type",
        line: "retrieval-bench --samples samples.jsonl --corpus corpus --arms bm25 --task-type code2test",
    },
    Example {
        what: "Read the trees from Git clones, four repositories at a time",
        line: "retrieval-bench --samples samples.jsonl --clones clones --jobs 4 --output report.json",
    },
    Example {
        what: "Continue after a crash",
        line: "retrieval-bench --samples samples.jsonl --clones clones --output report.json --resume",
    },
    Example {
        what: "Merge reports over the same samples",
        line: "retrieval-bench --summarize lexical.json --summarize tool.json --output merged.json",
    },
    Example {
        what: "Check the inputs, and pin their bytes",
        line: "retrieval-bench verify --samples samples.jsonl --corpus corpus --write-digests pins.txt",
    },
    Example {
        what: "Install the completions for bash",
        line: "retrieval-bench completions bash > \
               ~/.local/share/bash-completion/completions/retrieval-bench",
    },
];

/// The examples and the exit codes, as `--help` ends.
pub fn long_tail() -> String {
    let mut text = String::from("Examples:\n");
    for example in &EXAMPLES {
        text += &format!("  {}:\n    {}\n", example.what, example.line);
    }
    text += "\nExit codes:\n";
    for row in &EXIT_CODES {
        text += &format!("  {:<6} {}\n", row.code, row.meaning);
    }
    text
}

/// The completion script of a shell.
pub fn completions(shell: clap_complete::Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), PROGRAM, &mut script);
    script
}

/// The manual page, in roff: one page for the program and its subcommands.
pub fn page() -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    let command = Args::command().disable_help_subcommand(true);
    let man = Man::new(command.clone()).title(PROGRAM.to_uppercase()).manual("User Commands");
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    for subcommand in command.get_subcommands() {
        let name = subcommand.get_name().to_string();
        let about = subcommand.get_long_about().or(subcommand.get_about());
        let mut section = Roff::new();
        section.control("SH", [format!("{PROGRAM} {name}").to_uppercase().as_str()]);
        section.text([roman(about.map(ToString::to_string).unwrap_or_default())]);
        section.to_writer(&mut page)?;
        if subcommand.get_arguments().next().is_some() {
            let flags = subcommand
                .clone()
                .disable_help_flag(true)
                .mut_args(|arg| arg.help_heading(format!("options of {name}")));
            Man::new(flags).render_options_section(&mut page)?;
        }
    }
    let mut tail = Roff::new();
    tail.control("SH", ["EXIT STATUS"]);
    for row in &EXIT_CODES {
        tail.control("TP", []);
        tail.text([bold(row.code)]).text([roman(row.meaning)]);
    }
    tail.control("SH", ["EXAMPLES"]);
    for example in &EXAMPLES {
        tail.control("TP", []);
        tail.text([roman(example.what)]).text([bold(example.line)]);
    }
    tail.to_writer(&mut page)?;
    page.flush()?;
    Ok(page)
}
