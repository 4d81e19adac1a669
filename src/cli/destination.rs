//! Outputs that must not be one another, nor an input (reference section 12, aliasing).
//!
//! Nothing is created or opened here; the answer holds for the moment.

use std::path::Path;

use crate::cli::CliError;
use crate::publish;

/// Refuses `outputs` that cannot be files, and any two of `outputs` and `inputs` that are the same file. An input that
/// does not exist is left to its reader.
pub fn check(
    outputs: &[(&'static str, Option<&Path>)],
    inputs: &[(&'static str, &Path)],
) -> Result<(), CliError> {
    let mut places: Vec<(&str, &Path)> =
        inputs.iter().copied().filter(|(_, path)| path.exists()).collect();
    for (flag, path) in outputs.iter().filter_map(|(flag, path)| path.map(|path| (*flag, path))) {
        if path.is_dir() {
            let path = path.display();
            return Err(CliError::refused(format!("{flag} {path} is a folder; name a file")));
        }
        publish::resolve(path)
            .map_err(|error| CliError::refused(format!("{flag} {}: {error}", path.display())))?;
        places.push((flag, path));
    }
    publish::distinct(&places).map_err(CliError::refused_by)
}
