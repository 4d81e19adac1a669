//! Whether a host is quiet: one table of checks, judged over readings.
//!
//! Pure: nothing is read here. A check whose facts are unknown is unknown, never passed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::fact::Facts;
use super::host::{Host, cpu_count};

/// What a check came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Within its bound.
    Pass,
    /// Beyond its bound.
    Fail,
    /// Not known, for the reason given.
    Unknown,
}

/// One check of a moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// What would be quiet.
    pub bound: String,
    /// The check's name.
    pub name: String,
    /// Why the verdict is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What was measured; `null` where nothing was.
    pub value: Value,
    /// What it came to.
    pub verdict: Verdict,
}

/// What the checks look at.
#[derive(Clone, Debug)]
pub struct Readings<'a> {
    /// What the run takes place on.
    pub host: &'a Host,
    /// The facts of the moment.
    pub facts: &'a Facts,
    /// The share of the CPUs' time that was idle in a window, or why it is unknown.
    pub idle: Result<f64, String>,
    /// How often heat slowed a core down between two readings, or why that is unknown.
    pub throttled: Result<u64, String>,
    /// Whether the averages hold work of this run itself.
    pub after_own_work: bool,
}

/// What was measured, and whether it is within the bound.
type Judged = Result<(Value, bool), String>;

/// One row of the table of checks.
#[derive(Debug)]
pub struct CheckRow {
    /// The name in registrations and refusals.
    pub name: &'static str,
    /// What is quiet, in words.
    pub bound: &'static str,
    /// Why it is asked, and why the bound lies there.
    pub why: &'static str,
    /// Whether it is an average over time that has passed.
    pub lags: bool,
    /// Measures and judges, or says why it cannot.
    judge: fn(&Readings) -> Judged,
}

/// The most load per CPU: public gates wait for 0.35 to 0.6.
const LOAD_PER_CPU: f64 = 0.35;
/// The least idle share.
const IDLE: f64 = 0.9;
/// The most pressure on CPUs and disks, per cent.
const PRESSURE: f64 = 5.0;
/// The most pressure on memory, per cent.
const MEMORY_PRESSURE: f64 = 1.0;
/// Other tasks that may be runnable for each CPU.
const TASKS_PER_CPU: f64 = 0.1;

/// Every check, in the order in which they are reported.
pub static CHECKS: [CheckRow; 11] = [
    CheckRow {
        name: "load_per_cpu",
        bound: "at most 0.35",
        why: "The load of the last minute over the CPUs that are online. It lags, so a job that has just begun does not \
              show, and one that has just ended does.",
        lags: true,
        judge: |readings| {
            let load = readings.facts.get("load_average")?;
            let load = load.get(0).and_then(Value::as_f64).ok_or("it is no list of numbers")?;
            let load = load / cpus(readings)?;
            Ok((rounded(load), load <= LOAD_PER_CPU))
        },
    },
    CheckRow {
        name: "runnable_tasks",
        bound: "at most 1, or a tenth of the CPUs where that is more",
        why: "Who else wants a CPU right now; the kernel's own threads do for moments.",
        lags: false,
        judge: |readings| {
            let tasks = readings.facts.number("runnable_tasks")?;
            let most = cpus(readings).map_or(1.0, |cpus| (TASKS_PER_CPU * cpus).max(1.0));
            Ok((json!(tasks as u64), tasks <= most))
        },
    },
    CheckRow {
        name: "cpu_idle",
        bound: "at least 0.9 of one second",
        why: "The share of all CPUs that nobody used, steal by other virtual machines included, while this program slept.",
        lags: false,
        judge: |readings| {
            let idle = readings.idle.clone()?;
            Ok((rounded(idle), idle >= IDLE))
        },
    },
    CheckRow {
        name: "pressure_cpu",
        bound: "at most 5 % of ten seconds",
        why: "A task that waits for a CPU is a task that ours would have to share one with. A quiet host stays below 1; \
              one more busy task than there are CPUs gives 50 and more.",
        lags: true,
        judge: |readings| pressure(readings, "pressure_cpu", PRESSURE),
    },
    CheckRow {
        name: "pressure_io",
        bound: "at most 5 % of ten seconds",
        why: "Trees are read from the disk in the timed part. A log that is flushed now and then stays below; a backup or \
              a package manager does not.",
        lags: true,
        judge: |readings| pressure(readings, "pressure_io", PRESSURE),
    },
    CheckRow {
        name: "pressure_memory",
        bound: "at most 1 % of ten seconds",
        why: "Where memory is short at all, the cache of the very files that are searched is what the kernel takes back.",
        lags: true,
        judge: |readings| pressure(readings, "pressure_memory", MEMORY_PRESSURE),
    },
    CheckRow {
        name: "governor",
        bound: "performance on every CPU",
        why: "Any other governor lets the first calls after a pause run at a lower frequency.",
        lags: false,
        judge: |readings| {
            let tally = readings.host.0.get("governor")?;
            let names = tally.as_object().ok_or("it is no object")?;
            Ok((tally.clone(), names.keys().all(|name| name == "performance")))
        },
    },
    CheckRow {
        name: "turbo",
        bound: "off",
        why: "How far above its rated frequency a CPU runs depends on heat and on the other cores, so on what ran before.",
        lags: false,
        judge: |readings| flag(readings.host.0.get("turbo")?),
    },
    CheckRow {
        name: "other_users",
        bound: "0",
        why: "Whoever is logged in may start anything at any moment.",
        lags: false,
        judge: |readings| {
            let users = readings.facts.get("other_users")?;
            Ok((users.clone(), users.as_u64() == Some(0)))
        },
    },
    CheckRow {
        name: "on_battery",
        bound: "no",
        why: "On battery the firmware lowers frequencies whatever the governor says.",
        lags: false,
        judge: |readings| flag(readings.facts.get("on_battery")?),
    },
    CheckRow {
        name: "thermal_throttling",
        bound: "0 times between two readings",
        why: "A core that heat slows down gives times of its cooling.",
        lags: false,
        judge: |readings| {
            let times = readings.throttled.clone()?;
            Ok((times.into(), times == 0))
        },
    },
];

/// Judges every check.
pub fn judge(readings: &Readings) -> Vec<Check> {
    CHECKS.iter().map(|row| row.check(readings)).collect()
}

impl CheckRow {
    fn check(&self, readings: &Readings) -> Check {
        let (value, verdict, reason) = match (self.judge)(readings) {
            Ok((value, true)) => (value, Verdict::Pass, None),
            Ok((value, false)) if self.lags && readings.after_own_work => {
                (value, Verdict::Unknown, Some("it holds the work of this run itself".to_owned()))
            }
            Ok((value, false)) => (value, Verdict::Fail, None),
            Err(reason) => (Value::Null, Verdict::Unknown, Some(reason)),
        };
        Check { bound: self.bound.to_owned(), name: self.name.to_owned(), reason, value, verdict }
    }
}

/// The checks that failed, for people: name, value and bound of each; nothing where none did.
pub fn failures(checks: &[Check]) -> Option<String> {
    let failed: Vec<String> = checks
        .iter()
        .filter(|check| check.verdict == Verdict::Fail)
        .map(|check| format!("{} is {} (quiet: {})", check.name, check.value, check.bound))
        .collect();
    (!failed.is_empty()).then(|| failed.join(", "))
}

fn cpus(readings: &Readings) -> Result<f64, String> {
    let online = readings.host.0.get("cpus_online")?;
    let count = online.as_str().and_then(cpu_count).filter(|count| *count > 0);
    count.map(|count| count as f64).ok_or_else(|| "it is not known how many CPUs are online".into())
}

fn pressure(readings: &Readings, name: &str, most: f64) -> Judged {
    let share = readings.facts.number(name)?;
    Ok((rounded(share), share <= most))
}

/// A fact that is quiet when it is not so.
fn flag(value: &Value) -> Judged {
    Ok((value.clone(), value == &Value::Bool(false)))
}

/// To four decimals, for people.
fn rounded(figure: f64) -> Value {
    json!((figure * 1e4).round() / 1e4)
}
