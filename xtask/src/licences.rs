//! The licences of everything that is built here, against the list in deny.toml.
//!
//! The same list is read by cargo-deny (`cargo xtask deny`), which takes minutes to build; this needs
//! cargo alone.

use std::fs;
use std::iter::Peekable;
use std::str::SplitWhitespace;

use crate::Outcome;
use crate::json::Json;
use crate::process;

const CONFIGURATION: &str = "deny.toml";

/// Fails with every crate whose licence is not allowed.
pub(crate) fn run() -> Outcome {
    let text = fs::read_to_string(CONFIGURATION);
    let text = text.map_err(|error| format!("{CONFIGURATION}: {error}"))?;
    let allowed = allowed(&text)?;
    // What other platforms need is not downloaded for this; cargo-deny looks at it.
    let host = host()?;
    let mut command = process::cargo(&["metadata", "--format-version", "1", "--all-features"]);
    command.args(["--locked", "--filter-platform", &host]);
    let metadata = Json::parse(&process::read(command)?)?;
    let packages = metadata.get("packages")?.items();
    let mut faults = Vec::new();
    for package in packages {
        faults.extend(fault(package, &allowed)?);
    }
    if !faults.is_empty() {
        return Err(faults.join("\n  "));
    }
    println!("licences: {} crates, all allowed", packages.len());
    Ok(())
}

/// The platform that builds are for.
fn host() -> Outcome<String> {
    let mut command = std::process::Command::new("rustc");
    command.args(["--version", "--verbose"]);
    let said = process::ask(command).ok_or("rustc does not run")?;
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| format!("rustc named no host: {said}"))
}

/// The strings of `allow` under `[licenses]`.
fn allowed(text: &str) -> Outcome<Vec<&str>> {
    let list = || {
        let (_, section) = text.split_once("[licenses]")?;
        let (_, list) = section.split_once("allow = [")?;
        list.split_once(']').map(|(list, _)| list)
    };
    let list = list().ok_or_else(|| format!("{CONFIGURATION}: no allow under [licenses]"))?;
    let quoted = list.split('"').skip(1).step_by(2);
    Ok(quoted.collect())
}

fn fault(package: &Json, allowed: &[&str]) -> Outcome<Option<String>> {
    let name = package.get("name")?.text().unwrap_or_default();
    let Some(licence) = package.get("license")?.text() else {
        return Ok(Some(format!("{name}: no licence in its manifest")));
    };
    Ok((!is_allowed(licence, allowed)).then(|| format!("{name}: {licence}")))
}

/// Whether an SPDX expression can be met with allowed licences alone. `/` is an old way to say OR.
fn is_allowed(expression: &str, allowed: &[&str]) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    let met = alternatives(&mut words, allowed);
    met == Some(true) && words.next().is_none()
}

type Words<'a> = Peekable<SplitWhitespace<'a>>;

/// `term OR term OR …`, where AND binds more tightly; None where the expression is cut short.
fn alternatives(words: &mut Words<'_>, allowed: &[&str]) -> Option<bool> {
    let mut met = conjunction(words, allowed)?;
    while words.next_if_eq(&"OR").is_some() {
        met |= conjunction(words, allowed)?;
    }
    Some(met)
}

fn conjunction(words: &mut Words<'_>, allowed: &[&str]) -> Option<bool> {
    let mut met = term(words, allowed)?;
    while words.next_if_eq(&"AND").is_some() {
        met &= term(words, allowed)?;
    }
    Some(met)
}

fn term(words: &mut Words<'_>, allowed: &[&str]) -> Option<bool> {
    let word = words.next()?;
    if word == "(" {
        let met = alternatives(words, allowed)?;
        return words.next_if_eq(&")").map(|_| met);
    }
    // An exception grants more than the licence does.
    if words.next_if_eq(&"WITH").is_some() {
        words.next()?;
    }
    Some(allowed.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_met_or_not() {
        let allowed = ["MIT", "Apache-2.0", "Unicode-3.0"];
        for fine in [
            "MIT",
            "MIT/Apache-2.0",
            "GPL-3.0 OR MIT",
            "(MIT OR GPL-3.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR GPL-2.0",
            "GPL-2.0 AND BSD-3-Clause OR MIT",
        ] {
            assert!(is_allowed(fine, &allowed), "{fine}");
        }
        for wrong in ["GPL-3.0", "MIT AND GPL-3.0", "(MIT", "MIT OR", "", "MIT)", "MIT Zlib"] {
            assert!(!is_allowed(wrong, &allowed), "{wrong}");
        }
    }

    #[test]
    fn the_list_is_read() {
        let text =
            "[bans]\nallow = [\"x\"]\n[licenses]\n# a\nallow = [\n  \"MIT\", # b\n  \"Zlib\",\n]\n";
        assert_eq!(allowed(text).unwrap(), ["MIT", "Zlib"]);
        assert!(allowed("[licenses]\n").is_err());
    }
}
