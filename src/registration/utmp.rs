//! Who is logged in: the records of `/run/utmp`.
//!
//! Only counted: names belong into no report.

use std::collections::BTreeSet;

use super::host_root::HostRoot;

/// More than a hundred records.
const MOST_BYTES: usize = 64 << 10;

/// What a record measures: where a `long` is 64 bits wide and old programs need no second layout, its times are wider.
const RECORD: usize = if cfg!(target_arch = "aarch64") { 400 } else { 384 };

/// `ut_type` of a record that is somebody's session.
const USER_PROCESS: i16 = 7;

/// Where `ut_user` begins, and how long it is.
const USER: usize = 44;
const USER_LENGTH: usize = 32;

/// How many users other than this process's own are logged in.
pub(super) fn other_users(root: &HostRoot) -> Result<u64, String> {
    let bytes = root.head("run/utmp", MOST_BYTES)?;
    if bytes.is_empty() {
        return Err("/run/utmp is empty: nobody writes down who is logged in".to_owned());
    }
    if bytes.len() == MOST_BYTES || bytes.len() % RECORD != 0 {
        return Err(format!(
            "/run/utmp is not a whole number of records of {RECORD} bytes, or larger than {MOST_BYTES} bytes"
        ));
    }
    let mut users = BTreeSet::new();
    for record in bytes.chunks_exact(RECORD) {
        let kind = i16::from_ne_bytes([record[0], record[1]]);
        let user = record[USER..USER + USER_LENGTH].split(|byte| *byte == 0).next();
        if kind == USER_PROCESS {
            users.extend(user.filter(|user| !user.is_empty()));
        }
    }
    if !users.is_empty() {
        let text = root.text("proc/self/status")?;
        let ids = text.lines().find_map(|line| line.strip_prefix("Uid:"));
        let ids = ids.ok_or("/proc/self/status names no Uid")?;
        let own = ids.split_ascii_whitespace().next().unwrap_or_default();
        // Who logged in stays the same under sudo.
        let person = root.line("proc/self/loginuid").ok().and_then(|id| name_of(root, &id).ok());
        match (name_of(root, own), &person) {
            (Ok(own), _) => drop(users.remove(own.as_bytes())),
            (Err(_), Some(_)) => {}
            (Err(why), None) => return Err(why),
        }
        if let Some(person) = person {
            users.remove(person.as_bytes());
        }
    }
    Ok(users.len() as u64)
}

/// The name of the user of that number.
fn name_of(root: &HostRoot, own: &str) -> Result<String, String> {
    let passwd = root.head("etc/passwd", MOST_BYTES)?;
    let passwd = String::from_utf8_lossy(&passwd);
    let name = passwd.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)? == own).then_some(name)
    });
    name.map(str::to_owned).ok_or_else(|| {
        format!(
            "somebody is logged in, and /etc/passwd does not say whether that is user {own} alone"
        )
    })
}
