//! What a survey says of a tree, and that it does not matter where the tree lies.

use proptest::prelude::*;

use retrieval_bench::snapshot::{
    Census, ChunkFile, ContentId, ContentKind, Contents, Directory, File, GitTree, Survey, Tree,
    count_lines,
};

use super::repository::Repository;
use super::{PATIENCE, key, open};
use crate::fixture::shared;

fn survey(contents: &mut Contents, tree: &mut dyn Tree) -> (Survey, Vec<(ContentId, String)>) {
    let mut new = Vec::new();
    let mut keep = |id, text: &[u8]| new.push((id, String::from_utf8_lossy(text).into_owned()));
    let survey = contents.survey(&key(), tree, &mut keep).unwrap();
    (survey, new)
}

fn chunks(files: &[(&str, &str)]) -> String {
    let row = |(path, text): &(&str, &str)| {
        format!("{}\n", serde_json::json!({"kind": "file", "path": path, "text": text}))
    };
    files.iter().map(row).collect()
}

fn file(path: &str, content: ContentId, kind: ContentKind) -> File {
    File { path: path.into(), content, kind }
}

#[test]
fn each_text_is_handed_over_once_in_order_of_first_sight() {
    let mut contents = Contents::default();
    let first =
        chunks(&[("c", "three"), ("a", "one"), ("b", "two"), ("d", "one"), ("nul", "a\0b")]);
    let (surveyed, new) = survey(&mut contents, &mut open(first).unwrap());
    let text = ContentKind::Text;
    assert_eq!(
        surveyed.files,
        [
            file("a", 0, text),
            file("b", 1, text),
            file("c", 2, text),
            file("d", 0, text),
            file("nul", 3, ContentKind::Binary)
        ]
    );
    assert_eq!(new, [(0, "one".into()), (1, "two".into()), (2, "three".into())]);
    let second = chunks(&[("a", "four"), ("b", "one"), ("z", "a\0b")]);
    let (surveyed, new) = survey(&mut contents, &mut open(second).unwrap());
    let expected = [file("a", 4, text), file("b", 0, text), file("z", 3, ContentKind::Binary)];
    assert_eq!(surveyed.files, expected);
    assert_eq!(new, [(4, "four".into())]);
    let census =
        Census { files: 3, text: 2, binary: 1, bytes: 10, unique_bytes: 10, ..Census::default() };
    let tree_sha256 = surveyed.census.tree_sha256.clone();
    assert_eq!(surveyed.census, Census { tree_sha256, ..census });
}

#[test]
fn the_tree_digest_tells_other_bytes_another_path_and_another_set_of_files() {
    let digest = |files: &[(&str, &str)]| {
        let mut tree = open(chunks(files)).unwrap();
        survey(&mut Contents::default(), &mut tree).0.census.tree_sha256
    };
    let first = digest(&[("a", "one"), ("b", "two")]);
    assert_eq!(first, digest(&[("b", "two"), ("a", "one")]));
    for other in [
        digest(&[("a", "one"), ("b", "twO")]),
        digest(&[("a", "one"), ("c", "two")]),
        digest(&[("a", "one")]),
        digest(&[("a", "two"), ("b", "one")]),
    ] {
        assert_ne!(first, other);
    }
    assert_eq!(first.len(), 64);
}

#[test]
fn texts_are_told_from_binaries_and_large_files_at_the_exact_byte() {
    const MIB: usize = 1_048_576;
    let with_nul = |at: usize| "y".repeat(at) + "\0";
    let files = [
        ("exact", "x".repeat(MIB)),
        ("nul-8191", with_nul(8191)),
        ("nul-8192", with_nul(8192)),
        ("over", "x".repeat(MIB + 1)),
        ("over-nul", "\0".repeat(MIB + 1)),
        ("void", String::new()),
    ];
    let borrowed: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let (surveyed, new) = survey(&mut Contents::default(), &mut open(chunks(&borrowed)).unwrap());
    let kinds: Vec<ContentKind> = surveyed.files.iter().map(|file| file.kind).collect();
    use ContentKind::{Binary, Oversize, Text};
    assert_eq!(kinds, [Text, Binary, Text, Oversize, Oversize, Text]);
    assert_eq!(new.len(), 3);
    assert_eq!(
        (surveyed.census.text, surveyed.census.binary, surveyed.census.over_1mib),
        (3, 1, 2)
    );
}

#[test]
fn the_census_counts_bytes_of_files_and_of_distinct_contents() {
    let mut contents = Contents::default();
    let same = [("a", "12345"), ("b", "12345"), ("c", "é")];
    for _ in 0..2 {
        let (surveyed, _) = survey(&mut contents, &mut open(chunks(&same)).unwrap());
        assert_eq!((surveyed.census.bytes, surveyed.census.unique_bytes), (12, 7));
    }
}

#[test]
fn cut_files_and_gold_are_counted() {
    let mut contents = Contents::default();
    let files = [
        ("a", "one\n...[truncated]"),
        ("b", "...[truncated]"),
        ("c", "x\n...[truncated]\n"),
        ("d", "one\n...[truncated]"),
    ];
    let (mut surveyed, _) = survey(&mut contents, &mut open(chunks(&files)).unwrap());
    assert_eq!(surveyed.census.truncated, 2);
    for _ in 0..2 {
        let gold = ["d", "nowhere", "c", "d", "a", "nowhere", "elsewhere"];
        surveyed.count_gold(&contents, gold);
        assert_eq!((surveyed.census.gold_missing, surveyed.census.gold_truncated), (2, 2));
    }
    assert_eq!(surveyed.find("c"), Some(2));
    assert_eq!(surveyed.find("ca"), None);
}

#[test]
fn a_tree_is_the_same_as_chunk_file_directory_and_clone() {
    let files = [
        ("README.md", "# Gadget\n\nüber \"quoted\" \\ slash\t\n".to_owned()),
        ("bin/tool", "\u{7f}ELF\0\0".to_owned()),
        ("data/large.json", "[1],".repeat(300_000)),
        ("src/a.rs", "fn a() {}\r\n".to_owned()),
        ("src/copy of a.rs", "fn a() {}\r\n".to_owned()),
        ("src/void.rs", String::new()),
        ("src.rs", "cut\n...[truncated]".to_owned()),
    ];
    let repository = Repository::new();
    let plain = tempfile::tempdir().unwrap();
    for (path, text) in &files {
        repository.write(path, text);
        let full = plain.path().join(path);
        std::fs::create_dir_all(full.parent().unwrap()).unwrap();
        std::fs::write(full, text).unwrap();
    }
    let mut at = key();
    at.commit = repository.commit();
    let borrowed: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let mut trees: [Box<dyn Tree>; 4] = [
        Box::new(ChunkFile::open(&at, "chunks", chunks(&borrowed).into_bytes()).unwrap()),
        Box::new(Directory::open(&at, plain.path(), PATIENCE).unwrap()),
        Box::new(Directory::open(&at, repository.path(), PATIENCE).unwrap()),
        Box::new(GitTree::open(&at, repository.path(), PATIENCE).unwrap()),
    ];
    let mut surveys: Vec<_> =
        trees.iter_mut().map(|tree| survey(&mut Contents::default(), tree.as_mut())).collect();
    // Fingerprints belong to a kind of source: a folder and a worktree share theirs.
    assert_eq!(surveys[1].0.census.tree_sha256, surveys[2].0.census.tree_sha256);
    for (surveyed, _) in &mut surveys {
        surveyed.census.tree_sha256.clear();
    }
    for other in &surveys[1..] {
        assert_eq!(*other, surveys[0]);
    }
    let (first, new) = &surveys[0];
    assert_eq!(new.len(), 4);
    let bytes: u64 = files.iter().map(|(_, text)| text.len() as u64).sum();
    let census = Census {
        files: 7,
        text: 5,
        binary: 1,
        over_1mib: 1,
        bytes,
        unique_bytes: bytes - 11,
        truncated: 1,
        ..Census::default()
    };
    assert_eq!(first.census, census);
    // All through one repository's contents: sources of different kinds do not share, and do not mix up.
    let mut contents = Contents::default();
    let ids = |survey: &Survey| survey.files.iter().map(|file| file.kind).collect::<Vec<_>>();
    for tree in &mut trees {
        let (mut again, _) = survey(&mut contents, tree.as_mut());
        again.census.tree_sha256.clear();
        assert_eq!((again.census.clone(), ids(&again)), (first.census.clone(), ids(first)));
    }
}

#[test]
fn a_text_as_written_is_not_mistaken_for_the_same_bytes_in_a_directory() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a"), r"one\ntwo").unwrap();
    let mut contents = Contents::default();
    let (_, new) = survey(&mut contents, &mut open(chunks(&[("a", "one\ntwo")])).unwrap());
    assert_eq!(new, [(0, "one\ntwo".into())]);
    let mut directory = Directory::open(&key(), folder.path(), PATIENCE).unwrap();
    let (_, new) = survey(&mut contents, &mut directory);
    assert_eq!(new, [(1, r"one\ntwo".into())]);
}

#[test]
fn a_large_blob_is_counted_without_being_read() {
    let repository = Repository::new();
    repository.write("large", "x".repeat(1_048_577));
    repository.write("small", "x");
    let mut at = key();
    at.commit = repository.commit();
    let mut tree = GitTree::open(&at, repository.path(), PATIENCE).unwrap();
    let id = repository.git(&["rev-parse", "HEAD:large"]);
    std::fs::remove_file(repository.path().join(".git/objects").join(&id[..2]).join(&id[2..]))
        .unwrap();
    let (surveyed, new) = survey(&mut Contents::default(), &mut tree);
    assert_eq!(new.len(), 1);
    assert_eq!((surveyed.census.over_1mib, surveyed.census.bytes), (1, 1_048_578));
}

#[test]
fn a_failing_file_fails_the_survey_and_the_next_one_is_right() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a"), "one").unwrap();
    std::fs::write(folder.path().join("b"), "two").unwrap();
    let mut contents = Contents::default();
    let mut tree = Directory::open(&key(), folder.path(), PATIENCE).unwrap();
    std::fs::remove_file(folder.path().join("b")).unwrap();
    let mut new = Vec::new();
    let failed = contents.survey(&key(), &mut tree, &mut |id, _| new.push(id));
    assert!(failed.is_err());
    assert_eq!(new, [0]);
    std::fs::write(folder.path().join("b"), "two").unwrap();
    let mut tree = Directory::open(&key(), folder.path(), PATIENCE).unwrap();
    let (surveyed, new) = survey(&mut contents, &mut tree);
    assert_eq!(new, [(1, "two".into())]);
    assert_eq!(surveyed.files[0].content, 0);
    assert_eq!(surveyed.census.unique_bytes, 6);
}

#[test]
fn the_recorded_corpus_has_its_census() {
    let Some(folder) = shared("data/harness-golden/inputs/corpus/acme__gadget") else { return };
    let path = folder.join(format!("{}.chunks.jsonl", "a".repeat(40)));
    let mut tree = open(std::fs::read(path).unwrap()).unwrap();
    let (surveyed, _) = survey(&mut Contents::default(), &mut tree);
    let Census { files, text, binary, over_1mib, unsafe_paths, replaced_rows, .. } =
        surveyed.census;
    assert_eq!(
        (files, text, binary, over_1mib, unsafe_paths, replaced_rows),
        (25, 23, 1, 1, 10, 1)
    );
}

#[test]
fn lines_are_counted_by_their_ends_and_a_tail() {
    for (text, lines) in [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("\n\n", 2), ("a\r\nb\rc", 2)]
    {
        assert_eq!(count_lines(text.as_bytes()), lines, "{text:?}");
    }
}

proptest! {
    #[test]
    fn the_order_of_rows_does_not_matter(
        (files, shuffled) in prop::collection::btree_map("[a-z]{1,6}", "[a-c\\n\\\\]{0,4}", 1..20)
            .prop_map(|files| files.into_iter().collect::<Vec<_>>())
            .prop_flat_map(|files| (Just(files.clone()), Just(files).prop_shuffle())),
    ) {
        let all = |files: &[(String, String)]| {
            let borrowed: Vec<(&str, &str)> = files.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
            survey(&mut Contents::default(), &mut open(chunks(&borrowed)).unwrap())
        };
        prop_assert_eq!(all(&files), all(&shuffled));
    }
}
