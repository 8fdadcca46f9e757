//! Parts of a plan, for threads.
#![forbid(unsafe_code)]

use super::host_plan::HostPlan;
use super::kernel::HostKernel;
use super::stream::LINE;
use super::vector::LANE;
use crate::plan::PlanAxis;

/// The axis along which a plan is cut, and the steps of it that must stay together.
#[derive(Clone, Copy)]
pub(super) struct Cut {
    axis: Place,
    unit: i64,
    units: i64,
}

#[derive(Clone, Copy)]
enum Place {
    Other(usize),
    P,
    Q,
    /// The bytes of the one run.
    Bytes,
}

impl Cut {
    /// The cut that gives at least so many parts, outermost axes first; else that which gives most.
    pub(super) fn of(host: &HostPlan, parts: usize) -> Self {
        let wanted = i64::try_from(parts).unwrap_or(i64::MAX);
        let candidates = || {
            let others = host.others().iter().enumerate();
            let others = others.map(|(place, axis)| Self::new(Place::Other(place), axis.extent, 1));
            others.chain(inner(host))
        };
        let enough = candidates().find(|cut| cut.units >= wanted);
        let most = || candidates().max_by_key(|cut| cut.units);
        enough.or_else(most).unwrap_or(Self { axis: Place::P, unit: 1, units: 1 })
    }

    fn new(axis: Place, extent: i64, unit: i64) -> Self {
        Self { axis, unit, units: extent / unit }
    }

    /// How many parts there are, at most as many as wanted.
    pub(super) fn parts(&self, wanted: usize) -> usize {
        usize::try_from(self.units).unwrap_or(usize::MAX).clamp(1, wanted)
    }

    /// Part `index` of `parts`.
    ///
    /// Law: together the parts say the pairs of bytes of the plan, each once.
    pub(super) fn part(&self, host: &HostPlan, index: usize, parts: usize) -> HostPlan {
        let (index, parts) = (index as i64, parts as i64);
        let share = self.units / parts;
        let more = self.units % parts;
        let first = (share * index + more.min(index)) * self.unit;
        let units = share + i64::from(index < more);
        let is_last = index + 1 == parts;
        let mut part = host.clone();
        part.threads = 1;
        let cut = |axis: &mut PlanAxis| {
            axis.extent = if is_last { axis.extent - first } else { units * self.unit };
            (first.wrapping_mul(axis.dst_stride), first.wrapping_mul(axis.src_stride))
        };
        let (dst_by, src_by) = match self.axis {
            Place::Other(place) => part.axes.get_mut(place).map_or((0, 0), cut),
            Place::P => cut(&mut part.p),
            Place::Q => cut(&mut part.q),
            Place::Bytes => {
                let mut bytes = PlanAxis { extent: part.bytes, dst_stride: 1, src_stride: 1 };
                let moved = cut(&mut bytes);
                part.run_bytes = bytes.extent;
                moved
            }
        };
        part.p_block = part.p_block.min(part.p.extent);
        part.q_block = part.q_block.min(part.q.extent);
        part.dst_offset = part.dst_offset.wrapping_add(dst_by);
        part.src_offset = part.src_offset.wrapping_add(src_by);
        part
    }
}

/// The cuts along `p` and `q` that leave the kernel what it needs.
fn inner(host: &HostPlan) -> impl Iterator<Item = Cut> {
    // A plan that moves nothing has runs of no bytes.
    let w = host.run_bytes.max(1);
    let line = (LINE as i64 / w).max(1);
    let lane = (LANE as i64 / w).max(1);
    let p = match host.kernel {
        HostKernel::Deinterleave if host.p.src_stride == w => None,
        HostKernel::Tiles => Some(lane),
        HostKernel::Interleave => Some(line),
        _ => Some(1),
    };
    let q = match host.kernel {
        HostKernel::Table | HostKernel::Interleave => None,
        HostKernel::Contiguous => None,
        _ => Some(line),
    };
    let bytes =
        (host.kernel == HostKernel::Contiguous).then(|| Cut::new(Place::Bytes, host.bytes, 4096));
    let p = p.map(|unit| Cut::new(Place::P, host.p.extent, unit));
    let q = q.map(|unit| Cut::new(Place::Q, host.q.extent, unit));
    bytes.into_iter().chain(p).chain(q)
}
