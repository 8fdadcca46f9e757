//! The kernels by name, and the families that their images are made of.
#![forbid(unsafe_code)]

use std::ffi::CStr;

macro_rules! kernels {
    ($($family:ident { $($kernel:ident $name:literal $per_multiprocessor:literal),* $(,)? })*) => {
        /// Kernels that are loaded together.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(super) enum Family { $($family),* }

        /// A kernel.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(super) enum Kernel { $($($kernel),*),* }

        impl Kernel {
            pub(super) const ALL: &[Self] = &[$($(Self::$kernel),*),*];

            pub(super) fn family(self) -> Family {
                match self { $($(Self::$kernel)|* => Family::$family),* }
            }

            /// Its name in the image.
            pub(super) fn symbol(self) -> &'static CStr {
                match self { $($(Self::$kernel => $name),*),* }
            }

            /// How many blocks of it run on a multiprocessor at a time.
            pub(super) fn per_multiprocessor(self) -> u32 {
                match self { $($(Self::$kernel => $per_multiprocessor),*),* }
            }
        }
    };
}

kernels! {
    Tile1 {
        Tile1VV c"tile_1_v_v" 4, Tile1VS c"tile_1_v_s" 4, Tile1SV c"tile_1_s_v" 3,
        Tile1SS c"tile_1_s_s" 3, Tile1OneV c"tile_1_1_v" 3, Tile1OneS c"tile_1_1_s" 3,
    }
    Tile2 {
        Tile2VV c"tile_2_v_v" 4, Tile2VS c"tile_2_v_s" 4, Tile2SV c"tile_2_s_v" 3,
        Tile2SS c"tile_2_s_s" 3, Tile2OneV c"tile_2_1_v" 3, Tile2OneS c"tile_2_1_s" 3,
    }
    Tile4 {
        Tile4VV c"tile_4_v_v" 4, Tile4VOne c"tile_4_v_1" 3, Tile4OneV c"tile_4_1_v" 3,
        Tile4OneOne c"tile_4_1_1" 2, Tile4TwoV c"tile_4_2_v" 3, Tile4TwoOne c"tile_4_2_1" 2,
        Tile4VS c"tile_4_v_s" 4, Tile4SV c"tile_4_s_v" 4, Tile4SS c"tile_4_s_s" 4,
        Tile4VVLarge c"tile_4_v_v_5" 3,
    }
    Tile8 {
        Tile8VV c"tile_8_v_v" 4, Tile8VOne c"tile_8_v_1" 4, Tile8OneV c"tile_8_1_v" 4,
        Tile8OneOne c"tile_8_1_1" 3,
    }
    Tile16 { Tile16 c"tile_16_v_v" 4 }
    Strip {
        Strip1V c"strip_1_v" 3, Strip1S c"strip_1_s" 3, Strip2V c"strip_2_v" 3,
        Strip2S c"strip_2_s" 3,
    }
    Direct {
        Direct1 c"direct_1" 4, Direct2 c"direct_2" 4, Direct4 c"direct_4" 4, Direct8 c"direct_8" 4,
        Direct16 c"direct_16" 4,
        Splat1 c"splat_1" 4, Splat2 c"splat_2" 4, Splat4 c"splat_4" 4, Splat8 c"splat_8" 4,
        Reversed1 c"reversed_1" 4, Reversed2 c"reversed_2" 4, Reversed4 c"reversed_4" 4,
        Reversed8 c"reversed_8" 4,
        Spread1 c"spread_1" 4, Spread2 c"spread_2" 4, Spread4 c"spread_4" 4, Spread8 c"spread_8" 4,
        Shifted c"shifted_1" 4, ShiftedWords c"shifted_4" 5,
    }
    Interleave {
        Split12 c"split_1_2" 4, Split13 c"split_1_3" 4, Split14 c"split_1_4" 4,
        Split22 c"split_2_2" 4, Split23 c"split_2_3" 4, Split24 c"split_2_4" 4,
        Split42 c"split_4_2" 4, Split43 c"split_4_3" 4, Split44 c"split_4_4" 4,
        Split82 c"split_8_2" 4, Split83 c"split_8_3" 4, Split84 c"split_8_4" 4,
        Join12 c"join_1_2" 4, Join13 c"join_1_3" 4, Join14 c"join_1_4" 4,
        Join22 c"join_2_2" 4, Join23 c"join_2_3" 4, Join24 c"join_2_4" 4,
        Join42 c"join_4_2" 4, Join43 c"join_4_3" 4, Join44 c"join_4_4" 4,
        Join82 c"join_8_2" 4, Join83 c"join_8_3" 4, Join84 c"join_8_4" 4,
    }
    Any { Any1 c"any_1" 8, Any2 c"any_2" 8, Any4 c"any_4" 8, Any8 c"any_8" 8, Any16 c"any_16" 8 }
}

impl Kernel {
    pub(super) const COUNT: usize = Self::ALL.len();

    /// Whether it moves vectors as they are.
    pub(super) fn is_plain(self) -> bool {
        use Kernel::{Direct1, Direct2, Direct4, Direct8, Direct16};
        matches!(self, Direct1 | Direct2 | Direct4 | Direct8 | Direct16)
    }

    /// The name, for people.
    pub(super) fn name(self) -> &'static str {
        self.symbol().to_str().unwrap_or_default()
    }
}
