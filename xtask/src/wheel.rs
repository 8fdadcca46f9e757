//! The wheel of the Python package: built from the working tree, installed for tests and demo.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Outcome;
use crate::process;
use crate::python::Venv;
use crate::workspace::Workspace;

/// Builds the release wheel and prints its path.
pub(crate) fn run() -> Outcome {
    println!("{}", build(&Venv::ready()?)?.display());
    Ok(())
}

/// Builds the release wheel and installs it into the environment.
pub(crate) fn install(venv: &Venv) -> Outcome {
    let wheel = build(venv)?;
    // The version stays the same from build to build, so pip would keep what it has.
    let wheel = wheel.to_str().ok_or("the path of the wheel is not UTF-8")?;
    venv.install(&["--quiet", "--force-reinstall", "--no-deps", wheel])
}

/// Builds the release wheel; returns its path.
pub(crate) fn build(venv: &Venv) -> Outcome<PathBuf> {
    let folder = Workspace::load()?.target.join("wheels");
    for old in wheels(&folder)? {
        fs::remove_file(&old).map_err(|error| format!("{}: {error}", old.display()))?;
    }
    let mut command = Command::new(venv.program("maturin"));
    command.args(["build", "--release", "--out"]).arg(&folder);
    command.arg("--interpreter").arg(venv.python());
    process::run(command)?;
    let mut built = wheels(&folder)?;
    match built.len() {
        1 => Ok(built.remove(0)),
        count => Err(format!("wanted one wheel in {}, got {count}", folder.display())),
    }
}

/// The wheels in a folder, which need not exist.
fn wheels(folder: &Path) -> Outcome<Vec<PathBuf>> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let fault = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(fault)? {
        let path = entry.map_err(fault)?.path();
        if path.extension().is_some_and(|extension| extension == "whl") {
            found.push(path);
        }
    }
    Ok(found)
}
