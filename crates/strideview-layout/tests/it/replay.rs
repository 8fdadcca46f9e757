//! Programs from bytes: the corpus of the fuzz target, pseudo-random ones, and shrinking ones.

use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;

use proptest::prelude::{ProptestConfig, any, proptest};
use strideview_testkit::Random;

use crate::program::{Trace, run_program};

const PROGRAMS: usize = 20_000;
const MOST_SEEDS: usize = 60;

fn corpus() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/layout_ops"))
}

/// Runs a program; when a law does not hold, prints the bytes first.
fn replay(bytes: &[u8]) -> Trace {
    catch_unwind(AssertUnwindSafe(|| run_program(bytes))).unwrap_or_else(|panic| {
        eprintln!("the program is {bytes:?}");
        resume_unwind(panic)
    })
}

fn random_program(random: &mut Random) -> Vec<u8> {
    let length = random.between(4, 120);
    (0..length).map(|_| random.bits().to_le_bytes()[0]).collect()
}

#[test]
fn pseudo_random_programs() {
    let mut random = Random::new(60);
    let mut met = BTreeSet::new();
    for _ in 0..PROGRAMS {
        met.extend(replay(&random_program(&mut random)));
    }
    let succeeded: BTreeSet<&str> =
        met.iter().filter(|(_, code)| code.is_none()).map(|(name, _)| *name).collect();
    assert_eq!(succeeded.len(), 20, "every transform succeeds somewhere: {succeeded:?}");
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
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn shrinking_programs(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
        run_program(&bytes);
    }
}

/// Writes the seeds of the corpus: short programs, each with a step and an outcome that no earlier one
/// has. Run it with `cargo test -p strideview-layout write_the_seeds -- --ignored`.
#[test]
#[ignore = "writes into the corpus"]
fn write_the_seeds() {
    fs::create_dir_all(corpus()).unwrap();
    let mut random = Random::new(61);
    let mut met = BTreeSet::new();
    let mut written = 0;
    for _ in 0..30_000 {
        let mut program = random_program(&mut random);
        program.truncate(40);
        if written == MOST_SEEDS {
            break;
        }
        let trace = run_program(&program);
        let fresh: Trace = trace.into_iter().filter(|step| !met.contains(step)).collect();
        if let Some((name, code)) = fresh.last() {
            let outcome = code.map_or("ok", |code| code.trim_start_matches("layout."));
            let file = corpus().join(format!("{written:02}_{name}_{outcome}"));
            fs::write(file, &program).unwrap();
            written += 1;
        }
        met.extend(fresh);
    }
}
