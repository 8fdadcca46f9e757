//! The packages of the published crates, made and built from as a registry would have them.

use crate::Outcome;
use crate::process;
use crate::workspace::Workspace;

/// Packages every crate that is published, and builds each from its package alone.
pub(crate) fn run() -> Outcome {
    let workspace = Workspace::load()?;
    let mut command = process::cargo(&["package", "--allow-dirty"]);
    for package in workspace.packages.iter().filter(|package| package.published) {
        command.args(["--package", &package.name]);
    }
    process::run(command)
}
