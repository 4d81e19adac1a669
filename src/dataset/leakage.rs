//! Queries that give their answer away: the rules by which the benchmark skips a sample (spec: benchmark 1.2).
//!
//! The harness scores such samples like any other, as the reference does; these rules tell a person which ones the
//! benchmark's own evaluator would have left out.

use std::fmt;

use super::Sample;
use super::row::Members;
use crate::text::json::Json;

/// The task whose queries must not name a gold file in any form.
const EDIT_TO_RIPPLE: &str = "edit2ripple";

/// The shortest import path that counts, in characters.
const MIN_IMPORT_CHARS: usize = 3;

/// One way in which a query gives its answer away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leak {
    /// A raw patch: `diff --git`, or a line that opens with `--- a/`, `+++ b/` or their `/dev/null` forms.
    PatchMarker,
    /// The commit that fixed it.
    FixCommit(String),
    /// The path of a gold file.
    GoldPath(String),
    /// The last component of a gold file's path.
    GoldName(String),
    /// A gold file as a module path.
    GoldImport(String),
}

impl fmt::Display for Leak {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Leak::PatchMarker => write!(out, "the query holds a raw patch"),
            Leak::FixCommit(commit) => write!(out, "the query names the fixing commit {commit}"),
            Leak::GoldPath(path) => write!(out, "the query names the gold file {path}"),
            Leak::GoldName(path) => {
                write!(out, "the query names the last part of the gold file {path}")
            }
            Leak::GoldImport(import) => write!(out, "the query names the gold module {import}"),
        }
    }
}

/// Every leak of a sample, in the order of [`Leak`]'s variants; `fix_commits` are those its reader kept for it.
pub fn leaks(sample: &Sample, fix_commits: &[String]) -> Vec<Leak> {
    // The text is a JSON dump: its line feeds are written as two characters.
    let text = sample.query.text.replace("\\n", "\n");
    let mut found = Vec::new();
    if holds_patch_marker(&text) {
        found.push(Leak::PatchMarker);
    }
    let named = fix_commits.iter().filter(|commit| text.contains(commit.as_str()));
    found.extend(named.cloned().map(Leak::FixCommit));
    if sample.task == EDIT_TO_RIPPLE {
        let text = text.to_lowercase();
        let holds = |part: &str| !part.is_empty() && text.contains(&part.to_lowercase());
        let gold = || sample.gold.iter();
        found.extend(gold().filter(|path| holds(path)).cloned().map(Leak::GoldPath));
        found.extend(gold().filter(|path| holds(name(path))).cloned().map(Leak::GoldName));
        let imports = gold().flat_map(|path| imports(path));
        found.extend(imports.filter(|import| holds(import)).map(Leak::GoldImport));
    }
    found
}

/// The commits that the query of a row must not name.
pub(super) fn fix_commits(task: &str, gold: &Members, metadata: &Members) -> Vec<String> {
    let of = |members: &Members| {
        let commit = members.get("fix_commit").and_then(Json::as_str).unwrap_or_default().trim();
        (!commit.is_empty()).then(|| commit.to_owned())
    };
    let mut commits: Vec<String> = of(gold).into_iter().collect();
    if task == EDIT_TO_RIPPLE {
        commits.extend(of(metadata).filter(|commit| !commits.contains(commit)));
    }
    commits
}

fn holds_patch_marker(text: &str) -> bool {
    const GIT: &str = "diff --git";
    let ends_word = |at: usize| {
        !text[at + GIT.len()..].starts_with(|next: char| next.is_alphanumeric() || next == '_')
    };
    text.match_indices(GIT).any(|(at, _)| ends_word(at)) || line_starts(text).any(opens_patch)
}

/// The rest of the text from each of its line starts.
fn line_starts(text: &str) -> impl Iterator<Item = &str> {
    std::iter::once(text).chain(text.match_indices('\n').map(|(at, _)| &text[at + 1..]))
}

fn opens_patch(rest: &str) -> bool {
    [("---", "a/"), ("+++", "b/")].into_iter().any(|(marker, side)| {
        rest.strip_prefix(marker).is_some_and(|after| {
            let path = after.trim_start();
            path.len() < after.len() && (path.starts_with(side) || path.starts_with("/dev/null"))
        })
    })
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A path as code may import it: without its suffix, whole and without its first component, joined by dots and by
/// slashes; only forms with a dot in them, for others are ordinary words.
fn imports(path: &str) -> Vec<String> {
    let path = path.replace('\\', "/");
    let file = name(&path);
    let stem = match file.rfind('.') {
        Some(dot) if dot > 0 && dot + 1 < file.len() => dot,
        _ => file.len(),
    };
    let path = &path[..path.len() - file.len() + stem];
    let tail = path.split_once('/').map(|(_, tail)| tail);
    let forms = [Some(path), tail].into_iter().flatten();
    let mut found = Vec::new();
    for form in forms.flat_map(|form| [form.replace('/', "."), form.to_owned()]) {
        if form.contains('.') && form.chars().count() >= MIN_IMPORT_CHARS && !found.contains(&form)
        {
            found.push(form);
        }
    }
    found
}
