//! What a run took place on: the facts that decide how long things take and that do not change while it runs.
//!
//! Wall times of two hosts are never pooled, so everything here must be equal on every run of one host: nothing that
//! drifts belongs in [`HOST_FACTS`].

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::digest::Digest;
use super::fact::{self, Fact, Facts, Kind};
use super::host_root::HostRoot;

/// Where the processors are described.
const CPU: &str = "sys/devices/system/cpu";

/// The fact that takes no part in telling hosts apart.
const MEMORY: &str = "memory_mib";

/// Every fact about the host.
pub static HOST_FACTS: [Fact; 15] = [
    Fact {
        name: "arch",
        at: "proc/sys/kernel/arch",
        kind: Kind::Text,
        about: "The processor architecture; where the kernel is too old to say (6.1), that of this program.",
        read: |root| {
            let arch = root.line_if_there("proc/sys/kernel/arch")?;
            Ok(arch.unwrap_or_else(|| std::env::consts::ARCH.to_owned()).into())
        },
    },
    Fact {
        name: "aslr",
        at: "proc/sys/kernel/randomize_va_space",
        kind: Kind::Count,
        about: "Address space randomisation: 0 off, 1 without the heap, 2 full.",
        read: |root| root.number("proc/sys/kernel/randomize_va_space").map(Value::from),
    },
    Fact {
        name: "clocksource",
        at: "sys/devices/system/clocksource/clocksource0/current_clocksource",
        kind: Kind::Text,
        about: "The clock that the kernel reads the time from.",
        read: |root| {
            let path = "sys/devices/system/clocksource/clocksource0/current_clocksource";
            root.line(path).map(Value::from)
        },
    },
    Fact {
        name: "cpu_model",
        at: "proc/cpuinfo",
        kind: Kind::Text,
        about: "The first processor's model, or on ARM its implementer, part, variant and revision.",
        read: cpu_model,
    },
    Fact {
        name: "cpus_allowed",
        at: "proc/self/status",
        kind: Kind::Text,
        about: "The CPUs that this process may run on, as a container's cpuset or taskset leaves them.",
        read: |root| cpus(root.member("proc/self/status", "Cpus_allowed_list")?),
    },
    Fact {
        name: "cpus_online",
        at: "sys/devices/system/cpu/online",
        kind: Kind::Text,
        about: "The CPUs that are switched on.",
        read: |root| cpus(root.line("sys/devices/system/cpu/online")?),
    },
    Fact {
        name: "governor",
        at: "sys/devices/system/cpu/cpuN/cpufreq/scaling_governor",
        kind: Kind::Tally,
        about: "What sets the frequency, with the number of CPUs that have it.",
        read: governor,
    },
    Fact {
        name: "kernel_release",
        at: "proc/sys/kernel/osrelease",
        kind: Kind::Text,
        about: "The release of the kernel.",
        read: |root| root.line("proc/sys/kernel/osrelease").map(Value::from),
    },
    Fact {
        name: MEMORY,
        at: "proc/meminfo",
        kind: Kind::Count,
        about: "The memory in MiB. A boot keeps a little more or less for the kernel, so hosts are not told apart by it.",
        read: memory_mib,
    },
    Fact {
        name: "microcode",
        at: "proc/cpuinfo or sys/devices/system/cpu/cpu0/microcode/version",
        kind: Kind::Text,
        about: "The first processor's microcode.",
        read: |root| {
            let version = "sys/devices/system/cpu/cpu0/microcode/version";
            match root.line_if_there(version)? {
                Some(version) => Ok(version.into()),
                None => root.member("proc/cpuinfo", "microcode").map(Value::from),
            }
        },
    },
    Fact {
        name: "smt",
        at: "sys/devices/system/cpu/smt/active",
        kind: Kind::Flag,
        about: "Whether two CPUs may share a core.",
        read: |root| root.number("sys/devices/system/cpu/smt/active").and_then(flag),
    },
    Fact {
        name: "system",
        at: "sys/class/dmi/id or proc/device-tree/model",
        kind: Kind::Text,
        about: "The maker's name for the machine; in a virtual one, the hypervisor's.",
        read: system,
    },
    Fact {
        name: "transparent_huge_pages",
        at: "sys/kernel/mm/transparent_hugepage/enabled",
        kind: Kind::Text,
        about: "When memory is given out in huge pages.",
        read: |root| {
            let path = "sys/kernel/mm/transparent_hugepage/enabled";
            let modes = root.line(path)?;
            let chosen = modes.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
            match chosen {
                Some((mode, _)) if !mode.is_empty() => Ok(mode.into()),
                _ => Err(format!("/{path} holds {modes:?}, in which nothing is chosen")),
            }
        },
    },
    Fact {
        name: "turbo",
        at: "sys/devices/system/cpu: intel_pstate/no_turbo, cpufreq/boost or cpu0/cpufreq/boost",
        kind: Kind::Flag,
        about: "Whether a CPU may run above its rated frequency while others rest.",
        read: turbo,
    },
    Fact {
        name: "virtualization",
        at: "sys/hypervisor/type or proc/cpuinfo",
        kind: Kind::Text,
        about: "The hypervisor between kernel and machine: its own name, `unnamed`, or `none`.",
        read: virtualization,
    },
];

/// What a run took place on. Equal where latencies are compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Host(pub Facts);

impl Host {
    /// The host beneath `root`.
    pub fn read(root: &HostRoot) -> Host {
        Host(Facts::read(root, &HOST_FACTS))
    }

    /// The names of the facts in which two hosts differ, sorted. What is unknown is equal to what is unknown.
    pub fn differences(&self, other: &Host) -> Vec<String> {
        let known = |host: &Host, name: &str| host.0.values.get(name).cloned().unwrap_or_default();
        let names: std::collections::BTreeSet<&String> =
            self.0.values.keys().chain(other.0.values.keys()).collect();
        let names = names
            .into_iter()
            .filter(|name| *name != MEMORY && known(self, name) != known(other, name));
        names.cloned().collect()
    }

    /// SHA-256 of the facts in canonical JSON: none where no fact is known, as in reports of before there were any.
    pub fn sha256(&self) -> Option<String> {
        let known: BTreeMap<&String, &Value> = self
            .0
            .values
            .iter()
            .filter(|(name, value)| *name != MEMORY && !value.is_null())
            .collect();
        let text = serde_json_canonicalizer::to_vec(&known).ok()?;
        (!known.is_empty()).then(|| Digest::of(&text).to_string())
    }
}

impl JsonSchema for Host {
    fn schema_name() -> Cow<'static, str> {
        "Host".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let about = "What the run took place on; must be equal where latencies are compared.";
        fact::schema(about, &HOST_FACTS, Vec::new())
    }
}

/// How many CPUs a list such as `0-3,8` names.
pub(super) fn cpu_count(list: &str) -> Option<u64> {
    let mut count = 0_u64;
    for range in list.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last) = (first.parse::<u32>().ok()?, last.parse::<u32>().ok()?);
        count += u64::from(last.checked_sub(first)?) + 1;
    }
    Some(count)
}

/// The folders of the CPUs, in the order of their numbers.
pub(super) fn cpu_folders(root: &HostRoot) -> Result<Vec<String>, String> {
    let number = |name: &str| name.strip_prefix("cpu").and_then(|rest| rest.parse::<u32>().ok());
    let mut numbers: Vec<u32> = root.names(CPU)?.iter().filter_map(|name| number(name)).collect();
    numbers.sort_unstable();
    Ok(numbers.iter().map(|number| format!("{CPU}/cpu{number}")).collect())
}

fn cpus(list: String) -> Result<Value, String> {
    match cpu_count(&list) {
        Some(_) => Ok(list.into()),
        None => Err(format!("{list:?} is no list of CPUs")),
    }
}

fn flag(number: u64) -> Result<Value, String> {
    match number {
        0 | 1 => Ok((number == 1).into()),
        _ => Err(format!("{number} is neither 0 nor 1")),
    }
}

fn cpu_model(root: &HostRoot) -> Result<Value, String> {
    let member = |key| root.member("proc/cpuinfo", key);
    member("model name")
        .or_else(|reason| {
            let [implementer, part, variant, revision] =
                ["CPU implementer", "CPU part", "CPU variant", "CPU revision"].map(member);
            match (implementer, part, variant, revision) {
                (Ok(implementer), Ok(part), Ok(variant), Ok(revision)) => Ok(format!(
                    "implementer {implementer}, part {part}, variant {variant}, revision {revision}"
                )),
                _ => Err(reason),
            }
        })
        .map(Value::from)
}

fn governor(root: &HostRoot) -> Result<Value, String> {
    let mut tally: BTreeMap<String, u64> = BTreeMap::new();
    for folder in cpu_folders(root)? {
        if let Some(governor) = root.line_if_there(&format!("{folder}/cpufreq/scaling_governor"))? {
            *tally.entry(governor).or_default() += 1;
        }
    }
    if tally.is_empty() {
        return Err(format!("no /{CPU}/cpuN has a cpufreq/scaling_governor"));
    }
    Ok(tally.into_iter().map(|(name, cpus)| (name, Value::from(cpus))).collect())
}

fn memory_mib(root: &HostRoot) -> Result<Value, String> {
    let total = root.member("proc/meminfo", "MemTotal")?;
    let kib = total.strip_suffix("kB").and_then(|digits| digits.trim().parse::<u64>().ok());
    let kib = kib.ok_or_else(|| format!("MemTotal in /proc/meminfo is {total:?}"))?;
    Ok((kib / 1024).into())
}

fn turbo(root: &HostRoot) -> Result<Value, String> {
    if root.line_if_there(&format!("{CPU}/intel_pstate/no_turbo"))?.is_some() {
        let off = root.number(&format!("{CPU}/intel_pstate/no_turbo"))?;
        return flag(off).map(|off| (off == Value::Bool(false)).into());
    }
    for place in ["cpufreq/boost", "cpu0/cpufreq/boost"] {
        let path = format!("{CPU}/{place}");
        if root.line_if_there(&path)?.is_some() {
            return root.number(&path).and_then(flag);
        }
    }
    Err(format!("/{CPU} has neither intel_pstate/no_turbo nor a cpufreq/boost"))
}

fn system(root: &HostRoot) -> Result<Value, String> {
    let name = |member: &str| root.line(&format!("sys/class/dmi/id/{member}"));
    match (name("sys_vendor"), name("product_name")) {
        (Ok(vendor), Ok(product)) => Ok(format!("{vendor} {product}").into()),
        (Ok(one), Err(_)) | (Err(_), Ok(one)) => Ok(one.into()),
        (Err(reason), Err(_)) => {
            let model = root.text("proc/device-tree/model").ok();
            let model = model.as_deref().map(|text| text.trim_matches(['\0', '\n', ' ']));
            match model {
                Some(model) if !model.is_empty() && !model.contains(char::is_control) => {
                    Ok(model.into())
                }
                _ => Err(reason),
            }
        }
    }
}

fn virtualization(root: &HostRoot) -> Result<Value, String> {
    if let Some(name) = root.line_if_there("sys/hypervisor/type")? {
        return Ok(name.into());
    }
    // Only x86 says so among its features; elsewhere silence means nothing.
    let text = root.text("proc/cpuinfo")?;
    let flags = text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == "flags").then_some(value)
    });
    match flags {
        Some(flags) if flags.split_ascii_whitespace().any(|flag| flag == "hypervisor") => {
            Ok("unnamed".into())
        }
        Some(_) => Ok("none".into()),
        None => Err("/proc/cpuinfo names no flags, and there is no /sys/hypervisor/type".into()),
    }
}
