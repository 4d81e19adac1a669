//! Where a path leads, found by walking it.

/// Whether `path`, joined to a folder and walked component by component, ends at a file below that folder without
/// ever touching the folder's root again or Git's folder; a reader that takes backslashes for separators agrees.
pub fn stays_inside(path: &str) -> bool {
    let windows = path.replace('\\', "/");
    walk(path, true) && walk(&windows, false)
}

fn walk(path: &str, canonical: bool) -> bool {
    let mut depth = 0;
    for (index, part) in path.split('/').enumerate() {
        match part.to_ascii_lowercase().as_str() {
            // An empty first component is the file system's root.
            "" if index == 0 => return false,
            "" | "." if canonical => return false,
            "" | "." => {}
            ".." | ".git" => return false,
            other if other.contains('\0') => return false,
            _ => depth += 1,
        }
    }
    depth > 0 || !canonical
}
