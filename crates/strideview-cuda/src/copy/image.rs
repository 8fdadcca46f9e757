//! The compiled kernels: for each family one image of each target.
#![forbid(unsafe_code)]

use super::kernel::Family;

/// What an image is compiled for: a version of PTX, or machine code of a compute capability and of
/// the later ones with the same major number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Ptx,
    Sm80,
    Sm86,
    Sm89,
    Sm90,
    Sm100,
    Sm120,
}

impl Target {
    /// The targets to try for a compute capability, the best first.
    pub(super) fn for_capability(major: i32, minor: i32) -> [Option<Self>; 2] {
        let exact = match (major, minor) {
            (8, 0..6) => Some(Self::Sm80),
            (8, 6..9) => Some(Self::Sm86),
            (8, 9..) => Some(Self::Sm89),
            (9, _) => Some(Self::Sm90),
            (10, _) => Some(Self::Sm100),
            (12, _) => Some(Self::Sm120),
            _ => None,
        };
        [exact, Some(Self::Ptx)]
    }

    /// What the compiler calls it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ptx => "compute_70",
            Self::Sm80 => "sm_80",
            Self::Sm86 => "sm_86",
            Self::Sm89 => "sm_89",
            Self::Sm90 => "sm_90",
            Self::Sm100 => "sm_100",
            Self::Sm120 => "sm_120",
        }
    }
}

macro_rules! images {
    ($($family:ident $name:literal),* $(,)?) => {
        impl Family {
            /// The name of its source.
            pub(super) fn name(self) -> &'static str {
                match self { $(Self::$family => $name),* }
            }
        }

        fn compressed(family: Family, target: Target) -> &'static [u8] {
            match family {
                $(Family::$family => match target {
                    Target::Ptx => images!(@ $name, "compute_70"),
                    Target::Sm80 => images!(@ $name, "sm_80"),
                    Target::Sm86 => images!(@ $name, "sm_86"),
                    Target::Sm89 => images!(@ $name, "sm_89"),
                    Target::Sm90 => images!(@ $name, "sm_90"),
                    Target::Sm100 => images!(@ $name, "sm_100"),
                    Target::Sm120 => images!(@ $name, "sm_120"),
                },)*
            }
        }
    };
    (@ $name:literal, $target:literal) => {
        include_bytes!(concat!("../../kernels/images/", $name, ".", $target, ".z")).as_slice()
    };
}

images! {
    Tile1 "tile_1", Tile2 "tile_2", Tile4 "tile_4", Tile8 "tile_8", Tile16 "tile_16",
    Strip "strip", Direct "direct", Interleave "interleave", Any "any",
}

/// The image as the driver takes it. Allocates, and takes about a millisecond.
pub(super) fn image(family: Family, target: Target) -> Vec<u8> {
    // Checked in, and unpacked by a test: it does not fail.
    miniz_oxide::inflate::decompress_to_vec_zlib(compressed(family, target)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::super::kernel::Kernel;
    use super::*;

    #[test]
    fn every_image_has_every_kernel_of_its_family() {
        use Target::{Ptx, Sm80, Sm86, Sm89, Sm90, Sm100, Sm120};
        for target in [Ptx, Sm80, Sm86, Sm89, Sm90, Sm100, Sm120] {
            let mut families: HashMap<Family, Vec<u8>> = HashMap::new();
            for kernel in Kernel::ALL {
                let family = kernel.family();
                let image = families.entry(family).or_insert_with(|| image(family, target));
                let name = kernel.symbol().to_bytes();
                let is_there = image.windows(name.len()).any(|window| window == name);
                assert!(is_there, "{} for {target:?}", kernel.name());
            }
        }
    }

    #[test]
    fn machine_code_of_the_nearest_capability_comes_first() {
        assert_eq!(Target::for_capability(9, 0), [Some(Target::Sm90), Some(Target::Ptx)]);
        assert_eq!(Target::for_capability(8, 7), [Some(Target::Sm86), Some(Target::Ptx)]);
        assert_eq!(Target::for_capability(10, 3), [Some(Target::Sm100), Some(Target::Ptx)]);
        assert_eq!(Target::for_capability(7, 5), [None, Some(Target::Ptx)]);
        assert_eq!(Target::for_capability(13, 0), [None, Some(Target::Ptx)]);
    }
}
