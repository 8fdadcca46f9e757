//! Memory and streams of cudarc, both ways, on a real device.
//!
//! Without one each test prints that it is skipped; `STRIDEVIEW_REQUIRE=cuda` makes that a failure.

#![allow(clippy::unwrap_used, reason = "a test fails where something is wrong")]

#[path = "../../examples/cudarc.rs"]
mod example;

use std::env;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use cudarc::driver::result::ctx;
use cudarc::driver::{CudaContext, CudaStream, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use strideview::cuda::{Device, PinnedResource};
use strideview::interop::cudarc::{
    as_kernel_argument, as_stream_slice, from_slice, from_stream, lend, lend_mut, to_stream, token,
};
use strideview::{
    Buffer, CopyOptions, DType, Device as Place, Error, MemoryError, MemoryResource, Slice,
    StreamToken, StridedLayout, StridedMemoryView, copy_bytes, copy_with, fill_bytes,
};

/// One test at a time: they look at the current context and at errors that cudarc parks.
static TURN: Mutex<()> = Mutex::new(());

/// A context for one test, which no current context and no error of cudarc is left after; or None
/// with a printed reason.
struct Gpu {
    context: Arc<CudaContext>,
    _turn: MutexGuard<'static, ()>,
}

fn gpu() -> Option<Gpu> {
    if let Err(reason) = Device::new(0) {
        let required = env::var("STRIDEVIEW_REQUIRE").unwrap_or_default();
        assert!(!required.split(',').any(|item| item == "cuda"), "cuda is required: {reason}");
        // Not `println!`, which the test harness hides.
        let _ = writeln!(io::stderr(), "skipped, no GPU: {reason}");
        return None;
    }
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    Some(Gpu { context: CudaContext::new(0).unwrap(), _turn: turn })
}

impl Gpu {
    /// Every conversion is to leave the thread without a context.
    fn leave(&self) {
        // SAFETY: null is no context.
        unsafe { ctx::set_current(null_mut()) }.unwrap();
    }

    #[track_caller]
    fn check_left(&self) {
        assert_eq!(ctx::get_current().unwrap(), None);
    }

    #[track_caller]
    fn check_errors(&self) {
        self.context.check_err().unwrap();
    }
}

fn on(stream: StreamToken, blocking: Option<bool>) -> CopyOptions<'static> {
    CopyOptions { stream, blocking, allocator: None }
}

fn to_device(view: &StridedMemoryView) -> StridedMemoryView {
    let device = Place::cuda(0).unwrap();
    strideview::to_device(view, device, CopyOptions::default()).unwrap()
}

fn to_host(view: &StridedMemoryView) -> StridedMemoryView {
    strideview::to_host(view, CopyOptions::default()).unwrap()
}

fn counted(len: usize) -> Vec<u32> {
    (0..len as u32).collect()
}

#[test]
fn the_example_runs() {
    let Some(gpu) = gpu() else { return };
    example::main().unwrap();
    gpu.check_errors();
}

#[test]
fn a_slice_is_a_view_that_owns_it() {
    let Some(gpu) = gpu() else { return };
    // A second stream makes cudarc keep events, which it makes its context current for.
    let (stream, _second) = (gpu.context.default_stream(), gpu.context.new_stream().unwrap());
    let slice = stream.clone_htod(&counted(35)).unwrap();
    let address = cudarc::driver::DevicePtr::device_ptr(&slice, &stream).0 as usize;
    gpu.leave();
    let view = from_slice(slice, &[5, 7]).unwrap();
    gpu.check_left();
    assert_eq!((view.address(), view.dtype(), view.readonly()), (address, Some(DType::U32), false));
    assert_eq!((view.access().host, view.access().device, view.device_id()), (false, true, 0));
    let host = to_host(&view.reversed_axes().unwrap());
    assert_eq!(host.get::<u32>(&[6, 4]).unwrap(), 34);
    // Dropped on a thread that has no context, where cudarc alone would not free it.
    thread::spawn(move || {
        drop(view);
        assert_eq!(ctx::get_current().unwrap(), None);
    })
    .join()
    .unwrap();
    gpu.check_errors();
}

#[test]
fn a_slice_of_another_length_is_refused() {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.context.default_stream();
    let error = from_slice(stream.clone_htod(&[1_f32; 5]).unwrap(), &[2, 3]).unwrap_err();
    assert_eq!(error, Error::LengthMismatch { wanted: 6, got: 5 });
    let empty = from_slice(stream.alloc_zeros::<f32>(0).unwrap(), &[0, 3]);
    assert_eq!(empty.map(|view| view.volume()), Ok(0));
    gpu.check_errors();
}

/// cudarc frees a slice on the context that is current, and parks the error where none is.
#[test]
fn a_refused_slice_is_freed_on_its_context() {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.context.default_stream();
    let slice = stream.clone_htod(&[1_f32; 5]).unwrap();
    gpu.leave();
    let error = from_slice(slice, &[2, 3]).unwrap_err();
    assert_eq!(error, Error::LengthMismatch { wanted: 6, got: 5 });
    gpu.check_left();
    gpu.check_errors();
}

#[test]
fn closing_waits_for_the_stream_that_it_names() {
    let Some(gpu) = gpu() else { return };
    let (first, second) = (gpu.context.new_stream().unwrap(), gpu.context.new_stream().unwrap());
    let len = 1 << 22;
    for _ in 0..4 {
        let view = from_slice(first.clone_htod(&counted(len)).unwrap(), &[2048, 2048]).unwrap();
        first.synchronize().unwrap();
        let copy = from_slice(second.alloc_zeros::<u32>(len).unwrap(), &[2048, 2048]).unwrap();
        copy_with(&copy, &view.reversed_axes().unwrap(), on(token(&second), None)).unwrap();
        assert_eq!(view.buffer().close(token(&second)), Ok(()));
        // The next allocation of the first stream would be that memory, written at once.
        let again = first.alloc_zeros::<u32>(len).unwrap();
        second.synchronize().unwrap();
        let host = to_host(&copy);
        assert_eq!(host.get::<u32>(&[2047, 1]).unwrap(), 2048 + 2047);
        drop(again);
    }
    gpu.check_errors();
}

#[test]
fn a_borrowed_slice_is_ordered_at_both_ends() {
    let Some(gpu) = gpu() else { return };
    let (first, second) = (gpu.context.new_stream().unwrap(), gpu.context.new_stream().unwrap());
    let (rows, columns) = (3000, 2000);
    let host = StridedMemoryView::from_vec(counted(rows * columns), &[2000, 3000]).unwrap();
    let mut slice = first.alloc_zeros::<u32>(rows * columns).unwrap();
    gpu.leave();
    let shape = [rows as i64, columns as i64];
    lend_mut(&mut slice, &second, &shape, |view| {
        let turned = host.reversed_axes().unwrap();
        copy_with(view, &turned, on(token(&second), Some(false)))
    })
    .unwrap()
    .unwrap();
    gpu.check_left();
    // The first stream waits for what was queued on the second, by cudarc's events.
    let written = first.clone_dtoh(&slice).unwrap();
    assert_eq!((written[1], written[columns]), (3000, 1));
    let back = StridedMemoryView::from_vec(vec![0_u32; rows * columns], &shape).unwrap();
    let kept = lend(&slice.slice(columns..), &first, &[rows as i64 - 1, columns as i64], |view| {
        assert!(view.readonly());
        let part = back.sliced(&[(1..).into()]).unwrap();
        copy_with(&part, view, on(token(&first), None)).unwrap();
        view.clone()
    })
    .unwrap();
    assert!(kept.is_closed());
    assert_eq!(back.to_vec::<u32>().unwrap()[columns..], written[columns..]);
    gpu.check_errors();
}

#[test]
fn a_panic_in_the_call_leaves_the_context_too() {
    let Some(gpu) = gpu() else { return };
    // A second stream makes cudarc keep events, which it makes its context current for.
    let (stream, _second) = (gpu.context.default_stream(), gpu.context.new_stream().unwrap());
    let slice = stream.clone_htod(&counted(6)).unwrap();
    gpu.leave();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        lend(&slice, &stream, &[2, 3], |_| panic!("on purpose")).unwrap();
    }));
    assert!(outcome.is_err());
    gpu.check_left();
    gpu.check_errors();
}

/// Every safe function that writes takes a buffer or a view.
#[track_caller]
fn check_refused(view: &StridedMemoryView, stream: &Arc<CudaStream>) {
    let buffer = view.buffer();
    assert!(view.readonly() && buffer.readonly());
    let writable = StridedMemoryView::from_buffer(buffer, view.layout(), view.dtype(), false);
    assert_eq!(writable.unwrap_err(), Error::ReadOnly);
    assert_eq!(fill_bytes(buffer, &[9], token(stream)), Err(Error::ReadOnly));
    let other = Place::cuda(0).unwrap().allocate(buffer.len_bytes()).unwrap();
    assert_eq!(copy_bytes(buffer, &other, token(stream)), Err(Error::ReadOnly));
    assert_eq!(view.copy_from(view), Err(Error::ReadOnly));
    let mut slice = as_stream_slice::<u32>(view, stream).unwrap();
    assert_eq!(slice.as_view_mut().err(), Some(Error::ReadOnly));
}

#[test]
fn the_buffer_of_a_read_only_view_is_not_written_either() {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.context.default_stream();
    let slice = stream.clone_htod(&counted(6)).unwrap();
    lend(&slice, &stream, &[2, 3], |view| check_refused(view, &stream)).unwrap();
    assert_eq!(stream.clone_dtoh(&slice).unwrap(), counted(6));
    gpu.check_errors();
}

/// The host reaches it too, and cudarc gives out references into it.
#[test]
fn unified_memory_is_lent_when_its_stream_is_done() {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.context.default_stream();
    let len = 1 << 20;
    // SAFETY: it is written before it is read.
    let mut slice = unsafe { gpu.context.alloc_unified::<u32>(len, true) }.unwrap();
    stream.memcpy_htod(&counted(len), &mut slice).unwrap();
    let last = (len as i64 - 1, len as u32 - 1);
    lend(&slice, &stream, &[len as i64], |view| {
        assert!(view.access().host && view.access().device);
        assert_eq!(view.get::<u32>(&[last.0]), Ok(last.1));
        check_refused(view, &stream);
    })
    .unwrap();
    let zeros = StridedMemoryView::from_vec(vec![0_u32; len], &[len as i64]).unwrap();
    let written = lend_mut(&mut slice, &stream, &[len as i64], |view| {
        copy_with(view, &zeros, on(token(&stream), None))
    });
    assert_eq!(written, Ok(Ok(())));
    assert!(slice.as_slice().unwrap().iter().all(|value| *value == 0));
    gpu.check_errors();
}

#[test]
fn a_contiguous_view_is_a_slice_of_cudarc() {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.context.new_stream().unwrap();
    let host = StridedMemoryView::from_vec(counted(12), &[3, 4]).unwrap();
    let view = to_device(&host);
    gpu.leave();
    for _ in 0..3 {
        let mut slice = as_stream_slice::<u32>(&view, &stream).unwrap();
        gpu.check_left();
        assert_eq!(stream.clone_dtoh(&slice.as_view()).unwrap(), counted(12));
        let mut part = slice.as_view_mut().unwrap();
        let mut part = part.slice_mut(4..8);
        stream.memcpy_htod(&[9_u32, 9, 9, 9], &mut part).unwrap();
        assert_eq!(view.buffer().leases(), 1);
        stream.memcpy_htod(&[4_u32, 5, 6, 7], &mut part).unwrap();
        gpu.leave();
        drop(slice);
        gpu.check_left();
    }
    // Not freed with the slices.
    assert_eq!(to_host(&view).to_vec::<u32>().unwrap(), counted(12));
    assert_eq!(view.buffer().close(StreamToken::NONE), Ok(()));
    let error = as_stream_slice::<u32>(&view, &stream).unwrap_err();
    assert_eq!(error, Error::Memory(MemoryError::Closed));
    gpu.check_errors();
}

#[test]
fn what_is_no_slice_of_the_stream_is_refused() {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.context.default_stream();
    let host = StridedMemoryView::from_vec(counted(12), &[3, 4]).unwrap();
    let view = to_device(&host);
    let error = Error::DTypeMismatch { wanted: DType::F32, got: DType::U32 };
    assert_eq!(as_stream_slice::<f32>(&view, &stream).unwrap_err(), error);
    let columns = view.transposed(0, 1).unwrap();
    assert_eq!(as_stream_slice::<u32>(&columns, &stream).unwrap_err(), Error::NotContiguous);
    let error = Error::NotOnDevice { wanted: 0, device_id: -1 };
    assert_eq!(as_stream_slice::<u32>(&host, &stream).unwrap_err(), error);
    assert_eq!(as_kernel_argument(&host, &stream).unwrap_err(), error);
    let mut slice = as_stream_slice::<u32>(&view.as_readonly(), &stream).unwrap();
    assert_eq!(slice.as_view_mut().err(), Some(Error::ReadOnly));
    let bytes = view.view(Some(&StridedLayout::new(&[48], None, 1).unwrap()), Some(DType::U8));
    let bytes = bytes.unwrap().sliced(&[(1..41).into()]).unwrap();
    let words = StridedLayout::new(&[10], None, 4).unwrap();
    let odd = bytes.view(Some(&words), Some(DType::U32)).unwrap();
    let error = Error::Misaligned { address: odd.address(), alignment: 4 };
    assert_eq!(as_stream_slice::<u32>(&odd, &stream).unwrap_err(), error);
    gpu.check_errors();
}

#[test]
fn pinned_memory_is_not_borrowed_by_both_sides() {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.context.default_stream();
    let pinned = PinnedResource::new(Device::new(0).unwrap()).unwrap();
    let pinned: Arc<dyn MemoryResource> = Arc::new(pinned);
    let buffer = Buffer::allocate(&pinned, 16, StreamToken::NONE).unwrap();
    let layout = StridedLayout::new(&[4], None, 4).unwrap();
    let view = StridedMemoryView::from_buffer(&buffer, &layout, Some(DType::U32), false).unwrap();
    let borrowed = view.as_slice::<u32>().unwrap();
    assert_eq!(as_stream_slice::<u32>(&view, &stream).unwrap_err(), Error::SliceAlive);
    let reading = as_stream_slice::<u32>(&view.as_readonly(), &stream).unwrap();
    assert_eq!(stream.clone_dtoh(&reading.as_view()).unwrap(), [0; 4]);
    drop((borrowed, reading));
    let mut slice = as_stream_slice::<u32>(&view, &stream).unwrap();
    assert_eq!(view.as_slice::<u32>().err(), Some(Error::BeingWritten));
    stream.memcpy_htod(&counted(4), &mut slice.as_view_mut().unwrap()).unwrap();
    stream.synchronize().unwrap();
    drop(slice);
    assert_eq!(view.as_slice::<u32>().unwrap()[..], counted(4));
    gpu.check_errors();
}

/// Strides of every kind, against the same done on the host.
#[test]
fn a_kernel_reaches_the_elements_of_a_strided_view() {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.context.new_stream().unwrap();
    let module = gpu.context.load_module(Ptx::from_src(include_str!("../../examples/scale.ptx")));
    let scale = module.unwrap().load_function("scale").unwrap();
    let values: Vec<f32> = (0..40 * 50).map(|value| value as f32).collect();
    let whole = StridedMemoryView::from_vec(values, &[40, 50]).unwrap();
    let parts: [&[Slice]; 4] = [
        &[Slice::ALL, Slice::ALL],
        &[Slice::step(-1), Slice::step(3)],
        &[(5..17).into(), Slice::step(-7)],
        &[Slice::Index(39), Slice::NewAxis],
    ];
    for (part, turn) in parts.into_iter().flat_map(|part| [(part, false), (part, true)]) {
        let host = StridedMemoryView::from_vec(whole.to_vec::<f32>().unwrap(), &[40, 50]).unwrap();
        let device = to_device(&host);
        let take = |view: &StridedMemoryView| {
            let part = view.sliced(part).unwrap();
            if turn { part.reversed_axes().unwrap() } else { part }
        };
        let (seen, wanted) = (take(&device), take(&host));
        let doubled = wanted.values::<f32>().unwrap().map(|value| value * 2.0).collect();
        let doubled = StridedMemoryView::from_vec(doubled, wanted.shape()).unwrap();
        wanted.copy_from(&doubled).unwrap();

        gpu.leave();
        let first = as_kernel_argument(&seen, &stream).unwrap();
        gpu.check_left();
        assert_eq!(first.pointer(), seen.address() as u64);
        let [rows, columns] = [0, 1].map(|axis| seen.shape()[axis] as u32);
        let [down, along] = [0, 1].map(|axis| seen.layout().strides()[axis]);
        let blocks = (columns.div_ceil(32), rows.div_ceil(8), 1);
        let config = LaunchConfig { grid_dim: blocks, block_dim: (32, 8, 1), shared_mem_bytes: 0 };
        let mut launch = stream.launch_builder(&scale);
        launch.arg(&first).arg(&down).arg(&along).arg(&rows).arg(&columns).arg(&2_f32);
        // SAFETY: the kernel takes these types, and reaches the elements of the view alone.
        unsafe { launch.launch(config) }.unwrap();
        stream.synchronize().unwrap();
        let got = to_host(&device).to_vec::<f32>().unwrap();
        assert_eq!(got, host.to_vec::<f32>().unwrap(), "{}", seen.layout());
    }
    gpu.check_errors();
}

#[test]
fn streams_go_both_ways() {
    let Some(gpu) = gpu() else { return };
    let (default, own) = (gpu.context.default_stream(), gpu.context.per_thread_stream());
    assert_eq!((token(&default), token(&own)), (StreamToken::new(1), StreamToken::new(2)));
    let made = gpu.context.new_stream().unwrap();
    gpu.leave();
    for stream in [&default, &own, &made] {
        let ours = from_stream(stream).unwrap();
        assert_eq!((ours.token(), ours.device().ordinal()), (token(stream), 0));
    }
    let (ours, handle) = (from_stream(&made).unwrap(), made.cu_stream() as usize);
    drop(made); // ours keeps it
    assert_eq!((ours.handle(), ours.synchronize()), (handle, Ok(())));
    gpu.check_left();

    let ours = Device::new(0).unwrap().create_stream().unwrap();
    // SAFETY: (1) both are of the primary context; (2) `ours` is dropped last.
    let stream = unsafe { to_stream(&ours, &gpu.context) }.unwrap();
    assert_eq!(stream.cu_stream() as usize, ours.handle());
    let zeros = stream.alloc_zeros::<u8>(100).unwrap();
    assert_eq!(stream.clone_dtoh(&zeros).unwrap(), [0; 100]);
    drop((zeros, stream));
    let legacy = ours.device().default_stream().unwrap();
    // SAFETY: (1, 2) a default stream is always there.
    let back = unsafe { to_stream(&legacy, &gpu.context) }.unwrap();
    assert_eq!(*back, *default);
    gpu.check_errors();
}
