//! Which calls will be captured: known before the first one, so that what is missing afterwards can be told.

use std::collections::BTreeMap;

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::error::CaptureError;
use super::invocation::{Invocation, Phase};
use super::line::{self, Header};
use crate::dataset::Sample;
use crate::text::hex::hex;

/// The most calls of one file.
pub const MAX_INVOCATIONS: usize = 1_024;

/// The longest header, in bytes with its line feed.
pub const MAX_HEADER_BYTES: usize = 1 << 20;

/// The calls of a run, sample by sample.
#[derive(Clone, Debug)]
pub struct CapturePlan {
    invocations: Vec<Invocation>,
    /// The first call of each sample.
    first: BTreeMap<String, usize>,
}

impl CapturePlan {
    /// One call a sample, or with `latency` a cold one and a hit.
    pub fn new(samples: &[Sample], latency: bool) -> Result<CapturePlan, CaptureError> {
        let phases: &[Phase] =
            if latency { &[Phase::Cold, Phase::Hit] } else { &[Phase::Ordinary] };
        let count = samples.len().saturating_mul(phases.len());
        if count > MAX_INVOCATIONS {
            return Err(CaptureError::Refused(format!(
                "--context-packets keeps at most {MAX_INVOCATIONS} calls, and these {} samples make {count}; \
                 name fewer with --max-samples or --task-type",
                samples.len()
            )));
        }
        let mut plan =
            CapturePlan { invocations: Vec::with_capacity(count), first: BTreeMap::new() };
        for (sample_ordinal, sample) in samples.iter().enumerate() {
            plan.first.insert(sample.id.clone(), plan.invocations.len());
            let task = sample.query.text.as_bytes();
            let task_sha256 = hex(Sha256::digest(task));
            for &phase in phases {
                plan.invocations.push(Invocation {
                    sample_ordinal,
                    sample_id: sample.id.clone(),
                    repo: sample.snapshot.repo.clone(),
                    base_commit: sample.snapshot.commit.clone(),
                    invocation_ordinal: plan.invocations.len(),
                    phase,
                    task_bytes: task.len(),
                    task_sha256: task_sha256.clone(),
                });
            }
        }
        Ok(plan)
    }

    /// The calls, in the order of the file.
    pub fn invocations(&self) -> &[Invocation] {
        &self.invocations
    }

    /// The place in the file of a sample's call.
    pub fn ordinal(&self, sample_id: &str, phase: Phase) -> Option<usize> {
        let first = *self.first.get(sample_id)?;
        let calls = self.invocations.iter().enumerate().skip(first).take(2);
        let mut own = calls.filter(|(_, call)| call.sample_id == sample_id && call.phase == phase);
        own.next().map(|(ordinal, _)| ordinal)
    }

    /// The first line of the file. To be made before the registration is written, for it may be refused.
    pub fn header(&self, registration: &Value) -> Result<Vec<u8>, CaptureError> {
        let header = Header::new(registration, &self.invocations);
        let line = line::encode(&header).map_err(|error| {
            CaptureError::Refused(format!("the header of --context-packets is no JSON: {error}"))
        })?;
        if line.len() > MAX_HEADER_BYTES {
            return Err(CaptureError::Refused(format!(
                "the header of --context-packets would have {} bytes, more than {MAX_HEADER_BYTES}; name fewer \
                 samples with --max-samples or --task-type",
                line.len()
            )));
        }
        Ok(line)
    }
}
