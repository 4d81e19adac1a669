//! What is wrong with one snapshot, and with its samples over it.

use super::chunk_rows::{ChunkRows, Counts, Cut, Tail};
use super::digest::tree_digest;
use super::finding::{Finding, Kind, counted};
use super::manifest::{self, Manifest};
use super::sample::place;
use crate::dataset::{Sample, SnapshotKey};
use crate::snapshot::survey::TRUNCATION_MARKER;
use crate::snapshot::{Location, SnapshotError, Sources, Tree};

/// The most sample ids that a finding names.
const NAMED_IDS: usize = 3;

/// A snapshot and what is asked over it.
pub(super) struct Need<'a> {
    /// Which snapshot.
    pub key: SnapshotKey,
    /// Its samples, in file order.
    pub samples: Vec<&'a Sample>,
}

/// Where snapshots come from, and what else is known of them.
pub(super) struct Setting<'a> {
    /// The samples file, as messages call it.
    pub file: &'a str,
    /// Where snapshots lie.
    pub sources: &'a Sources,
    /// The corpus manifest, where there is one.
    pub manifest: Option<&'a Manifest>,
}

/// What was seen of a snapshot.
#[derive(Default)]
pub(super) struct Examined {
    /// What is wrong with its samples, each by its line.
    pub of_samples: Vec<(usize, Finding)>,
    /// What is wrong with itself.
    pub of_snapshot: Vec<Finding>,
    /// Its digest, if it could be read.
    pub digest: Option<String>,
    /// How many gold files were looked for.
    pub gold: u64,
}

/// Looks at a snapshot.
pub(super) fn examine(setting: &Setting, need: &Need) -> Examined {
    let mut seen = Examined::default();
    let Setting { file, sources, .. } = setting;
    let counts = match sources.resolve(&need.key) {
        Ok(location) => seen.located(setting, need, &location),
        Err(error) => {
            let found = need.samples.iter().map(|sample| {
                let place = place(file, sample);
                (sample.line, Finding::new(Kind::NoSnapshot, place, error.to_string()))
            });
            seen.of_samples.extend(found);
            None
        }
    };
    // The manifest is the corpus folder's; a snapshot named one by one need not lie there.
    let manifest = setting.manifest.filter(|_| !sources.named.contains_key(&need.key));
    let disagreements = manifest.map(|manifest| manifest.disagreements(&need.key, counts.as_ref()));
    seen.of_snapshot.extend(disagreements.into_iter().flatten());
    seen
}

impl Examined {
    fn located(&mut self, setting: &Setting, need: &Need, location: &Location) -> Option<Counts> {
        let rows = match location {
            Location::ChunkFile(path) => match ChunkRows::read(path, &need.key) {
                Ok(rows) => Some(rows),
                Err(error) => {
                    self.unreadable(need, &format!("{}: {error}", path.display()));
                    return None;
                }
            },
            Location::Directory(_) | Location::Clone(_) | Location::Embedded(_) => None,
        };
        let opened = setting.sources.open(&need.key, location);
        let opened = opened.and_then(|mut tree| {
            self.digest = Some(match &rows {
                Some(rows) => rows.sha256.clone(),
                None => tree_digest(tree.as_mut())?,
            });
            Ok(tree)
        });
        match opened {
            Ok(mut tree) => {
                self.left_out(need, tree.as_ref(), rows.as_ref());
                if let Err(error) = self.asked(setting.file, need, tree.as_mut()) {
                    self.unreadable(need, &error.reason);
                }
            }
            Err(error) => self.unreadable(need, &error.reason),
        }
        let rows = rows?;
        self.of_rows(need, location, &rows);
        Some(rows.counts)
    }

    fn find(&mut self, need: &Need, kind: Kind, what: impl Into<String>) {
        self.of_snapshot.push(Finding::new(kind, manifest::snapshot(&need.key), what));
    }

    fn unreadable(&mut self, need: &Need, reason: &str) {
        let count = need.samples.len() as u64;
        let samples = counted(count, "sample", "samples");
        let ids = need.samples.iter().take(NAMED_IDS).map(|sample| sample.id.as_str());
        let ids = ids.collect::<Vec<_>>().join(", ");
        let more = if need.samples.len() > NAMED_IDS { ", …" } else { "" };
        let what = format!("{reason}; {samples} cannot be measured ({ids}{more})");
        self.find(need, Kind::SnapshotUnreadable, what);
    }

    /// Files that the tree does not hold as its source has them.
    fn left_out(&mut self, need: &Need, tree: &dyn Tree, rows: Option<&ChunkRows>) {
        let notes = tree.notes();
        if notes.unsafe_paths > 0 {
            let first = rows.and_then(|rows| rows.unsafe_paths.as_ref());
            let first =
                first.map(|first| format!(", first on line {}: {}", first.line, first.what));
            let left_out = counted(notes.unsafe_paths, "path is", "paths are");
            let first = first.unwrap_or_default();
            self.find(need, Kind::UnsafePath, format!("{left_out} not safe and left out{first}"));
        }
        if notes.replaced_rows > 0 {
            let rows = counted(notes.replaced_rows, "row is", "rows are");
            let what = format!("{rows} replaced by a later row of the same path with another text");
            self.find(need, Kind::ReplacedRow, what);
        }
    }

    /// Files that the samples name.
    fn asked(&mut self, file: &str, need: &Need, tree: &mut dyn Tree) -> Result<(), SnapshotError> {
        let mut text = Vec::new();
        for sample in &need.samples {
            let mut find = |kind, what: String| {
                let place = place(file, sample);
                self.of_samples.push((sample.line, Finding::new(kind, place, what)));
            };
            for path in &sample.gold {
                self.gold += 1;
                let Some(number) = tree.find(path) else {
                    let what =
                        format!("gold file {path} is not in the snapshot: no arm can find it");
                    find(Kind::GoldMissing, what);
                    continue;
                };
                tree.read(number, &mut text)?;
                if tree.is_rebuilt(number) {
                    let what =
                        format!("gold file {path} was cut, and rebuilt from its symbol rows");
                    find(Kind::GoldRebuilt, what);
                } else if text.ends_with(TRUNCATION_MARKER.as_bytes()) {
                    let what = format!(
                        "gold file {path} was cut by the corpus builder; --corpus-text stitched \
                         restores what its symbol rows hold"
                    );
                    find(Kind::GoldCut, what);
                }
            }
            for path in sample.given.iter().filter(|path| tree.find(path).is_none()) {
                find(Kind::GivenMissing, format!("given file {path} is not in the snapshot"));
            }
            let changed = sample.changed_file.iter();
            for path in changed.filter(|path| tree.find(path).is_none()) {
                let what = format!("changed_file {path} is not in the snapshot");
                find(Kind::ChangedMissing, what);
            }
        }
        Ok(())
    }

    /// What the rows of a chunk file say of it.
    fn of_rows(&mut self, need: &Need, location: &Location, rows: &ChunkRows) {
        let Location::ChunkFile(path) = location else { return };
        let path = path.display();
        if let Some(Cut { path: last, lines, symbols_to }) = &rows.cut {
            let what = format!(
                "{path} stops at line {symbols_to} of {lines} of its last file {last}: it was cut at a \
                 line end, and what follows is missing; build it again"
            );
            self.find(need, Kind::CutAtLineEnd, what);
        }
        if let Some(first) = &rows.foreign {
            let named = counted(first.count, "row names", "rows name");
            let (line, first) = (first.line, &first.what);
            let what = format!("{named} another snapshot, first {path}:{line}: {first}");
            self.find(need, Kind::ForeignRow, what);
        }
        let tail = match rows.tail {
            Tail::Whole => return,
            Tail::NoLineFeed => "may have been cut there",
            Tail::Torn => "was cut inside a row; build it again",
        };
        let what = format!("{path} does not end in a line feed, and {tail}");
        self.find(need, Kind::NoFinalLineFeed, what);
    }
}
