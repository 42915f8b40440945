// Entry points: streams and events.
#include "driver.h"

using namespace bsgp::emulator;

namespace {

template <class F> CUresult onEvent(void* handle, F body) {
  return inContext([&](Driver& driver) {
    Event* event = known(driver.events, handle);
    return event ? body(driver, *event) : CUDA_ERROR_INVALID_HANDLE;
  });
}

} // namespace

BSGP_EXPORT CUresult cuStreamCreate(void** out, unsigned flags) {
  return inContext([&](Driver& driver) {
    if (!out || flags > 1)
      return CUDA_ERROR_INVALID_VALUE;
    auto* stream = new Stream{flags == 0};
    driver.streams.insert(stream);
    *out = stream;
    return CUDA_SUCCESS;
  });
}

BSGP_EXPORT CUresult cuStreamDestroy_v2(void* handle) {
  return onStream(handle, [&](Driver& driver, Stream* stream) {
    if (!stream)
      return CUDA_ERROR_INVALID_HANDLE;
    CUresult result = driver.finish(stream);
    driver.streams.erase(stream);
    delete stream;
    return result;
  });
}

BSGP_EXPORT CUresult cuStreamSynchronize(void* handle) {
  return onStream(handle, [&](Driver& driver, Stream* stream) { return driver.finish(stream); });
}

// Each question lets one thing happen.
BSGP_EXPORT CUresult cuStreamQuery(void* handle) {
  return onStream(handle, [&](Driver& driver, Stream* stream) {
    bool ran = driver.runOne(stream);
    return driver.sticky ? driver.sticky : ran ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
  });
}

BSGP_EXPORT CUresult cuEventCreate(void** out, unsigned flags) {
  return inContext([&](Driver& driver) {
    if (!out || flags > 7)
      return CUDA_ERROR_INVALID_VALUE;
    auto* event = new Event;
    event->timed = !(flags & 2);
    driver.events.insert(event);
    *out = event;
    return CUDA_SUCCESS;
  });
}

BSGP_EXPORT CUresult cuEventRecord(void* handle, void* stream_handle) {
  return onEvent(handle, [&](Driver& driver, Event& event) {
    Stream* stream = known(driver.streams, stream_handle);
    if (stream_handle && !stream)
      return CUDA_ERROR_INVALID_HANDLE;
    event.recorded = true;
    event.stream = stream;
    ++event.pending;
    return driver.enqueue(stream, [&event] {
      event.time = std::chrono::steady_clock::now();
      --event.pending;
      return CUDA_SUCCESS;
    });
  });
}

BSGP_EXPORT CUresult cuEventSynchronize(void* handle) {
  return onEvent(handle, [&](Driver& driver, Event& event) {
    while (event.pending && driver.runOne(event.stream)) {
    }
    return driver.sticky;
  });
}

BSGP_EXPORT CUresult cuEventQuery(void* handle) {
  return onEvent(handle, [&](Driver& driver, Event& event) {
    bool was_pending = event.pending > 0;
    if (was_pending)
      driver.runOne(event.stream);
    return driver.sticky ? driver.sticky : was_pending ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
  });
}

BSGP_EXPORT CUresult cuEventElapsedTime(float* milliseconds, void* from, void* to) {
  return onEvent(from, [&](Driver& driver, Event& begin) {
    Event* end = known(driver.events, to);
    if (!end || !begin.timed || !end->timed || !begin.recorded || !end->recorded)
      return CUDA_ERROR_INVALID_HANDLE;
    if (begin.pending || end->pending)
      return CUDA_ERROR_NOT_READY;
    *milliseconds = std::chrono::duration<float, std::milli>(end->time - begin.time).count();
    return CUDA_SUCCESS;
  });
}

BSGP_EXPORT CUresult cuEventDestroy_v2(void* handle) {
  return onEvent(handle, [&](Driver& driver, Event& event) {
    while (event.pending && driver.runOne(event.stream)) {
    }
    driver.events.erase(&event);
    delete &event;
    return CUDA_SUCCESS;
  });
}
