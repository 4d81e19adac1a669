//! Inputs for tests: scratch folders, small corpora, and the shared reference data where a checkout has it beside it.

use std::path::PathBuf;

/// A file or folder of the reference data beside the checkout, or `None` (said on standard error) where there is
/// none: the data are not part of the project, and every test that needs them must pass without them.
pub fn shared(path: &str) -> Option<PathBuf> {
    let full = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared").join(path);
    if full.exists() {
        return Some(full);
    }
    eprintln!("skipped: no reference data at ../shared/{path}");
    None
}
