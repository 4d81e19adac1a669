//! The binary: parse, run, exit code.

use std::env;
use std::io;
use std::process::ExitCode;

use retrieval_bench::cli::{self, Outcome, Streams};
use retrieval_bench::process::{self, guard, stop};

fn main() -> ExitCode {
    if env::args_os().nth(1).is_some_and(|word| word == guard::WORD) {
        return process::guard_main();
    }
    if let Err(why) = stop::at_signals(|signal| Outcome::Stopped(signal).code()) {
        eprintln!("retrieval-bench: signals cannot be waited for: {why}");
        return ExitCode::from(Outcome::Refused.code());
    }
    let (mut out, mut err) = (io::stdout(), io::stderr());
    let outcome = cli::main(env::args_os().skip(1), &mut Streams { out: &mut out, err: &mut err });
    ExitCode::from(outcome.code())
}
