//! The benchmarks: layouts, by a Rust program and a Python one, and host copies.

use std::path::Path;

use crate::Outcome;
use crate::process;
use crate::python::Venv;
use crate::wheel;
use crate::workspace::Workspace;

const CRATE: &str = "strideview-bench";
const LAYOUT: &str = "bench/layout.py";
const COPIES: &str = "bench/copies.py";
const REQUIREMENTS: &str = "python/requirements-bench.txt";

/// The crate whose library has the timed loops of copies, a workspace of its own.
const ENGINES: &str = "bench/peers/Cargo.toml";

/// Runs one kind of benchmark, or all of them where none is named.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    match arguments.split_first() {
        None => layout().and_then(|()| copies(&[])),
        Some((kind, [])) if kind == "layout" => layout(),
        Some((kind, options)) if kind == "copy" => copies(options),
        Some(_) => Err(format!("wanted layout, or copy and its options, got {arguments:?}")),
    }
}

/// Layout operations, Rust first, then Python.
fn layout() -> Outcome {
    if Workspace::load()?.package(CRATE).is_some_and(|package| package.has_program) {
        process::run(process::cargo(&["run", "--release", "--package", CRATE]))?;
    } else {
        eprintln!("Rust benchmarks: not run, {CRATE} has no program");
    }
    let venv = Venv::ready()?;
    venv.require(REQUIREMENTS)?;
    wheel::install(&venv)?;
    process::run(venv.command(&[LAYOUT]))
}

/// Host copies; `--quick` builds nothing but our own engine, and installs nothing.
fn copies(options: &[String]) -> Outcome {
    let has = |option: &str| options.iter().any(|given| given == option);
    let venv = Venv::ready()?;
    let library = if has("--quick") {
        engines("copy-engines", &[])?
    } else {
        wheel::install(&venv)?;
        engines("copy-engines-peers", &["--features", "peers"])?
    };
    let mut command = venv.command(&[COPIES, "--library", &library]);
    command.args(options);
    process::run(command)
}

/// Builds the library of timed loops; its path. Each set of features has a folder of its own, so
/// that going from one to the other builds nothing again.
fn engines(folder: &str, features: &[&str]) -> Outcome<String> {
    let target = Workspace::load()?.target.join(folder);
    let target = target.to_str().ok_or("the path of the target folder is not UTF-8")?;
    let mut command = process::cargo(&["build", "--quiet", "--release"]);
    command.args(["--manifest-path", ENGINES, "--target-dir", target]).args(features);
    process::run(command)?;
    let (prefix, suffix) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let library = Path::new(target).join("release").join(format!("{prefix}copy_engines{suffix}"));
    Ok(library.display().to_string())
}
