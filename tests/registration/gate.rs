//! Whether a run may begin: time and readings are made up here.

use std::time::{Duration, UNIX_EPOCH};

use retrieval_bench::registration::{
    Conditions, Gate, LiveHost, QuietHost, Reading, STEP, Surroundings, Ticks, WINDOW,
};

use super::{System, intel, verdicts};

/// A host whose readings come from a script by the second; its CPUs are idle but for a share.
struct Scripted<'a> {
    system: &'a System,
    clock: Duration,
    slept: Vec<Duration>,
    readings: usize,
    script: fn(&System, Duration),
    ticks: Ticks,
}

impl<'a> Scripted<'a> {
    fn new(system: &'a System, script: fn(&System, Duration)) -> Scripted<'a> {
        let ticks = Ticks { idle: 0, total: 0 };
        Scripted { system, clock: Duration::ZERO, slept: Vec::new(), readings: 0, script, ticks }
    }
}

impl Surroundings for Scripted<'_> {
    fn reading(&mut self) -> Reading {
        (self.script)(self.system, self.clock);
        self.readings += 1;
        let reading = Reading::now(&self.system.root());
        Reading { at: UNIX_EPOCH + self.clock, ticks: Ok(self.ticks), ..reading }
    }

    fn sleep(&mut self, time: Duration) {
        self.clock += time;
        self.slept.push(time);
        self.ticks.total += 1_000;
        self.ticks.idle += 990;
    }

    fn elapsed(&mut self) -> Duration {
        self.clock
    }
}

fn noisy(system: &System, _: Duration) {
    system.write("proc/loadavg", b"4.00 1.00 1.00 5/99 9\n");
}

fn quiet_after_twelve_seconds(system: &System, now: Duration) {
    let load = if now.as_secs() < 12 { "4.00" } else { "0.10" };
    system.write("proc/loadavg", format!("{load} 1.00 1.00 1/99 9\n").as_bytes());
}

fn unchanged(_: &System, _: Duration) {}

#[test]
fn a_run_that_does_not_ask_takes_one_reading_and_no_time() {
    let system = intel();
    let mut host = Scripted::new(&system, noisy);
    let mut gate = Gate::new(QuietHost::Record, &mut host);
    let moment =
        gate.pass(Duration::from_secs(600), |_| panic!("it waits")).expect("it passes").clone();
    assert_eq!((host.readings, host.slept.len()), (1, 0));
    assert_eq!(verdicts(&moment)[0], ("load_per_cpu".to_owned(), "fail"));
    assert_eq!(verdicts(&moment)[2], ("cpu_idle".to_owned(), "unknown"));
    assert!(moment.facts.unknown["cpu_idle"].contains("two readings"));
}

#[test]
fn a_quiet_host_passes_after_one_window() {
    let system = intel();
    let mut host = Scripted::new(&system, unchanged);
    let mut gate = Gate::new(QuietHost::Require, &mut host);
    let moment = gate.pass(Duration::ZERO, |_| panic!("it waits")).expect("it passes").clone();
    assert_eq!(host.slept, [WINDOW]);
    assert_eq!(moment.cpu_idle, Some(0.99));
    assert!(verdicts(&moment).iter().all(|(_, verdict)| *verdict == "pass"), "{moment:?}");
    assert_eq!(moment.at, "1970-01-01T00:00:01.000000000Z");
}

#[test]
fn a_noisy_host_is_refused_at_once_with_every_failed_check() {
    let system = intel();
    let mut host = Scripted::new(&system, noisy);
    let failed = Gate::new(QuietHost::Require, &mut host)
        .pass(Duration::from_secs(600), |_| panic!("it waits"))
        .expect_err("it is noisy");
    assert!(
        failed.contains("load_per_cpu is 1.0") && failed.contains("runnable_tasks is 4"),
        "{failed}"
    );
    assert_eq!(host.slept, [WINDOW]);
}

#[test]
fn a_run_waits_in_steps_until_the_host_is_quiet() {
    let system = intel();
    let mut host = Scripted::new(&system, quiet_after_twelve_seconds);
    let mut heard = Vec::new();
    let mut gate = Gate::new(QuietHost::Wait, &mut host);
    gate.pass(Duration::from_secs(600), |failed| heard.push(failed.to_owned())).expect("it passes");
    assert_eq!(heard, ["load_per_cpu is 1.0 (quiet: at most 0.35)"], "it is said once");
    assert_eq!(host.slept, [WINDOW, STEP, WINDOW, STEP, WINDOW]);
}

#[test]
fn a_run_waits_no_longer_than_it_was_told() {
    let system = intel();
    let mut host = Scripted::new(&system, noisy);
    let mut gate = Gate::new(QuietHost::Wait, &mut host);
    gate.pass(Duration::from_secs(8), |_| {}).expect_err("it stays noisy");
    // The window before the wait is not part of it; the last look may end one window after it.
    let two = Duration::from_secs(2);
    assert_eq!(host.slept, [WINDOW, STEP, WINDOW, two, WINDOW]);
    let mut host = Scripted::new(&system, noisy);
    let mut gate = Gate::new(QuietHost::Wait, &mut host);
    gate.pass(Duration::ZERO, |_| panic!("it waits")).expect_err("there is no time");
}

fn conditions(before: retrieval_bench::registration::Moment) -> Conditions {
    Conditions { before, ..Conditions::default() }
}

#[test]
fn a_run_that_was_quiet_and_is_not_any_more_became_noisy() {
    let system = intel();
    let mut host = Scripted::new(&system, unchanged);
    let mut gate = Gate::new(QuietHost::Record, &mut host);
    let before = gate.pass(Duration::ZERO, |_| {}).expect("it passes").clone();
    let mut quiet = conditions(before.clone());
    assert_eq!(quiet.end(gate.after(&before)), None);
    assert_eq!(quiet.became_noisy, Some(false));
    system.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", b"powersave\n");
    system.write("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", b"4\n");
    let mut noisy = conditions(before.clone());
    let said = noisy.end(gate.after(&before)).expect("it became noisy");
    assert!(said.contains("governor") && said.contains("thermal_throttling is 1"), "{said}");
    assert_eq!(noisy.became_noisy, Some(true));
    let after = noisy.after.clone().expect("it is kept");
    // What was noisy from the start has not become so.
    let mut always = conditions(after);
    assert_eq!(always.end(gate.after(&before)), None);
    assert_eq!(always.became_noisy, Some(false));
}

#[test]
fn the_load_of_the_run_itself_is_no_noise() {
    let system = intel();
    let mut host = Scripted::new(&system, unchanged);
    let mut gate = Gate::new(QuietHost::Require, &mut host);
    let before = gate.pass(Duration::ZERO, |_| {}).expect("it passes").clone();
    system.write("proc/loadavg", b"4.00 4.00 4.00 1/99 9\n");
    system.write("proc/pressure/cpu", b"some avg10=70.00 avg60=1\n");
    assert_eq!(conditions(before.clone()).end(gate.after(&before)), None);
}

#[test]
fn counters_that_do_not_move_leave_the_idle_share_unknown() {
    let system = intel();
    let mut gate_host = LiveHost::new(system.root());
    let mut gate = Gate::new(QuietHost::Require, &mut gate_host);
    let moment = gate.pass(Duration::ZERO, |_| {}).expect("unknown does not refuse");
    assert_eq!(moment.cpu_idle, None);
    assert!(moment.facts.unknown["cpu_idle"].contains("/proc/stat"));
}
