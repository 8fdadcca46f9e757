//! The table of features in the README of the crate, compared with its manifest.

use std::fs;

use crate::Outcome;
use crate::workspace::Workspace;

const CRATE: &str = "strideview";
const README: &str = "crates/strideview/README.md";
const HEADING: &str = "## Features";

/// Fails with every feature that is in one of the two alone.
pub(crate) fn run() -> Outcome {
    let workspace = Workspace::load()?;
    let package = workspace.package(CRATE).ok_or_else(|| format!("no package {CRATE}"))?;
    let text = fs::read_to_string(README).map_err(|error| format!("{README}: {error}"))?;
    let faults = faults(&package.features, &documented(&text));
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n  ")) }
}

/// The names in the first column of the table under the heading.
fn documented(text: &str) -> Vec<&str> {
    let section = text.split_once(HEADING).map_or("", |(_, section)| section);
    let section = section.split("\n## ").next().unwrap_or_default();
    section.lines().filter_map(first_column).collect()
}

fn first_column(line: &str) -> Option<&str> {
    line.strip_prefix("| `")?.split_once('`').map(|(name, _)| name)
}

/// What is wrong, a sentence each. `default` is no feature to choose, and a name that begins with `_`
/// is for the project's own tests.
fn faults(features: &[String], documented: &[&str]) -> Vec<String> {
    let is_public = |name: &&String| *name != "default" && !name.starts_with('_');
    let missing = features.iter().filter(is_public);
    let missing = missing.filter(|name| !documented.contains(&name.as_str()));
    let missing = missing.map(|name| format!("{README}: feature {name} is not in the table"));
    let unknown = documented.iter().filter(|name| !features.iter().any(|other| other == *name));
    let unknown = unknown.map(|name| format!("{README}: {CRATE} has no feature {name}"));
    missing.chain(unknown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# a\n\n## Features\n\n| feature | what |\n|---|---|\n| `cuda` | x |\n\
        | `half` | `f16` |\n\n## More\n\n| `other` | y |\n";

    #[test]
    fn the_table_under_the_heading_is_read() {
        assert_eq!(documented(TEXT), ["cuda", "half"]);
        assert_eq!(documented("no such section"), [""; 0]);
    }

    #[test]
    fn either_side_may_lack_a_feature() {
        let named =
            |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let features = named(&["default", "cuda", "half", "_tests"]);
        assert_eq!(faults(&features, &["cuda", "half"]), [""; 0]);
        assert_eq!(faults(&features, &["cuda"]).len(), 1);
        let found = faults(&features, &["cuda", "half", "gone"]);
        assert_eq!(found, ["crates/strideview/README.md: strideview has no feature gone"]);
    }
}
