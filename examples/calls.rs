//! What one call of a tool costs, and a private copy, for `scripts/perf`: does the work so often and prints nothing but
//! counts; the caller reads the CPU seconds of the whole process and its children.
//!
//!     calls bare N EXECUTABLE             fork, exec and wait, output thrown away
//!     calls guarded N EXECUTABLE PROGRAM  through a guard (PROGRAM), output read and parsed as a packet
//!     calls copy N CHUNK-FILE             make a private copy and check it N times; says how many files it has

use std::error::Error;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use retrieval_bench::corvint::{Asked, STDERR_LIMIT, STDOUT_LIMIT, verb};
use retrieval_bench::dataset::SnapshotKey;
use retrieval_bench::process::{Call, Ended, Guard, Scratch};
use retrieval_bench::snapshot::{ChunkFile, Copies, Mapping, PrivateCopy, Tree};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["bare", times, executable] => bare(times.parse()?, executable),
        ["guarded", times, executable, program] => guarded(times.parse()?, executable, program),
        ["copy", times, chunks] => copy(times.parse()?, Path::new(chunks)),
        _ => Err("see the head of examples/calls.rs".into()),
    }
}

fn bare(times: u32, executable: &str) -> Result<(), Box<dyn Error>> {
    for _ in 0..times {
        let mut command = Command::new(executable);
        command.arg("query").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if !command.status()?.success() {
            return Err("the executable failed".into());
        }
    }
    Ok(())
}

fn guarded(times: u32, executable: &str, program: &str) -> Result<(), Box<dyn Error>> {
    let scratch = Scratch::new()?;
    let environment = std::env::vars_os().collect();
    let mut guard = Guard::start(Path::new(program), Path::new(executable), environment, &scratch)?;
    let answer = verb("corvint").ok_or("no such arm")?.answer;
    let asked = Asked { limit: 20, excluded: &[], changed: None };
    let call = Call {
        arguments: vec!["query".into()],
        variables: Vec::new(),
        timeout: Duration::from_secs(10),
        stdout_limit: STDOUT_LIMIT,
        stderr_limit: STDERR_LIMIT,
    };
    for _ in 0..times {
        let finished = guard.call(&call, &scratch);
        if finished.ended != Ended::Exited(0) || answer(&finished.stdout, &asked)?.ranked.is_empty()
        {
            return Err(format!("{finished:?}").into());
        }
    }
    Ok(())
}

/// Zero times makes the copy and does not check it again.
fn copy(times: u32, chunks: &Path) -> Result<(), Box<dyn Error>> {
    let key = SnapshotKey { repo: "perf/perf".into(), commit: "a".repeat(40) };
    let mut tree = ChunkFile::open(&key, "the chunk file", Mapping::open(chunks)?)?;
    let scratch = Scratch::new()?;
    let place = scratch.path().join("copy");
    let copy =
        PrivateCopy::make(&Copies::new(1), &key, &mut tree, &place, Duration::from_secs(120))?;
    for _ in 0..times {
        copy.check_clean()?;
    }
    println!("{}", tree.len());
    Ok(())
}
