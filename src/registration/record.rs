//! The registration itself: the experiment, put on the disk before the first arm runs.
//!
//! Invariants: the file is created exclusively, whole, and synced before anything is measured; two runs of one experiment
//! differ in `host` and `conditions` alone, and have one `identity.sha256`; the digest of the file's bytes binds the
//! journal to it. The flat members are the experiment, under the names that they always had.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::conditions::Conditions;
use super::digest::Digest;
use super::error::RegistrationError;
use super::families::Family;
use super::host::Host;
use super::identity::Identity;
use crate::arm::Given;
use crate::dataset::ChangedFileFrom;
use crate::publish;
use crate::snapshot::CorpusText;

/// The version of the registration's shape; it moves when a member is added.
pub const PROFILE: &str = "retrieval-bench-registration/2";

/// The largest file that is read as a registration, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// One experiment. Members stand in the order of their names, as in the file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Registration {
    /// The arms that run, in the order of the table.
    pub arms: Vec<String>,
    /// SHA-256 of the program that measures.
    pub bench_sha256: String,
    /// Which members of a query may name its changed file where `changed_file` does not, first come first served.
    pub changed_file_from: Vec<ChangedFileFrom>,
    /// When and on what the run took place.
    pub conditions: Conditions,
    /// Whether ContextBench paths are normalised as upstream does.
    pub contextbench_compat: bool,
    /// Which rows of a chunk file make its texts.
    pub corpus_text: CorpusText,
    /// SHA-256 of the tool under test, `NOT_RUN` where no arm calls it.
    pub corvint_sha256: String,
    /// `NAME=VALUE` of the variables that change what the tool does, sorted.
    pub environment: Vec<String>,
    /// Which comparisons are tested, and which are corrected together.
    pub families: Vec<Family>,
    /// SHA-256 of the map from repositories to folds.
    pub fold_map_sha256: String,
    /// What happens to files that the asker already holds.
    pub given: Given,
    /// What the run took place on.
    #[serde(default)]
    pub host: Host,
    /// The programs, and the digest of the experiment.
    #[serde(default)]
    pub identity: Identity,
    /// The most files an arm may rank.
    pub limit: usize,
    /// How many samples were read at most; 0 for all.
    pub max_samples: usize,
    /// [`PROFILE`].
    #[schemars(extend("const" = PROFILE))]
    pub profile: String,
    /// The samples, in the order of the file.
    pub sample_ids: Vec<String>,
    /// SHA-256 of the samples file.
    #[schemars(regex(pattern = r"^[0-9a-f]{64}$"))]
    pub samples_sha256: String,
    /// Whether the context arm's cold and warm calls were timed as a pair.
    pub snapshot_latency: bool,
    /// The task types that were kept, sorted; none for all.
    pub task_types: Vec<String>,
    /// How long one call of the tool may take.
    pub timeout_seconds: f64,
    /// The version of this program.
    pub version: String,
}

/// What the digest of the experiment does not cover: the same experiment may take place anywhere, at any time.
const NOT_THE_EXPERIMENT: [&str; 2] = ["conditions", "host"];

impl Registration {
    /// The registration with the digest of its experiment in `identity.sha256`. To be called when nothing but the
    /// conditions will change any more.
    pub fn sealed(mut self) -> Result<Registration, RegistrationError> {
        self.identity.sha256 = self.experiment_sha256()?;
        Ok(self)
    }

    /// SHA-256 of the canonical JSON of the experiment: every member but `host`, `conditions` and `identity.sha256`.
    fn experiment_sha256(&self) -> Result<String, RegistrationError> {
        let experiment = self.experiment().map_err(RegistrationError::Render)?;
        let text =
            serde_json_canonicalizer::to_vec(&experiment).map_err(RegistrationError::Render)?;
        Ok(Digest::of(&text).to_string())
    }

    fn experiment(&self) -> Result<Map<String, Value>, serde_json::Error> {
        let mut value = serde_json::to_value(self)?;
        if let Some(identity) = value.get_mut("identity").and_then(Value::as_object_mut) {
            identity.remove("sha256");
        }
        let Value::Object(mut members) = value else { return Ok(Map::new()) };
        for name in NOT_THE_EXPERIMENT {
            members.remove(name);
        }
        Ok(members)
    }

    /// The text of the file: JSON indented by two spaces, members sorted, ending in a line feed.
    pub fn text(&self) -> Result<String, RegistrationError> {
        let value = serde_json::to_value(self).map_err(RegistrationError::Render)?;
        let mut text = serde_json::to_string_pretty(&value).map_err(RegistrationError::Render)?;
        text.push('\n');
        Ok(text)
    }

    /// Creates the file, which must not exist, and puts it on the disk. Answers the digest of its bytes.
    pub fn write_new(&self, path: &Path) -> Result<Digest, RegistrationError> {
        let text = self.text()?;
        publish::publish(path, text.as_bytes())?;
        Ok(Digest::of(text.as_bytes()))
    }

    /// Reads a registration and the digest of the file's bytes.
    pub fn read(path: &Path) -> Result<(Registration, Digest), RegistrationError> {
        let failed = |error| RegistrationError::Read { path: path.to_owned(), error };
        let unusable = |reason| RegistrationError::Parse { path: path.to_owned(), reason };
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(failed)?;
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(unusable(format!("it is larger than {MAX_BYTES} bytes")));
        }
        let registration: Registration =
            serde_json::from_slice(&bytes).map_err(|error| unusable(error.to_string()))?;
        if registration.profile != PROFILE {
            return Err(unusable(format!(
                "its profile is {:?}, and this version reads {PROFILE:?}",
                registration.profile
            )));
        }
        if registration.identity.sha256 != registration.experiment_sha256()? {
            return Err(unusable(
                "identity.sha256 is not the digest of what it says, so it was changed afterwards"
                    .into(),
            ));
        }
        Ok((registration, Digest::of(&bytes)))
    }

    /// The names of the members in which two experiments differ, sorted: none when they are the same one, wherever and
    /// whenever they took place.
    pub fn differences(&self, other: &Registration) -> Vec<String> {
        let members = |registration: &Registration| {
            registration
                .experiment()
                .expect("a registration holds strings, numbers and lists of them, which JSON has")
        };
        let (ours, theirs) = (members(self), members(other));
        let names = ours.keys().filter(|name| ours.get(*name) != theirs.get(*name));
        let mut names: Vec<String> = names.cloned().collect();
        names.sort_unstable();
        names
    }

    /// Whether `copy`, from a report, is this registration with the end of the run added.
    pub fn is_copied_in(&self, copy: &Registration) -> bool {
        let before_the_end = |registration: &Registration| {
            let mut registration = registration.clone();
            registration.conditions.after = None;
            registration.conditions.became_noisy = None;
            // A report writes 1.0 as 1, which reads as another kind of number.
            serde_json_canonicalizer::to_vec(&registration).ok()
        };
        before_the_end(self) == before_the_end(copy)
    }
}
