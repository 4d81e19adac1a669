//! Where a snapshot is looked for, and in which order.

use std::path::{Path, PathBuf};

use retrieval_bench::dataset::SnapshotKey;
use retrieval_bench::snapshot::{Location, Sources};

use super::repository::{Repository, git};
use super::{PATIENCE, key, pairs, refusal, texts};
use crate::fixture::shared;

fn sources(corpus: Option<&Path>, clones: Option<&Path>) -> Sources {
    Sources {
        corpus: corpus.map(Path::to_owned),
        clones: clones.map(Path::to_owned),
        git_timeout: PATIENCE,
        ..Sources::default()
    }
}

fn snapshot(repo: &str, digit: &str) -> SnapshotKey {
    SnapshotKey { repo: repo.to_owned(), commit: digit.repeat(40) }
}

#[test]
fn a_named_snapshot_goes_before_everything() {
    let folder = tempfile::tempdir().unwrap();
    let chunks = folder.path().join("any name");
    std::fs::write(&chunks, r#"{"kind": "file", "path": "a", "text": "x"}"#).unwrap();
    let mut sources = sources(Some(folder.path()), None);
    sources.named.insert(key(), chunks.clone());
    let location = sources.resolve(&key()).unwrap();
    assert_eq!(location, Location::ChunkFile(chunks));
    let mut tree = sources.open(&key(), &location).unwrap();
    assert_eq!(texts(tree.as_mut()), pairs(&[("a", "x")]));
    sources.named.insert(key(), folder.path().to_owned());
    assert_eq!(sources.resolve(&key()).unwrap(), Location::Directory(folder.path().to_owned()));
    sources.named.insert(key(), PathBuf::from("/no/such/file"));
    assert_eq!(
        refusal(sources.resolve(&key())),
        "/no/such/file cannot be read: No such file or directory (os error 2)"
    );
}

#[test]
fn an_embedded_snapshot_is_opened_like_a_file() {
    static CHUNKS: &[u8] = br#"{"kind": "file", "path": "a", "text": "x"}"#;
    let mut sources = sources(None, None);
    sources.embedded.insert(key(), CHUNKS);
    let location = sources.resolve(&key()).unwrap();
    let mut tree = sources.open(&key(), &location).unwrap();
    assert_eq!(texts(tree.as_mut()), pairs(&[("a", "x")]));
}

#[test]
fn a_chunk_file_of_the_corpus_goes_before_a_directory_and_before_a_clone() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join(format!("old-gadget-{}", "a".repeat(12)));
    std::fs::create_dir(&directory).unwrap();
    let sources = sources(Some(folder.path()), Some(folder.path()));
    assert_eq!(sources.resolve(&key()).unwrap(), Location::Directory(directory.clone()));
    let chunks = folder.path().join(format!("acme__gadget/{}.chunks.jsonl", key().commit));
    std::fs::create_dir_all(&chunks).unwrap();
    assert_eq!(sources.resolve(&key()).unwrap(), Location::Directory(directory));
    std::fs::remove_dir(&chunks).unwrap();
    std::fs::write(&chunks, "").unwrap();
    assert_eq!(sources.resolve(&key()).unwrap(), Location::ChunkFile(chunks));
}

#[test]
fn no_or_several_fitting_directories_are_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let shown = folder.path().display().to_string();
    let sources = sources(Some(folder.path()), None);
    let none = format!("0 corpus entries match {} under {shown}", key());
    std::fs::write(folder.path().join(format!("gadget{}", "a".repeat(12))), "a file").unwrap();
    std::fs::create_dir(folder.path().join(format!("gadget{}", "a".repeat(11)))).unwrap();
    std::fs::create_dir(folder.path().join(format!("other{}", "a".repeat(12)))).unwrap();
    assert_eq!(refusal(sources.resolve(&key())), none);
    for name in ["y", "x"] {
        std::fs::create_dir(folder.path().join(format!("{name}-gadget-{}", "a".repeat(12))))
            .unwrap();
    }
    let names = format!("x-gadget-{0}, y-gadget-{0}", "a".repeat(12));
    let several = format!(
        "2 corpus entries match {} under {shown} ({names}): leave one, or name it with --snapshot",
        key()
    );
    assert_eq!(refusal(sources.resolve(&key())), several);
}

#[test]
fn a_clone_is_found_under_each_of_its_names() {
    let repository = Repository::new();
    repository.write("a", "1");
    let commit = repository.commit();
    let key = SnapshotKey { commit, ..key() };
    let source = repository.path().to_str().unwrap();
    for (name, bare) in [
        ("acme__gadget", false),
        ("acme__gadget", true),
        ("acme__gadget.git", true),
        ("acme/gadget", false),
        ("acme/gadget.git", true),
        ("gadget.git", true),
        ("gadget.git", false),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut arguments = vec!["clone", "--quiet", source, name];
        arguments.extend(bare.then_some("--bare"));
        git(folder.path(), &arguments);
        let sources = sources(None, Some(folder.path()));
        let location = sources.resolve(&key).unwrap();
        assert_eq!(location, Location::Clone(folder.path().join(name)));
        let mut tree = sources.open(&key, &location).unwrap();
        assert_eq!(texts(tree.as_mut()), pairs(&[("a", "1")]));
    }
}

#[test]
fn a_clone_without_the_commit_says_what_to_run() {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init", "--quiet", "acme__gadget"]);
    let clone = folder.path().join("acme__gadget");
    std::fs::write(clone.join("a"), "1").unwrap();
    git(&clone, &["add", "a"]);
    let tree = git(&clone, &["write-tree"]);
    let sources = sources(None, Some(folder.path()));
    // The id of a tree is no commit either.
    for commit in [key().commit, tree] {
        let key = SnapshotKey { commit: commit.clone(), ..key() };
        let shown = clone.display();
        let expected = format!(
            "the clone {shown} does not hold the commit: run `git -C {shown} fetch origin {commit}`"
        );
        assert_eq!(refusal(sources.resolve(&key)), expected);
    }
}

#[test]
fn a_folder_that_is_no_clone_is_not_mistaken_for_one_without_the_commit() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("acme/gadget")).unwrap();
    let reason = refusal(sources(None, Some(folder.path())).resolve(&key()));
    assert!(reason.contains("failed: fatal: not a git repository"), "{reason}");
}

#[test]
fn what_is_nowhere_is_said_to_be_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let shown = folder.path().display();
    let nothing =
        format!("no snapshot for {}: name one with --snapshot, --corpus or --clones", key());
    assert_eq!(refusal(sources(None, None).resolve(&key())), nothing);
    let expected = format!(
        "0 corpus entries match {} under {shown}, and no clone of acme/gadget under {shown}",
        key()
    );
    assert_eq!(
        refusal(sources(Some(folder.path()), Some(folder.path())).resolve(&key())),
        expected
    );
    let absent = folder.path().join("absent");
    let expected =
        format!("{} cannot be read: No such file or directory (os error 2)", absent.display());
    assert_eq!(refusal(sources(Some(&absent), None).resolve(&key())), expected);
}

#[test]
fn the_recorded_directories_resolve_as_the_reference_resolves_them() {
    let Some(folder) = shared("data/harness-golden/inputs/corpus-dirs") else { return };
    let sources = sources(Some(&folder), None);
    let one = sources.resolve(&snapshot("clap-rs/clap", "a")).unwrap();
    assert_eq!(one, Location::Directory(folder.join("clap__aaaaaaaaaaaa")));
    let file = refusal(sources.resolve(&snapshot("owner/file", "c")));
    let expected =
        format!("0 corpus entries match owner/file@{} under {}", "c".repeat(40), folder.display());
    assert!(file.starts_with(&expected), "{file}");
    let two = refusal(sources.resolve(&snapshot("owner/dup", "b")));
    assert!(
        two.starts_with(&format!("2 corpus entries match owner/dup@{}", "b".repeat(40))),
        "{two}"
    );
}

#[test]
fn a_damaged_commit_is_said_to_be_damaged_and_not_to_be_missing() {
    let repository = Repository::new();
    repository.write("a.rs", "fn a() {}");
    let commit = repository.commit();
    let object = repository.path().join(".git/objects").join(&commit[..2]).join(&commit[2..]);
    std::fs::remove_file(&object).unwrap();
    std::fs::write(&object, "no zlib stream").unwrap();
    let clones = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(repository.path(), clones.path().join("acme__gadget")).unwrap();
    let key = SnapshotKey { repo: "acme/gadget".to_owned(), commit };
    let refused = sources(None, Some(clones.path())).resolve(&key).unwrap_err();
    assert!(!refused.reason.contains("fetch"), "{refused}");
    assert!(refused.reason.contains("git cat-file"), "{refused}");
}
