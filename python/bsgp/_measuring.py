"""Which of several functions is the fastest, and where the time of calls goes."""

from __future__ import annotations

import html
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from . import _core, kernels


class Table:
    """Rows of texts under a heading, for a terminal and for a notebook."""

    def __init__(self, heading: list[str], rows: list[list[str]], title: str = "") -> None:
        self.heading, self.rows, self.title = heading, rows, title

    def __repr__(self) -> str:
        widths = [max(len(row[i]) for row in [self.heading, *self.rows]) for i in range(len(self.heading))]
        lines = ["  ".join(cell.rjust(width) if i else cell.ljust(width) for i, (cell, width) in enumerate(zip(row, widths))).rstrip()
                 for row in [self.heading, *self.rows]]
        return "\n".join([self.title] * bool(self.title) + lines)

    def _repr_html_(self) -> str:
        def line(tag: str, cells: list[str]) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

        title = f"<caption>{html.escape(self.title)}</caption>" if self.title else ""
        return f"<table>{title}{line('th', self.heading)}{''.join(line('td', row) for row in self.rows)}</table>"


def _seconds(call: Callable[[], Any], repeats: int) -> float:
    """The shortest time of a call; short ones are called many times for each measurement."""
    call()
    begin = time.perf_counter()
    call()
    count = max(1, int(1e-3 / max(time.perf_counter() - begin, 1e-9)))
    best = float("inf")
    for _ in range(repeats):
        begin = time.perf_counter()
        for _ in range(count):
            call()
        best = min(best, (time.perf_counter() - begin) / count)
    return best


def _duration(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if seconds * scale >= 1:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def tune(variants: Mapping[Any, Any] | Iterable[Any], measure: Callable[..., Any] | None = None, *, repeats: int = 5) -> tuple[Any, Table]:
    """Measures variants, and returns the fastest one and a table of all.

    variants: functions without parameters, or values that `measure` takes: by names in a dict, whose names are returned, or in a list.
    measure(variant), or measure(**variant) of a dict, returns seconds, or a function to be measured; without it the variants are functions.

        best, table = bp.tune([{"K": 1}, {"K": 4}], lambda K: (lambda m=bp.compile(text, K=K): m.add(z, x, y, n)))
    """
    named = dict(variants) if isinstance(variants, Mapping) else None
    values = list(named.items()) if named is not None else [(value, value) for value in variants]
    if not values:
        raise ValueError("tune: there are no variants")
    times: list[tuple[float, Any]] = []
    for name, value in values:
        made = value if measure is None else measure(**value) if isinstance(value, dict) else measure(value)
        times.append((_seconds(made, repeats) if callable(made) else float(made), name))
    fastest = min(each[0] for each in times)
    ordered = sorted(times, key=lambda each: each[0])
    rows = [[str(getattr(name, "__name__", name)), _duration(seconds), f"{seconds / fastest if fastest else 1:.2f}"] for seconds, name in ordered]
    return ordered[0][1], Table(["variant", "time", "of the best"], rows)


class profile:
    """Measures where the time of calls of programs goes, for as long as it is entered: each superstep with its lines.

        with bp.profile() as p:
            m.simulate(bodies, n, 100)
        print(p)

    `p.events` has each launch, with its begin and duration in microseconds; `p.save(path)` writes them for ui.perfetto.dev.
    """

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self._before: dict[int, int] = {}

    def __enter__(self) -> profile:
        kernels._place(None, "")
        self._before = {place: _core.begin_profile(place) for (_, check), place in kernels._places.items() if not check}
        return self

    def __exit__(self, *_: object) -> None:
        for place, before in self._before.items():
            handle, path = tempfile.mkstemp(suffix=".json", prefix="bsgp_profile_")
            os.close(handle)
            try:
                _core.end_profile(place, before, path)
                with open(path) as file:
                    self.events += json.load(file)["traceEvents"]
            finally:
                os.remove(path)
        self._before = {}

    def save(self, path: str | os.PathLike[str]) -> None:
        with open(path, "w") as file:
            json.dump({"displayTimeUnit": "ns", "traceEvents": self.events}, file)

    def table(self) -> Table:
        sums: dict[tuple[str, str], list[float]] = {}
        for event in self.events:
            row = sums.setdefault((event["name"], event["args"]["lines"]), [0.0, 0, 0, 0])
            for i, value in enumerate((event["dur"], 1, event["args"]["threads"], event["args"]["stream_bytes"])):
                row[i] += value
        total = sum(row[0] for row in sums.values())
        rows = [[name, lines, f"{us / 1e3:.3f}", f"{100 * us / total if total else 0:.1f}", str(calls), str(threads), f"{moved / 1e6:.2f}"]
                for (name, lines), (us, calls, threads, moved) in sorted(sums.items(), key=lambda each: -each[1][0])]
        return Table(["superstep", "lines", "ms", "%", "calls", "threads", "stream MB"], rows, f"where the time goes: {total / 1e3:.3f} ms")

    def __repr__(self) -> str:
        return repr(self.table())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()
