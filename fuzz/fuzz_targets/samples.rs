//! The samples reader: whatever the bytes, it keeps good samples or refuses with one sentence.
#![no_main]

use std::collections::HashSet;

use libfuzzer_sys::fuzz_target;
use retrieval_bench::dataset::{ReadOptions, Sample, Samples, leaks, parse};
use retrieval_bench::text::safe_path::is_safe_relative;

fuzz_target!(|bytes: &[u8]| {
    // Parquet is another project's decoder: its panics are caught, which is not to be seen from here.
    if bytes.starts_with(b"PAR1") {
        return;
    }
    for contextbench_compat in [false, true] {
        let all = ReadOptions { contextbench_compat, ..ReadOptions::default() };
        let first = ReadOptions { max_samples: 1, ..all.clone() };
        let whole = read(bytes, &all);
        let begun = read(bytes, &first);
        if let Some(whole) = whole {
            let begun = begun.expect("a file that is good is good up to its first sample");
            assert_eq!(begun.kept, whole.kept[..whole.kept.len().min(1)]);
            assert_eq!(begun.sha256, whole.sha256);
            let task = whole.kept.last().map(|sample| sample.task.clone());
            let task_types: Vec<String> = task.into_iter().collect();
            let filtered = read(bytes, &ReadOptions { task_types: task_types.clone(), ..all });
            let filtered = filtered.expect("a filter refuses nothing").kept;
            let wanted = |sample: &&Sample| task_types.contains(&sample.task);
            assert!(filtered.iter().eq(whole.kept.iter().filter(wanted)));
        }
    }
});

fn read(bytes: &[u8], options: &ReadOptions) -> Option<Samples> {
    match parse(bytes, "samples.jsonl", options) {
        Ok(samples) => {
            check(&samples);
            Some(samples)
        }
        Err(error) => {
            let sentence = error.to_string();
            assert!(!sentence.contains('\n') && sentence.chars().count() < 2_200, "{sentence}");
            None
        }
    }
}

fn check(samples: &Samples) {
    let (mut ids, mut line) = (HashSet::new(), 0);
    for sample in &samples.kept {
        assert!(ids.insert(&sample.id) && sample.line > line);
        line = sample.line;
        assert_eq!(sample.is_positive(), !sample.gold.is_empty());
        for paths in [&sample.gold, &sample.given, &sample.hard_negatives] {
            let distinct: HashSet<&String> = paths.iter().collect();
            assert_eq!(distinct.len(), paths.len());
            assert!(paths.iter().all(|path| is_safe_relative(path)));
        }
        if let Some(lines) = &sample.gold_lines {
            assert!(lines.keys().eq(&sample.gold));
            for ranges in lines.values() {
                assert!(ranges.iter().all(|range| 1 <= range.start && range.start <= range.end));
                assert!(ranges.windows(2).all(|pair| pair[0].end < pair[1].start - 1));
            }
        }
        let none = Vec::new();
        leaks(sample, samples.fix_commits.get(&sample.id).unwrap_or(&none));
    }
    assert!(samples.fix_commits.keys().all(|id| ids.contains(id)));
}
