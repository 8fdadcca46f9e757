//! The benchmarks: the Rust program, then the Python one.

use std::path::Path;

use crate::Outcome;
use crate::process;
use crate::python::Venv;
use crate::wheel;
use crate::workspace::Workspace;

const CRATE: &str = "strideview-bench";
const PROGRAM: &str = "bench/layout.py";
const REQUIREMENTS: &str = "python/requirements-bench.txt";

/// Runs both, and says so where one does not exist.
pub(crate) fn run() -> Outcome {
    if Workspace::load()?.package(CRATE).is_some_and(|package| package.has_program) {
        process::run(process::cargo(&["run", "--release", "--package", CRATE]))?;
    } else {
        eprintln!("Rust benchmarks: not run, {CRATE} has no program");
    }
    if !Path::new(PROGRAM).exists() {
        eprintln!("Python benchmarks: not run, {PROGRAM} does not exist");
        return Ok(());
    }
    let venv = Venv::ready()?;
    venv.require(REQUIREMENTS)?;
    wheel::install(&venv)?;
    process::run(venv.command(&[PROGRAM]))
}
