//! What crosses the link, and the chunks that it crosses in.
#![forbid(unsafe_code)]

use strideview_copy::CopyPlan;

use super::transfer_plan::Direction;

/// An axis of a copy between host and device: its steps on the host, on the device, on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct WireAxis {
    extent: i64,
    host: i64,
    device: i64,
    wire: i64,
}

/// The wire of a copy, cut into chunks.
///
/// Law: doing the host's plan and the device's plan of every chunk, each chunk at the start of the
/// wire, moves the same pairs of bytes as the plan that this was made from.
///
/// # Invariants
///
/// 1. No step on the host is negative, and the axes are in the order of these, the largest first.
/// 2. A step on the wire is 0 where the source is read again and again; otherwise the bytes of all
///    axes after it, or that on the host where `is_span`.
/// 3. A chunk is one index of each axis before `cut`, at most `step` of the axis `cut` (the bytes of a
///    run, where that is the number of axes), and all of those after it; no more than `most_bytes`
///    bytes on the wire.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Wire {
    direction: Direction,
    axes: Vec<WireAxis>,
    run_bytes: i64,
    host_offset: i64,
    device_offset: i64,
    cut: usize,
    step: i64,
    chunks: i64,
    most_bytes: i64,
    is_span: bool,
}

/// A part of a copy: what the host does and what the device does, each to or from the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chunk {
    /// Between the wire and the host.
    pub(super) host: CopyPlan,
    /// Between the wire and the device.
    pub(super) device: CopyPlan,
    /// Where its first run lies on the host, in bytes from element `[0, …, 0]`.
    pub(super) host_at: i64,
    /// As above, on the device.
    pub(super) device_at: i64,
    /// What crosses the link.
    pub(super) bytes: i64,
}

impl Wire {
    /// The wire of a plan with bytes to move, in chunks of at most `chunk_bytes`.
    pub(super) fn dense(plan: &CopyPlan, direction: Direction, chunk_bytes: i64) -> Self {
        Self::new(plan, direction, chunk_bytes, false)
    }

    /// The same where the wire has the gaps of the host: to a device, from memory of the host that
    /// goes over the link as it is. None where the gaps are more than the bytes to move.
    pub(super) fn span(plan: &CopyPlan, chunk_bytes: i64) -> Option<Self> {
        let wire = Self::new(plan, Direction::ToDevice, chunk_bytes, true);
        let sent = wire.most_bytes.checked_mul(wire.chunks)?;
        let distinct: i64 =
            wire.axes.iter().filter(|axis| axis.host != 0).map(|axis| axis.extent).product();
        (sent / 2 <= distinct.saturating_mul(wire.run_bytes)).then_some(wire)
    }

    fn new(plan: &CopyPlan, direction: Direction, chunk_bytes: i64, is_span: bool) -> Self {
        let is_to_host = direction == Direction::ToHost;
        let (mut host_offset, mut device_offset) = match is_to_host {
            true => (plan.dst_offset(), plan.src_offset()),
            false => (plan.src_offset(), plan.dst_offset()),
        };
        let mut axes = Vec::with_capacity(plan.axes().len());
        for axis in plan.axes() {
            let (mut host, mut device) = match is_to_host {
                true => (axis.dst_stride, axis.src_stride),
                false => (axis.src_stride, axis.dst_stride),
            };
            if host < 0 {
                // The host is walked forwards. Offsets of a plan fit.
                host_offset += (axis.extent - 1) * host;
                device_offset += (axis.extent - 1) * device;
                (host, device) = (-host, -device);
            }
            axes.push(WireAxis { extent: axis.extent, host, device, wire: 0 });
        }
        axes.sort_by_key(|axis| std::cmp::Reverse(axis.host));
        let mut wire = Self {
            direction,
            axes,
            run_bytes: plan.run_bytes(),
            host_offset,
            device_offset,
            cut: 0,
            step: 1,
            chunks: 1,
            most_bytes: 0,
            is_span,
        };
        wire.lay_out();
        wire.cut_at(chunk_bytes.max(1));
        wire
    }

    fn is_read_again(&self, axis: &WireAxis) -> bool {
        match self.direction {
            Direction::ToDevice => axis.host == 0,
            Direction::ToHost => axis.device == 0,
        }
    }

    /// The steps on the wire (invariant 2). They are at most the bytes to move, or steps of the plan.
    fn lay_out(&mut self) {
        let mut step = self.run_bytes;
        for place in (0..self.axes.len()).rev() {
            let axis = self.axes[place];
            if self.is_read_again(&axis) {
                continue;
            }
            self.axes[place].wire = if self.is_span { axis.host } else { step };
            step = step.saturating_mul(axis.extent);
        }
    }

    /// Chooses the cut (invariant 3).
    fn cut_at(&mut self, chunk_bytes: i64) {
        if self.run_bytes > chunk_bytes {
            self.cut = self.axes.len();
            self.step = chunk_bytes;
            self.most_bytes = chunk_bytes;
            self.chunks = self.axes.iter().map(|axis| axis.extent).product::<i64>()
                * parts(self.run_bytes, chunk_bytes);
            return;
        }
        let mut bytes = self.run_bytes;
        for place in (0..self.axes.len()).rev() {
            let axis = self.axes[place];
            let all = (axis.extent - 1).saturating_mul(axis.wire).saturating_add(bytes);
            if all > chunk_bytes {
                self.cut = place;
                self.step = (chunk_bytes - bytes) / axis.wire + 1;
                self.most_bytes = (self.step - 1) * axis.wire + bytes;
                let before: i64 = self.axes[..place].iter().map(|axis| axis.extent).product();
                self.chunks = before * parts(axis.extent, self.step);
                return;
            }
            bytes = all;
        }
        self.step = self.axes.first().map_or(self.run_bytes, |axis| axis.extent);
        self.most_bytes = bytes;
    }

    /// How many chunks there are. O(1).
    pub(super) fn chunks(&self) -> i64 {
        self.chunks
    }

    /// The bytes of the largest chunk. O(1).
    pub(super) fn most_bytes(&self) -> i64 {
        self.most_bytes
    }

    /// What crosses the link in all. O(chunks of different sizes).
    pub(super) fn bytes(&self) -> i64 {
        let along = parts(self.extent(self.cut), self.step);
        let last = self.chunk(along - 1).bytes;
        (self.chunks / along) * ((along - 1) * self.most_bytes + last)
    }

    /// The extent of an axis; the bytes of a run for the one after the last.
    fn extent(&self, place: usize) -> i64 {
        self.axes.get(place).map_or(self.run_bytes, |axis| axis.extent)
    }

    /// A chunk by its number. O(rank²).
    pub(super) fn chunk(&self, number: i64) -> Chunk {
        let (mut host_at, mut device_at) = (self.host_offset, self.device_offset);
        let along = parts(self.extent(self.cut), self.step);
        let start = number % along * self.step;
        let part = self.step.min(self.extent(self.cut) - start);
        let mut rest = number / along;
        for axis in self.axes.iter().take(self.cut).rev() {
            let index = rest % axis.extent;
            rest /= axis.extent;
            host_at += index * axis.host;
            device_at += index * axis.device;
        }
        let Some(cut) = self.axes.get(self.cut).copied() else {
            let host = line(part);
            return Chunk {
                device: host.clone(),
                host,
                host_at: host_at + start,
                device_at: device_at + start,
                bytes: part,
            };
        };
        host_at += start * cut.host;
        device_at += start * cut.device;
        let mut axes = self.axes[self.cut..].to_vec();
        axes[0].extent = part;
        let bytes =
            axes.iter().map(|axis| (axis.extent - 1) * axis.wire).sum::<i64>() + self.run_bytes;
        let (host, device) = self.plans(&axes, bytes);
        Chunk { host, device, host_at, device_at, bytes }
    }

    /// The plans of a chunk between the wire and either side.
    fn plans(&self, axes: &[WireAxis], bytes: i64) -> (CopyPlan, CopyPlan) {
        let once: Vec<WireAxis> =
            axes.iter().copied().filter(|axis| !self.is_read_again(axis)).collect();
        let run = self.run_bytes;
        match self.direction {
            Direction::ToDevice if self.is_span => {
                (line(bytes), between(axes, run, |axis| axis.device, |axis| axis.wire))
            }
            Direction::ToDevice => (
                between(&once, run, |axis| axis.wire, |axis| axis.host),
                between(axes, run, |axis| axis.device, |axis| axis.wire),
            ),
            Direction::ToHost => (
                between(axes, run, |axis| axis.host, |axis| axis.wire),
                between(&once, run, |axis| axis.wire, |axis| axis.device),
            ),
        }
    }
}

/// How many parts of `step` an extent of at least 1 has.
fn parts(extent: i64, step: i64) -> i64 {
    (extent - 1) / step + 1
}

/// Bytes in a row.
fn line(bytes: i64) -> CopyPlan {
    planned(&[bytes], &[1], &[1], 1)
}

fn between(
    axes: &[WireAxis],
    run_bytes: i64,
    dst: impl Fn(&WireAxis) -> i64,
    src: impl Fn(&WireAxis) -> i64,
) -> CopyPlan {
    let shape: Vec<i64> = axes.iter().map(|axis| axis.extent).collect();
    let (dst, src): (Vec<i64>, Vec<i64>) = axes.iter().map(|axis| (dst(axis), src(axis))).unzip();
    planned(&shape, &dst, &src, run_bytes)
}

/// The plan of a part of a copy that was planned already, so that its numbers fit.
#[allow(clippy::expect_used, reason = "a broken invariant of our own: the whole plan fitted")]
fn planned(shape: &[i64], dst: &[i64], src: &[i64], itemsize: i64) -> CopyPlan {
    CopyPlan::new(shape, dst, src, itemsize).expect("a part of a plan fits")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use strideview_testkit::Random;
    use strideview_testkit::copy_case::random_case;

    use super::*;

    /// Pairs (destination byte, source byte) of a plan, by destination.
    fn pairs(plan: &CopyPlan) -> Vec<(i64, i64)> {
        let mut offsets = vec![(plan.dst_offset(), plan.src_offset())];
        for axis in plan.axes() {
            let steps = |(dst, src): (i64, i64)| {
                (0..axis.extent)
                    .map(move |i| (dst + i * axis.dst_stride, src + i * axis.src_stride))
            };
            offsets = offsets.into_iter().flat_map(steps).collect();
        }
        let run = |(dst, src): (i64, i64)| (0..plan.run_bytes()).map(move |i| (dst + i, src + i));
        offsets.into_iter().flat_map(run).collect()
    }

    fn check(plan: &CopyPlan, wire: &Wire) {
        let mut got = BTreeMap::new();
        let mut sent = 0;
        for number in 0..wire.chunks() {
            let chunk = wire.chunk(number);
            assert!(chunk.bytes <= wire.most_bytes(), "{plan} {wire:?}");
            sent += chunk.bytes;
            let (first, second, dst_at, src_at) = match wire.direction {
                Direction::ToDevice => (&chunk.host, &chunk.device, chunk.device_at, chunk.host_at),
                Direction::ToHost => (&chunk.device, &chunk.host, chunk.host_at, chunk.device_at),
            };
            let on_wire: BTreeMap<i64, i64> = pairs(first).into_iter().collect();
            for (dst, middle) in pairs(second) {
                assert!((0..chunk.bytes).contains(&middle));
                let before = got.insert(dst + dst_at, on_wire[&middle] + src_at);
                assert_eq!(before, None, "{plan} {wire:?}");
            }
        }
        assert_eq!(sent, wire.bytes());
        let wanted: BTreeMap<i64, i64> = pairs(plan).into_iter().collect();
        assert!(got == wanted, "{plan} {wire:?}");
    }

    #[test]
    fn chunks_move_what_the_plan_moves() {
        let mut random = Random::new(11);
        for _ in 0..600 {
            let case = random_case(&mut random, 3000);
            let plan =
                CopyPlan::new(&case.shape, &case.dst_strides, &case.src_strides, case.itemsize);
            let plan = plan.unwrap();
            let most = random.pick(&[1, 7, 64, 500, 4096]);
            for direction in [Direction::ToDevice, Direction::ToHost] {
                check(&plan, &Wire::dense(&plan, direction, most));
            }
            if let Some(wire) = Wire::span(&plan, most) {
                check(&plan, &wire);
            }
        }
    }

    #[test]
    fn the_host_has_nothing_to_permute() {
        let (shape, rows, columns) = ([512, 512], [2048, 4], [4, 2048]);
        for (direction, dst, src) in
            [(Direction::ToDevice, columns, rows), (Direction::ToHost, rows, columns)]
        {
            let plan = CopyPlan::new(&shape, &dst, &src, 4).unwrap();
            let wire = Wire::dense(&plan, direction, 1 << 18);
            assert_eq!((wire.chunks(), wire.most_bytes(), wire.bytes()), (4, 1 << 18, 1 << 20));
            let chunk = wire.chunk(3);
            assert_eq!((chunk.host.axes().len(), chunk.host_at), (0, 3 << 18));
            assert_eq!(chunk.device.axes().len(), 2);
        }
    }
}
