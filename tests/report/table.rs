//! The headline for a terminal.

use super::{answered, assemble, detail, read_report, reference_reports};

#[test]
fn one_line_per_arm_in_the_order_of_the_table_then_what_differs() {
    let details = (0..12)
        .map(|index| {
            let line = detail(&index.to_string(), "t", &format!("a/{}", index % 10), "positive");
            let scores = |value| {
                [
                    ("recall@5", value),
                    ("mrr@k", value / 2.0),
                    ("hit@k", value),
                    ("selective_success", value),
                    ("abstained", 0.0),
                ]
            };
            let line = answered(line, "bm25:all", &scores(1.0));
            answered(line, "grep", &scores(0.0))
        })
        .collect();
    let text = assemble(details).table();
    let wanted = "\
arm        n  recall@5  @10  @20    mrr                hit@20  success  abstained  errors
grep      12     0.000    -    -  0.000  0.000 [0.000..0.242]    0.000      0.000       0
bm25:all  12     1.000    -    -  0.500  1.000 [0.758..1.000]    1.000      0.000       0

Differences whose 95% interval over repositories excludes 0 and whose corrected p is under
0.05, all samples:
metric             arm       minus   n  difference      95% interval  p (Holm)
recall@5           bm25:all  grep   12      +1.000  [+1.000..+1.000]    0.0004
mrr@k              bm25:all  grep   12      +0.500  [+0.500..+0.500]    0.0004
selective_success  bm25:all  grep   12      +1.000  [+1.000..+1.000]    0.0004
";
    let strip_p = |text: &str| -> Vec<String> {
        text.lines()
            .map(|line| line.trim_end_matches(|c: char| "0.123456789".contains(c)).into())
            .collect()
    };
    assert_eq!(strip_p(&text), strip_p(wanted), "{text}");
}

#[test]
fn a_report_without_intervals_and_with_broken_samples_says_so() {
    let mut broken = detail("1", "t", "a/b", "positive");
    broken.error = "the snapshot is missing".to_owned();
    let text = assemble(vec![broken, detail("2", "t", "a/b", "positive")]).table();
    assert!(text.contains("1 of 2 samples could not be measured."), "{text}");
    assert!(text.contains("No difference has an interval"), "{text}");
}

#[test]
fn every_table_fits_a_terminal() {
    for path in reference_reports() {
        let report = read_report(&path);
        let text = report.table();
        for line in text.lines() {
            assert!(line.chars().count() <= 100 && line == line.trim_end(), "{line:?}");
        }
        let arms = text.lines().skip(1).take_while(|line| !line.is_empty()).count();
        assert_eq!(arms, report.arms.len(), "{text}");
    }
}
