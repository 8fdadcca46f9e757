//! The folder that is carried to a machine with a GPU, which may have no network and no cargo.
//!
//! Everything in it is found from the folder itself: the test executables look for the stand-in
//! of the driver beside them, and `run.sh` for all the rest.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Outcome;
use crate::json::Json;
use crate::process;
use crate::python::Venv;
use crate::wheel;

/// The bundle, which git ignores.
const BUNDLE: &str = "dist/gpu-bundle";

/// The crates whose tests go along.
const TESTED: &[&str] =
    &["strideview-layout", "strideview-memory", "strideview-copy", "strideview-cuda", "strideview"];

/// What of these is off by default and needs a GPU to be tested.
const FEATURES: &[&str] = &["--features", "strideview/_cudarc-example"];

/// The program of the Rust benchmarks.
const BENCH: &str = "strideview-bench";

/// What is copied as it is, to the same place. The Python tests read the README and the book.
const COPIED: &[&str] = &[
    "python/tests",
    "python/examples",
    "gpu",
    "bench",
    "book",
    "docs",
    "README.md",
    "pyproject.toml",
];

/// The script that runs the bundle.
const SCRIPT: &str = "gpu/run.sh";

/// How tests are built for the bundle: checked as in development, quick enough, and small.
const PROFILE: &[&str] = &[
    "--profile=gpu-bundle",
    "--config=profile.gpu-bundle.inherits=\"dev\"",
    "--config=profile.gpu-bundle.opt-level=1",
    "--config=profile.gpu-bundle.debug=false",
    "--config=profile.gpu-bundle.strip=\"symbols\"",
];

/// The name of the folder of the programs: in `target` unpacked, in the bundle packed.
const PROGRAMS: &str = "rust";

/// Packs a folder under a name.
const PACK: &str = "import sys, tarfile\n\
    archive, name, folder = sys.argv[1:]\n\
    with tarfile.open(archive, 'w:xz', preset=1) as packed: packed.add(folder, name)";

/// What fits through most doors; the bundle is refused above.
const MOST_BYTES: u64 = 60 << 20;

/// Makes the bundle anew, prints its size, and fails where it is too large.
pub(crate) fn run() -> Outcome {
    let bundle = Path::new(BUNDLE);
    if bundle.exists() {
        fs::remove_dir_all(bundle).map_err(|error| fault(bundle, &error))?;
    }
    // Packed, they take a third of the room; `run.py` unpacks them.
    let programs = Path::new("target").join(PROGRAMS);
    if programs.exists() {
        fs::remove_dir_all(&programs).map_err(|error| fault(&programs, &error))?;
    }
    fs::create_dir_all(&programs).map_err(|error| fault(&programs, &error))?;
    fs::create_dir_all(bundle).map_err(|error| fault(bundle, &error))?;
    for built in built(&messages(tests())?)?.into_iter().chain(built(&messages(bench())?)?) {
        copy(&built.path, &programs.join(built.name))?;
    }
    let venv = Venv::ready()?;
    let packed = format!("{BUNDLE}/{PROGRAMS}.tar.xz");
    let mut pack = venv.command(&["-c", PACK, &packed, PROGRAMS]);
    pack.arg(&programs);
    process::run(pack)?;
    let wheel = wheel::build(&venv)?;
    copy(&wheel, &bundle.join("wheel").join(name_of(&wheel)))?;
    for path in COPIED {
        copy(Path::new(path), &bundle.join(path))?;
    }
    copy(Path::new(SCRIPT), &bundle.join(name_of(Path::new(SCRIPT))))?;
    weigh(bundle)
}

fn tests() -> Command {
    let mut command = process::cargo(&["test", "--no-run"]);
    command.args(TESTED.iter().flat_map(|name| ["--package", name])).args(PROFILE);
    command.args(FEATURES);
    command
}

fn bench() -> Command {
    let strip = "--config=profile.release.strip=\"symbols\"";
    process::cargo(&["build", "--release", "--package", BENCH, strip])
}

/// Runs a build; returns what cargo said of each thing built.
fn messages(mut build: Command) -> Outcome<String> {
    build.arg("--message-format=json");
    process::read(build)
}

/// A file that cargo built, and its name in the bundle.
#[derive(Debug, PartialEq)]
struct Built {
    path: PathBuf,
    name: String,
}

/// The executables, and the libraries that tests load while they run.
fn built(messages: &str) -> Outcome<Vec<Built>> {
    let mut found = Vec::new();
    for line in messages.lines() {
        let message = Json::parse(line)?;
        if message.get("reason")?.text() == Some("compiler-artifact") {
            found.extend(executable(&message)?);
            found.extend(library(&message)?);
        }
    }
    Ok(found)
}

/// The executable of an artifact, named `crate-target`, or `crate-unit` for the tests inside a
/// library; a program is named like its crate. Not that of an example: a test runs each.
fn executable(artifact: &Json) -> Outcome<Option<Built>> {
    let Some(path) = artifact.get("executable")?.text() else { return Ok(None) };
    let target = artifact.get("target")?;
    if is_kind(target, "example")? {
        return Ok(None);
    }
    let manifest = artifact.get("manifest_path")?.text().unwrap_or_default();
    let package = name_of(Path::new(manifest).parent().unwrap_or(Path::new("")));
    let name = match (is_kind(target, "lib")?, target.get("name")?.text()) {
        (true, _) => format!("{package}-unit"),
        (false, Some(name)) if name != package => format!("{package}-{name}"),
        _ => package,
    };
    Ok(Some(Built { path: path.into(), name: name + std::env::consts::EXE_SUFFIX }))
}

/// The library of an artifact that is one for the dynamic loader.
fn library(artifact: &Json) -> Outcome<Option<Built>> {
    if !is_kind(artifact.get("target")?, "cdylib")? {
        return Ok(None);
    }
    let files = artifact.get("filenames")?.items().iter().filter_map(Json::text).map(Path::new);
    let mut loaded = files.filter(|path| {
        path.extension().is_some_and(|extension| extension == std::env::consts::DLL_EXTENSION)
    });
    Ok(loaded.next().map(|path| Built { path: path.into(), name: name_of(path) }))
}

fn is_kind(target: &Json, wanted: &str) -> Outcome<bool> {
    Ok(target.get("kind")?.items().iter().any(|kind| kind.text() == Some(wanted)))
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn fault(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

/// Copies a file, or a folder without hidden files and Python's caches.
fn copy(from: &Path, to: &Path) -> Outcome {
    if from.is_dir() {
        for inner in entries(from)? {
            let name = name_of(&inner);
            if !name.starts_with('.') && name != "__pycache__" {
                copy(&inner, &to.join(name))?;
            }
        }
        return Ok(());
    }
    let folder = to.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(folder).map_err(|error| fault(folder, &error))?;
    fs::copy(from, to).map(drop).map_err(|error| fault(from, &error))
}

fn entries(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let listed = fs::read_dir(folder).map_err(|error| fault(folder, &error))?;
    listed.map(|entry| Ok(entry.map_err(|error| fault(folder, &error))?.path())).collect()
}

/// The bytes of all files below.
fn size(path: &Path) -> Outcome<u64> {
    if path.is_dir() {
        return entries(path)?.iter().map(|inner| size(inner)).sum();
    }
    fs::metadata(path).map(|data| data.len()).map_err(|error| fault(path, &error))
}

/// Prints the size of each part and of the whole.
fn weigh(bundle: &Path) -> Outcome {
    let mut parts = entries(bundle)?;
    parts.sort();
    for part in &parts {
        println!("{:>9} KiB  {}", size(part)? >> 10, name_of(part));
    }
    let total = size(bundle)?;
    println!("{:>9} KiB  {BUNDLE}", total >> 10);
    if total > MOST_BYTES {
        return Err(format!("wanted at most {} MiB, got {} MiB", MOST_BYTES >> 20, total >> 20));
    }
    println!("on a machine with a GPU, in that folder: sh run.sh");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One message, as cargo writes it.
    fn artifact(kind: &str, name: &str, files: &str, executable: &str) -> String {
        format!(
            r#"{{"reason":"compiler-artifact","manifest_path":"/w/crates/strideview-copy/Cargo.toml",
            "target":{{"kind":[{kind}],"name":"{name}"}},"filenames":[{files}],"executable":{executable}}}"#
        )
        .replace('\n', " ")
    }

    #[test]
    fn executables_are_named_by_crate_and_target() {
        let messages = [
            artifact(r#""lib""#, "strideview_copy", r#""/t/a.rlib""#, "null"),
            artifact(r#""lib""#, "strideview_copy", r#""/t/a-1""#, r#""/t/a-1""#),
            artifact(r#""test""#, "it", r#""/t/it-2""#, r#""/t/it-2""#),
            artifact(r#""bin""#, "strideview-copy", r#""/t/b""#, r#""/t/b""#),
            artifact(r#""example""#, "it", r#""/t/e""#, r#""/t/e""#),
            r#"{"reason":"build-finished","success":true}"#.to_owned(),
        ];
        let found = built(&messages.join("\n")).unwrap();
        let found: Vec<_> = found.iter().map(|b| (b.path.to_str().unwrap(), &b.name[..])).collect();
        let suffix = std::env::consts::EXE_SUFFIX;
        let named = |name: &str| format!("{name}{suffix}");
        assert_eq!(
            found,
            [
                ("/t/a-1", &named("strideview-copy-unit")[..]),
                ("/t/it-2", &named("strideview-copy-it")[..]),
                ("/t/b", &named("strideview-copy")[..]),
            ]
        );
    }

    #[test]
    fn a_library_to_load_keeps_its_name() {
        let library = format!("/t/libstandin.{}", std::env::consts::DLL_EXTENSION);
        let files = format!(r#""/t/libstandin.rlib","{library}""#);
        let message = artifact(r#""cdylib","rlib""#, "standin", &files, "null");
        let name = name_of(Path::new(&library));
        assert_eq!(built(&message).unwrap(), [Built { path: library.into(), name }]);
    }
}
