"""Clocks. On a GPU, device time is taken with events; on the CPU, which only serves
to try the benchmark out, both are wall-clock time."""

import gc
import statistics
import time

import torch

LAUNCHES = {"cudaLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernel",
            "cuLaunchKernelEx", "cudaLaunchCooperativeKernel"}
WAITS = {"cudaStreamSynchronize", "cudaEventSynchronize", "cudaDeviceSynchronize"}
# Cycles of a spinning kernel for a second of waiting, generously.
CYCLES = 2.0e9


def synchronize(device):
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def repeat(calls, count):
    """Makes `count` calls, round-robin."""
    length = len(calls)
    for i in range(count):
        calls[i % length]()


def warm_up(calls, device, seconds=0.05):
    """Calls each, and goes on until the time is up. Returns the seconds of a call, in the last round."""
    end = time.perf_counter() + seconds
    while True:
        start = time.perf_counter()
        repeat(calls, len(calls))
        synchronize(device)
        now = time.perf_counter()
        if now > end:
            return (now - start) / len(calls)


def limit(count, batches, seconds, of_call):
    """How many calls a measurement has, so that all take no longer than `seconds`."""
    return max(1, min(count, int(seconds / batches / of_call)))


def host_time(calls, device, count, batches, seconds):
    """Median wall-clock seconds a call takes to return; nothing is waited for but
    what the call itself waits for. Of five measurements, which is enough for what the host does."""
    start = time.perf_counter()
    repeat(calls, 1)
    synchronize(device)
    batches = min(batches, 5)
    count = limit(count, batches, seconds / 2, time.perf_counter() - start)
    gc.disable()
    times = []
    for _ in range(batches):
        synchronize(device)
        start = time.perf_counter()
        repeat(calls, count)
        times.append((time.perf_counter() - start) / count)
    synchronize(device)
    gc.enable()
    return statistics.median(times)


def device_time(calls, device, count, batches, head_start):
    """Median seconds of a call on the GPU: the time between two events around
    `count` calls. The GPU is kept busy for `head_start` seconds before, so that
    the host is ahead of it; 0 where the calls wait for the GPU anyway."""
    gc.disable()
    times = []
    for _ in range(batches):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        synchronize(device)
        if head_start:
            torch.cuda._sleep(int(head_start * CYCLES))
        start.record()
        repeat(calls, count)
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) / 1e3 / count)
    gc.enable()
    return statistics.median(times)


def measure(calls, device, count, batches, seconds, waits):
    """Device and host seconds of a call."""
    of_call = warm_up(calls, device)
    host = host_time(calls, device, count, batches, seconds)
    if device.type != "cuda":
        return host, host
    count = limit(count, batches, seconds, of_call)
    head_start = 0 if waits else min(0.1, 1.5 * host * count + 1e-4)
    return device_time(calls, device, count, batches, head_start), host


def copy_bandwidth(device, size):
    """Bytes read and written by a copy of `size` bytes, per second."""
    source = torch.randn(size // 4, device=device)
    target = torch.empty_like(source)
    calls = [lambda: target.copy_(source)]
    of_call = warm_up(calls, device)
    return 2 * size / (device_time(calls, device, 1, 21, 1e-4) if device.type == "cuda" else of_call)


def cache_size(device):
    if device.type != "cuda":
        return 1 << 20
    return torch.cuda.get_device_properties(device).L2_cache_size


def profile_counts(call, device):
    """Kernel launches and host waits of one call of a PyTorch function."""
    if device.type != "cuda":
        return None
    call()
    synchronize(device)
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as profile:
        call()
    names = [event.name for event in profile.events()]
    # The profiler itself waits once, when it ends.
    waits = sum(name in WAITS and name != "cudaDeviceSynchronize" for name in names)
    return {"launches": sum(name in LAUNCHES for name in names), "host_waits": waits}
