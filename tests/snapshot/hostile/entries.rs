//! Entries and rows of trees that are no ordinary files, or whose names are made to mislead.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use nix::sys::stat::{Mode, SFlag, makedev, mknod};

use super::super::repository::git;
use super::{Ground, Outcome, Source, go_through};

/// Name, what is in the directory, and what becomes of it.
type Entry = (&'static str, fn(&Ground), Outcome);

/// Names that mean something to Git, to a shell, or to other file systems.
const ODD: [&str; 17] = [
    " ",
    "\n",
    "\t\"quoted\"",
    "'$(touch canary)'",
    "*",
    "--exec=x",
    "-a",
    ".gitmodules",
    ".mailmap",
    ":(exclude)*",
    ":",
    "back\\slash",
    "git~1",
    ".git ",
    ".g\u{200c}it",
    "HEAD",
    "%s",
];

const ENTRIES: [Entry; 17] = [
    (
        "links to files",
        |ground| {
            symlink("/etc/passwd", ground.source().join("passwd")).unwrap();
            symlink(ground.at("outside/file"), ground.source().join("file")).unwrap();
            symlink("a", ground.source().join("self")).unwrap();
            symlink("nowhere", ground.source().join("dangling")).unwrap();
        },
        Outcome::Copied(&["a"], &[], 0),
    ),
    (
        "links to folders",
        |ground| {
            symlink(ground.at("outside"), ground.source().join("folder")).unwrap();
            symlink("..", ground.source().join("up")).unwrap();
            symlink(".", ground.source().join("loop")).unwrap();
        },
        Outcome::Copied(&["a"], &[], 0),
    ),
    (
        "pipes and sockets",
        |ground| {
            nix::unistd::mkfifo(&ground.source().join("pipe"), Mode::S_IRWXU).unwrap();
            nix::unistd::mkfifo(&ground.source().join(".gitignore"), Mode::S_IRWXU).unwrap();
            std::os::unix::net::UnixListener::bind(ground.source().join("socket")).unwrap();
        },
        Outcome::Copied(&["a"], &[], 0),
    ),
    (
        "devices",
        |ground| {
            let (zero, mode) = (ground.source().join("zero"), Mode::S_IRWXU);
            if mknod(&zero, SFlag::S_IFCHR, mode, makedev(1, 5)).is_err() {
                eprintln!("no devices can be made here");
            }
        },
        Outcome::Copied(&["a"], &[], 0),
    ),
    (
        "an oversize file of holes",
        |ground| {
            let file = fs::File::create(ground.source().join("holes")).unwrap();
            file.set_len(32 << 20).unwrap();
        },
        Outcome::Copied(&["a", "holes"], &[], 0),
    ),
    (
        "names that are no text",
        |ground| {
            for name in [&b"\xff"[..], b"sub-\xe9"] {
                fs::write(ground.source().join(OsStr::from_bytes(name)), "x").unwrap();
            }
            let folder = ground.source().join(OsStr::from_bytes(b"\xfe"));
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join("x"), "x").unwrap();
        },
        Outcome::Copied(&["a"], &[], 3),
    ),
    (
        "folders of Git's",
        |ground| {
            for folder in ["sub/.git", ".GIT", "sub/.Git", "sub/.git/hooks"] {
                ground.write(&format!("{folder}/config"), "x");
            }
            ground.write("sub/b", "two\n");
        },
        Outcome::Copied(&["a", "sub/b"], &[], 0),
    ),
    (
        "backslashes that lead elsewhere",
        |ground| {
            ground.write("..\\up", "x");
            ground.write("x\\.git\\config", "x");
            ground.write("\\absolute", "x");
            ground.write("x\\y", "kept");
        },
        Outcome::Copied(&["a", "x\\y"], &[], 3),
    ),
    (
        "names that mean something to Git",
        |ground| {
            for name in ODD {
                ground.write(name, "x");
                ground.write(&format!("sub/{name}/below"), "y");
            }
        },
        Outcome::Copied(
            &[
                "\n",
                " ",
                "%s",
                "'$(touch canary)'",
                "*",
                "--exec=x",
                "-a",
                ".g\u{200c}it",
                ".git ",
                ".gitmodules",
                ".mailmap",
                ":(exclude)*",
                "HEAD",
                "a",
                "back\\slash",
                "git~1",
                "sub/\n/below",
                "sub/ /below",
                "sub/%s/below",
                "sub/'$(touch canary)'/below",
                "sub/*/below",
                "sub/--exec=x/below",
                "sub/-a/below",
                "sub/.g\u{200c}it/below",
                "sub/.git /below",
                "sub/.gitmodules/below",
                "sub/.mailmap/below",
                "sub/:(exclude)*/below",
                "sub/:/below",
                "sub/HEAD/below",
                "sub/\t\"quoted\"/below",
                "sub/back\\slash/below",
                "sub/git~1/below",
                "\t\"quoted\"",
                ":",
            ],
            &[],
            0,
        ),
    ),
    (
        "deep folders",
        |ground| ground.write(&format!("{}b", "d/".repeat(40)), "x"),
        Outcome::Copied(
            &[
                "a",
                "d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/b",
            ],
            &[],
            0,
        ),
    ),
    (
        "names that differ in case",
        |ground| {
            ground.write("A", "other");
            ground.write("SUB/b", "x");
            ground.write("sub/b", "y");
        },
        Outcome::Copied(&["A", "SUB/b", "a", "sub/b"], &[], 0),
    ),
    (
        "everything ignored",
        |ground| ground.write(".gitignore", "*\n"),
        Outcome::Copied(&[], &[".gitignore", "a"], 0),
    ),
    (
        "some ignored, some again not",
        |ground| {
            ground.write(".gitignore", "/sub/*\n!/sub/kept\n*.log\n");
            ground.write("sub/.gitignore", "*\n");
            ground.write("sub/kept", "x");
            ground.write("x.log", "x");
        },
        Outcome::Copied(&[".gitignore", "a"], &["sub/.gitignore", "sub/kept", "x.log"], 0),
    ),
    (
        "attributes that convert, and a macro of every name",
        |ground| {
            ground.write(
                ".gitattributes",
                "[attr]text filter=x\n[attr]filter text\n[attr]trap filter=x ident eol=crlf\n\
                 * text=auto eol=crlf working-tree-encoding=UTF-16 filter=x ident trap diff=x\n",
            );
            ground.write("crlf", "one\r\ntwo\r\n$Id$\r\n");
            ground.write("mixed", "one\r\ntwo\nthree\r$Id: x $");
            ground.write("utf16", b"\xff\xfea\0\r\0\n\0");
        },
        Outcome::Copied(&[".gitattributes", "a", "crlf", "mixed", "utf16"], &[], 0),
    ),
    (
        "a bare repository as files",
        |ground| {
            for (path, text) in [
                ("HEAD", "ref: refs/heads/main\n"),
                ("config", "[core]\nbare = true\nfsmonitor = PROGRAM\nworktree = /nowhere\n"),
                ("hooks/pre-commit", "#!/bin/sh\nPROGRAM\n"),
                ("objects/info/alternates", "/nowhere\n"),
                ("refs/heads/main", "0000000000000000000000000000000000000000\n"),
            ] {
                let text = text.replace("PROGRAM", ground.program().to_str().unwrap());
                ground.write(path, &text);
                ground.write(&format!("sub/{path}"), &text);
            }
        },
        Outcome::Copied(
            &[
                "HEAD",
                "a",
                "config",
                "hooks/pre-commit",
                "objects/info/alternates",
                "refs/heads/main",
                "sub/HEAD",
                "sub/config",
                "sub/hooks/pre-commit",
                "sub/objects/info/alternates",
                "sub/refs/heads/main",
            ],
            &[],
            0,
        ),
    ),
    (
        "settings of Git's that are broken",
        |ground| {
            ground.write(".gitmodules", "[broken\n");
            ground.write(".gitattributes", "\"broken\n[attr]\n* !!x -\n");
            ground.write(".gitignore", "[\n\\\n!\n");
            ground.write(".mailmap", "<<<\n");
        },
        Outcome::Copied(&[".gitattributes", ".gitignore", ".gitmodules", ".mailmap", "a"], &[], 0),
    ),
    (
        "the tool's index",
        |ground| {
            ground.write(".corvint/index/x.gob", "planted");
            ground.write(".corvint/notes", "kept");
        },
        Outcome::Copied(&[".corvint/notes", "a"], &[], 0),
    ),
];

#[test]
fn no_entry_of_a_directory_leads_elsewhere() {
    for (name, build, outcome) in ENTRIES {
        let ground = Ground::new();
        ground.write("a", "one\n");
        build(&ground);
        go_through(name, &ground, &Source::Directory("a".repeat(40)), &outcome);
    }
}

/// Rows of a chunk file, as JSON texts of path and text.
type Rows = &'static [(&'static str, &'static str)];

const ROWS: [(&str, Rows, Outcome); 6] = [
    (
        "paths that lead elsewhere",
        &[
            ("a", "kept"),
            ("../x", "x"),
            ("sub/../../x", "x"),
            ("/tmp/x", "x"),
            ("\\\\x", "x"),
            ("..\\\\x", "x"),
            ("a\\u0000b", "x"),
            (".git/hooks/pre-commit", "x"),
            (".GIT/config", "x"),
            ("sub/.gIt/config", "x"),
            ("", "x"),
            ("./a", "x"),
            ("a//b", "x"),
            ("a/", "x"),
        ],
        Outcome::Copied(&["a"], &[], 13),
    ),
    (
        "a file that is a folder",
        &[("a", "file"), ("a/b", "folder")],
        Outcome::Refused("`a` is a file and also a folder, of `a/b`"),
    ),
    (
        "a row twice",
        &[("a", "first"), ("b", "x"), ("a", "last")],
        Outcome::Copied(&["a", "b"], &[], 0),
    ),
    (
        "names that mean something elsewhere",
        &[("git~1/config", "x"), (".git /config", "x"), ("CON", "x"), ("a:b", "x"), ("\\r", "x")],
        Outcome::Copied(&["\r", ".git /config", "CON", "a:b", "git~1/config"], &[], 0),
    ),
    (
        "a name too long for a file system",
        &[("a", "x"), (LONG, "x")],
        Outcome::NotCopied(0, "cannot be written to a private copy: File name too long"),
    ),
    (
        "texts that are no text elsewhere",
        &[("a", "\\u0000\\r\\n\\ufeff"), ("b", "")],
        Outcome::Copied(&["a", "b"], &[], 0),
    ),
];

const LONG: &str = {
    const BYTES: [u8; 300] = [b'n'; 300];
    match str::from_utf8(&BYTES) {
        Ok(text) => text,
        Err(_) => "",
    }
};

#[test]
fn no_row_of_a_chunk_file_leads_elsewhere() {
    for (name, rows, outcome) in ROWS {
        let ground = Ground::new();
        let row = |(path, text): &(&str, &str)| {
            format!("{{\"kind\":\"file\",\"path\":\"{path}\",\"text\":\"{text}\"}}\n")
        };
        let chunks: String = rows.iter().map(row).collect();
        go_through(name, &ground, &Source::Chunks(chunks.into_bytes()), &outcome);
    }
}

/// Entries of a Git tree that no checkout would hold, and what becomes of them; `BLOB` and `TREE` are objects.
const OBJECTS: [(&str, &[&str], Outcome); 5] = [
    (
        "links and submodules",
        &["100644 blob BLOB\ta", "120000 blob BLOB\tlink", "160000 commit BLOB\tsub"],
        Outcome::Copied(&["a"], &[], 0),
    ),
    (
        "names that lead elsewhere",
        &[
            "100644 blob BLOB\ta",
            "040000 tree TREE\t..",
            "040000 tree TREE\t.",
            "040000 tree TREE\t.git",
            "040000 tree TREE\t.GIT",
            "100644 blob BLOB\t..\\x",
        ],
        Outcome::Copied(&["a"], &[], 5),
    ),
    (
        "names that mean something elsewhere",
        &["040000 tree TREE\tgit~1", "040000 tree TREE\t.git ", "100644 blob BLOB\ta\nb"],
        Outcome::Copied(&[".git /below", "a\nb", "git~1/below"], &[], 0),
    ),
    (
        "a name twice",
        &["100644 blob BLOB\ta", "100644 blob BLOB\ta"],
        Outcome::Refused("its tree holds `a` twice"),
    ),
    (
        "a file that is a folder",
        &["100644 blob BLOB\ta", "040000 tree TREE\ta"],
        Outcome::Refused("`a` is a file and also a folder, of `a/below`"),
    ),
];

#[test]
fn no_entry_of_a_clone_leads_elsewhere() {
    for (name, entries, outcome) in OBJECTS {
        let ground = Ground::new();
        let source = ground.source();
        git(&source, &["init", "--quiet"]);
        let blob = given(&ground, &["hash-object", "-w", "--stdin"], b"/etc/passwd");
        let below = raw_tree(&ground, &[format!("100644 blob {blob}\tbelow")]);
        let fill = |entry: &&str| entry.replace("BLOB", &blob).replace("TREE", &below);
        let tree = raw_tree(&ground, &entries.iter().map(fill).collect::<Vec<_>>());
        let commit = git(&source, &["commit-tree", "-m", "x", &tree]);
        go_through(name, &ground, &Source::Clone(commit), &outcome);
    }
}

/// Stores a tree of these entries, whatever Git thinks of it.
fn raw_tree(ground: &Ground, entries: &[String]) -> String {
    let mut bytes = Vec::new();
    for entry in entries {
        let (head, name) = entry.split_once('\t').unwrap();
        let [mode, _, id] = head.split(' ').collect::<Vec<_>>().try_into().unwrap();
        bytes.extend_from_slice(mode.trim_start_matches('0').as_bytes());
        bytes.push(b' ');
        bytes.extend_from_slice(name.as_bytes());
        bytes.push(0);
        let pairs = id.as_bytes().chunks(2).map(|pair| str::from_utf8(pair).unwrap());
        bytes.extend(pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()));
    }
    given(ground, &["hash-object", "-w", "--literally", "-t", "tree", "--stdin"], &bytes)
}

/// What Git prints at the ground's source, given that input.
fn given(ground: &Ground, arguments: &[&str], input: &[u8]) -> String {
    let mut command = Command::new("git");
    command.args(arguments).current_dir(ground.source());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}
