//! The canonical text of a value: RFC 8785 (JCS), one line, one line feed.
//!
//! Members sorted by their UTF-16 code units, numbers as ECMAScript writes them (so no `-0`), only `"`, `\` and C0
//! controls escaped. Equal values give equal bytes, which is what digests of reports rest on.

use serde::Serialize;

use super::error::ReportError;

/// The canonical text. Every number in `value` must be finite: JSON has no others, and inside a list or an object
/// one would come out as `null`.
pub fn to_canonical<T: Serialize>(value: &T) -> Result<Vec<u8>, ReportError> {
    let mut text = serde_json_canonicalizer::to_vec(value).map_err(ReportError::Render)?;
    text.push(b'\n');
    Ok(text)
}
