//! What cargo says of the workspace: its packages, what they depend on, where builds go.
//!
//! `cargo metadata` is asked, instead of reading the manifests: it knows of renamed dependencies,
//! of tables for one target and of inherited keys, where a small TOML reader would guess. With
//! `--no-deps --offline` it reads the manifests alone, so it works without a network.

use std::path::PathBuf;

use crate::Outcome;
use crate::json::Json;
use crate::process;

/// The workspace as cargo describes it.
pub(crate) struct Workspace {
    /// Where build results go, whatever setting says so.
    pub(crate) target: PathBuf,
    /// The oldest Rust that the members promise.
    pub(crate) rust_version: String,
    /// The member packages, in cargo's order.
    pub(crate) packages: Vec<Package>,
}

/// One member of the workspace.
pub(crate) struct Package {
    /// The name in its manifest.
    pub(crate) name: String,
    /// The version in its manifest.
    pub(crate) version: String,
    /// Whether it may go to a registry.
    pub(crate) published: bool,
    /// Whether it has a program that `cargo run` could start.
    pub(crate) has_program: bool,
    /// The features of its manifest, and those that are optional dependencies.
    pub(crate) features: Vec<String>,
    /// Everything it depends on, members of the workspace or not.
    pub(crate) dependencies: Vec<Dependency>,
}

/// One dependency of a package.
pub(crate) struct Dependency {
    /// The name of the package depended on, also where it is renamed.
    pub(crate) name: String,
    /// Whether only tests, examples and benches see it.
    pub(crate) dev: bool,
}

impl Workspace {
    /// Asks cargo.
    pub(crate) fn load() -> Outcome<Workspace> {
        let arguments = ["metadata", "--format-version", "1", "--no-deps", "--offline"];
        let mut workspace = Workspace::parse(&process::read(process::cargo(&arguments))?)?;
        // Relative where it can be, like every path that is printed.
        if let Ok(here) = std::env::current_dir()
            && let Ok(inside) = workspace.target.strip_prefix(here)
        {
            workspace.target = inside.to_path_buf();
        }
        Ok(workspace)
    }

    fn parse(metadata: &str) -> Outcome<Workspace> {
        let json = Json::parse(metadata)?;
        let packages = json.get("packages")?.items();
        let first = packages.first().ok_or("JSON: a workspace without packages")?;
        let packages = packages.iter().map(package);
        Ok(Workspace {
            rust_version: text(first, "rust_version")?,
            target: PathBuf::from(text(&json, "target_directory")?),
            packages: packages.collect::<Outcome<_>>()?,
        })
    }

    /// The member of that name.
    pub(crate) fn package(&self, name: &str) -> Option<&Package> {
        self.packages.iter().find(|package| package.name == name)
    }
}

fn package(json: &Json) -> Outcome<Package> {
    let dependencies = json.get("dependencies")?.items().iter().map(dependency);
    Ok(Package {
        name: text(json, "name")?,
        version: text(json, "version")?,
        // `publish` is null without restrictions and an empty list for `publish = false`.
        published: json.get("publish")? != &Json::List(vec![]),
        has_program: has_program(json)?,
        features: json.get("features")?.names(),
        dependencies: dependencies.collect::<Outcome<_>>()?,
    })
}

fn has_program(package: &Json) -> Outcome<bool> {
    for target in package.get("targets")?.items() {
        if target.get("kind")?.items().iter().any(|kind| kind.text() == Some("bin")) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn dependency(json: &Json) -> Outcome<Dependency> {
    let dev = json.get("kind")?.text() == Some("dev");
    Ok(Dependency { name: text(json, "name")?, dev })
}

fn text(json: &Json, name: &str) -> Outcome<String> {
    let value = json.get(name)?.text();
    value.map(str::to_owned).ok_or_else(|| format!("JSON: {name:?} is no string"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_read_from_metadata() {
        let workspace = Workspace::parse(
            r#"{"target_directory": "/t", "packages": [
                {"name": "a", "version": "1.2.3", "rust_version": "1.89", "publish": null, "targets": [{"kind": ["lib"]}], "dependencies": [
                    {"name": "b", "kind": "dev"}, {"name": "c", "kind": null, "rename": "d"}],
                    "features": {"default": ["c"], "c": ["dep:c"]}},
                {"name": "b", "version": "0.0.0", "publish": [], "targets": [{"kind": ["bin"]}], "dependencies": [],
                    "features": {}}]}"#,
        )
        .unwrap();
        assert_eq!(workspace.rust_version, "1.89");
        let [a, b] = &workspace.packages[..] else { panic!("two packages") };
        assert!(a.published && !a.has_program && !b.published && b.has_program);
        let found: Vec<_> = a.dependencies.iter().map(|d| (d.name.as_str(), d.dev)).collect();
        assert_eq!(found, [("b", true), ("c", false)]);
        assert_eq!(
            (&a.features[..], &b.features[..]),
            (&["default".to_owned(), "c".to_owned()][..], &[][..])
        );
    }
}
