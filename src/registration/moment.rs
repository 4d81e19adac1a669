//! What else a host did at one moment: the facts that change, and what [`super::quiet`] makes of them.

use std::borrow::Cow;
use std::time::SystemTime;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::clock::rfc3339;
use super::fact::{self, Fact, Facts, Kind};
use super::host::{Host, cpu_folders};
use super::host_root::HostRoot;
use super::quiet::Check;
use super::utmp;

/// Where power supplies are listed.
const SUPPLIES: &str = "sys/class/power_supply";
/// Where temperatures are listed.
const THERMAL: &str = "sys/class/thermal";

/// Every fact about a moment.
pub static MOMENT_FACTS: [Fact; 9] = [
    Fact {
        name: "load_average",
        at: "proc/loadavg",
        kind: Kind::Numbers,
        about: "Runnable and waiting tasks, averaged over 1, 5 and 15 minutes.",
        read: |root| load_average(root).map(|load| load.to_vec().into()),
    },
    Fact {
        name: "on_battery",
        at: "sys/class/power_supply",
        kind: Kind::Flag,
        about: "Whether a battery feeds the host.",
        read: on_battery,
    },
    Fact {
        name: "other_users",
        at: "run/utmp",
        kind: Kind::Count,
        about: "Users that are logged in, other than this process's own.",
        read: |root| utmp::other_users(root).map(Value::from),
    },
    Fact {
        name: "pressure_cpu",
        at: "proc/pressure/cpu",
        kind: Kind::Number,
        about: "Per cent of the last ten seconds in which a task waited for a CPU.",
        read: |root| pressure(root, "cpu"),
    },
    Fact {
        name: "pressure_io",
        at: "proc/pressure/io",
        kind: Kind::Number,
        about: "Per cent of the last ten seconds in which a task waited for a disk.",
        read: |root| pressure(root, "io"),
    },
    Fact {
        name: "pressure_memory",
        at: "proc/pressure/memory",
        kind: Kind::Number,
        about: "Per cent of the last ten seconds in which a task waited for memory.",
        read: |root| pressure(root, "memory"),
    },
    Fact {
        name: "runnable_tasks",
        at: "proc/loadavg",
        kind: Kind::Count,
        about: "Tasks that ran or could have run, besides the one that looked.",
        read: runnable_tasks,
    },
    Fact {
        name: "temperature",
        at: "sys/class/thermal/thermal_zoneN/temp",
        kind: Kind::Number,
        about: "The hottest thermal zone, in degrees Celsius.",
        read: temperature,
    },
    Fact {
        name: "throttle_count",
        at: "sys/devices/system/cpu/cpuN/thermal_throttle",
        kind: Kind::Count,
        about: "How often heat has slowed a core or package down since the boot, summed over the CPUs.",
        read: throttle_count,
    },
];

/// What is read of a host at once.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The time.
    pub at: SystemTime,
    /// What does not change, or should not.
    pub host: Host,
    /// What changes: [`MOMENT_FACTS`].
    pub facts: Facts,
    /// What the CPUs have done since the boot, or why that is unknown.
    pub ticks: Result<Ticks, String>,
}

/// Time that the CPUs have spent since the boot, in the kernel's ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticks {
    /// Without a task.
    pub idle: u64,
    /// Altogether.
    pub total: u64,
}

impl Reading {
    /// What there is to be read beneath `root` now.
    pub fn now(root: &HostRoot) -> Reading {
        Reading {
            at: SystemTime::now(),
            host: Host::read(root),
            facts: Facts::read(root, &MOMENT_FACTS),
            ticks: ticks(root),
        }
    }
}

/// One moment of a run, as the registration keeps it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Moment {
    /// When: RFC 3339, UTC, nanoseconds.
    pub at: String,
    /// Whether the host was quiet, check by check.
    pub checks: Vec<Check>,
    /// The share of the CPUs' time that was idle in the window that ended then, from 0 to 1.
    pub cpu_idle: Option<f64>,
    /// [`MOMENT_FACTS`].
    #[serde(flatten)]
    pub facts: Facts,
}

impl Moment {
    /// The moment of a reading; the share that was idle comes from an earlier one.
    pub(super) fn of(reading: Reading, idle: Result<f64, String>, checks: Vec<Check>) -> Moment {
        let mut facts = reading.facts;
        let cpu_idle =
            idle.map_err(|reason| facts.unknown.insert("cpu_idle".to_owned(), reason)).ok();
        Moment { at: rfc3339(reading.at), checks, cpu_idle, facts }
    }
}

impl JsonSchema for Moment {
    fn schema_name() -> Cow<'static, str> {
        "Moment".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let checks = generator.subschema_for::<Vec<Check>>().to_value();
        let others = vec![
            ("at", json!({"type": "string", "description": "When: RFC 3339, UTC, nanoseconds."})),
            ("checks", checks),
            (
                "cpu_idle",
                json!({
                    "type": ["number", "null"],
                    "description": "The share of the CPUs' time that was idle in the second that ended then, from 0 \
                                    to 1. Read from proc/stat, twice.",
                }),
            ),
        ];
        fact::schema("What the host did at one moment.", &MOMENT_FACTS, others)
    }
}

fn load_average(root: &HostRoot) -> Result<[f64; 3], String> {
    let line = root.line("proc/loadavg")?;
    let mut fields = line.split_ascii_whitespace().map(figure);
    match [fields.next(), fields.next(), fields.next()] {
        [Some(Some(one)), Some(Some(five)), Some(Some(fifteen))] => Ok([one, five, fifteen]),
        _ => Err(format!("/proc/loadavg holds {line:?}")),
    }
}

fn runnable_tasks(root: &HostRoot) -> Result<Value, String> {
    let line = root.line("proc/loadavg")?;
    let field = line.split_ascii_whitespace().nth(3).and_then(|field| field.split_once('/'));
    let runnable = field.and_then(|(runnable, _)| runnable.parse::<u64>().ok());
    // The task that reads is running.
    let others = runnable.map(|runnable| runnable.saturating_sub(1));
    others.map(Value::from).ok_or_else(|| format!("/proc/loadavg holds {line:?}"))
}

fn pressure(root: &HostRoot, resource: &str) -> Result<Value, String> {
    let path = format!("proc/pressure/{resource}");
    let text = root.text(&path)?;
    let some = text.lines().find_map(|line| line.strip_prefix("some "));
    let field = some.and_then(|line| {
        line.split_ascii_whitespace().find_map(|field| field.strip_prefix("avg10="))
    });
    field.and_then(figure).map(Value::from).ok_or_else(|| format!("/{path} has no some avg10"))
}

fn ticks(root: &HostRoot) -> Result<Ticks, String> {
    let text = root.text("proc/stat")?;
    let line = text.lines().next().and_then(|line| line.strip_prefix("cpu "));
    let line = line.ok_or("/proc/stat does not begin with the sum of the CPUs")?;
    // user, nice, system, idle, iowait, irq, softirq, steal; what follows is counted in the first two already.
    let fields: Option<Vec<u64>> =
        line.split_ascii_whitespace().take(8).map(|field| field.parse().ok()).collect();
    match fields.as_deref() {
        Some(fields @ [_, _, _, idle, rest @ ..]) => Ok(Ticks {
            idle: idle.saturating_add(rest.first().copied().unwrap_or(0)),
            total: fields.iter().fold(0, |sum: u64, field| sum.saturating_add(*field)),
        }),
        _ => Err("the first line of /proc/stat is not the sum of the CPUs".to_owned()),
    }
}

fn on_battery(root: &HostRoot) -> Result<Value, String> {
    let mut discharging = false;
    for name in root.names(SUPPLIES)? {
        let member = |member: &str| root.line_if_there(&format!("{SUPPLIES}/{name}/{member}"));
        // A mouse has a battery, too.
        if member("scope")?.as_deref() == Some("Device") {
            continue;
        }
        match member("type")?.as_deref() {
            Some("Mains") if member("online")?.as_deref() == Some("1") => return Ok(false.into()),
            Some("Battery" | "UPS") => {
                discharging |= member("status")?.as_deref() == Some("Discharging");
            }
            _ => {}
        }
    }
    Ok(discharging.into())
}

fn temperature(root: &HostRoot) -> Result<Value, String> {
    let zones = root.names(THERMAL)?.into_iter().filter(|name| name.starts_with("thermal_zone"));
    // A zone that is switched off cannot be read, and says nothing about the others.
    let read =
        |zone: String| root.line(&format!("{THERMAL}/{zone}/temp")).ok()?.parse::<i32>().ok();
    match zones.filter_map(read).max() {
        Some(hottest) => Ok((f64::from(hottest) / 1000.0).into()),
        None => Err(format!("no /{THERMAL}/thermal_zoneN can be read")),
    }
}

fn throttle_count(root: &HostRoot) -> Result<Value, String> {
    let mut sum: Option<u64> = None;
    for folder in cpu_folders(root)? {
        for counter in ["core_throttle_count", "package_throttle_count"] {
            let path = format!("{folder}/thermal_throttle/{counter}");
            if root.line_if_there(&path)?.is_some() {
                sum = Some(sum.unwrap_or(0).saturating_add(root.number(&path)?));
            }
        }
    }
    let absent = "no CPU counts how often heat slowed it down (thermal_throttle)";
    sum.map(Value::from).ok_or_else(|| absent.to_owned())
}

/// A number that is not negative.
fn figure(text: &str) -> Option<f64> {
    text.parse().ok().filter(|figure: &f64| figure.is_finite() && *figure >= 0.0)
}
