"""`tandem bench build` and `tandem bench refit`: rows, forms, and what is refused. Short runs."""

import csv
import io
import json

from support import CliTest, main

BUILD = ("bench", "build", "shape:cow:0", "--repeats", "2", "-q")
REFIT = ("bench", "refit", "shape:cow:0", "--frames", "3", "-q")


class Hierarchies(CliTest):
    def test_build(self):
        answer = json.loads(self.ok(*BUILD, "--threads", "2", "--json"))
        self.assertEqual((answer["mesh"], answer["triangles"], answer["repeats"]), ("shape:cow:0", 1500, 2))
        self.assertEqual([(row["builder"], row["threads"]) for row in answer["rows"]],
                         [("sah", 1), ("linear", 1), ("sah", 2), ("linear", 2)])
        for row in answer["rows"]:
            self.assertGreater(row["build_ms"], 0)
            self.assertAlmostEqual(row["triangles_per_s"] * row["build_ms"] / 1e3, 1500, places=6)
        costs = [row["sah_cost"] for row in answer["rows"]]
        self.assertEqual(costs[:2], costs[2:])  # the same whatever the threads
        self.assertLess(costs[0], costs[1])
        rows = list(csv.DictReader(io.StringIO(self.ok(*BUILD, "--threads", "2", "--csv"))))
        self.assertEqual([row["builder"] for row in rows], ["sah", "linear"] * 2)
        self.assertEqual([float(row["sah_cost"]) for row in rows], [float("%.10g" % cost) for cost in costs])
        self.assertIn("M triangles/s", self.ok(*BUILD))
        self.assertEqual(len(json.loads(self.ok(*BUILD, "--threads", "1", "--json"))["rows"]), 2)

    def test_refit(self):
        answer = json.loads(self.ok(*REFIT, "--threads", "2", "--json"))
        self.assertEqual([run["threads"] for run in answer["runs"]], [1, 2])
        for run in answer["runs"]:
            self.assertEqual(set(run["median_ms"]), {"read", "refit", "post_aabb", "post_obb", "rebuild"})
            self.assertEqual([round(frame["amount"], 6) for frame in run["frames"]], [0.333333, 0.666667, 1])
            for frame in run["frames"]:
                self.assertGreater(frame["cost"], frame["rebuilt_cost"])
                self.assertGreater(min(frame["ms"].values()), 0)
        costs = [[frame["cost"] for frame in run["frames"]] for run in answer["runs"]]
        self.assertEqual(costs[0], costs[1])
        self.assertEqual(costs[0], sorted(costs[0]))  # the more it is twisted
        rows = list(csv.DictReader(io.StringIO(self.ok(*REFIT, "--threads", "2", "--csv"))))
        self.assertEqual([(row["threads"], row["frame"]) for row in rows],
                         [(threads, frame) for threads in "12" for frame in "012"])
        table = self.ok(*REFIT)
        self.assertIn("refit post-order, aabb and obb", table)
        self.assertIn("cost rebuilt", table)

    def test_devices(self):
        info = json.loads(self.ok("info", "--json"))
        if not info["opencl"]:
            self.skipTest(info["opencl_missing"])
        answer = json.loads(self.ok(*BUILD, "--threads", "1", "--device", "opencl", "--json"))
        rows = [(row["builder"], row["device"].split(":")[0], row.get("scheme")) for row in answer["rows"]]
        self.assertEqual(rows, [("sah", "native", None), ("linear", "native", None), ("sah", "opencl", "balanced"),
                                ("sah", "opencl", "levels"), ("linear", "opencl", "")])
        costs = {}
        for row in answer["rows"]:  # the same tree wherever it is built
            self.assertEqual(costs.setdefault(row["builder"], row["sah_cost"]), row["sah_cost"])
            self.assertEqual("rounds" in row, row["device"] != "native")
        rows = list(csv.DictReader(io.StringIO(self.ok(*BUILD, "--threads", "1", "--device", "opencl", "--csv"))))
        self.assertEqual([row["scheme"] for row in rows], ["", "", "balanced", "levels", ""])
        answer = json.loads(self.ok(*REFIT, "--threads", "1", "--device", "opencl", "--json"))
        self.assertEqual([run["device"].split(":")[0] for run in answer["runs"]], ["native", "opencl"])
        for frame in answer["runs"][1]["frames"]:
            self.assertGreater(min(frame["ms"].values()), 0)
        self.assertEqual(*[[frame["cost"] for frame in run["frames"]] for run in answer["runs"]])

    def test_refused(self):
        for bench in ("build", "refit"):
            self.fails("bench", bench, "missing.obj", says="missing.obj")
            self.fails("bench", bench, "shape:cowl", says="cow")
            self.fails("bench", bench, "a.obj", "b.obj", says="b.obj")
            for option in ("--strategy", "--volume", "--descent"):
                self.fails("bench", bench, option, "auto", says=["'bench %s'" % bench, option])
            self.fails("bench", bench, "--device", "abacus", says="abacus")
        self.fails("bench", "build", "--repeats", "0", says="--repeats")
        self.fails("bench", "refit", "--frames", "x", says=["--frames", "'x'"])


if __name__ == "__main__":
    main()
