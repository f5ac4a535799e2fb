#!/usr/bin/env python3
"""Elementary continuous tests: tandem beside Tight-Inclusion, on the same queries, in one process, by turns.

usage: compare.py LIBTANDEM FOLDER [--csv FILE] [--queries N] [--rounds N]

FOLDER has .ccdq files: queries with known answers. tandem is asked through its C library, by one batch per file: the mean
is the time of the batch by the number of its queries. For the median every query is asked by a batch of its own, of 64
copies. Tight-Inclusion is asked through ipctk (TightInclusionCCD as the package sets it up: tolerance 1e-6), a call per
query. What the bindings cost is taken off: of a call whose arguments are the same but which only compares boxes, and of
an empty batch. Times vary from query to query by a factor of a thousand, so medians are shown beside means.
Exit status 1 if an answer of tandem's is wrong.
"""
import argparse
import csv
import ctypes
import pathlib
import statistics
import sys
import time

import ipctk
import numpy

RECORD = numpy.dtype([("positions", "<f8", (8, 3)), ("lower", "<f8"), ("upper", "<f8"), ("hit", "<u4"), ("flags", "<u4")])
VERTEX_FACE, EDGE_EDGE = 0, 1
COPIES = 64


class MovingDef(ctypes.Structure):
    _fields_ = [("cookie", ctypes.c_uint32), ("separation", ctypes.c_double), ("budget", ctypes.c_uint32)]


class MovingContact(ctypes.Structure):
    _fields_ = [("touching", ctypes.c_bool), ("certain", ctypes.c_bool), ("time", ctypes.c_double)]


class Tandem:
    """The few functions of the library that are needed."""

    def __init__(self, path):
        self.library = ctypes.CDLL(str(path))
        self.library.td_error_message.restype = ctypes.c_char_p
        self.library.td_default_moving_def.restype = MovingDef
        self.definition = self.library.td_default_moving_def()

    def ask(self, contacts, pair, positions):
        """The seconds that the whole batch takes. No context: none is needed for ordinary coordinates."""
        data = positions.ctypes.data_as(ctypes.c_void_p)
        begin = time.perf_counter()
        result = self.library.td_test_moving_batch(
            contacts, None, ctypes.byref(self.definition), pair, data, ctypes.c_size_t(len(positions))
        )
        end = time.perf_counter()
        if result != 0:
            sys.exit("tandem: " + self.library.td_error_message().decode())
        return end - begin


def read_queries(path, most):
    data = path.read_bytes()
    if data[:6] != b"CCDQ1\0":
        sys.exit(f"{path}: expected a file that begins with CCDQ1")
    kind, count = numpy.frombuffer(data, "<u4", 2, 8)
    records = numpy.frombuffer(data, RECORD, count, 64)
    step = max(1, -(-len(records) // most))
    return EDGE_EDGE if kind == 0 else VERTEX_FACE, records[::step]


def seconds_per_call(function, queries):
    seconds, answers = [], []
    for arguments in queries:
        begin = time.perf_counter()
        answer = function(*arguments)
        seconds.append(time.perf_counter() - begin)
        answers.append(answer)
    return seconds, answers


def seconds_of_batches(tandem, pair, positions):
    """Per query: the whole batch, and a list with every query by itself."""
    room = (MovingContact * COPIES)()
    none = min(tandem.ask(room, pair, positions[:0]) for _ in range(20))
    singles = []
    for query in positions:
        copies = numpy.ascontiguousarray(numpy.broadcast_to(query, (COPIES, 8, 3)))
        singles.append((min(tandem.ask(room, pair, copies) for _ in range(3)) - none) / COPIES)
    contacts = (MovingContact * len(positions))()
    together = min(tandem.ask(contacts, pair, positions) for _ in range(5)) - none
    return contacts, together / len(positions), singles


def measure(path, tandem, peer, options):
    pair, records = read_queries(path, options.queries)
    positions = numpy.ascontiguousarray(records["positions"])
    queries = [[numpy.ascontiguousarray(point) for point in query] for query in positions]
    test = peer.edge_edge_ccd if pair == EDGE_EDGE else peer.point_triangle_ccd
    boxes = ipctk.edge_edge_aabb_ccd if pair == EDGE_EDGE else ipctk.point_triangle_aabb_ccd
    box_arguments = [arguments + [0.0] for arguments in queries]
    own, alone, other, binding = [], [], [], []
    for _ in range(options.rounds):
        contacts, together, singles = seconds_of_batches(tandem, pair, positions)
        own.append(together)
        alone.append(singles)
        seconds, answers = seconds_per_call(test, queries)
        other.append(seconds)
        binding.append(statistics.median(seconds_per_call(boxes, box_arguments)[0]))
    call = min(binding)
    best = [max(0.0, min(times) - call) for times in zip(*other)]
    best_alone = [min(times) for times in zip(*alone)]
    hits = records["hit"] != 0
    found = [answer[0] for answer in answers]
    row = {
        "file": path.stem,
        "queries": len(records),
        "hits": int(hits.sum()),
        "tandem_mean_us": min(own) * 1e6,
        "tandem_median_us": statistics.median(best_alone) * 1e6,
        "tight_mean_us": statistics.fmean(best) * 1e6,
        "tight_median_us": statistics.median(best) * 1e6,
        "binding_us": call * 1e6,
        "tandem_wrong": sum(c.touching != h or not c.certain for c, h in zip(contacts, hits)),
        "tight_missed": sum(bool(h) and not f for f, h in zip(found, hits)),
        "tight_false": sum(f and not h for f, h in zip(found, hits)),
    }
    row["times"], row["own_times"] = best, best_alone
    row["tandem_wrong"] += sum(
        bool(h) and not (u - 1e-6 <= c.time <= l) for c, h, l, u in zip(contacts, hits, records["lower"], records["upper"])
    )
    return row


def finish(row):
    row["ratio_of_means"] = row["tight_mean_us"] / row["tandem_mean_us"]
    row["ratio_of_medians"] = row["tight_median_us"] / row["tandem_median_us"]
    return row


def total(rows):
    everything = {"file": "all"}
    for key in ("queries", "hits", "tandem_wrong", "tight_missed", "tight_false"):
        everything[key] = sum(row[key] for row in rows)
    for key in ("tandem_mean_us", "tight_mean_us", "binding_us"):
        everything[key] = sum(row[key] * row["queries"] for row in rows) / everything["queries"]
    everything["tandem_median_us"] = statistics.median(t for row in rows for t in row["own_times"]) * 1e6
    everything["tight_median_us"] = statistics.median(t for row in rows for t in row["times"]) * 1e6
    return finish(everything)


def show(row):
    print(
        f"{row['file']:34} {row['queries']:7} {row['hits']:6} {row['tandem_median_us']:9.3f} {row['tight_median_us']:11.2f} "
        f"{row['ratio_of_medians']:8.1f} {row['tandem_mean_us']:9.3f} {row['tight_mean_us']:11.2f} {row['ratio_of_means']:8.1f} "
        f"{row['tandem_wrong']:6} {row['tight_missed']:7} {row['tight_false']:6}",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=pathlib.Path, help="libtandem.so")
    parser.add_argument("folder", type=pathlib.Path, help="of .ccdq files")
    parser.add_argument("--csv", type=pathlib.Path, help="where the table goes, too")
    parser.add_argument("--queries", type=int, default=60, help="per file at most, evenly spread (60)")
    parser.add_argument("--rounds", type=int, default=2, help="the best of so many is taken (2)")
    options = parser.parse_args()
    files = sorted(options.folder.glob("*.ccdq"))
    if not files:
        sys.exit(f"{options.folder}: expected .ccdq files, found none")
    ipctk.set_logger_level(ipctk.LoggerLevel.off)
    tandem, peer = Tandem(options.library), ipctk.TightInclusionCCD()
    print("microseconds per query, less the cost of the bindings; tandem by batches, Tight-Inclusion (t-i) by ipctk")
    print(
        f"{'':34} {'':7} {'':6} {'medians':^30} {'means':^30}\n"
        f"{'file':34} {'queries':>7} {'hits':>6} {'tandem':>9} {'t-i':>11} {'times':>8} {'tandem':>9} {'t-i':>11} {'times':>8} "
        f"{'wrong':>6} {'t-i miss':>7} {'false':>6}"
    )
    rows = []
    for path in files:
        rows.append(finish(measure(path, tandem, peer, options)))
        show(rows[-1])
    rows.append(total(rows))
    show(rows[-1])
    if options.csv:
        with open(options.csv, "w", newline="", encoding="utf-8") as stream:
            columns = [key for key in rows[0] if key not in ("times", "own_times")]
            writer = csv.DictWriter(stream, columns, extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            for row in rows:
                writer.writerow({k: f"{v:.4g}" if isinstance(v, float) else v for k, v in row.items()})
    sys.exit(1 if rows[-1]["tandem_wrong"] else 0)


if __name__ == "__main__":
    main()
