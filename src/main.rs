//! The binary: parse, run, exit code.

use std::env;
use std::io;
use std::process::ExitCode;

use retrieval_bench::cli::{self, Streams};

fn main() -> ExitCode {
    let (mut out, mut err) = (io::stdout(), io::stderr());
    let outcome = cli::main(env::args_os().skip(1), &mut Streams { out: &mut out, err: &mut err });
    ExitCode::from(outcome.code())
}
