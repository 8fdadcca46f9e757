//! The source distribution of the Python package: built, installed from, and used.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::Outcome;
use crate::demo;
use crate::process;
use crate::python::{Interpreter, Venv};
use crate::workspace::Workspace;

/// What the demonstration imports besides the package.
const NEEDED: &str = "numpy>=2.3,<3";

/// Builds the source distribution, installs it into an empty environment as pip does for a user (it
/// builds the extension there), and runs the demonstration.
pub(crate) fn run() -> Outcome {
    let built = build(&Venv::ready()?)?;
    let folder = Workspace::load()?.target.join("sdist-venv");
    let venv = Venv::fresh(Interpreter::find()?, folder)?;
    let path = built.to_str().ok_or("the path of the source distribution is not UTF-8")?;
    venv.install(&["--quiet", NEEDED, path])?;
    demo::run_in(&venv, &[])?;
    println!("{}", built.display());
    Ok(())
}

/// Builds the source distribution; returns its path.
fn build(venv: &Venv) -> Outcome<PathBuf> {
    let folder = Workspace::load()?.target.join("sdist");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let mut command = Command::new(venv.program("maturin"));
    command.args(["sdist", "--out"]).arg(&folder);
    process::run(command)?;
    let fault = |error: std::io::Error| format!("{}: {error}", folder.display());
    let built = fs::read_dir(&folder).map_err(fault)?.next();
    Ok(built
        .ok_or_else(|| format!("maturin left nothing in {}", folder.display()))?
        .map_err(fault)?
        .path())
}
