//! The oldest versions that are promised, and the newest there are: the tests run with each.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Outcome;
use crate::neighbours;
use crate::process;
use crate::python::{self, Interpreter, Venv};
use crate::wheel;
use crate::workspace::Workspace;

/// The oldest NumPy; `optional-dependencies` in pyproject.toml says the same.
const OLDEST_NUMPY: &str = "numpy==1.26.*";
const NEWEST_NUMPY: &str = "numpy";

/// The tests that the oldest NumPy itself cannot run.
const NEEDS_NEWER: &str = "python/tests/needs-newer-numpy.txt";

/// What the Python tests need besides NumPy.
const TESTING: [&str; 3] = ["pytest>=9,<10", "hypothesis>=6.150,<7", "ml_dtypes>=0.5,<1"];

/// The newest minor version of Python 3 that is looked for.
const NEWEST_MINOR: u32 = 20;

/// Runs the Rust half, the Python half, or both.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    match arguments {
        [] => rust().and_then(|()| python()),
        [half] if half == "rust" => rust(),
        [half] if half == "python" => python(),
        _ => Err(format!("wanted rust, python or nothing, got {arguments:?}")),
    }
}

/// The oldest Rust with the oldest of every direct dependency that the manifests allow, in a copy of
/// the tree with a lock file of its own.
fn rust() -> Outcome {
    let workspace = Workspace::load()?;
    let toolchain = format!("+{}", workspace.rust_version);
    if process::ask(process::cargo(&[&toolchain, "--version"])).is_none() {
        let version = &workspace.rust_version;
        return Err(format!("wanted Rust {version}, got none: rustup toolchain install {version}"));
    }
    let folder = std::path::absolute(workspace.target.join("minimum"));
    let folder = folder.map_err(|error| error.to_string())?;
    let tree = folder.join("tree");
    copy_tree(&tree)?;
    let mut resolve = process::cargo(&["update", "-Zdirect-minimal-versions"]);
    // The option is not stable; it resolves versions and compiles nothing.
    resolve.current_dir(&tree).env("RUSTC_BOOTSTRAP", "1");
    process::run(resolve)?;
    let target = folder.join("rust");
    for arguments in [vec!["test"], neighbours::tests()] {
        let mut command = process::cargo(&[&toolchain]);
        command.args(arguments).args(["--locked", "--target-dir"]).arg(&target);
        command.current_dir(&tree);
        process::run(command)?;
    }
    println!("minimum: Rust {} with the oldest direct dependencies", workspace.rust_version);
    Ok(())
}

/// Copies what git tracks, and what it would.
fn copy_tree(to: &Path) -> Outcome {
    if to.exists() {
        fs::remove_dir_all(to).map_err(|error| format!("{}: {error}", to.display()))?;
    }
    let mut command = Command::new("git");
    command.args(["ls-files", "--cached", "--others", "--exclude-standard"]);
    for path in process::read(command)?.lines().map(Path::new).filter(|path| path.exists()) {
        let (fault, copy) = (|error| format!("{}: {error}", path.display()), to.join(path));
        let parent = copy.parent().unwrap_or(to);
        fs::create_dir_all(parent).map_err(fault)?;
        // A link is copied as what it points to.
        fs::copy(path, copy).map_err(fault)?;
    }
    Ok(())
}

/// The wheel with the oldest Python and NumPy, and with the newest Python that is installed and the
/// newest NumPy.
fn python() -> Outcome {
    let (oldest, newest) = (installed(0..=python::MINIMUM.1), installed(0..=NEWEST_MINOR));
    let wanted = python::MINIMUM;
    let oldest = oldest.filter(|(minor, _)| *minor == wanted.1);
    let oldest =
        oldest.ok_or_else(|| format!("wanted python{}.{} on the path", wanted.0, wanted.1))?;
    let newest = newest.ok_or("wanted a python3 on the path")?;
    let wheel = wheel::build(&Venv::ready()?)?;
    let folder = Workspace::load()?.target.join("minimum");
    let beyond = fs::read_to_string(NEEDS_NEWER);
    let beyond = beyond.map_err(|error| format!("{NEEDS_NEWER}: {error}"))?;
    let beyond = beyond.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>();
    test_in(oldest.1, folder.join("oldest"), OLDEST_NUMPY, &wheel, &beyond)?;
    test_in(newest.1, folder.join("newest"), NEWEST_NUMPY, &wheel, &[])?;
    println!("minimum: Python 3.{} with {OLDEST_NUMPY}", oldest.0);
    println!("minimum: Python 3.{} with the newest NumPy", newest.0);
    Ok(())
}

/// The interpreter of the highest minor version among those that run.
fn installed(minors: std::ops::RangeInclusive<u32>) -> Option<(u32, OsString)> {
    minors.rev().find_map(|minor| {
        let program = format!("python3.{minor}");
        let mut question = Command::new(&program);
        question.args(["-c", "import pip"]);
        process::ask(question).map(|_| (minor, program.into()))
    })
}

/// Runs the Python tests in an empty environment, but for those of these names.
fn test_in(
    program: OsString,
    folder: PathBuf,
    numpy: &str,
    wheel: &Path,
    without: &[&str],
) -> Outcome {
    let venv = Venv::fresh(Interpreter::of(program)?, folder)?;
    let wheel = wheel.to_str().ok_or("the path of the wheel is not UTF-8")?;
    let mut arguments = vec!["--quiet", numpy, wheel];
    arguments.extend(TESTING);
    venv.install(&arguments)?;
    let mut command = venv.command(&["-m", "pytest", "-p", "no:cacheprovider", "python/tests"]);
    command.args(without.iter().flat_map(|name| ["--deselect", name]));
    process::run(command)
}
