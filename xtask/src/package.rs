//! The packages of the published crates, made and built from as a registry would have them.

use std::fs;

use crate::Outcome;
use crate::json::Json;
use crate::process;
use crate::workspace::{Package, Workspace};

/// What a registry shows of a crate, and the licence.
const SHOWN: [&str; 4] = ["description", "license", "repository", "readme"];
const LISTED: [&str; 2] = ["keywords", "categories"];

/// The most that the registry takes.
const MOST_BYTES: u64 = 10 << 20;

/// Packages every crate that is published, and builds each from its package alone.
pub(crate) fn run() -> Outcome {
    let workspace = Workspace::load()?;
    check_manifests()?;
    let published: Vec<&Package> = workspace.packages.iter().filter(|p| p.published).collect();
    let mut command = process::cargo(&["package", "--allow-dirty"]);
    command.args(published.iter().flat_map(|package| ["--package", &package.name]));
    process::run(command)?;
    for Package { name, version, .. } in published {
        let path = workspace.target.join("package").join(format!("{name}-{version}.crate"));
        let size =
            fs::metadata(&path).map_err(|error| format!("{}: {error}", path.display()))?.len();
        println!("{:>6} KiB  {name} {version}", size >> 10);
        if size > MOST_BYTES {
            return Err(format!("{name}: wanted at most {MOST_BYTES} bytes, got {size}"));
        }
    }
    Ok(())
}

/// Every published crate says what it is.
fn check_manifests() -> Outcome {
    let arguments = ["metadata", "--format-version", "1", "--no-deps", "--offline"];
    let metadata = Json::parse(&process::read(process::cargo(&arguments))?)?;
    let mut faults = Vec::new();
    for package in metadata.get("packages")?.items() {
        if package.get("publish")? != &Json::List(vec![]) {
            faults.extend(missing(package)?);
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n  ")) }
}

/// What a manifest lacks, a sentence each.
fn missing(package: &Json) -> Outcome<Vec<String>> {
    let name = package.get("name")?.text().unwrap_or_default();
    let mut missing = Vec::new();
    for key in SHOWN {
        missing.extend(package.get(key)?.text().is_none().then_some(key));
    }
    for key in LISTED {
        missing.extend(package.get(key)?.items().is_empty().then_some(key));
    }
    Ok(missing.iter().map(|key| format!("{name}: no {key} in its manifest")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_manifest_lacks_is_named() {
        let package = Json::parse(
            r#"{"name": "a", "description": "b", "license": "MIT", "repository": null,
            "readme": "README.md", "keywords": ["c"], "categories": []}"#,
        );
        let found = missing(&package.unwrap()).unwrap();
        assert_eq!(found, ["a: no repository in its manifest", "a: no categories in its manifest"]);
    }
}
