//! The flags: the single source of what can be typed, and of the help, the completions and the manual page.
//!
//! This module says only what a command line is made of. Values are kept as typed where the reference checks them
//! later (ranges, `--snapshot`, `--arms`), so that [`crate::cli::plan`] can refuse in the reference's order. An empty
//! value (`--output "$UNSET"`) means the flag was not given, as in the reference.
//! Every flag has a one-line summary (`-h`) and at least one full sentence (`--help`).

// The comments are help texts first, in which brackets are brackets.
#![allow(rustdoc::broken_intra_doc_links)]

use std::ffi::OsString;

use clap::{ArgAction, Parser, Subcommand, ValueEnum};

use crate::arm::Given;
use crate::cli::manual;
use crate::dataset::ChangedFileFrom;
use crate::registration::QuietHost;
use crate::snapshot::CorpusText;

/// The default `--limit`.
pub const DEFAULT_LIMIT: i64 = 20;
/// The default `--timeout`, seconds.
pub const DEFAULT_TIMEOUT: f64 = 120.0;
/// The default `--quiet-wait`, seconds.
pub const DEFAULT_QUIET_WAIT: i64 = 600;

/// Measures code retrieval for coding agents.
///
/// Asks every arm the questions of a benchmark, each over the repository as it was at the question's base commit,
/// scores the ranked files, and writes one report: every ranking with its metrics, means per group, and paired
/// differences with their intervals.
///
/// Flags, samples and the places of the trees are checked before the first question is asked. What is wrong inside a
/// tree costs its own samples.
#[derive(Debug, Parser)]
#[command(
    name = "retrieval-bench",
    version,
    override_usage = manual::USAGE,
    after_help = manual::SHORT_TAIL,
    after_long_help = manual::long_tail(),
    max_term_width = 100,
    args_override_self = true,
    args_conflicts_with_subcommands = true,
)]
pub struct Args {
    /// The subcommand, when there is one.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// The flags of a run or of a merge.
    #[command(flatten)]
    pub run: RunArgs,
}

/// What is asked and over what.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Inputs")]
pub struct InputArgs {
    /// The samples: one question per line
    ///
    /// They are rows of Agent Retrieval Bench or of ContextBench, one JSON object per line, or a Parquet file of
    /// ContextBench. A bad line refuses the whole
    /// file and is named by its number.
    #[arg(long, value_name = "FILE")]
    pub samples: Option<OsString>,

    /// The folder of snapshots
    ///
    /// A sample's tree is DIR/OWNER__NAME/COMMIT.chunks.jsonl, or else the one folder in DIR
    /// whose name holds both the repository's name and the first 12 digits of the commit.
    #[arg(long, value_name = "DIR")]
    pub corpus: Option<OsString>,

    /// The tree of one snapshot (may repeat)
    ///
    /// The tree is a chunk file, a folder, or a clean Git worktree at the commit, written whole; it goes before --corpus and --clones. The value is cut at the first '=' and
    /// its key at the first '@'. For one key the last wins.
    #[arg(long, value_name = "OWNER/NAME@COMMIT=PATH", action = ArgAction::Append)]
    pub snapshot: Vec<OsString>,

    /// The folder of Git clones
    ///
    /// A clone is OWNER__NAME, OWNER/NAME or NAME.git, bare or not. A sample that neither --snapshot nor --corpus covers is asked
    /// over the tree of its base commit, read from the clone without a checkout.
    #[arg(long, value_name = "DIR")]
    pub clones: Option<OsString>,

    /// Which rows of a chunk file make its texts
    ///
    /// The file rows of the published corpora are cut at
    /// a fixed length; their symbol rows hold much of what was cut.
    #[arg(long, value_name = "TEXT", value_enum, default_value_t = CorpusText::Rows)]
    pub corpus_text: CorpusText,

    /// Normalise ContextBench paths as upstream does
    ///
    /// Upstream takes the leading dot from dot-files (.github/x becomes github/x) before it compares them with gold.
    /// Without this flag only a leading ./ is taken away.
    #[arg(long)]
    pub contextbench_compat: bool,
}

/// How much is done at once.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Work")]
pub struct WorkArgs {
    /// Repositories worked on at the same time; 0 for one per core
    ///
    /// The report is the same for every number, except for its wall times.
    #[arg(long, value_name = "N", default_value = "1", value_parser = decimal,
          allow_negative_numbers = true)]
    pub jobs: i64,
}

/// The flags of a run or of a merge.
#[derive(Debug, clap::Args)]
pub struct RunArgs {
    /// What is asked and over what.
    #[command(flatten)]
    pub inputs: InputArgs,

    /// Ask only samples of this task type (may repeat)
    ///
    /// The type must match exactly. A sample of any of the named types is kept; without the flag every sample is.
    #[arg(long, value_name = "TYPE", action = ArgAction::Append, help_heading = "Inputs")]
    pub task_type: Vec<String>,

    /// Stop reading after N kept samples; 0 for all
    ///
    /// Samples of other task types do not count towards N. Lines after the last kept sample are not even parsed.
    #[arg(long, value_name = "N", default_value = "0", value_parser = decimal,
          allow_negative_numbers = true, help_heading = "Inputs")]
    pub max_samples: i64,

    /// The arms to run, separated by commas (may repeat)
    ///
    /// There are no spaces in the list. The name bm25 selects both BM25 arms. The default is every arm that this version
    /// can run; the arms it leaves out are named on standard error. 'retrieval-bench arms' prints the table.
    #[arg(long, value_name = "LIST", action = ArgAction::Append, help_heading = "Arms")]
    pub arms: Vec<String>,

    /// The most files an arm may rank, 1 to 50
    ///
    /// A longer ranking is cut. Metrics at a depth beyond the limit are not computed.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_LIMIT, value_parser = decimal,
          allow_negative_numbers = true, help_heading = "Arms")]
    pub limit: i64,

    /// What to do with files that the asker already holds
    ///
    /// A sample may name files that the question came with. Gold is never reduced by them.
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = Given::Remove,
          help_heading = "Arms")]
    pub given: Given,

    /// Query members that may name the changed file
    ///
    /// The impact and affected arms are asked about query.changed_file. Where a sample has none, the first member of this
    /// list that names a file takes its place; without the list such a sample is an error of these arms. Members are
    /// separated by commas (may repeat).
    #[arg(long, value_name = "LIST", value_enum, value_delimiter = ',', action = ArgAction::Append,
          help_heading = "Arms")]
    pub changed_file_from: Vec<ChangedFileFrom>,

    /// The corvint executable [default: corvint]
    ///
    /// The corvint arms call it, and its digest is registered. A name without a slash is looked up in PATH. Where neither
    /// this flag nor --arms is given and there is no corvint in PATH, the arms that call it are left out, with a notice.
    #[arg(long, value_name = "EXE", help_heading = "Arms")]
    pub corvint: Option<OsString>,

    /// The digest that the corvint executable must have
    ///
    /// A SHA-256 in 64 hexadecimal digits. A run whose executable is another one is refused with exit code 3. It needs an
    /// arm that calls corvint.
    #[arg(long, value_name = "SHA256", help_heading = "Arms")]
    pub expect_corvint: Option<OsString>,

    /// Seconds one call of a tool may take
    ///
    /// A call that takes longer is killed with all its children and recorded as an error of its arm, without a time.
    /// Each call of Git on copies and clones has the same bound. Fractions such as 0.5 are allowed.
    #[arg(long, value_name = "SECONDS", default_value_t = DEFAULT_TIMEOUT, value_parser = seconds,
          allow_negative_numbers = true, help_heading = "Arms")]
    pub timeout: f64,

    /// Time the context arm cold and warm on matched snapshots
    ///
    /// Each sample is asked without and with the tool's stored snapshot, and both answers must be equal. It needs the
    /// context arm and a registration. A value takes an equals sign: --snapshot-latency=false.
    #[arg(long, value_name = "BOOL", action = ArgAction::Set, num_args = 0..=1,
          require_equals = true, default_value = "false", default_missing_value = "true",
          hide_default_value = true, hide_possible_values = true, help_heading = "Arms")]
    pub snapshot_latency: bool,

    /// Where the raw answers of the context arm go
    ///
    /// Every call is recorded with the bytes that the tool printed. It needs the context arm and a
    /// registration, and the file must not exist.
    #[arg(long, value_name = "PATH", help_heading = "Outputs")]
    pub context_packets: Option<OsString>,

    /// Where the report goes [default: standard output]
    ///
    /// The folder must exist and the file must not. The report appears whole, at the end.
    #[arg(long, value_name = "PATH", help_heading = "Outputs")]
    pub output: Option<OsString>,

    /// Where the registration goes [default: OUTPUT.registration.json]
    ///
    /// The registration says what is about to be run and on what; it is written before the first arm runs, and the file
    /// must not exist. Without --output there is no default.
    #[arg(long, value_name = "PATH", help_heading = "Outputs")]
    pub registration: Option<OsString>,

    /// Merge reports instead of running (may repeat)
    ///
    /// The reports must be over the same samples with the same limit. Every summary is rebuilt from their rankings;
    /// where two hold the same arm of the same sample, the later one counts.
    #[arg(long, value_name = "REPORT", action = ArgAction::Append, help_heading = "Outputs")]
    pub summarize: Vec<OsString>,

    /// Continue an interrupted run from its journal
    ///
    /// The journal stands beside the registration. The report is the one that the uninterrupted run would have written.
    /// It needs --output or --registration.
    #[arg(long, help_heading = "Work")]
    pub resume: bool,

    /// How much is done at once.
    #[command(flatten)]
    pub work: WorkArgs,

    /// Private copies of trees on the disk at the same time, from 1
    ///
    /// The corvint arms are asked over a copy in the folder for temporary files (TMPDIR); nobody's own tree is written
    /// to. A copy is gone when its samples are done.
    #[arg(long, value_name = "N", default_value = "1", value_parser = decimal,
          allow_negative_numbers = true, help_heading = "Work")]
    pub copies: i64,

    /// What to do on a host that is not quiet
    ///
    /// Load, pressure, frequency control, other users and heat are judged before the run and again after it, and the
    /// registration keeps every verdict. After a run load and pressure hold the run's own work and speak for nothing. What cannot be read is unknown, and unknown never refuses. A refused run ends
    /// with exit code 4 before anything is written.
    #[arg(long, value_name = "MODE", value_enum, default_value_t = QuietHost::Record,
          help_heading = "Host")]
    pub quiet_host: QuietHost,

    /// Seconds to wait for a quiet host at most [default: 600]
    ///
    /// The host is looked at for a second, then again after five. It needs --quiet-host=wait.
    #[arg(long, value_name = "SECONDS", value_parser = decimal, allow_negative_numbers = true,
          help_heading = "Host")]
    pub quiet_wait: Option<i64>,

    /// Print neither progress nor notices
    ///
    /// Errors are still printed on standard error.
    #[arg(long, help_heading = "Work")]
    pub quiet: bool,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a small built-in benchmark, to see what a report looks like
    ///
    /// It needs no data, no download and no configuration, and takes less than a second: hand-labelled questions over
    /// this program's own source at one commit.
    Demo {
        /// Where the inputs and the report go [default: retrieval-bench-demo]
        ///
        /// The folder is created and must not exist. Without the flag it lies in the current one, with a number behind its
        /// name where that is taken.
        #[arg(long, value_name = "DIR")]
        output: Option<OsString>,
    },
    /// Print the table of arms
    ///
    /// Each line is one arm: its name, whether this version can run it, and what it does.
    Arms,
    /// Print the JSON Schema of a report or a registration
    ///
    /// It is for validators and for readers written in other languages.
    Schema {
        /// The kind of file
        ///
        /// Both kinds are written by this program.
        #[arg(value_enum, default_value_t = SchemaOf::Report)]
        of: SchemaOf,
    },
    /// Check samples and snapshots without running an arm
    ///
    /// Every sample and every snapshot that the samples need is read. What is missing, broken, cut, or not the bytes that
    /// were pinned is named on standard output, one finding a line: SEVERITY[KIND] PLACE: WHAT. Then come a count per
    /// kind and one line with the sums.
    ///
    /// An error means that a sample cannot be measured or that an input is not the pinned one; a warning, that the
    /// result is affected; a note affects nothing.
    ///
    /// The exit code is 0 without errors, 1 with errors, 2 if the samples file or another input is refused whole (then
    /// standard output is empty), and 3 if an input is not the pinned one, whatever else is wrong.
    Verify(VerifyArgs),
    /// Print a completion script for a shell
    ///
    /// The script goes to standard output; where it belongs depends on the shell.
    Completions {
        /// The shell
        ///
        /// The script is written in the language of this shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    ///
    /// The page is roff; pipe it into 'man -l -' to read it.
    Man,
}

/// The flags of `verify`.
#[derive(Debug, clap::Args)]
pub struct VerifyArgs {
    /// What is asked and over what.
    #[command(flatten)]
    pub inputs: InputArgs,

    /// Write the digest of every input to this file
    ///
    /// Each line is a SHA-256 and a name, as sha256sum prints them: samples, manifest (the corpus's
    /// corpus_manifest.jsonl), and OWNER/NAME@COMMIT for each snapshot that the samples need. A chunk file is digested as
    /// it is; a folder or a clone as the lines that sha256sum prints for its files in order of their paths. An input that
    /// cannot be read has no line. The file must not exist; keep it to pin the inputs.
    #[arg(long, value_name = "FILE", help_heading = "Digests", conflicts_with = "check_digests")]
    pub write_digests: Option<OsString>,

    /// Compare every input with the digests in this file
    ///
    /// An input whose digest differs, that the file names and that is not there, or that the file does not name, is an
    /// error, and the exit code is 3.
    #[arg(long, value_name = "FILE", help_heading = "Digests")]
    pub check_digests: Option<OsString>,

    /// How much is done at once.
    #[command(flatten)]
    pub work: WorkArgs,
}

/// `schema`: whose schema is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SchemaOf {
    /// The report
    Report,
    /// The registration
    Registration,
}

/// A whole decimal number; ranges are checked by the plan, in the reference's order.
fn decimal(text: &str) -> Result<i64, String> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("not a whole number in decimal digits".into());
    }
    text.parse().map_err(|_| "out of range".into())
}

/// Seconds in decimal digits, with or without a fraction.
fn seconds(text: &str) -> Result<f64, String> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
    for digits in [whole, fraction] {
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err("not a number of seconds in decimal digits".into());
        }
    }
    text.parse().map_err(|_| "out of range".into())
}
