//! Who does a copy, from where the two sides are.
#![forbid(unsafe_code)]

use crate::{Access, Error, Result};

/// Who does a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// The host, which reaches both sides.
    Host,
    /// A device that reaches both.
    Device { ordinal: i32 },
    /// Both, from memory of the host to that of a device.
    ToDevice { ordinal: i32 },
    /// Both, the other way round.
    ToHost { ordinal: i32 },
    /// Two devices.
    Peers { dst: i32, src: i32 },
}

impl Route {
    /// The route between two kinds of memory. `has_driver` is asked about managed memory, which is
    /// the host's alone without a driver.
    pub(crate) fn between(
        dst: Access,
        src: Access,
        has_driver: impl FnOnce() -> bool,
    ) -> Result<Self> {
        for side in [dst, src] {
            if !side.host && !side.device {
                return Err(Error::Unreachable);
            }
        }
        let is_shared = dst.device && src.device && dst.device_id == src.device_id;
        let is_moved = |access: Access| access.managed || !access.host;
        Ok(match (dst.host, src.host) {
            // Managed memory moves to who touches it, and the device may have it.
            (true, true) if is_shared && (is_moved(dst) || is_moved(src)) && has_driver() => {
                Self::Device { ordinal: dst.device_id }
            }
            (true, true) => Self::Host,
            (false, false) if !is_shared => Self::Peers { dst: dst.device_id, src: src.device_id },
            _ if is_shared && is_moved(dst) && is_moved(src) => {
                Self::Device { ordinal: dst.device_id }
            }
            (false, _) => Self::ToDevice { ordinal: dst.device_id },
            (true, _) => Self::ToHost { ordinal: src.device_id },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_two_kinds_of_memory() {
        let kinds = [Access::host(), Access::pinned(0), Access::managed(0), Access::device(0)];
        let route = |dst, src| Route::between(dst, src, || true).unwrap();
        let (to_device, to_host) = (Route::ToDevice { ordinal: 0 }, Route::ToHost { ordinal: 0 });
        let (host, device) = (Route::Host, Route::Device { ordinal: 0 });
        let wanted = [
            [host, host, host, to_host],
            [host, host, device, to_host],
            [host, device, device, device],
            [to_device, to_device, device, device],
        ];
        for (dst, row) in kinds.into_iter().zip(wanted) {
            for (src, wanted) in kinds.into_iter().zip(row) {
                assert_eq!(route(dst, src), wanted, "{src:?} to {dst:?}");
            }
        }
    }

    #[test]
    fn memory_of_other_devices() {
        let route = |dst, src| Route::between(dst, src, || true);
        assert_eq!(
            route(Access::device(1), Access::device(0)),
            Ok(Route::Peers { dst: 1, src: 0 })
        );
        for far in [Access::pinned(1), Access::managed(1)] {
            let to_host = Route::ToHost { ordinal: 0 };
            assert_eq!(route(far, Access::device(0)), Ok(to_host));
            let to_device = Route::ToDevice { ordinal: 0 };
            assert_eq!(route(Access::device(0), far), Ok(to_device));
            assert_eq!(route(far, Access::managed(0)), Ok(Route::Host));
        }
        assert_eq!(route(Access::NONE, Access::host()), Err(Error::Unreachable));
        let without = Route::between(Access::managed(0), Access::managed(0), || false);
        assert_eq!(without, Ok(Route::Host));
    }
}
