//! The executable under test: found, opened, digested, called, and looked at again when all is done.
//!
//! One call at a time, through a guard that nothing of a call outlives. The tool sees our environment without Git's
//! variables and without the user's Git configuration, and its temporary files lie in our scratch folder.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::capture::{Capture, CapturePlan, ParseStatus, Phase};
use super::failure::{COPY, hide};
use super::trace::TRACE_VARIABLE;
use crate::dataset::ChangedFileFrom;
use crate::process::lookup::in_path;
use crate::process::scratch::private_folder;
use crate::process::{Call, Ended, Finished, Guard, Scratch, remove_tree};
use crate::snapshot::Copies;

/// The longest standard output of a call, bytes (specification 8 and 17).
pub const STDOUT_LIMIT: u64 = 8 << 20;

/// How much of a call's standard error is kept, bytes (specification 8 and 17).
pub const STDERR_LIMIT: u64 = 64 << 10;

/// What a call's environment has instead of the user's own settings of Git.
const VARIABLES: [(&str, &str); 3] = [
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
];

/// How the tool is called.
#[derive(Clone, Debug)]
pub struct ToolOptions {
    /// The executable; a name without a slash is looked up in PATH.
    pub executable: OsString,
    /// How long one call may take, and one of Git.
    pub timeout: Duration,
    /// Private copies at a time.
    pub copies: usize,
    /// Whether the context arm is timed without and with the tool's stored snapshot.
    pub matched: bool,
    /// Members of a query that may name its changed file.
    pub changed_file_from: Vec<ChangedFileFrom>,
    /// The digest that the executable should have; another one is not run.
    pub expected: Option<String>,
}

/// Why the tool cannot be called, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolError(String);

impl fmt::Display for ToolError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for ToolError {}

/// The tool, ready to be called.
#[derive(Debug)]
pub struct Tool {
    // Before the scratch folder, in which its calls may still be at work.
    guard: Mutex<Guard>,
    scratch: Scratch,
    copies: Copies,
    named: AtomicU64,
    path: PathBuf,
    sha256: String,
    version: String,
    options: ToolOptions,
    /// Where the context arm's calls are kept, and which of them each is.
    capture: Option<Mutex<(CapturePlan, Capture)>>,
    /// The next call's folder for temporary files.
    temporary: Mutex<PathBuf>,
}

impl Tool {
    /// Finds and opens the executable, digests it and asks for its version. `program` is this program's own file.
    pub fn open(options: ToolOptions, program: &Path) -> Result<Tool, ToolError> {
        let path = find(&options.executable)?;
        let no_scratch = |why| ToolError(format!("no scratch folder can be made: {why}"));
        let scratch = Scratch::new().map_err(no_scratch)?;
        let guard = Guard::start(program, &path, environment(), &scratch)
            .map_err(|why| ToolError(format!("--corvint: {why}")))?;
        let sha256 = guard.sha256().to_owned();
        let mut tool = Tool {
            guard: Mutex::new(guard),
            scratch,
            copies: Copies::new(options.copies),
            named: AtomicU64::new(0),
            path,
            sha256,
            version: String::new(),
            options,
            capture: None,
            temporary: Mutex::new(PathBuf::new()),
        };
        tool.prepare().map_err(no_scratch)?;
        // Another program than the expected one is not run at all.
        if tool.options.expected.as_ref().is_none_or(|expected| *expected == tool.sha256) {
            tool.version = tool.ask_version()?;
        }
        Ok(tool)
    }

    /// SHA-256 of the executable, in lowercase hexadecimal.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// What it calls itself: one line.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Keeps what the context arm's calls print, from now on.
    pub fn capture_into(&mut self, plan: CapturePlan, capture: Capture) {
        self.capture = Some(Mutex::new((plan, capture)));
    }

    /// The capture, which ends.
    pub fn take_capture(&mut self) -> Option<Capture> {
        let (_, capture) =
            self.capture.take()?.into_inner().unwrap_or_else(PoisonError::into_inner);
        Some(capture)
    }

    /// Records a call of the context arm, where they are kept: what it printed, and why there is no answer.
    pub(super) fn record(
        &self,
        sample: &str,
        phase: Phase,
        finished: &Finished,
        error: &str,
    ) -> Result<(), String> {
        let Some(capture) = &self.capture else { return Ok(()) };
        let (plan, capture) = &mut *capture.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(ordinal) = plan.ordinal(sample, phase) else {
            return Err(format!("the capture has no place for the {phase:?} call of {sample}"));
        };
        let was_made = !matches!(finished.ended, Ended::NotStarted(_) | Ended::Lost(_));
        let (stdout, status) = match &finished.ended {
            Ended::Exited(0) if error.is_empty() => (Some(&*finished.stdout), ParseStatus::Parsed),
            Ended::Exited(0) => (Some(&*finished.stdout), ParseStatus::Malformed),
            _ => (None, ParseStatus::NotRun),
        };
        let stderr = was_made.then_some((&*finished.stderr, finished.stderr_cut));
        capture.record(ordinal, stdout, stderr, status, error).map_err(|why| why.to_string())
    }

    /// How it is called.
    pub(super) fn options(&self) -> &ToolOptions {
        &self.options
    }

    /// The bound on private copies.
    pub(super) fn copies(&self) -> &Copies {
        &self.copies
    }

    /// A path in the scratch folder that nothing has had before.
    pub(super) fn new_path(&self, kind: &str) -> PathBuf {
        let number = self.named.fetch_add(1, Ordering::Relaxed);
        self.scratch.path().join(format!("{kind}-{number}"))
    }

    /// Makes the next call's folder for temporary files and removes the last one's, so that no call finds what another has
    /// left. Not for the timed span.
    pub(super) fn prepare(&self) -> io::Result<()> {
        let mut temporary = self.temporary.lock().unwrap_or_else(PoisonError::into_inner);
        if !temporary.as_os_str().is_empty() {
            remove_tree(&temporary)?;
        }
        *temporary = self.new_path("tmp");
        private_folder(&temporary)
    }

    /// What a call said, in which no path of this run stands: two runs of one experiment say the same.
    pub(super) fn unnamed(&self, text: &str, copy: &Path) -> String {
        let temporary = self.temporary.lock().unwrap_or_else(PoisonError::into_inner);
        let text = hide(&hide(text, copy, COPY), &temporary, "$TMPDIR");
        hide(&text, self.scratch.path(), "$SCRATCH")
    }

    /// Calls it, and waits until nothing of the call is left.
    pub(super) fn call(&self, arguments: Vec<OsString>, traced: bool) -> Finished {
        let temporary = self.temporary.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut variables = vec![("TMPDIR".into(), temporary.into())];
        variables.extend(traced.then(|| (TRACE_VARIABLE.into(), "1".into())));
        let call = Call {
            arguments,
            variables,
            timeout: self.options.timeout,
            stdout_limit: STDOUT_LIMIT,
            stderr_limit: STDERR_LIMIT,
        };
        self.guard().call(&call, &self.scratch)
    }

    /// Refuses a tool that is not the one that was opened: the open file, and the one at its path.
    pub fn check_unchanged(&self) -> Result<(), ToolError> {
        let shown = self.path.display();
        match self.guard().measure(&self.scratch) {
            Ok(found) if found.open == self.sha256 && found.at_path == self.sha256 => Ok(()),
            Ok(_) => Err(ToolError(format!("{shown} was changed while it was measured"))),
            Err(why) => Err(ToolError(format!("{shown} cannot be digested again: {why}"))),
        }
    }

    fn guard(&self) -> MutexGuard<'_, Guard> {
        self.guard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ask_version(&self) -> Result<String, ToolError> {
        let finished = self.call(vec!["--version".into()], false);
        let failed = |what: &str| {
            let shown = self.path.display();
            ToolError(format!("--corvint: {shown} --version {what}: is it corvint?"))
        };
        match finished.ended {
            Ended::Exited(0) => {}
            Ended::NotStarted(why) | Ended::Lost(why) => {
                return Err(failed(&format!("failed ({why})")));
            }
            Ended::TooSlow(_) => return Err(failed("did not end in time")),
            _ => return Err(failed("failed")),
        }
        match std::str::from_utf8(&finished.stdout).map(str::trim) {
            Ok(line) if !line.is_empty() && !line.contains(char::is_control) => Ok(line.to_owned()),
            _ => Err(failed("did not print one line")),
        }
    }
}

/// Where the executable is, as the shell would find it.
pub fn find(executable: &OsStr) -> Result<PathBuf, ToolError> {
    if executable.as_encoded_bytes().contains(&b'/') {
        let path = Path::new(executable);
        return std::path::absolute(path)
            .map_err(|why| ToolError(format!("--corvint: {}: {why}", path.display())));
    }
    in_path(executable).ok_or_else(|| {
        ToolError(format!(
            "--corvint: there is no executable {:?} in PATH: name its file, or choose arms that need none with --arms",
            executable.to_string_lossy()
        ))
    })
}

fn environment() -> Vec<(OsString, OsString)> {
    let is_replaced =
        |name: &OsStr| name == TRACE_VARIABLE || name.as_encoded_bytes().starts_with(b"GIT_");
    let inherited = std::env::vars_os().filter(|(name, _)| !is_replaced(name));
    inherited.chain(VARIABLES.iter().map(|&(name, value)| (name.into(), value.into()))).collect()
}
