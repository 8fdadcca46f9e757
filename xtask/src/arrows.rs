//! Which crate may depend on which, and the check that none does otherwise.
//!
//! The list below is the architecture: a crate points only at crates listed after it. What lies
//! outside the workspace is not looked at.

use crate::Outcome;
use crate::workspace::{Package, Workspace};

/// The test kit, which any crate may use for its tests and only for those.
const TESTKIT: &str = "strideview-testkit";

/// The stand-in for the CUDA driver, which the tests of the CUDA crate load.
const STANDIN: &str = "strideview-standin";

/// What any crate may use for its tests.
const FOR_TESTS: &[&str] = &[TESTKIT, STANDIN];

/// Every crate with the crates of the workspace that it may depend on.
const ALLOWED: &[(&str, &[&str])] = &[
    ("xtask", &[]),
    (
        "strideview-bench",
        &[
            "strideview",
            "strideview-cuda",
            "strideview-copy",
            "strideview-memory",
            "strideview-layout",
            TESTKIT,
        ],
    ),
    ("strideview-book", &["strideview", "strideview-cuda", "strideview-copy", "strideview-memory"]),
    ("strideview-python", &["strideview-cli", "strideview"]),
    ("strideview-cli", &["strideview", "strideview-copy"]),
    (
        "strideview",
        &["strideview-cuda", "strideview-copy", "strideview-memory", "strideview-layout"],
    ),
    ("strideview-cuda", &["strideview-copy", "strideview-memory"]),
    ("strideview-copy", &["strideview-layout"]),
    ("strideview-memory", &[]),
    ("strideview-layout", &[]),
    (TESTKIT, &[]),
    (STANDIN, &[]),
];

/// Prints the arrows of the workspace, or fails with every one that is forbidden.
pub(crate) fn run() -> Outcome {
    let workspace = Workspace::load()?;
    let faults = faults(&workspace.packages);
    if !faults.is_empty() {
        return Err(faults.join("\n  "));
    }
    for package in &workspace.packages {
        let arrows: Vec<String> = inner_edges(package, &workspace.packages)
            .map(|(to, dev)| if dev { format!("{to} (tests)") } else { to.to_owned() })
            .collect();
        let arrows = if arrows.is_empty() { "nothing".to_owned() } else { arrows.join(", ") };
        println!("{:<18} -> {arrows}", package.name);
    }
    Ok(())
}

/// What is wrong with the arrows between these packages, one sentence each.
fn faults(packages: &[Package]) -> Vec<String> {
    let mut faults = Vec::new();
    for package in packages {
        let from = &package.name;
        let Some((_, allowed)) = ALLOWED.iter().find(|(name, _)| name == from) else {
            faults.push(format!("{from} is not in the list of arrows, add it to the table"));
            continue;
        };
        for (to, dev) in inner_edges(package, packages) {
            let fine = allowed.contains(&to) || (dev && FOR_TESTS.contains(&to));
            if !fine {
                faults.push(format!("forbidden arrow: {from} -> {to}, {}", may_use(allowed)));
            }
        }
    }
    faults
}

fn may_use(allowed: &[&str]) -> String {
    let allowed = if allowed.is_empty() { "nothing".to_owned() } else { allowed.join(", ") };
    format!("it may use {allowed}")
}

/// The arrows from a package to others of the workspace, each with whether it is for tests only.
fn inner_edges<'a>(
    package: &'a Package,
    packages: &'a [Package],
) -> impl Iterator<Item = (&'a str, bool)> {
    let inner = |name: &str| packages.iter().any(|other| other.name == name);
    let edges = package.dependencies.iter().filter(move |dependency| inner(&dependency.name));
    edges.map(|dependency| (dependency.name.as_str(), dependency.dev))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Dependency;

    /// Every crate of the table, with the given edges and one to a crate from outside.
    fn packages(edges: &[(&str, &str, bool)]) -> Vec<Package> {
        let mut packages: Vec<Package> = ALLOWED.iter().map(|(name, _)| lone(name)).collect();
        for (from, to, dev) in edges {
            let package = packages.iter_mut().find(|package| package.name == *from).unwrap();
            package.dependencies.push(Dependency { name: (*to).to_owned(), dev: *dev });
        }
        packages
    }

    fn lone(name: &str) -> Package {
        let outside = Dependency { name: "smallvec".to_owned(), dev: false };
        let (published, has_program, features) = (true, false, Vec::new());
        let (name, dependencies) = (name.to_owned(), vec![outside]);
        let version = "0.0.0".to_owned();
        Package { name, version, published, has_program, features, dependencies }
    }

    #[test]
    fn the_drawn_arrows_pass() {
        let edges = [
            ("strideview", "strideview-copy", false),
            ("strideview-copy", "strideview-layout", false),
            ("strideview-copy", TESTKIT, true),
            ("strideview-bench", TESTKIT, false),
        ];
        assert_eq!(faults(&packages(&edges)), [""; 0]);
    }

    #[test]
    fn a_forbidden_arrow_is_named() {
        let found = faults(&packages(&[("strideview-memory", "strideview-layout", false)]));
        let wanted = "forbidden arrow: strideview-memory -> strideview-layout, it may use nothing";
        assert_eq!(found, [wanted]);
    }

    #[test]
    fn the_testkit_is_for_tests_only() {
        let found = faults(&packages(&[("strideview-copy", TESTKIT, false)]));
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("strideview-copy -> strideview-testkit"), "{}", found[0]);
    }

    #[test]
    fn tests_may_not_point_upwards_either() {
        let found = faults(&packages(&[("strideview-layout", "strideview", true)]));
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn a_new_crate_must_be_listed() {
        let found = faults(&[lone("strideview-fresh")]);
        assert!(found[0].contains("strideview-fresh is not in the list"), "{}", found[0]);
    }

    #[test]
    fn the_table_points_one_way() {
        for (position, (from, allowed)) in ALLOWED.iter().enumerate() {
            for to in *allowed {
                let target = ALLOWED.iter().position(|(name, _)| name == to);
                assert!(target > Some(position), "{from} -> {to}");
            }
        }
    }
}
