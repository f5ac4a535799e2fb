"""What `collide` and `self` answer, in each of their forms."""

import csv
import io
import json
import math
import os
import re

from support import CROSS, TETRAHEDRON, CliTest, main

TURNED = "0.4 0.1 -0.2 0.1 0.3 -0.2 %.17g" % math.sqrt(1 - 0.01 - 0.09 - 0.04)


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


class Forms(CliTest):
    def test_json_of_one_pose(self):
        answer = json.loads(self.ok("collide", "shape:cow", "shape:torus", "--pose", TURNED, "--json"))
        self.assertGreater(answer["pairs"], 0)
        self.assertEqual(len(answer["triangles"]), answer["pairs"])
        self.assertEqual(answer["triangles"], sorted(answer["triangles"]))
        self.assertIs(answer["colliding"], True)
        self.assertEqual(answer["inside"], "none")
        self.assertEqual(set(answer["counters"]),
                         {"box_tests", "triangle_tests", "exact_tests", "undecided_share", "bytes", "state_bits"})
        self.assertEqual(set(answer["ms"]), {"load", "build", "query"})
        self.assertTrue(all(time >= 0 for time in answer["ms"].values()))
        counters = answer["counters"]
        share = counters["exact_tests"] / counters["triangle_tests"]
        self.assertAlmostEqual(counters["undecided_share"], share)
        self.assertEqual(answer["a"]["name"], "shape:cow")
        self.assertEqual([answer[key] for key in ("strategy", "volume", "descent", "device")],
                         ["auto", "aabb", "auto", "native"])

    def test_json_tells_what_was_asked(self):
        """The meshes and the pose, so that the answer can be looked at: `view --result`."""
        answer = json.loads(self.ok("collide", "shape:cow", "shape:torus", "--pose", TURNED, "--json", "--count"))
        self.assertEqual(answer["pose"], [float(number) for number in TURNED.split()])
        self.assertEqual([answer[key]["name"] for key in "ab"], ["shape:cow", "shape:torus"])
        told, = json.loads(self.ok("info", "shape:torus", "--json"))["meshes"]
        self.assertEqual(answer["b"]["triangles"], told["triangles"])
        matrix = "0 -1 0 0.3  1 0 0 0.2  0 0 1 0"
        answer = json.loads(self.ok("collide", "shape:cow", "shape:torus", "--pose", matrix, "--json", "--count"))
        for number, wanted in zip(answer["pose"], [0.3, 0.2, 0, 0, 0, math.sqrt(0.5), math.sqrt(0.5)], strict=True):
            self.assertAlmostEqual(number, wanted, delta=1e-15)
        answer = json.loads(self.ok("collide", "shape:cow", "shape:torus", "--json", "--count"))
        self.assertEqual(answer["pose"], [0, 0, 0, 0, 0, 0, 1])
        answer = json.loads(self.ok("self", "shape:cow", "--json"))
        self.assertNotIn("pose", answer)
        self.assertNotIn("b", answer)

    def test_csv_equals_json(self):
        for command in (("collide", "shape:cow", "shape:torus", "--pose", TURNED), ("self", self.write("c.obj", CROSS))):
            answer = json.loads(self.ok(*command, "--json"))
            pairs = [[int(row["a"]), int(row["b"])] for row in rows(self.ok(*command, "--csv"))]
            self.assertEqual(pairs, answer["triangles"])

    def test_count(self):
        command = ("collide", "shape:cow", "shape:torus", "--pose", TURNED)
        listed = json.loads(self.ok(*command, "--json"))
        counted = json.loads(self.ok(*command, "--json", "--count"))
        self.assertEqual(counted["pairs"], listed["pairs"])
        self.assertNotIn("triangles", counted)
        row = rows(self.ok(*command, "--csv", "--count"))
        self.assertEqual(len(row), 1)
        self.assertEqual(list(row[0]), ["pose", "pairs", "colliding", "inside", "ms"])
        self.assertEqual((row[0]["pairs"], row[0]["colliding"], row[0]["inside"]), (str(listed["pairs"]), "true", "none"))

    def test_first(self):
        command = ("collide", "shape:cow", "shape:torus", "--pose", TURNED, "--json")
        every = json.loads(self.ok(*command))["triangles"]
        first = json.loads(self.ok(*command, "--first"))
        self.assertEqual(first["pairs"], 1)
        self.assertIn(first["triangles"][0], every)
        apart = json.loads(self.ok("collide", "shape:box", "shape:box", "--pose", "9 0 0 0 0 0 1", "--json", "--first"))
        self.assertEqual((apart["pairs"], apart["colliding"], apart["triangles"]), (0, False, []))

    def test_table_of_one_pose(self):
        command = ("collide", "shape:cow", "shape:torus", "--pose", TURNED)
        pairs = json.loads(self.ok(*command, "--json"))["triangles"]
        table = self.ok(*command)
        shown = re.findall(r"^ +(\d+) +(\d+)$", table, re.M)
        self.assertEqual([[int(a), int(b)] for a, b in shown], pairs[:20])
        self.assertIn("... and %s more (--csv or --json gives all)" % format(len(pairs) - 20, ","), table)
        self.assertRegex(table, r"exact tests +[\d,]+: [\d.e-]+% of the triangle tests")
        self.assertNotRegex(self.ok(*command, "--count"), r"(?m)^ +\d+ +\d+$")

    def test_golden_table(self):
        self.write("cross.obj", CROSS)
        table = self.ok("self", "cross.obj", "--threads", "1", "--isa", "scalar", "--strategy", "brute")
        table = re.sub(r"[\d.e+-]+ ms", "T ms", table)
        table = re.sub(r"(scratch memory +).*", r"\1M", table)
        self.assertEqual(table, "\n".join((
            "cross.obj (2 triangles) against itself",
            "  pairs           1",
            "  colliding       yes",
            "  box tests       0",
            "  triangle tests  1",
            "  exact tests     1: 100% of the triangle tests, left to the exact predicate",
            "  scratch memory  M",
            "  time            load T ms, build T ms, query T ms",
            "  ran on          scalar, 1 thread, strategy brute",
            "",
            "  triangle  triangle",
            "         0         1",
            "")))

    def test_output_file(self):
        command = ("collide", "shape:cow", "shape:torus", "--pose", TURNED, "--csv")
        self.assertEqual(self.ok(*command, "-o", "out.csv"), "")
        self.assertEqual(self.read("out.csv"), self.ok(*command))
        self.assertEqual(os.listdir(self.folder), ["out.csv"])
        self.ok(*command, "--count", "--output=out.csv")
        self.assertEqual(len(rows(self.read("out.csv"))), 1)

    def test_output_through_a_link(self):
        self.write("real.json", "earlier")
        os.chmod(self.path("real.json"), 0o640)
        os.symlink("real.json", self.path("link.json"))
        self.ok("info", "--json", "-o", "link.json")
        self.assertTrue(os.path.islink(self.path("link.json")))
        self.assertIn("version", json.loads(self.read("real.json")))

    def test_exit_code(self):
        box = ("collide", "shape:box", "shape:box", "--count")
        self.ok(*box)
        self.ok(*box, "--exit-code", status=1)
        self.ok(*box, "--exit-code", "--pose", "9 0 0 0 0 0 1")
        self.ok("self", "shape:cow", "--exit-code")
        self.ok("self", self.write("c.obj", CROSS), "--exit-code", status=1)
        self.fails("self", "missing.obj", "--exit-code", says="missing.obj")

    def test_warnings(self):
        """What a loader passes over is told, but for --quiet, and does not get into the answer."""
        wanted = self.ok("self", self.write("c.obj", CROSS), "--csv")
        self.write("odd.obj", CROSS + "frobnicate 1 2 3\n")
        result = self.run_tandem("self", "odd.obj", "--csv")
        self.assertEqual((result.returncode, result.stdout), (0, wanted))
        self.assertRegex(result.stderr, r"\Atandem: warning: odd.obj:9: [^\n]+\n\Z")
        self.assertEqual(self.ok("self", "odd.obj", "--csv", "-q"), wanted)

    def test_repeat(self):
        once = json.loads(self.ok("collide", "shape:cow", "shape:torus", "--json"))
        often = json.loads(self.ok("collide", "shape:cow", "shape:torus", "--json", "--repeat", "4"))
        self.assertEqual(often["triangles"], once["triangles"])
        self.assertEqual((once["repeat"], often["repeat"]), (1, 4))


class Batches(CliTest):
    def setUp(self):
        super().setUp()
        self.poses = ["%.17g 0.1 0 0 0 0 1" % (0.06 * i) for i in range(30)]
        self.write("poses.txt", "\n".join(self.poses) + "\n")
        self.command = ("collide", "shape:cow", "shape:knot", "--poses", "poses.txt")

    def test_equals_single_poses(self):
        batch = json.loads(self.ok(*self.command, "--json"))
        self.assertEqual(len(batch["poses"]), len(self.poses))
        for pose, answer in list(zip(self.poses, batch["poses"]))[::6]:
            alone = json.loads(self.ok("collide", "shape:cow", "shape:knot", "--pose", pose, "--json"))
            for key in ("pairs", "colliding", "inside", "triangles"):
                self.assertEqual(answer[key], alone[key], pose)
            self.assertEqual(answer["pose"], alone["pose"])
        self.assertEqual([answer["pose"][0] for answer in batch["poses"]], [float(pose.split()[0]) for pose in self.poses])
        self.assertNotIn("pose", batch)

    def test_totals(self):
        batch = json.loads(self.ok(*self.command, "--json", "--count"))
        self.assertEqual(batch["pairs"], sum(pose["pairs"] for pose in batch["poses"]))
        self.assertEqual(batch["colliding_poses"], sum(pose["colliding"] for pose in batch["poses"]))
        self.assertEqual(batch["colliding"], batch["colliding_poses"] > 0)
        for key in ("box_tests", "triangle_tests", "exact_tests"):
            self.assertEqual(batch["counters"][key], sum(pose["counters"][key] for pose in batch["poses"]))
        self.assertEqual(batch["counters"]["state_bits"], max(pose["counters"]["state_bits"] for pose in batch["poses"]))
        self.assertEqual(set(batch["ms"]), {"load", "build", "query"})

    def test_csv(self):
        batch = json.loads(self.ok(*self.command, "--json"))
        pairs = [[], *([] for _ in self.poses[1:])]
        for row in rows(self.ok(*self.command, "--csv")):
            pairs[int(row["pose"])].append([int(row["a"]), int(row["b"])])
        self.assertEqual(pairs, [pose["triangles"] for pose in batch["poses"]])
        counts = rows(self.ok(*self.command, "--csv", "--count"))
        self.assertEqual([int(row["pairs"]) for row in counts], [pose["pairs"] for pose in batch["poses"]])
        self.assertEqual([int(row["pose"]) for row in counts], list(range(len(self.poses))))

    def test_table(self):
        table = self.ok(*self.command)
        self.assertEqual(len(re.findall(r"^ +\d+ +[\d,]+ +(?:yes|no) +[\d.]+", table, re.M)), 20)
        self.assertIn("... and 10 more", table)
        self.assertRegex(table, r"poses +30\n")

    def test_one_line_is_a_batch(self):
        self.write("one.txt", "0.3 0 0, 0 0 0 1 # a remark\n\n")
        answer = json.loads(self.ok("collide", "shape:box", "shape:box", "--poses", "one.txt", "--json"))
        self.assertEqual(len(answer["poses"]), 1)

    def test_matrix_equals_quaternion(self):
        quarter = "0.3 0.2 0 0 0 %.17g %.17g" % (math.sqrt(0.5), math.sqrt(0.5))
        matrix = "0 -1 0 0.3  1 0 0 0.2  0 0 1 0"
        answers = [self.ok("collide", "shape:cow", "shape:torus", "--csv", "--pose", pose) for pose in (quarter, matrix)]
        self.assertEqual(*answers)
        self.assertGreater(len(answers[0].splitlines()), 1)

    def test_exit_code(self):
        self.ok(*self.command, "--count", "--exit-code", status=1)
        self.write("far.txt", "9 0 0 0 0 0 1\n8 0 0 0 0 0 1\n")
        self.ok("collide", "shape:cow", "shape:knot", "--poses", "far.txt", "--exit-code")


class Truth(CliTest):
    def test_same_for_every_choice(self):
        info = json.loads(self.ok("info", "--json"))
        self.write("poses.txt", "%s\n0.2 0 0 0 0 0 1\n" % TURNED)
        self.ok("gen", "cow", "-q", "-o", "cow.ply")
        command = ("collide", "cow.ply", "shape:torus", "--poses", "poses.txt", "--csv")
        wanted = self.ok(*command)
        self.assertGreater(len(wanted.splitlines()), 10)
        for strategy in ["auto"] + [entry["name"] for entry in info["strategies"]]:
            for isa in ["auto"] + info["isas"]:
                for threads in ("1", "3"):
                    options = ("--strategy", strategy, "--isa", isa, "--threads", threads)
                    self.assertEqual(self.ok(*command, *options), wanted, options)

    def test_crossing_triangles(self):
        self.write("a.obj", "v -1 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        self.write("b.obj", "v 0 0.5 -1\nv 0 0.5 1\nv 0 2 0\nf 1 2 3\n")
        self.assertEqual(self.ok("collide", "a.obj", "b.obj", "--csv"), "pose,a,b\n0,0,0\n")
        # Touching in a single point counts; a hair beyond does not.
        self.assertEqual(self.ok("collide", "a.obj", "b.obj", "--csv", "--pose", "0 0.5 0 0 0 0 1"), "pose,a,b\n0,0,0\n")
        self.assertEqual(self.ok("collide", "a.obj", "b.obj", "--csv", "--pose", "0 0.5000000000000002 0 0 0 0 1"), "pose,a,b\n")

    def test_self(self):
        self.write("cross.obj", CROSS)
        self.assertEqual(self.ok("self", "cross.obj", "--csv"), "pose,a,b\n0,0,1\n")
        self.assertEqual(self.ok("self", "shape:cow:1", "--csv"), "pose,a,b\n")

    def test_degenerate(self):
        self.write("m.obj", "v -1 0 0\nv 1 0 0\nv 0 1 0\nv 0 0.5 -1\nv 0 0.5 1\nv 0 0.5 0.25\nf 1 2 3\nf 4 5 6\n")
        self.assertEqual(self.ok("self", "m.obj", "--csv"), "pose,a,b\n")
        self.assertEqual(self.ok("self", "m.obj", "--csv", "--degenerate"), "pose,a,b\n0,0,1\n")

    def test_inside(self):
        apart = ("--pose", "0.05 0 0 0 0 0 1", "--json")
        answer = json.loads(self.ok("collide", "shape:sphere", "shape:box", *apart))
        self.assertEqual((answer["inside"], answer["pairs"]), ("b_in_a", 0))
        answer = json.loads(self.ok("collide", "shape:box", "shape:sphere", *apart))
        self.assertEqual((answer["inside"], answer["pairs"]), ("a_in_b", 0))
        self.assertIn("A lies inside B", self.ok("collide", "shape:box", "shape:sphere"))


class Names(CliTest):
    def test_strange_file_names(self):
        for name in ('quo"te.obj', "back\\slash.obj", "new\nline.obj", "tab\t.obj", "käse.obj", "com,ma.obj"):
            self.write(name, TETRAHEDRON)
            answer = json.loads(self.ok("self", name, "--json"))
            self.assertEqual(answer["a"]["name"], name)
            row = rows(self.ok("info", name, "--csv"))[0]
            self.assertEqual(row["name"], name)
            self.assertEqual(len(self.ok("info", name).splitlines()), 11, name)

    def test_not_utf8(self):
        name = os.fsdecode(b"x\xff\xc0\xafy.obj")
        self.write(name, TETRAHEDRON)
        answer = json.loads(self.ok("self", name, "--json"))
        self.assertEqual(answer["a"]["name"], "x\ufffd\ufffd\ufffdy.obj")

    def test_name_like_an_option(self):
        self.write("-mesh.obj", TETRAHEDRON)
        self.assertIn("4", self.ok("info", "--", "-mesh.obj"))


if __name__ == "__main__":
    main()
