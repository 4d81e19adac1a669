//! The chunk reader: both trees over any bytes, held to what serde_json makes of the same lines.
#![no_main]

use std::collections::BTreeMap;
use std::fmt;

use libfuzzer_sys::fuzz_target;
use retrieval_bench::dataset::SnapshotKey;
use retrieval_bench::snapshot::{ChunkFile, Contents, Stitched, Survey, Tree};
use retrieval_bench::text::safe_path::is_safe_relative;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

fuzz_target!(|bytes: &[u8]| {
    let key = SnapshotKey { repo: "acme/gadget".into(), commit: "a".repeat(40) };
    let plain = ChunkFile::open(&key, "chunks", bytes);
    let slow = slowly(bytes);
    match (plain, slow) {
        (Ok(mut tree), Some(files)) => {
            assert_eq!(read(&mut tree), files);
            let plain = survey(&key, &mut tree);
            if let Ok(mut tree) = Stitched::open(&key, "chunks", bytes) {
                let stitched = survey(&key, &mut tree);
                assert!(
                    plain
                        .files
                        .iter()
                        .map(|file| &file.path)
                        .eq(stitched.files.iter().map(|file| &file.path))
                );
                // What was not rebuilt is the row's text; what was, still counts as cut.
                assert_eq!(plain.census.truncated, stitched.census.truncated);
                let texts = read(&mut tree);
                for (at, (path, text)) in files.iter().enumerate() {
                    assert!(tree.is_rebuilt(at) || texts[path] == *text);
                }
                let recovered = tree.recovered();
                assert!(recovered.in_head <= recovered.known && recovered.known <= recovered.lines);
            }
        }
        (Err(error), None) => {
            assert!(error.reason.chars().count() <= 2_001);
            assert!(Stitched::open(&key, "chunks", bytes).is_err());
        }
        (Ok(_), None) => panic!("taken, and serde_json refuses it"),
        (Err(error), Some(_)) => panic!("refused, and serde_json takes it: {error}"),
    }
});

fn survey(key: &SnapshotKey, tree: &mut dyn Tree) -> Survey {
    let mut contents = Contents::default();
    let mut texts = 0;
    let first = contents.survey(key, tree, &mut |_, _| texts += 1).expect("bytes do not fail");
    let again = contents.survey(key, tree, &mut |_, _| panic!("a text is new twice"));
    assert_eq!(again.as_ref(), Ok(&first));
    assert!(texts <= first.census.text && first.census.unique_bytes <= first.census.bytes);
    assert!(first.files.windows(2).all(|pair| pair[0].path < pair[1].path));
    first
}

fn read(tree: &mut dyn Tree) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for file in 0..tree.len() {
        let mut bytes = Vec::new();
        tree.read(file, &mut bytes).expect("bytes do not fail");
        files.insert(tree.path(file).to_owned(), bytes);
    }
    files
}

/// The files of a chunk file by the slow way, or `None` if it is to be refused (spec: reference harness 7).
fn slowly(bytes: &[u8]) -> Option<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::new();
    let ended = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    for line in ended.split(|&byte| byte == b'\n') {
        let Row(members) = serde_json::from_str(str::from_utf8(line).ok()?).ok()?;
        let mut read = BTreeMap::new();
        for (at, (name, value)) in members.iter().enumerate() {
            let lower = name.to_ascii_lowercase();
            let is_read =
                ["kind", "path", "text", "start_line", "end_line"].contains(&lower.as_str());
            let clashes = |(earlier, _): &(String, &RawValue)| {
                earlier == name || (is_read && earlier.eq_ignore_ascii_case(name))
            };
            if members[..at].iter().any(clashes) {
                return None;
            }
            let is_string = is_read && !lower.ends_with("_line");
            if is_string && value.get() != "null" {
                read.insert(lower, serde_json::from_str::<Text>(value.get()).ok()?.0);
            }
        }
        let mut text = |name| read.remove(name).unwrap_or_default();
        let path = text("path");
        if text("kind") == "file" && is_safe_relative(&path) {
            files.insert(path, text("text").into_bytes());
        }
    }
    let clashes = |path: &String| {
        path.match_indices('/').any(|(slash, _)| files.contains_key(&path[..slash]))
    };
    (!files.is_empty() && !files.keys().any(clashes)).then_some(files)
}

/// The members of an object as they stand.
struct Row<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Row<'de> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Row<'de>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Row<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Row(members))
            }
        }
        input.deserialize_map(Members)
    }
}

/// A string in which lone surrogates are U+FFFD.
struct Text(String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Text;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a string")
            }

            // Asked for bytes, serde_json writes a lone surrogate as the three bytes it would have in UTF-8.
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Text, E> {
                let (mut out, mut rest) = (String::new(), bytes);
                while let Err(error) = str::from_utf8(rest) {
                    let (good, bad) = rest.split_at(error.valid_up_to());
                    out.push_str(str::from_utf8(good).expect("valid up to here"));
                    out.push('\u{fffd}');
                    rest = &bad[3..];
                }
                out.push_str(str::from_utf8(rest).expect("valid"));
                Ok(Text(out))
            }
        }
        input.deserialize_bytes(Bytes)
    }
}
