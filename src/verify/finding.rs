//! What can be found, how grave it is, and one finding as a line.
//!
//! [`KINDS`] is the one table: a new kind is a variant and its row. A line is `SEVERITY[KIND] PLACE: WHAT`, whatever
//! the inputs hold: control characters are escaped.

use std::fmt;

use crate::text::one_line::OneLine;

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A sample cannot be measured, or an input is not the pinned one.
    Error,
    /// The result is affected.
    Warning,
    /// Worth knowing.
    Note,
}

impl fmt::Display for Severity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        })
    }
}

/// What was found. The order is that of [`KINDS`] and of the counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The snapshot of a sample cannot be found.
    NoSnapshot,
    /// A snapshot cannot be read.
    SnapshotUnreadable,
    /// An input is not the pinned one.
    DigestDiffers,
    /// A pinned input is not there.
    DigestMissing,
    /// An input is not pinned.
    DigestUnnamed,
    /// There is nothing to ask.
    NoSamples,
    /// A query gives its answer away.
    Leak,
    /// A gold file is not in the snapshot.
    GoldMissing,
    /// A gold file was cut by the corpus builder.
    GoldCut,
    /// A row names another commit as its candidate corpus.
    OtherCorpus,
    /// Paths that are not safe were left out.
    UnsafePath,
    /// A later row of the same path replaced an earlier one.
    ReplacedRow,
    /// A chunk file stops in the middle of a file.
    CutAtLineEnd,
    /// Rows of a chunk file name another snapshot.
    ForeignRow,
    /// The corpus manifest or a row of it cannot be used.
    ManifestUnreadable,
    /// The corpus manifest does not call a snapshot ok.
    ManifestStatus,
    /// The corpus manifest counts other rows than there are.
    ManifestCount,
    /// The corpus manifest has no row for a snapshot.
    ManifestUnnamed,
    /// Positive samples without gold are left out.
    Unlabelled,
    /// Samples without gold by intent.
    NoGold,
    /// Rows that the benchmark's validator refuses.
    RowRule,
    /// A gold file was cut, and rebuilt from its symbol rows.
    GoldRebuilt,
    /// A given file is not in the snapshot.
    GivenMissing,
    /// The changed file is not in the snapshot.
    ChangedMissing,
    /// A chunk file does not end in a line feed.
    NoFinalLineFeed,
}

/// A row of the table of kinds.
#[derive(Debug)]
pub struct KindRow {
    /// Which kind.
    pub kind: Kind,
    /// Its name in a line.
    pub name: &'static str,
    /// How grave it is.
    pub severity: Severity,
    /// What its count is a count of.
    pub about: &'static str,
}

macro_rules! kinds {
    ($($severity:ident $kind:ident $name:literal $about:literal;)*) => {
        [$(KindRow {
            kind: Kind::$kind,
            name: $name,
            severity: Severity::$severity,
            about: $about,
        }),*]
    };
}

/// Every kind, in the order of [`Kind`].
pub static KINDS: [KindRow; 25] = kinds! {
    Error NoSnapshot "no-snapshot" "samples whose snapshot cannot be found";
    Error SnapshotUnreadable "snapshot-unreadable" "snapshots that cannot be read";
    Error DigestDiffers "digest-differs" "inputs that are not the pinned ones";
    Error DigestMissing "digest-missing" "pinned inputs that are not there";
    Error DigestUnnamed "digest-unnamed" "inputs that are not pinned";
    Warning NoSamples "no-samples" "samples files with nothing to ask";
    Warning Leak "leak" "ways in which a query gives its answer away";
    Warning GoldMissing "gold-missing" "gold files that are not in the snapshot";
    Warning GoldCut "gold-cut" "gold files that the corpus builder cut";
    Warning OtherCorpus "other-corpus" "rules on the candidate corpus that rows break";
    Warning UnsafePath "unsafe-path" "snapshots with files left out for their paths";
    Warning ReplacedRow "replaced-row" "snapshots with two texts for one path";
    Warning CutAtLineEnd "cut-at-line-end" "chunk files that stop before their last file does";
    Warning ForeignRow "foreign-row" "chunk files with rows of another snapshot";
    Warning ManifestUnreadable "manifest-unreadable" "manifest rows that cannot be used";
    Warning ManifestStatus "manifest-status" "snapshots that the manifest does not call ok";
    Warning ManifestCount "manifest-count" "snapshots with more or fewer rows than the manifest counts";
    Note ManifestUnnamed "manifest-unnamed" "chunk files that the manifest does not name";
    Note Unlabelled "unlabelled" "samples files with positive samples left out, for want of gold";
    Note NoGold "no-gold" "samples files with samples that no file answers";
    Note RowRule "row-rule" "rules of the benchmark that rows break";
    Note GoldRebuilt "gold-rebuilt" "gold files that were cut and rebuilt from symbol rows";
    Note GivenMissing "given-missing" "given files that are not in the snapshot";
    Note ChangedMissing "changed-missing" "changed files that are not in the snapshot";
    Note NoFinalLineFeed "no-final-line-feed" "chunk files that do not end in a line feed";
};

impl Kind {
    /// Its row of the table.
    pub fn row(self) -> &'static KindRow {
        // A test holds the table against the order of the variants.
        &KINDS[self as usize]
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What kind of thing.
    pub kind: Kind,
    /// Where: a file and line with the sample, or a snapshot.
    pub place: String,
    /// What is wrong, in one lower-case sentence.
    pub what: String,
}

impl Finding {
    /// A finding.
    pub fn new(kind: Kind, place: impl Into<String>, what: impl Into<String>) -> Finding {
        Finding { kind, place: place.into(), what: what.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let KindRow { name, severity, .. } = self.kind.row();
        let (place, what) = (OneLine(&self.place), OneLine(&self.what));
        write!(out, "{severity}[{name}] {place}: {what}")
    }
}

/// `1 row`, `2 rows`.
pub(super) fn counted(count: u64, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}
