use std::sync::Arc;

use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use proptest::prelude::*;
use retrieval_bench::dataset::{Place, ReadOptions, Samples, parse, read};
use serde_json::json;

use super::COMMIT;

/// The columns of the published file that are read, and one that is not.
const COLUMNS: [&str; 6] =
    ["instance_id", "original_inst_id", "repo", "base_commit", "problem_statement", "gold_context"];

/// A Parquet file with these string columns and an unread integer column, in row groups of `group` rows.
fn file(
    columns: &[&str],
    rows: &[Vec<Option<String>>],
    compression: Compression,
    group: usize,
) -> Vec<u8> {
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .set_dictionary_enabled(true)
        .set_data_page_row_count_limit(100)
        .set_write_batch_size(50)
        .build();
    file_of(columns, rows, properties, group)
}

fn file_of(
    columns: &[&str],
    rows: &[Vec<Option<String>>],
    properties: WriterProperties,
    group: usize,
) -> Vec<u8> {
    let fields: String =
        columns.iter().map(|name| format!("OPTIONAL BYTE_ARRAY {name} (UTF8); ")).collect();
    let schema = parse_message_type(&format!("message rows {{ {fields} REQUIRED INT64 pr; }}"));
    let mut bytes = Vec::new();
    let mut writer =
        SerializedFileWriter::new(&mut bytes, Arc::new(schema.unwrap()), Arc::new(properties))
            .unwrap();
    for rows in rows.chunks(group.max(1)) {
        let mut group = writer.next_row_group().unwrap();
        for column in 0..columns.len() {
            let cells = rows.iter().map(|row| row[column].as_deref());
            let levels: Vec<i16> = cells.clone().map(|cell| i16::from(cell.is_some())).collect();
            let values: Vec<ByteArray> = cells.flatten().map(ByteArray::from).collect();
            let mut writer = group.next_column().unwrap().unwrap();
            writer.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None).unwrap();
            writer.close().unwrap();
        }
        let mut writer = group.next_column().unwrap().unwrap();
        let numbers: Vec<i64> = (0..rows.len() as i64).collect();
        writer.typed::<Int64Type>().write_batch(&numbers, None, None).unwrap();
        writer.close().unwrap();
        group.close().unwrap();
    }
    writer.close().unwrap();
    bytes
}

fn row(number: usize) -> Vec<Option<String>> {
    let gold = if number.is_multiple_of(2) {
        format!(
            "context0：\nfile: src/f{number}.py\nstart_line: 1\nend_line: {}\nx = 1\n",
            number + 1
        )
    } else {
        format!(r#"[{{"file":"src/f{number}.py","start_line":1,"end_line":{}}}]"#, number + 1)
    };
    let original = (number.is_multiple_of(3)).then(|| format!("acme__gadget-{number}"));
    let repo = if original.is_some() { "gadget" } else { "acme/gadget" };
    let cells = [
        format!("cb-{number}"),
        repo.to_owned(),
        COMMIT.to_owned(),
        format!("issue {}", number % 5),
        gold,
    ];
    let [id, repo, commit, statement, gold] = cells.map(Some);
    vec![id, original, repo, commit, statement, gold]
}

fn parsed(bytes: &[u8]) -> Samples {
    parse(bytes, "cb.parquet", &ReadOptions::default()).unwrap()
}

fn refused(bytes: &[u8]) -> String {
    parse(bytes, "cb.parquet", &ReadOptions::default()).unwrap_err().to_string()
}

#[test]
fn a_parquet_file_gives_the_samples_of_the_same_rows_in_jsonl() {
    let rows: Vec<_> = (0..333).map(row).collect();
    let lines = rows.iter().map(|row| {
        let members = COLUMNS.iter().zip(row).map(|(name, cell)| ((*name).to_owned(), json!(cell)));
        serde_json::Value::Object(members.collect()).to_string()
    });
    let expected = parsed(lines.collect::<Vec<_>>().join("\n").as_bytes());
    assert_eq!(expected.kept.len(), 333);
    for compression in
        [Compression::SNAPPY, Compression::ZSTD(ZstdLevel::default()), Compression::UNCOMPRESSED]
    {
        for group in [1_000, 150] {
            let samples = parsed(&file(&COLUMNS, &rows, compression, group));
            assert_eq!(samples.kept, expected.kept, "{compression:?}");
        }
    }
}

#[test]
fn only_the_original_id_may_be_missing() {
    let without = |absent: usize| {
        let mut columns = COLUMNS.to_vec();
        columns.remove(absent);
        let mut cells = row(1);
        cells.remove(absent);
        file(&columns, &[cells], Compression::SNAPPY, 1)
    };
    assert_eq!(parsed(&without(1)).kept[0].gold, ["src/f1.py"]);
    let expected = "samples file cb.parquet: has no column gold_context; a ContextBench file has instance_id, repo, \
                    base_commit, problem_statement, gold_context";
    assert_eq!(refused(&without(5)), expected);
}

#[test]
fn a_bad_row_is_refused_with_its_number() {
    let mut rows: Vec<_> = (0..200).map(row).collect();
    rows[150][3] = Some("abc".to_owned());
    let bytes = file(&COLUMNS, &rows, Compression::SNAPPY, 120);
    let error = parse(&bytes, "cb.parquet", &ReadOptions::default()).unwrap_err();
    assert_eq!((error.place, error.id.as_deref()), (Some(Place::Row(151)), Some("cb-150")));
    let options = ReadOptions { max_samples: 150, ..ReadOptions::default() };
    assert_eq!(parse(&bytes, "cb.parquet", &options).unwrap().kept.len(), 150);

    rows.truncate(2);
    rows[1][0] = None;
    let message = refused(&file(&COLUMNS, &rows, Compression::SNAPPY, 9));
    assert!(
        message.starts_with("samples file cb.parquet, row 2: instance_id is missing or empty"),
        "{message}"
    );
    rows[1][0] = rows[0][0].clone();
    let message = refused(&file(&COLUMNS, &rows, Compression::SNAPPY, 9));
    assert!(
        message.ends_with(
            "row 2 (sample \"cb-0\"): its id already stands on row 1; give every sample its own id"
        ),
        "{message}"
    );
}

#[test]
fn a_file_that_decodes_to_far_more_than_its_size_is_refused() {
    // One string of 1 MiB in the dictionary, for hundreds of rows.
    let long = "x".repeat(1 << 20);
    let rows: Vec<_> = (0..300)
        .map(|number| {
            let mut cells = row(number);
            cells[4] = Some(long.clone());
            cells
        })
        .collect();
    let bytes = file(&COLUMNS, &rows, Compression::ZSTD(ZstdLevel::default()), 1_000);
    assert!(bytes.len() < 8 << 20);
    assert_eq!(
        refused(&bytes),
        "samples file cb.parquet: decodes to over 256 MiB of samples; split it"
    );
}

/// The places behind `pattern`.
fn behind(bytes: &[u8], pattern: &[u8]) -> Vec<usize> {
    memchr::memmem::find_iter(bytes, pattern).map(|at| at + pattern.len()).collect()
}

/// How the header of a dictionary page begins: its type; its decoded size follows.
const DICTIONARY_PAGE: [u8; 3] = [0x15, 0x04, 0x15];

#[test]
fn pages_that_say_they_decode_to_more_than_is_read_are_refused_before_they_are_decoded() {
    let mut cells = row(1);
    for cell in [0, 4, 5] {
        cells[cell] = Some(format!("{cell}").repeat(2 << 20));
    }
    let mut bytes = file(&COLUMNS, &[cells], Compression::ZSTD(ZstdLevel::default()), 1);
    let mut large = 0;
    for size in behind(&bytes.clone(), &DICTIONARY_PAGE) {
        // A size of 2 MiB takes four bytes, which can say 128 MiB.
        if bytes[size..size + 3].iter().all(|byte| byte & 0x80 != 0) {
            bytes[size..size + 4].copy_from_slice(&[0xfe, 0xff, 0xff, 0x7f]);
            large += 1;
        }
    }
    assert_eq!(large, 3);
    assert!(refused(&bytes).ends_with("decodes to over 256 MiB of samples; split it"));
}

#[test]
fn a_dictionary_that_says_it_has_more_entries_than_bytes_is_refused() {
    let mut bytes = file(&COLUMNS, &[row(1)], Compression::UNCOMPRESSED, 1);
    // Its own header: how many entries (one, then 63), and that they are plain.
    let entries = behind(&bytes, &[0x4c, 0x15]);
    let entries = entries.into_iter().find(|&at| bytes[at] == 0x02).expect("a dictionary");
    bytes[entries] = 0x7e;
    let message = refused(&bytes);
    assert!(message.contains("a dictionary has more entries than bytes"), "{message}");
}

#[test]
fn pages_of_the_second_version_are_read_and_delta_encoded_strings_are_not() {
    let rows: Vec<_> = (0..150).map(row).collect();
    let properties = || WriterProperties::builder().set_writer_version(WriterVersion::PARQUET_2_0);
    let second = file_of(&COLUMNS, &rows, properties().set_dictionary_enabled(true).build(), 99);
    assert_eq!(parsed(&second).kept, parsed(&file(&COLUMNS, &rows, Compression::SNAPPY, 99)).kept);
    let plain = properties().set_dictionary_enabled(false).set_encoding(Encoding::PLAIN).build();
    assert_eq!(parsed(&file_of(&COLUMNS, &rows, plain, 99)).kept.len(), 150);
    for encoding in [Encoding::DELTA_BYTE_ARRAY, Encoding::DELTA_LENGTH_BYTE_ARRAY] {
        let properties = properties().set_dictionary_enabled(false);
        let properties = properties
            .set_column_encoding("gold_context".into(), encoding)
            .set_encoding(Encoding::PLAIN)
            .build();
        let message = refused(&file_of(&COLUMNS, &rows, properties, 99));
        assert!(message.contains("neither plain nor in a dictionary"), "{message}");
    }
}

#[test]
fn a_broken_parquet_file_is_refused_as_such() {
    let bytes = file(&COLUMNS, &[row(1)], Compression::SNAPPY, 1);
    for broken in [&bytes[..bytes.len() - 1], &bytes[..40], b"PAR1"] {
        let message = refused(broken);
        assert!(
            message
                .starts_with("samples file cb.parquet: is not a Parquet file that can be read: "),
            "{message}"
        );
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("named-anything");
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(read(&path, &ReadOptions::default()).unwrap().kept.len(), 1);
}

proptest! {
    #[test]
    fn a_damaged_parquet_file_never_panics(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = file(&COLUMNS, &[row(0), row(1)], Compression::SNAPPY, 1);
        let at = 4 + at.index(bytes.len() - 4);
        bytes[at] = byte;
        let _ = parse(&bytes, "cb.parquet", &ReadOptions::default());
    }
}
