"""The tables of the GPU benchmark, in markdown."""
import statistics

import first_result


def median(numbers):
    return statistics.median(numbers) if numbers else None


def median_ratio(over, under):
    """The median over the rounds in which both ran."""
    return median([a / b for a, b in zip(over, under)])


def time_text(ms):
    return f"{ms * 1e3:.1f} µs" if ms < 1 else f"{ms:.2f} ms"


def size_text(n):
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 and n > 1 else f"{n:,}"


def ratio_text(row, base):
    """By the host's clock, then by events."""
    texts = [f"{median_ratio(row[kind], base[kind]):.2f}" for kind in ("host_ms", "device_ms") if row[kind] and base[kind]]
    return texts[0] if len(set(texts)) == 1 else f"{texts[0]} ({texts[1]})" if texts else ""


def line_of(at, peers, n, limit):
    base = at[peers[0], n]
    time = median(base["device_ms"])
    cells = [size_text(n), time_text(median(base["host_ms"])), time_text(time), f"{base['bytes'] / time / 1e6:.0f}"]
    if limit:
        copy = at[limit, n]
        share = median_ratio(copy["device_ms"], base["device_ms"]) * base["bytes"] / (8 * n)
        cells.append(f"{share * 100:.0f} %")
    cells += [ratio_text(at[peer, n], base) if (peer, n) in at else "" for peer in peers[1:]]
    return "| " + " | ".join(cells) + " |"


def table(problem, results):
    """Ours, first of its kind, is what the other columns are against."""
    at = {(row["peer"], row["n"]): row for row in results}
    names = list(dict.fromkeys(row["peer"] for row in results))
    limit = next((row["peer"] for row in results if row["limit"] or row["peer"] == "cudaMemcpy"), None)
    ours = [row["peer"] for row in results if row["ours"]]
    if not ours:
        return
    peers = [ours[0]] + [name for name in names if name != ours[0] and (name != limit or problem == "copy")]
    head = [problem, f"{peers[0]}, called", "by events", "GB/s"] + ["of copying"] * bool(limit) + peers[1:]
    print("\n| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
    for n in sorted({row["n"] for row in results}):
        print(line_of(at, peers, n, limit))


def copy_bandwidth(results):
    """GB/s of the largest copy of CUDA itself."""
    copies = [row for row in results if row["problem"] == "copy" and row["peer"] == "cudaMemcpy" and row["device_ms"]]
    if not copies:
        return None
    largest = max(copies, key=lambda row: row["n"])
    return largest["bytes"] / median(largest["device_ms"]) / 1e6


def machine_line(data):
    device = data["device"]
    clocks = f"at most {device['most_khz'] // 1000} MHz, memory {device['most_memory_khz'] // 1000} MHz"
    return (f"{device['name']}, {device['multiprocessors']} multiprocessors, {clocks}, L2 {device['l2_bytes'] >> 20} MiB, driver for CUDA "
            f"{device['driver_cuda'] // 1000}.{device['driver_cuda'] % 1000 // 10}; commit {data['commit']}")


def show(data):
    print(machine_line(data))
    print(f"as found (name, driver, temperature, clocks and their limits, power limit, reasons): {data['before']}\nafterwards: {data['after']}")
    bandwidth = copy_bandwidth(data["results"])
    if bandwidth:
        print(f"copying the most elements on the device, bytes read and written: {bandwidth:.0f} GB/s")
    print("Columns of peers: how many times as long as the first column a peer takes, above 1 ours is faster; by the host's clock with results "
          "waited for, in brackets by events; medians within rounds. `launch`: for one launch.")
    for problem in dict.fromkeys(row["problem"] for row in data["results"]):
        table(problem, [row for row in data["results"] if row["problem"] == problem])
    if data.get("first"):
        first_result.table(data["first"])
    wrong = [row for row in data["results"] if row["wrong"]]
    for row in wrong:
        print(f"WRONG: {row['problem']}, {row['peer']}, {row['n']:,}: {row['wrong']}")
    print(f"{len(data['results']) - len(wrong)} results right, {len(wrong)} wrong")
