"""`tandem bench ccd`: rows, forms, and what is refused; `ccd` and `bench ray` on a device. Short runs."""

import csv
import io
import json
import math
import struct

from support import CliTest, main

BENCH = ("bench", "ccd", "--random", "500", "--repeats", "2", "-q")
APART = [0.0, 0.0, 5.0] + [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]
FALLEN = [0.25, 0.25, -1.0] + APART[3:]
ABOVE = [0.25, 0.25, 1.0] + APART[3:]


def queries(*records, count=None, kind=1, magic=b"CCDQ1\0\0\0"):
    header = magic + struct.pack("<2I", kind, len(records) if count is None else count) + bytes(48)
    return header + b"".join(records)


def query(start, end, time):
    return struct.pack("<26d2I", *start, *end, time, time, time <= 1, 0)


HIT, MISS = query(ABOVE, FALLEN, 0.5), query(APART, APART, math.inf)


class Ccd(CliTest):
    def test_built_in(self):
        answer = json.loads(self.ok(*BENCH, "--threads", "2", "--device", "native", "--json"))
        self.assertEqual([(test["kind"], test["number"]) for test in answer["tests"]],
                         [("vertex-face", 500), ("edge-edge", 500)])
        for test in answer["tests"]:
            self.assertTrue(0 < test["touching"] < 500)
            self.assertGreater(test["ns_each"], 0)
        self.assertEqual([(row["query"], row["threads"]) for row in answer["rows"]],
                         [("discrete", 1), ("continuous", 1), ("discrete", 2), ("continuous", 2)])
        self.assertEqual(answer["rows"][1]["edge_edge"], answer["rows"][3]["edge_edge"])
        self.assertGreater(answer["rows"][1]["edge_edge"], 0)
        self.assertEqual(answer["rows"][0]["ratio"], 1)
        rows = list(csv.DictReader(io.StringIO(self.ok(*BENCH, "--threads", "1", "--device", "native", "--csv"))))
        self.assertEqual([row["query"] for row in rows], ["elementary"] * 2 + ["discrete", "continuous"])
        self.assertEqual(int(rows[0]["vertex_face"]), answer["tests"][0]["touching"])
        self.assertEqual(int(rows[1]["edge_edge"]), answer["tests"][1]["touching"])
        self.assertEqual(int(rows[3]["vertex_face"]), answer["rows"][1]["vertex_face"])
        other = json.loads(self.ok(*BENCH, "--threads", "1", "--device", "native", "--seed", "7", "--json"))
        self.assertNotEqual(other["tests"], answer["tests"])
        self.assertIn("vertex-face", self.ok(*BENCH, "--device", "native"))

    def test_files(self):
        self.write("some.ccdq", queries(HIT, MISS, HIT))
        self.write("none.ccdq", queries())
        answer = json.loads(self.ok(*BENCH, "some.ccdq", "none.ccdq", "--device", "native", "--json"))
        self.assertEqual([(test["name"], test["number"], test["touching"]) for test in answer["tests"]],
                         [("some.ccdq", 3, 2), ("none.ccdq", 0, 0)])

    def test_frames(self):
        self.ok("gen", "box", "-o", "0.obj")
        self.ok("gen", "box", "-o", "1.obj")
        answer = json.loads(self.ok(*BENCH, "0.obj", "1.obj", "--threads", "1", "--device", "native", "--json"))
        self.assertEqual([row["strategy"] for row in answer["rows"]], ["wide", "wide", "brute"])
        self.assertEqual(answer["mesh"], "0.obj")

    def test_refused(self):
        self.write("text.ccdq", "CCDQ")
        self.fails(*BENCH, "text.ccdq", says=("text.ccdq", "CCDQ1"))
        self.write("magic.ccdq", queries(HIT, magic=b"CCDQ2\0\0\0"))
        self.fails(*BENCH, "magic.ccdq", says=("magic.ccdq", "CCDQ1"))
        self.write("kind.ccdq", queries(HIT, kind=2))
        self.fails(*BENCH, "kind.ccdq", says=("kind.ccdq", "vertex-face"))
        self.write("short.ccdq", queries(HIT, count=4000000000))
        self.fails(*BENCH, "short.ccdq", says=("short.ccdq", "4000000000"))
        self.write("long.ccdq", queries(HIT) + b"x")
        self.fails(*BENCH, "long.ccdq", says=("long.ccdq", "behind query 1"))
        self.write("nan.ccdq", queries(HIT, query([math.nan] * 12, FALLEN, 0.5)))
        self.fails(*BENCH, "nan.ccdq", says=("nan.ccdq", "query 1", "nan"))
        self.write("wrong.ccdq", queries(HIT, query(APART, APART, 0.5)))
        self.fails(*BENCH, "wrong.ccdq", says=("wrong.ccdq", "query 1", "apart"))
        self.write("odd.ccdq", queries(HIT[:-8] + struct.pack("<2I", 0, 0)))
        self.fails(*BENCH, "odd.ccdq", says=("odd.ccdq", "hit is 0"))
        self.fails(*BENCH, "missing.ccdq", says="missing.ccdq")
        self.fails(*BENCH, "a.obj", says=("a.obj", "two"))
        self.fails(*BENCH, "a.obj", "b.obj", "c.obj", says=("third", "c.obj"))
        self.fails(*BENCH, "missing.obj", "b.obj", says="missing.obj")
        self.fails(*BENCH, "--repeats", "0", says="--repeats")
        for option in ("--strategy", "--volume", "--descent"):
            self.fails(*BENCH, option, "auto", says=["'bench ccd'", option])
        self.fails(*BENCH, "--device", "opencl:99999", says="99999")


class OnDevice(CliTest):
    def setUp(self):
        super().setUp()
        result = self.run_tandem("collide", "shape:box", "shape:box", "--device", "opencl", "--count")
        if result.returncode != 0:
            self.skipTest("no OpenCL device: " + result.stderr.strip())

    def test_ccd(self):
        self.ok("gen", "knot", "-o", "0.obj")
        self.write("1.obj", self.moved(self.path("0.obj")))
        frames = ("ccd", "0.obj", "1.obj", "-q")
        wanted = self.ok(*frames, "--csv")
        self.assertGreater(wanted.count("\n"), 10)
        self.assertEqual(self.ok(*frames, "--csv", "--device", "opencl"), wanted)
        self.assertEqual(self.ok(*frames, "--csv", "--device", "auto", "--strategy", "blocked"), wanted)
        self.assertEqual(json.loads(self.ok(*frames, "--json", "--device", "opencl"))["device"], "opencl:0")
        self.fails(*frames, "--device", "opencl", "--strategy", "brute", says="natively")

    @staticmethod
    def moved(path):
        """Every vertex a little to some side."""
        with open(path) as file:
            return "".join("v " + " ".join(repr(float(x) + 0.05 * math.sin(7 * i + k))
                                           for k, x in enumerate(line.split()[1:])) + "\n"
                           if line.startswith("v ") else line for i, line in enumerate(file))

    def test_bench(self):
        answer = json.loads(self.ok(*BENCH, "--threads", "1", "--device", "opencl", "--json"))
        self.assertEqual(answer["rows"][-1]["device"], "opencl:0")
        answer = json.loads(self.ok("bench", "ray", "shape:cow:0", "--size", "64", "--repeats", "1", "-q",
                                    "--device", "opencl", "--json"))
        self.assertEqual(answer["device"], "opencl:0")
        native = json.loads(self.ok("bench", "ray", "shape:cow:0", "--size", "64", "--repeats", "1", "-q", "--json"))
        self.assertEqual([row["hits"] for row in answer["rows"]], [row["hits"] for row in native["rows"]])


if __name__ == "__main__":
    main()
