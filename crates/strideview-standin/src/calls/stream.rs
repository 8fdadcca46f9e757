//! Streams and events; work is done at once, so waiting is only counted.

use crate::out::Out;
use crate::state::{EventState, State, StreamState};

fn create_stream(state: &mut State, stream: Out<usize>) -> Result<(), i32> {
    let (context, _) = state.here()?;
    let handle = state.handle();
    stream.put(handle)?;
    state.streams.insert(handle, StreamState { context, ..StreamState::default() });
    Ok(())
}

fn is_capturing(state: &State, stream: usize) -> bool {
    state.streams.get(&stream).is_some_and(|stream| stream.capturing)
}

calls! { state;
    fn cuStreamCreate(stream: Out<usize>, flags: u32) {
        if flags > 1 {
            return Err(1);
        }
        create_stream(state, stream)
    }
    fn cuStreamCreateWithPriority(stream: Out<usize>, flags: u32, priority: i32) {
        let _ = priority;
        if flags > 1 {
            return Err(1);
        }
        create_stream(state, stream)
    }
    fn cuStreamDestroy(stream: usize) {
        state.streams.remove(&stream).map(drop).ok_or(400)
    }
    fn cuStreamSynchronize(stream: usize) {
        state.context_of(stream)?;
        if is_capturing(state, stream) { Err(900) } else { Ok(()) }
    }
    fn cuStreamQuery(stream: usize) {
        state.context_of(stream)?;
        if is_capturing(state, stream) { Err(900) } else { Ok(()) }
    }
    fn cuStreamWaitEvent(stream: usize, event: usize, flags: u32) {
        state.context_of(stream)?;
        let event = state.events.get(&event).ok_or(400)?;
        if flags != 0 {
            return Err(1);
        }
        if event.recorded {
            // The default streams have no entry: entry 1 stands for them all.
            let key = if stream <= 2 { 1 } else { stream };
            state.streams.entry(key).or_default().waits += 1;
        }
        Ok(())
    }
    fn cuLaunchHostFunc(
        stream: usize,
        function: unsafe extern "C" fn(*mut std::ffi::c_void),
        argument: *mut std::ffi::c_void,
    ) {
        state.context_of(stream)?;
        // SAFETY: the caller promises an argument that the function takes. It calls no driver, so that
        // the lock of the state may be held.
        unsafe { function(argument) };
        Ok(())
    }
    fn cuStreamGetCtx(stream: usize, context: Out<usize>) {
        context.put(state.context_of(stream)?)
    }
    fn cuStreamIsCapturing(stream: usize, status: Out<i32>) {
        state.context_of(stream)?;
        status.put(i32::from(is_capturing(state, stream)))
    }
    fn cuStreamBeginCapture(stream: usize, mode: i32) {
        let _ = mode;
        state.streams.get_mut(&stream).ok_or(900)?.capturing = true;
        Ok(())
    }
    fn cuThreadExchangeStreamCaptureMode(mode: Out<i32>) {
        let _ = state;
        mode.put(0)
    }
    fn cuStreamEndCapture(stream: usize, graph: Out<usize>) {
        state.streams.get_mut(&stream).ok_or(900)?.capturing = false;
        graph.put(0xf0_0000)
    }
    fn cuEventCreate(event: Out<usize>, flags: u32) {
        let (context, _) = state.here()?;
        let handle = state.handle();
        event.put(handle)?;
        let timing = flags & 2 == 0;
        state.events.insert(handle, EventState { context, timing, recorded: false });
        Ok(())
    }
    fn cuEventDestroy(event: usize) {
        state.events.remove(&event).map(drop).ok_or(400)
    }
    fn cuEventRecord(event: usize, stream: usize) {
        let context = state.context_of(stream)?;
        let event = state.events.get_mut(&event).ok_or(400)?;
        if event.context != context {
            return Err(400);
        }
        event.recorded = true;
        Ok(())
    }
    fn cuEventSynchronize(event: usize) {
        state.events.get(&event).map(drop).ok_or(400)
    }
    fn cuEventQuery(event: usize) {
        state.events.get(&event).map(drop).ok_or(400)
    }
    fn cuEventElapsedTime(milliseconds: Out<f32>, start: usize, end: usize) {
        let has_timing = |event| state.events.get(&event).is_some_and(|event| event.timing);
        if !has_timing(start) || !has_timing(end) {
            return Err(400);
        }
        milliseconds.put(1.0)
    }
}
