//! Copies from bytes: the corpus of the fuzz target, pseudo-random ones, and shrinking ones.

use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;

use proptest::prelude::{ProptestConfig, any, proptest};
use strideview_testkit::Random;

use crate::program::run_program;

const PROGRAMS: usize = 4_000;

fn corpus() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/copies"))
}

/// Does a copy; when a byte is wrong, prints the program first.
fn replay(bytes: &[u8]) -> String {
    catch_unwind(AssertUnwindSafe(|| run_program(bytes))).unwrap_or_else(|panic| {
        eprintln!("the program is {bytes:?}");
        resume_unwind(panic)
    })
}

fn random_program(random: &mut Random) -> Vec<u8> {
    let length = random.between(8, 48);
    (0..length).map(|_| random.bits().to_le_bytes()[0]).collect()
}

#[test]
fn pseudo_random_programs() {
    let mut random = Random::new(70);
    let met: BTreeSet<String> =
        (0..PROGRAMS).map(|_| replay(&random_program(&mut random))).collect();
    for kernel in
        ["runs", "tiles", "interleave", "deinterleave", "fill", "reverse", "table", "items"]
    {
        assert!(met.iter().any(|name| name.starts_with(kernel)), "{kernel} is not among {met:?}");
    }
}

#[test]
fn corpus_programs() {
    let Ok(entries) = fs::read_dir(corpus()) else {
        println!("no corpus to replay");
        return;
    };
    for entry in entries {
        let path = entry.unwrap().path();
        println!("{}", path.display());
        replay(&fs::read(&path).unwrap());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn shrinking_programs(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
        run_program(&bytes);
    }
}

/// Writes the seeds of the corpus: programs that each do what no earlier one does. Run it with
/// `cargo test -p strideview-copy write_the_seeds -- --ignored`.
#[test]
#[ignore = "writes into the corpus"]
fn write_the_seeds() {
    fs::create_dir_all(corpus()).unwrap();
    let mut random = Random::new(71);
    let mut met = BTreeSet::new();
    for _ in 0..20_000 {
        let program = random_program(&mut random);
        let name = run_program(&program);
        if met.insert(name.clone()) {
            let file = format!("{:03}_{}", met.len(), name.replace(' ', "_"));
            fs::write(corpus().join(file), &program).unwrap();
        }
    }
}
