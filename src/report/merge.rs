//! `--summarize`: several reports over the same samples become one (sections 11, 14.7).
//!
//! Only what was measured is read (details, identities, snapshots); every summary is computed anew. Merging is
//! associative in everything but the list of sources: shards can be merged in any nesting. A sample keeps the fields
//! of the first report that has it and gains the arms of the later ones; an arm that two reports have is the later
//! one's. Of hosts a merge keeps only which ones each arm's wall times come from, so a nested merge remembers a host of
//! which a later report has replaced every answer: latency is then left out, never pooled wrongly.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::rc::Rc;

use clap::ValueEnum;
use serde::Deserialize;

use super::detail::Detail;
use super::error::ReportError;
use super::model::{
    Assembly, Corvint, NOT_RUN, PROFILE, Report, Skipped, SnapshotReport, arms_present,
};
use super::origin::{Merged, Origin, UNKNOWN_HOST};
use super::source_text;
use crate::arm::{self, ARMS, Answer, Given};
use crate::dataset::fold::{FOLD_MAP_SHA256, fold};
use crate::dataset::{ChangedFileFrom, Stratum};
use crate::registration::{Comparison, Digest, Family};
use crate::snapshot::CorpusText;
use crate::text::one_line::short;

/// The largest report that is read, in bytes.
pub const MAX_REPORT_BYTES: u64 = 256 << 20;

/// The reference harness's profile.
const REFERENCE_PROFILE: &str = "corvint-retrieval-bench/0";

/// Members of a group's summary that a metric of the same name would hide.
const RESERVED: [&str; 2] = ["n", "positives"];

/// More task types than any benchmark has.
const MOST_TASKS: usize = 1_000;

/// No metric, score or time is larger, in any unit used here.
const MAX_FIGURE: f64 = 1e12;

/// What is read of a report.
#[derive(Deserialize)]
struct Source {
    #[serde(default)]
    profile: Option<String>,
    samples_sha256: String,
    limit: usize,
    #[serde(default)]
    skipped: Skipped,
    #[serde(default)]
    corvint: Corvint,
    details: Vec<Detail>,
    #[serde(default)]
    snapshots: BTreeMap<String, SnapshotReport>,
    #[serde(default)]
    registration: Option<Origin>,
}

/// Merges the reports at `paths`, in that order.
pub fn merge(paths: &[PathBuf]) -> Result<Report, ReportError> {
    let read = |path: &PathBuf| {
        let failed = |error| ReportError::Read { path: path.clone(), error };
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(failed)?;
        file.take(MAX_REPORT_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
        Ok((path.display().to_string(), bytes))
    };
    merge_sources(paths.iter().map(read))
}

/// Merges reports given as bytes, each with a name for messages, in that order.
pub fn merge_reports(sources: Vec<(String, Vec<u8>)>) -> Result<Report, ReportError> {
    merge_sources(sources.into_iter().map(Ok))
}

fn merge_sources(
    sources: impl Iterator<Item = Result<(String, Vec<u8>), ReportError>>,
) -> Result<Report, ReportError> {
    let mut merging: Option<Merging> = None;
    for source in sources {
        let (name, bytes) = source?;
        let refuse = |reason| ReportError::Source { name: name.clone(), reason: short(reason) };
        let digest = Digest::of(&bytes).to_string();
        let source = read(&bytes).map_err(refuse)?;
        drop(bytes);
        let mut merged = match merging.take() {
            None => Merging::begin(&name, &source),
            Some(merged) => merged,
        };
        merged.add(source, digest).map_err(refuse)?;
        merging = Some(merged);
    }
    merging.map(Merging::finish).ok_or(ReportError::NoSources)
}

/// One report, alone.
fn read(bytes: &[u8]) -> Result<Source, String> {
    if bytes.len() as u64 > MAX_REPORT_BYTES {
        return Err(format!("it is larger than {MAX_REPORT_BYTES} bytes"));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| format!("it is not UTF-8: {error}"))?;
    source_text::check(text)
        .map_err(|error| format!("it is not JSON that can be trusted: {error}"))?;
    let source: Source =
        serde_json::from_str(text).map_err(|error| format!("it is not a report: {error}"))?;
    if let Some(profile) = &source.profile
        && profile != PROFILE
        && profile != REFERENCE_PROFILE
    {
        return Err(format!("its profile {profile:?} is not one that this version reads"));
    }
    let mut ids = HashSet::with_capacity(source.details.len());
    for detail in &source.details {
        if !ids.insert(detail.id.as_str()) {
            return Err(format!("sample {:?} occurs twice", detail.id));
        }
        check_names(detail)?;
        check_figures(detail)?;
    }
    let tasks: HashSet<&str> = source.details.iter().map(|line| line.task_type.as_str()).collect();
    if tasks.len() > MOST_TASKS {
        return Err(format!(
            "it has {} task types, and every one of them would be summarized and tested; {MOST_TASKS} can be",
            tasks.len()
        ));
    }
    check_families(families(&source).unwrap_or_default())?;
    Ok(source)
}

/// A comparison that is tested twice would be corrected for twice, and tested as often as it is listed.
fn check_families(families: &[Family]) -> Result<(), String> {
    let mut seen = HashSet::new();
    for family in families {
        if !seen.insert((&family.metric, &family.group)) {
            return Err(format!("it registered two families {:?}", family.name));
        }
        let mut pairs = HashSet::new();
        for Comparison { arm, baseline } in &family.comparisons {
            if arm::row(arm).is_none() || arm::row(baseline).is_none() {
                return Err(format!("it registered {arm:?} minus {baseline:?}: no such arms"));
            }
            if !pairs.insert((arm, baseline)) {
                return Err(format!(
                    "its family {:?} has {arm:?} minus {baseline:?} twice",
                    family.name
                ));
            }
        }
    }
    Ok(())
}

fn check_names(detail: &Detail) -> Result<(), String> {
    if !Stratum::ALL.iter().any(|stratum| stratum.name() == detail.stratum) {
        return Err(format!(
            "sample {:?} is of the unknown stratum {:?}",
            detail.id, detail.stratum
        ));
    }
    for arm in detail.arms.keys().chain(detail.metrics.keys()) {
        if arm::row(arm).is_none() {
            return Err(format!("sample {:?} has an answer of the unknown arm {arm:?}", detail.id));
        }
    }
    for metric in detail.metrics.values().flat_map(BTreeMap::keys) {
        if RESERVED.contains(&metric.as_str()) {
            return Err(format!("sample {:?} has a metric called {metric:?}", detail.id));
        }
    }
    Ok(())
}

/// Figures beyond any measurement would overflow in a sum, and JSON has no infinity to say so.
fn check_figures(detail: &Detail) -> Result<(), String> {
    let metrics = detail.metrics.values().flat_map(BTreeMap::values).copied();
    let answers = detail.arms.values();
    let times = answers.flat_map(|answer| [answer.top_score, answer.wall_ms, answer.cold_wall_ms]);
    match metrics.chain(times).find(|figure| figure.abs() > MAX_FIGURE) {
        Some(figure) => {
            Err(format!("sample {:?} has the figure {figure}, which nothing measures", detail.id))
        }
        None => Ok(()),
    }
}

/// The hosts behind each arm's wall times.
type Hosts = BTreeMap<String, Rc<BTreeSet<String>>>;

/// What the sources read so far have become.
struct Merging {
    /// The first source, for messages.
    first: String,
    samples_sha256: String,
    limit: usize,
    conventions: (Given, CorpusText),
    changed_file_from: Option<Vec<ChangedFileFrom>>,
    skipped: Skipped,
    corvint: Corvint,
    details: Vec<Detail>,
    /// Where a sample stands in `details`.
    places: HashMap<String, usize>,
    snapshots: BTreeMap<String, SnapshotReport>,
    /// The hosts that each answer's wall time comes from: arms by name, beside `details`.
    hosts: Vec<Hosts>,
    /// The families that every source registered alike.
    families: Option<Vec<Family>>,
    digests: Vec<String>,
}

impl Merging {
    fn begin(name: &str, source: &Source) -> Merging {
        Merging {
            first: name.to_owned(),
            samples_sha256: source.samples_sha256.clone(),
            limit: source.limit,
            conventions: conventions(source),
            changed_file_from: None,
            skipped: source.skipped,
            corvint: Corvint::default(),
            details: Vec::new(),
            places: HashMap::new(),
            snapshots: BTreeMap::new(),
            hosts: Vec::new(),
            families: families(source).map(<[Family]>::to_vec),
            digests: Vec::new(),
        }
    }

    fn add(&mut self, source: Source, digest: String) -> Result<(), String> {
        let first = &self.first;
        if source.samples_sha256 != self.samples_sha256 {
            return Err(format!("it is over different samples than {first}"));
        }
        if source.limit != self.limit {
            return Err(format!(
                "its limit is {}, and that of {first} is {}",
                source.limit, self.limit
            ));
        }
        let ((given, text), (first_given, first_text)) = (conventions(&source), self.conventions);
        if given != first_given {
            return Err(format!(
                "it was run with --given {}, and {first} with --given {}, so their rankings cannot be compared",
                named(&given),
                named(&first_given)
            ));
        }
        if text != first_text {
            return Err(format!(
                "it was run with --corpus-text {}, and {first} with --corpus-text {}, so their rankings cannot be compared",
                named(&text),
                named(&first_text)
            ));
        }
        if let Some(from) = source.registration.as_ref().and_then(Origin::changed_file_from) {
            let known = self.changed_file_from.get_or_insert_with(|| from.to_vec());
            if known != from {
                return Err(format!(
                    "its impact and affected arms were asked about other files than those of an earlier report \
                     (--changed-file-from {} and {})",
                    from.iter().map(named).collect::<Vec<_>>().join(","),
                    known.iter().map(named).collect::<Vec<_>>().join(",")
                ));
            }
        }
        if source.corvint.is_measured() {
            if self.corvint.is_measured() && self.corvint.sha256 != source.corvint.sha256 {
                return Err(format!(
                    "it measured the corvint binary {}, and an earlier report the binary {}",
                    source.corvint.sha256, self.corvint.sha256
                ));
            }
            if !self.corvint.is_measured() {
                self.corvint = source.corvint.clone();
            }
        }
        if families(&source) != self.families.as_deref() {
            self.families = None;
        }
        let hosts = hosts(&source);
        for detail in source.details {
            self.add_detail(detail, &hosts)?;
        }
        for (key, snapshot) in source.snapshots {
            self.add_snapshot(key, snapshot)?;
        }
        self.digests.push(digest);
        Ok(())
    }

    fn add_detail(&mut self, mut detail: Detail, hosts: &Hosts) -> Result<(), String> {
        let timed = |arm: &String| {
            let timed = |answer: &Answer| answer.wall_ms > 0.0 || answer.cold_wall_ms > 0.0;
            detail.arms.get(arm).is_some_and(|answer| timed(answer) && !answer.is_failed())
        };
        let hosts = hosts.iter().filter(|(arm, _)| timed(arm));
        let hosts: Hosts = hosts.map(|(arm, hosts)| (arm.clone(), Rc::clone(hosts))).collect();
        let Some(place) = self.places.get(&detail.id) else {
            self.hosts.push(hosts);
            detail.partition = fold(&detail.repo).to_owned();
            self.places.insert(detail.id.clone(), self.details.len());
            self.details.push(detail);
            return Ok(());
        };
        let known = &mut self.details[*place];
        if !same_question(known, &detail) {
            return Err(format!(
                "sample {:?} has another gold, stratum or snapshot than in an earlier report, so its metrics cannot \
                 be compared",
                detail.id
            ));
        }
        // What could not be measured once and was measured whole another time has been measured.
        if is_measured(&detail) {
            known.error.clear();
        } else if !is_measured(known) && known.error.is_empty() {
            known.error = detail.error;
        }
        // The metrics go with the answer: what the replaced one scored must not stay behind.
        if !Stratum::ALL.iter().any(|stratum| stratum.name() == detail.stratum) {
            return Err(format!(
                "sample {:?} is of the unknown stratum {:?}",
                detail.id, detail.stratum
            ));
        }
        for arm in detail.arms.keys() {
            known.metrics.remove(arm);
            self.hosts[*place].remove(arm);
        }
        self.hosts[*place].extend(hosts);
        known.arms.extend(detail.arms);
        known.metrics.extend(detail.metrics);
        Ok(())
    }

    fn add_snapshot(&mut self, key: String, snapshot: SnapshotReport) -> Result<(), String> {
        let Some(known) = self.snapshots.get_mut(&key) else {
            self.snapshots.insert(key, snapshot);
            return Ok(());
        };
        match (&known.census, &snapshot.census) {
            (Some(ours), Some(theirs))
                if !ours.tree_sha256.is_empty()
                    && !theirs.tree_sha256.is_empty()
                    && ours.tree_sha256 != theirs.tree_sha256 =>
            {
                return Err(format!(
                    "its snapshot {key} holds other files than an earlier report's, so their rankings cannot be compared"
                ));
            }
            (None, Some(_)) => *known = snapshot,
            _ => {}
        }
        Ok(())
    }

    fn finish(self) -> Report {
        let arms = arms_present(&self.details).into_iter().map(str::to_owned).collect();
        let corvint_sha256 = if self.corvint.is_measured() {
            self.corvint.sha256.clone()
        } else {
            NOT_RUN.to_owned()
        };
        let (given, corpus_text) = self.conventions;
        let mut hosts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (arm, some) in self.hosts.into_iter().flatten() {
            hosts.entry(arm).or_default().extend(some.iter().cloned());
        }
        hosts.retain(|_, hosts| !hosts.iter().eq([UNKNOWN_HOST]));
        let merged = Merged {
            arms,
            changed_file_from: self.changed_file_from,
            corpus_text,
            corvint_sha256,
            families: self.families,
            fold_map_sha256: FOLD_MAP_SHA256.to_owned(),
            given,
            hosts,
            samples_sha256: self.samples_sha256.clone(),
            source_reports_sha256: self.digests,
        };
        Report::assemble(Assembly {
            details: self.details,
            samples_sha256: self.samples_sha256,
            skipped: self.skipped,
            limit: self.limit,
            corvint: self.corvint,
            registration: Some(Origin::Merged(Box::new(merged))),
            snapshots: self.snapshots,
        })
    }
}

fn is_measured(detail: &Detail) -> bool {
    detail.error.is_empty() && !detail.arms.is_empty()
}

fn families(source: &Source) -> Option<&[Family]> {
    source.registration.as_ref()?.families()
}

/// A value as its flag takes it.
fn named(value: &impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

fn conventions(source: &Source) -> (Given, CorpusText) {
    source.registration.as_ref().map(Origin::conventions).unwrap_or_default()
}

/// Where the wall times of a source's arms come from.
fn hosts(source: &Source) -> Hosts {
    let unknown = || BTreeSet::from([UNKNOWN_HOST.to_owned()]);
    let of = |arm| source.registration.as_ref().map_or_else(unknown, |origin| origin.hosts(arm));
    ARMS.iter().map(|row| (row.name.to_owned(), Rc::new(of(row.name)))).collect()
}

fn same_question(first: &Detail, second: &Detail) -> bool {
    first.stratum == second.stratum
        && first.repo == second.repo
        && first.base_commit == second.base_commit
        && first.task_type == second.task_type
        && first.gold.as_deref().unwrap_or_default() == second.gold.as_deref().unwrap_or_default()
}
