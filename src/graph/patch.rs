//! A unified diff as Git writes it: which lines of which files it deletes and adds, and what a file becomes.
//!
//! Invariants: hunks of a file stand in the order of the diff; their bodies have as many lines as their headers say, which
//! is refused otherwise. Nothing here knows a declaration. Lines keep their carriage returns: a line is what stands before a
//! line feed.

use std::fmt;

/// The files of a patch, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patch {
    /// One entry a file.
    pub files: Vec<FilePatch>,
}

/// What a patch does to one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilePatch {
    /// The path before; `None` where the file is new.
    pub old_path: Option<String>,
    /// The path after; `None` where the file is deleted.
    pub new_path: Option<String>,
    /// Whether its change is one of bytes that are no text.
    pub is_binary: bool,
    /// Its changes.
    pub hunks: Vec<Hunk>,
}

/// One run of changed lines with their surroundings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hunk {
    /// The first old line that its header names, from 1; 0 where there are no old lines.
    pub old_start: u32,
    /// The first new line that its header names.
    pub new_start: u32,
    /// Its lines, in order.
    pub lines: Vec<Line>,
}

/// One line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What becomes of it.
    pub change: Change,
    /// Its text, without a line feed.
    pub text: String,
    /// Whether the file ends behind it without a line feed.
    pub is_unended: bool,
}

/// What becomes of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It stays.
    Kept,
    /// It goes.
    Deleted,
    /// It is new.
    Added,
}

/// Why a patch cannot be read or applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchError {
    /// The line of the patch, from 1; 0 where a whole file of it does not fit.
    pub line: usize,
    /// What is wrong, and what to do.
    pub reason: String,
}

impl fmt::Display for PatchError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(out, "{}", self.reason),
            line => write!(out, "line {line} of the patch: {}", self.reason),
        }
    }
}

impl std::error::Error for PatchError {}

impl Patch {
    /// Reads a patch. Text before its first file, and between files, is no part of it.
    pub fn parse(text: &str) -> Result<Patch, PatchError> {
        let mut patch = Patch::default();
        let mut lines = text.split_terminator('\n').zip(1..).peekable();
        while let Some((line, number)) = lines.next() {
            let fault = |reason: &str| PatchError { line: number, reason: reason.to_owned() };
            let header = line.strip_suffix('\r').unwrap_or(line);
            if let Some(paths) = header.strip_prefix("diff --git ") {
                let (old, new) = both(paths);
                patch.files.push(FilePatch {
                    old_path: old,
                    new_path: new,
                    ..FilePatch::default()
                });
            } else if let Some(old) = header.strip_prefix("--- ") {
                let Some((new, _)) = lines.next_if(|(next, _)| next.starts_with("+++ ")) else {
                    continue;
                };
                let new = new.trim_end_matches('\r').trim_start_matches("+++ ");
                // A patch of plain diff has no line for the file before this one.
                if patch.files.last().is_none_or(|file| !file.hunks.is_empty()) {
                    patch.files.push(FilePatch::default());
                }
                if let Some(file) = patch.files.last_mut() {
                    (file.old_path, file.new_path) = (side(old), side(new));
                }
            } else if header.starts_with("@@ ") {
                let (mut hunk, old, new) = hunk_header(header).ok_or_else(|| {
                    fault("is no header of a hunk; give the patch as Git wrote it")
                })?;
                let Some(file) = patch.files.last_mut() else {
                    return Err(fault("is a hunk of no file; give the patch as Git wrote it"));
                };
                body(&mut hunk, old, new, &mut lines, number)?;
                file.hunks.push(hunk);
            } else if let Some(file) = patch.files.last_mut() {
                file.mark(header);
            }
        }
        Ok(patch)
    }
}

impl FilePatch {
    /// The path by which the patch is known: that before, or else that after.
    pub fn path(&self) -> &str {
        self.old_path.as_deref().or(self.new_path.as_deref()).unwrap_or_default()
    }

    /// Takes in one of Git's lines between the name of a file and its first hunk.
    fn mark(&mut self, header: &str) {
        if !self.hunks.is_empty() {
            return;
        }
        if header.starts_with("new file mode ") {
            self.old_path = None;
        } else if header.starts_with("deleted file mode ") {
            self.new_path = None;
        } else if let Some(path) =
            header.strip_prefix("rename from ").or(header.strip_prefix("copy from "))
        {
            self.old_path = Some(unquoted(path));
        } else if let Some(path) =
            header.strip_prefix("rename to ").or(header.strip_prefix("copy to "))
        {
            self.new_path = Some(unquoted(path));
        } else if header.starts_with("Binary files ") || header == "GIT binary patch" {
            self.is_binary = true;
        }
    }

    /// The numbers of the old lines that go, in the file before, as the headers count.
    pub fn deleted_lines(&self) -> Vec<u32> {
        self.hunks.iter().flat_map(|hunk| hunk.numbered(Change::Deleted, 0)).collect()
    }

    /// The numbers of the lines that are new, in the file after, as the headers count.
    pub fn added_lines(&self) -> Vec<u32> {
        self.hunks.iter().flat_map(|hunk| hunk.numbered(Change::Added, 0)).collect()
    }

    /// The numbers of the deleted lines in the file before and of the added ones in the file after, where every hunk
    /// stands as far from the place of its header as [`FilePatch::apply`] found.
    pub fn true_lines(&self, offsets: &[i64]) -> (Vec<u32>, Vec<u32>) {
        let (mut deleted, mut added) = (Vec::new(), Vec::new());
        for (hunk, offset) in self.hunks.iter().zip(offsets) {
            deleted.extend(hunk.numbered(Change::Deleted, *offset));
            added.extend(hunk.numbered(Change::Added, *offset));
        }
        (deleted, added)
    }

    /// The file after, and by how many lines each hunk was off its place. A hunk that does not fit where its header
    /// says goes to the nearest place behind the hunk before it where it fits.
    pub fn apply(&self, old: &str) -> Result<(String, Vec<i64>), PatchError> {
        let old: Vec<&str> = old.split_inclusive('\n').collect();
        let (mut new, mut offsets) = (String::new(), Vec::new());
        let mut at = 0;
        for (index, hunk) in self.hunks.iter().enumerate() {
            let before: Vec<&Line> =
                hunk.lines.iter().filter(|line| line.change != Change::Added).collect();
            let expected = match before.is_empty() {
                true => hunk.old_start as usize,
                false => (hunk.old_start as usize).saturating_sub(1),
            };
            let place = place(&old, &before, expected, at).ok_or_else(|| PatchError {
                line: 0,
                reason: format!(
                    "hunk {} of {} fits nowhere in the file; is it a patch of this base commit?",
                    index + 1,
                    self.path()
                ),
            })?;
            offsets.push(place as i64 - expected as i64);
            new.extend(old.get(at..place).unwrap_or_default().iter().copied());
            for line in hunk.lines.iter().filter(|line| line.change != Change::Deleted) {
                new.push_str(&line.text);
                if !line.is_unended {
                    new.push('\n');
                }
            }
            at = place + before.len();
        }
        new.extend(old.get(at..).unwrap_or_default().iter().copied());
        Ok((new, offsets))
    }
}

impl Hunk {
    /// The numbers of the lines of one change, moved by `offset`.
    fn numbered(&self, wanted: Change, offset: i64) -> Vec<u32> {
        let (start, other) = match wanted {
            Change::Added => (self.new_start, Change::Deleted),
            _ => (self.old_start, Change::Added),
        };
        let start = u32::try_from(i64::from(start).saturating_add(offset)).unwrap_or_default();
        let lines = self.lines.iter().filter(|line| line.change != other);
        let numbered = lines.enumerate().filter(|(_, line)| line.change == wanted);
        numbered
            .map(|(index, _)| start.saturating_add(u32::try_from(index).unwrap_or(u32::MAX)))
            .collect()
    }
}

/// Where the old lines of a hunk stand: at `expected`, or as near to it as they do, not before `least`; of two places
/// that are equally near, the earlier.
fn place(old: &[&str], before: &[&Line], expected: usize, least: usize) -> Option<usize> {
    let last = old.len().checked_sub(before.len())?;
    let fits = |place: usize| {
        let there = old.get(place..place + before.len()).unwrap_or_default();
        there
            .iter()
            .zip(before)
            .all(|(there, line)| there.strip_suffix('\n').unwrap_or(there) == line.text)
    };
    let mut places: Vec<usize> = (least..=last).collect();
    places.sort_by_key(|place| (place.abs_diff(expected), *place));
    places.into_iter().find(|place| fits(*place))
}

/// `@@ -3,4 +5,6 @@ …`: the hunk, and how many old and new lines it has.
fn hunk_header(header: &str) -> Option<(Hunk, u32, u32)> {
    let (ranges, _) = header.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let range = |range: &str| -> Option<(u32, u32)> {
        match range.split_once(',') {
            Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
            None => Some((range.parse().ok()?, 1)),
        }
    };
    let ((old_start, old), (new_start, new)) = (range(old)?, range(new)?);
    Some((Hunk { old_start, new_start, lines: Vec::new() }, old, new))
}

/// Reads the lines of a hunk: as many as its header says.
fn body<'a>(
    hunk: &mut Hunk,
    mut old: u32,
    mut new: u32,
    lines: &mut std::iter::Peekable<impl Iterator<Item = (&'a str, usize)>>,
    header: usize,
) -> Result<(), PatchError> {
    while old > 0 || new > 0 {
        let fault = |line, reason: &str| PatchError { line, reason: reason.to_owned() };
        let Some((line, number)) = lines.next() else {
            return Err(fault(header, "its hunk ends too early; the patch is cut off"));
        };
        let (change, text) = match line.as_bytes().first() {
            Some(b'-') => (Change::Deleted, line.get(1..).unwrap_or_default()),
            Some(b'+') => (Change::Added, line.get(1..).unwrap_or_default()),
            Some(b' ') => (Change::Kept, line.get(1..).unwrap_or_default()),
            // Editors and mailers cut the blank of an empty line off.
            None | Some(b'\r') => (Change::Kept, line),
            Some(b'\\') => {
                unend(hunk);
                continue;
            }
            _ => return Err(fault(number, "is no line of a hunk; give the patch as Git wrote it")),
        };
        let enough = "has more lines than the header of its hunk says";
        if change != Change::Added {
            old = old.checked_sub(1).ok_or_else(|| fault(number, enough))?;
        }
        if change != Change::Deleted {
            new = new.checked_sub(1).ok_or_else(|| fault(number, enough))?;
        }
        hunk.lines.push(Line { change, text: text.to_owned(), is_unended: false });
    }
    if lines.next_if(|(line, _)| line.starts_with('\\')).is_some() {
        unend(hunk);
    }
    Ok(())
}

/// `\ No newline at end of file`, which is said of the line before.
fn unend(hunk: &mut Hunk) {
    if let Some(line) = hunk.lines.last_mut() {
        line.is_unended = true;
    }
}

/// The two paths of `a/old b/new`. Where they hold blanks, only equal ones can be told apart; the lines that follow
/// say them again.
fn both(paths: &str) -> (Option<String>, Option<String>) {
    let halves = paths
        .match_indices(" b/")
        .map(|(at, _)| paths.split_at(at))
        .find(|(old, new)| old.get(2..) == new.get(3..))
        .or_else(|| paths.split_once(' '));
    match halves {
        Some((old, new)) => (side(old), side(new.trim_start())),
        None => (None, None),
    }
}

/// A path of one side, without `a/` or `b/` and what stands behind a tab; `None` for `/dev/null`.
fn side(written: &str) -> Option<String> {
    let path = unquoted(written.split('\t').next().unwrap_or_default());
    if path == "/dev/null" {
        return None;
    }
    let stripped = path.strip_prefix("a/").or(path.strip_prefix("b/"));
    Some(stripped.unwrap_or(&path).to_owned())
}

/// A path as Git quotes it (`"a\303\244.py"`), or as it stands.
fn unquoted(written: &str) -> String {
    let Some(quoted) = written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return written.to_owned();
    };
    let mut bytes = Vec::new();
    let mut rest = quoted.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(b'r') => bytes.push(b'\r'),
            Some(digit @ b'0'..=b'3') => {
                let mut value = u32::from(digit - b'0');
                for next in rest.by_ref().take(2) {
                    value = value * 8 + u32::from(next.wrapping_sub(b'0') & 7);
                }
                bytes.push(u8::try_from(value).unwrap_or(b'?'));
            }
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
