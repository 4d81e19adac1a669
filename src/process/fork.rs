//! Between fork and exec: the one place where a child is made by hand.
//!
//! A child starts with an empty standard input, its two pipes, no other descriptor, no blocked signal, in a process group
//! of its own, and is killed by the kernel when whoever made it dies. Nothing here waits for it.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::{self, PipeWriter, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::libc;
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::{SigHandler, SigSet, Signal, signal};
use nix::unistd::{self, ForkResult, Pid};

/// What is executed.
#[derive(Debug)]
pub(super) enum Image<'a> {
    /// The very file that is open here.
    Open(BorrowedFd<'a>),
    /// The file of this name: a script, which its interpreter opens by name.
    Named(&'a CStr),
}

/// Makes the children of `command` die with the thread that starts them.
pub(super) fn dies_with_us(command: &mut Command) -> &mut Command {
    let parent = unistd::getpid();
    // SAFETY: between fork and exec the closure makes two system calls and touches no memory but its own copy of
    // `parent`; it neither allocates nor takes a lock.
    #[allow(unsafe_code)]
    unsafe {
        command.pre_exec(move || follow(parent).map_err(io::Error::from))
    }
}

/// Starts `image` and answers the child's id. The arguments include the program's name.
///
/// For a process with one thread only, as the guard is: that is what makes the fork sound.
pub(super) fn start(
    image: &Image<'_>,
    arguments: &[CString],
    environment: &[CString],
    stdout: PipeWriter,
    stderr: PipeWriter,
) -> io::Result<Pid> {
    let nothing = File::open("/dev/null")?;
    let parent = unistd::getpid();
    let (mut failure, report) = io::pipe()?;
    // SAFETY: the guard never starts a thread, so the child inherits no lock that another thread holds and may do whatever
    // a process may do, until it executes the program or exits.
    #[allow(unsafe_code)]
    match unsafe { unistd::fork() }? {
        ForkResult::Child => {
            let why =
                become_program(parent, &nothing, image, arguments, environment, &stdout, &stderr);
            let _ = (&report).write_all(&(why as i32).to_le_bytes());
            // SAFETY: ends the process at once; nothing of the parent's is flushed or dropped twice.
            unsafe { libc::_exit(127) }
        }
        ForkResult::Parent { child } => {
            // Both sides set the group, so that it stands whoever comes first.
            let _ = unistd::setpgid(child, child);
            drop((report, stdout, stderr));
            let mut errno = [0; 4];
            // Nothing comes when the program was executed: its end of the pipe is closed by that.
            if failure.read_exact(&mut errno).is_err() {
                return Ok(child);
            }
            let _ = nix::sys::wait::waitpid(child, None);
            Err(io::Error::from_raw_os_error(i32::from_le_bytes(errno)))
        }
    }
}

/// The child's side; returns only to say why the program was not executed.
fn become_program(
    parent: Pid,
    nothing: &File,
    image: &Image<'_>,
    arguments: &[CString],
    environment: &[CString],
    stdout: &PipeWriter,
    stderr: &PipeWriter,
) -> Errno {
    let prepared = || {
        unistd::setpgid(Pid::from_raw(0), Pid::from_raw(0))?;
        follow(parent)?;
        unistd::dup2_stdin(nothing)?;
        unistd::dup2_stdout(stdout)?;
        unistd::dup2_stderr(stderr)?;
        // Ours are closed by exec already; what was handed down to us without that is not.
        close_others_on_exec()?;
        // SAFETY: restores the default of a signal that the runtime of this program ignores; no handler is installed.
        #[allow(unsafe_code)]
        unsafe { signal(Signal::SIGPIPE, SigHandler::SigDfl) }?;
        SigSet::empty().thread_set_mask()
    };
    let executed = prepared().and_then(|()| match image {
        Image::Open(file) => unistd::fexecve(file, arguments, environment),
        Image::Named(path) => unistd::execve(path, arguments, environment),
    });
    match executed {
        Ok(never) => match never {},
        Err(why) => why,
    }
}

/// Asks the kernel to kill this process when its parent dies, unless that has happened.
fn follow(parent: Pid) -> Result<(), Errno> {
    set_pdeathsig(Signal::SIGKILL)?;
    if unistd::getppid() == parent { Ok(()) } else { Err(Errno::ESRCH) }
}

fn close_others_on_exec() -> Result<(), Errno> {
    // SAFETY: a system call on numbers; it closes nothing now, so no descriptor in use is pulled away.
    #[allow(unsafe_code)]
    let done = unsafe { libc::close_range(3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC as i32) };
    if done == 0 {
        return Ok(());
    }
    // A kernel before 5.11.
    let open = std::fs::read_dir("/proc/self/fd").map_err(|_| Errno::ENOSYS)?;
    for entry in open.flatten() {
        let Some(number) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok())
        else {
            continue;
        };
        if number > 2 {
            // SAFETY: borrowed for one call that sets a flag; a number that is closed meanwhile is an error and no more.
            #[allow(unsafe_code)]
            let file = unsafe { BorrowedFd::borrow_raw(number) };
            let _ = fcntl(file.as_fd(), FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC));
        }
    }
    Ok(())
}
