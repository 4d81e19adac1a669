//! Who ran what: the programs by digest and version, and one digest that stands for the whole experiment.

use std::collections::BTreeMap;
use std::ffi::OsString;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The variable in which whoever starts a container says which image it is.
pub const IMAGE_VARIABLE: &str = "RETRIEVAL_BENCH_IMAGE_DIGEST";

/// What stands for a program that no arm calls.
const NOT_RUN: &str = "NOT_RUN";

/// One program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Program {
    /// SHA-256 of the executable, or `NOT_RUN`.
    pub sha256: String,
    /// What it calls itself, or `NOT_RUN`.
    pub version: String,
}

impl Default for Program {
    fn default() -> Program {
        Program { sha256: NOT_RUN.to_owned(), version: NOT_RUN.to_owned() }
    }
}

/// The programs of a run, and the digest of the experiment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Identity {
    /// The program that measures.
    pub bench: Program,
    /// The tool under test; `NOT_RUN` where no arm calls it.
    pub corvint: Program,
    /// The container image, as whoever started it claims: `sha256:` and 64 digits. It cannot be measured from inside.
    pub image_digest: Option<String>,
    /// SHA-256 of the canonical JSON of every member of the registration but `host`, `conditions` and this one.
    pub sha256: String,
    /// Why a member is null, by its name.
    pub unknown: BTreeMap<String, String>,
}

impl Identity {
    /// The identity of these programs, in the image that `image` (the value of [`IMAGE_VARIABLE`]) claims. Its digest
    /// is taken when the registration is sealed.
    pub fn of(bench: Program, corvint: Program, image: Option<OsString>) -> Identity {
        let mut unknown = BTreeMap::new();
        let image_digest =
            claimed(image).map_err(|reason| unknown.insert("image_digest".to_owned(), reason)).ok();
        Identity { bench, corvint, image_digest, sha256: String::new(), unknown }
    }
}

fn claimed(image: Option<OsString>) -> Result<String, String> {
    let image = image.filter(|image| !image.is_empty());
    let image = image.ok_or_else(|| format!("{IMAGE_VARIABLE} is not set"))?;
    let digits = image.to_str().map(|text| text.strip_prefix("sha256:").unwrap_or(text));
    match digits {
        Some(digits) if is_sha256(digits) => Ok(format!("sha256:{}", digits.to_ascii_lowercase())),
        _ => Err(format!("{IMAGE_VARIABLE} is not sha256: and 64 hexadecimal digits")),
    }
}

/// Whether a text is a SHA-256 in hexadecimal digits.
pub fn is_sha256(digits: &str) -> bool {
    digits.len() == 64 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
}
