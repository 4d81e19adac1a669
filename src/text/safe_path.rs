//! Which paths and repository names from a file may be joined to a folder.
//!
//! A safe path stays inside the folder it is joined to, names a file that an ordinary checkout can hold, and never
//! reaches into Git's own folder, on any file system (spec: reference harness 7 and 14.7). This module looks at text
//! only: whether the path exists, or is a symbolic link, is for its user to ask.

/// Whether `path` is a safe relative path; [`why_unsafe`] says why not.
pub fn is_safe_relative(path: &str) -> bool {
    why_unsafe(path).is_none()
}

/// What makes `path` unsafe, as the end of a sentence that begins with the path.
pub fn why_unsafe(path: &str) -> Option<&'static str> {
    if path.is_empty() {
        return Some("is empty");
    }
    if path.starts_with(['/', '\\']) {
        return Some("is absolute");
    }
    if path.contains('\0') {
        return Some("holds a NUL");
    }
    for part in path.split('/') {
        match part {
            "" => return Some("has an empty component"),
            "." => return Some("has a `.` component"),
            ".." => return Some("has a `..` component"),
            _ if is_git_folder(part) => return Some("has a `.git` component"),
            _ => {}
        }
    }
    // A backslash is an ordinary letter of a file name, so only what would escape elsewhere is refused.
    let escapes = |part: &str| part == ".." || is_git_folder(part);
    path.split(['/', '\\']).any(escapes).then_some("escapes through a backslash")
}

/// Whether `repo` is `OWNER/NAME` of two safe file names, made of the letters GitHub allows.
pub fn is_safe_repo(repo: &str) -> bool {
    repo.split_once('/').is_some_and(|(owner, name)| is_repo_part(owner) && is_repo_part(name))
}

fn is_repo_part(part: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    !matches!(part, "" | "." | "..") && !is_git_folder(part) && part.bytes().all(allowed)
}

fn is_git_folder(part: &str) -> bool {
    part.eq_ignore_ascii_case(".git")
}
