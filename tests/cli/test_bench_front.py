"""`tandem bench front`: ways, forms, the known counts of a sequence, and frames that are refused; and the strategies
`front` and `balanced` in queries. Short runs."""

import csv
import io
import json
import os
import struct

from support import CROSS, TETRAHEDRON, CliTest, main, settings

WAYS = ["front", "cold", "stack", "wide"]


class Fronts(CliTest):
    def test_cloth(self):
        command = ("bench", "front", "--frames", "6", "--rounds", "1", "-q")
        answers = [json.loads(self.ok(*command, "--threads", n, "--json")) for n in ("1", "3")]
        counts = ("box_tests", "triangle_tests", "exact_tests")
        for answer in answers:
            self.assertEqual((answer["sequence"], answer["triangles"], answer["frames"]), ("cloth", 18432, 6))
            self.assertEqual(list(answer["per_frame"]), WAYS)
            front, cold = answer["per_frame"]["front"], answer["per_frame"]["cold"]
            self.assertLess(front["box_tests"], cold["box_tests"])
            self.assertAlmostEqual(cold["box_ratio"], cold["box_tests"] / front["box_tests"])
            self.assertEqual(front["triangle_tests"], cold["triangle_tests"])
            self.assertGreater(answer["front_bytes"], 0)
        for way in ("front", "cold"):  # the same whatever the threads
            self.assertEqual(*([answer["per_frame"][way][name] for name in counts] for answer in answers))
        self.assertEqual(answers[0]["pairs"], answers[1]["pairs"])
        rows = list(csv.DictReader(io.StringIO(self.ok(*command, "--csv"))))
        self.assertEqual([(row["frame"], row["way"]) for row in rows],
                         [(str(frame), way) for frame in range(6) for way in WAYS])
        self.assertEqual(sum(int(row["pairs"]) for row in rows if row["way"] == "wide"), answers[0]["pairs"])
        self.assertTrue(all((row["way"] == "front") == (int(row["entries"]) > 0) for row in rows))
        self.assertIn("boxes / front", self.ok(*command))

    def test_files(self):
        self.write("a.obj", CROSS)
        self.write("b.obj", CROSS.replace("v 0 0.5 -1", "v 0 0.25 -1"))
        rows = list(csv.DictReader(io.StringIO(self.ok("bench", "front", "a.obj", "b.obj", "a.obj", "--csv", "-q"))))
        self.assertEqual([row["pairs"] for row in rows], ["1"] * 12)

    def test_positions(self):
        self.write("a.obj", CROSS)
        corners = [float(x) for line in CROSS.splitlines() if line[0] == "v" for x in line.split()[1:]]
        away = [x + 9 * (i >= 9) for i, x in enumerate(corners)]  # the second triangle goes
        self.write("p.f32", struct.pack("<36f", *corners, *away))
        command = ("bench", "front", "a.obj", "--positions")
        rows = list(csv.DictReader(io.StringIO(self.ok(*command, "p.f32", "--csv", "-q"))))
        self.assertEqual([row["pairs"] for row in rows], ["1"] * 4 + ["0"] * 4)
        self.write("nan.f32", struct.pack("<36f", *corners, *away[:16], float("nan"), away[17]))
        self.fails(*command, "nan.f32", says=["nan.f32", "coordinate y of vertex 5 in frame 1", "nan"])
        self.write("short.f32", struct.pack("<35f", *corners, *away[:17]))
        self.fails(*command, "short.f32", says=["short.f32", "140 bytes", "72"])
        self.fails(*command, "missing.f32", says="missing.f32")
        self.fails("bench", "front", "--positions", "p.f32", says="--positions")
        self.fails("bench", "front", "a.obj", "a.obj", "--positions", "p.f32", says="--positions")

    def test_refused_frames(self):
        self.write("a.obj", CROSS)
        self.write("other.obj", TETRAHEDRON)
        self.write("more.obj", CROSS + "f 1 2 4\n")
        self.write("turned.obj", CROSS.replace("f 4 5 6", "f 5 6 4"))
        self.write("nan.obj", CROSS.replace("v 0 2 0", "v 0 inf 0"))
        self.fails("bench", "front", "a.obj", "other.obj", says=["other.obj has 4 vertices", "a.obj has 6"])
        self.fails("bench", "front", "a.obj", "a.obj", "more.obj", says=["more.obj has 3 triangles", "a.obj has 2"])
        self.fails("bench", "front", "a.obj", "turned.obj", says=["triangle 1", "turned.obj", "(4, 5, 3)"])
        self.fails("bench", "front", "a.obj", "nan.obj", says="nan.obj")
        self.fails("bench", "front", "missing.obj", says="missing.obj")
        for option in ("--strategy", "--volume", "--descent", "--device"):
            self.fails("bench", "front", option, "auto", says=["'bench front'", option])
        self.fails("bench", "front", "--rounds", "0", says="--rounds")

    def test_horse(self):
        folder = os.path.join(settings.data, "sequences", "horse-gallop")
        if not os.path.isdir(folder):
            self.skipTest("%s is not there" % folder)
        with open(os.path.join(folder, "selfint_per_frame.csv")) as file:
            counts = [int(row["self_intersecting_pairs"]) for row in csv.DictReader(file)]
        rows = list(csv.DictReader(io.StringIO(self.ok(
            "bench", "front", os.path.join(folder, "frame0.obj"), "--positions",
            os.path.join(folder, "positions.f32"), "--rounds", "1", "--csv", "-q"))))
        self.assertEqual([int(row["pairs"]) for row in rows if row["way"] == "front"], counts)
        tests = {way: sum(int(row["box_tests"]) for row in rows if row["way"] == way) for way in WAYS}
        self.assertGreater(tests["cold"], 1.5 * tests["front"])
        self.assertGreater(tests["wide"], 1.5 * tests["front"])

    def test_queries(self):
        self.write("poses.txt", "".join("%g 0 0 0 0 0 1\n" % (0.02 * i) for i in range(20)))
        command = ("collide", "shape:cow", "shape:knot", "--poses", "poses.txt", "--json", "-q")
        expected = [pose["triangles"] for pose in json.loads(self.ok(*command))["poses"]]
        for extra in (["front"], ["front", "--volume", "obb"], ["balanced"],
                      ["balanced", "--sharing", "queues", "--idle", "0"], ["balanced", "--sharing", "stealing"]):
            answer = json.loads(self.ok(*command, "--strategy", *extra))
            self.assertEqual([pose["triangles"] for pose in answer["poses"]], expected)
        one = ("self", "shape:cow:2", "--count", "--json", "-q", "--strategy")
        found = [json.loads(self.ok(*one, *extra))["pairs"]
                 for extra in (["wide"], ["front", "--repeat", "3"], ["front", "--volume", "obb"],
                               ["balanced", "--sharing", "queues"])]
        self.assertEqual(len(set(found)), 1)
        self.fails("self", "shape:cow", "--sharing", "theft", says=["--sharing", "'theft'", "queues"])
        self.fails("self", "shape:cow", "--idle", "101", says="--idle")


if __name__ == "__main__":
    main()
