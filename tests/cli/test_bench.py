"""`tandem bench traverse`: all rows agree, and the forms of its table."""

import csv
import io
import json
import os

from support import CliTest, main

SMALL = ("bench", "traverse", "--subdivide", "0", "--pairs", "6", "--repeats", "2", "-q")
WITHOUT_OPENCL = dict(os.environ, TANDEM_OPENCL_LIBRARY="/nonexistent/libOpenCL.so")
NATIVE = ("--devices", "native")
COLUMNS = """cpu scene a b triangles_a triangles_b object_pairs seed repeats strategy one_item_per_pair volume descent
device device_name threads pairs box_tests triangle_tests exact_tests state_bits state_bits_bound boxes_ms collect_ms
triangles_ms exact_ms copy_in_ms copy_out_ms stages_ms total_ms cpu_ms ratio cpu_ratio""".split()


class Traverse(CliTest):
    def rows(self, *options, **settings):
        return list(csv.DictReader(io.StringIO(self.ok(*SMALL, "--csv", *options, **settings))))

    def has_opencl(self):
        return self.run_tandem("collide", "shape:box", "shape:box", "--device", "opencl", "--count").returncode == 0

    def check(self, rows):
        """What holds in every table."""
        self.assertEqual(list(rows[0]), COLUMNS)
        self.assertEqual(len({row["pairs"] for row in rows}), 1)
        self.assertGreater(int(rows[0]["pairs"]), 0)
        for row in rows:
            self.assertGreater(float(row["total_ms"]), 0)
            self.assertGreater(float(row["ratio"]), 0)
            self.assertGreaterEqual(int(row["triangle_tests"]), int(row["pairs"]))
            if row["state_bits_bound"]:
                self.assertLessEqual(int(row["state_bits"]), int(row["state_bits_bound"]))
            is_reference = (row["strategy"], row["volume"], row["device"]) == ("stack", "aabb", "native scalar")
            if is_reference:
                self.assertEqual((row["ratio"], row["cpu_ratio"]), ("1", "1"))
        return {(row["strategy"], row["volume"], row["device"], row["one_item_per_pair"]) for row in rows}

    def test_native_rows(self):
        kinds = self.check(self.rows(env=WITHOUT_OPENCL))
        isa = json.loads(self.ok("info", "--json"))["isa"]
        for place in {"native scalar", "native " + isa}:
            for strategy in ("brute", "stack", "binary", "blocked", "wide"):
                self.assertIn((strategy, "aabb", place, "false"), kinds)
            for strategy in ("stack", "binary"):
                self.assertIn((strategy, "obb", place, "false"), kinds)
        self.assertFalse([kind for kind in kinds if kind[2].startswith("opencl")])

    def test_device_rows(self):
        if not self.has_opencl():
            self.skipTest("no OpenCL device")
        kinds = self.check(self.rows())
        for strategy, volume, one_item in (("blocked", "aabb", "false"), ("stack", "aabb", "false"),
                                           ("stack", "obb", "true"), ("binary", "aabb", "true"),
                                           ("binary", "obb", "false"), ("binary", "obb", "true")):
            self.assertIn((strategy, volume, "opencl:0", one_item), kinds)
        self.assertNotIn(("wide", "aabb", "opencl:0", "false"), kinds)
        chosen = self.check(self.rows("--devices", "opencl,native,opencl:0", "--strategies", "stack,blocked", "--isa", "scalar"))
        self.assertEqual({kind[2] for kind in chosen}, {"native scalar", "opencl:0"})
        self.assertEqual({kind[0] for kind in chosen}, {"stack", "blocked"})

    def test_notes(self):
        command = [word for word in SMALL if word != "-q"]
        result = self.run_tandem(*command, "--repeats", "1", "--strategies", "wide", env=WITHOUT_OPENCL)
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stderr, r"\Atandem: note: native rows only: [^\n]*OpenCL[^\n]*\n\Z")
        result = self.run_tandem(*command, "--pairs", "200", "--repeats", "1", "--volumes", "aabb", *NATIVE, "--csv")
        self.assertRegex(result.stderr, r"\Atandem: note: brute is left out[^\n]*\n\Z")
        self.assertNotIn("brute", result.stdout)

    def test_choices(self):
        kinds = self.check(self.rows("--strategy", "binary,stack", "--volume", "aabb", "--device", "native", "--isa",
                                     "scalar", "--descent", "alternate"))
        self.assertEqual(kinds, {(name, "aabb", "native scalar", "false") for name in ("stack", "binary")})
        rows = self.rows("--strategies", "wide", *NATIVE, "--isa", "scalar,scalar")
        self.assertEqual([(row["strategy"], row["ratio"]) for row in rows], [("wide", "")])

    def test_same_seed_same_scene(self):
        options = ("--strategies", "wide", *NATIVE, "--isa", "scalar", "--repeats", "1")
        counts = [self.rows(*options, "--seed", seed)[0]["pairs"] for seed in ("1", "1", "7")]
        self.assertEqual(counts[0], counts[1])
        self.assertNotEqual(counts[0], counts[2])

    def test_pairs_are_those_of_collide(self):
        """The answers of the benchmark are those of `collide` for meshes given by name."""
        self.ok("gen", "torus", "-q", "-o", "a.obj")
        rows = self.rows("a.obj", "shape:cow", "--threads", "1", "--strategies", "stack,wide", *NATIVE)
        self.check(rows)
        self.assertEqual({(row["scene"], row["a"], row["b"], row["threads"]) for row in rows},
                         {("files", "a.obj", "shape:cow", "1")})
        self.assertEqual(rows[0]["triangles_b"], "1500")

    def test_json(self):
        answer = json.loads(self.ok(*SMALL, "--json", *NATIVE))
        self.assertEqual(answer["scene"]["object_pairs"], 6)
        self.assertEqual(answer["repeats"], 2)
        self.assertEqual(len({row["pairs"] for row in answer["rows"]}), 1)
        storage = answer["storage"]
        self.assertEqual(storage["binary_bits"], 64 + storage["height_a"] + storage["height_b"])
        self.assertLess(storage["binary_bits"], storage["stack_bits"])
        for row in answer["rows"]:
            if row["strategy"] == "binary":
                self.assertLessEqual(row["counters"]["state_bits"], storage["binary_bits"])
            self.assertLessEqual(abs(sum(row["ms"][key] for key in ("boxes", "collect", "triangles", "exact")) -
                                     row["ms"]["stages"]), 0.5 * row["ms"]["stages"] + 0.01)

    def test_table(self):
        table = self.ok(*SMALL, *NATIVE)
        self.assertIn("6 object pairs of shape:cow:0 (1,500 triangles)", table)
        self.assertRegex(table, r"(?m)^stack +aabb +native scalar .* 1\.000 +1\.000$")
        self.assertRegex(table, r"Eq\. 2, binary +\d+ bits +[\d.]+ bytes")
        self.assertRegex(table, r"Eq\. 1, stack, corrected +\d+ bits")

    def test_output_file(self):
        self.assertEqual(self.ok(*SMALL, *NATIVE, "--strategies", "stack", "--csv", "-o", "out.csv"), "")
        self.assertEqual(self.read("out.csv").splitlines()[0].split(","), COLUMNS)


class Refused(CliTest):
    def test_names(self):
        self.fails("bench", says=["name of a benchmark", "--help"])
        self.fails("bench", "--json", says="--json")
        self.fails("bench", "travrese", says=["'travrese'", "did you mean traverse?"])
        self.fails("help", "bench", "travrese", says="did you mean traverse?")
        self.fails(*SMALL, "--strategies", "stack,wdie", says=["'wdie'", "did you mean wide?"])
        self.fails(*SMALL, "--strategies", "stack,", says="''")
        self.fails(*SMALL, "--volumes", "ball", says=["'ball'", "aabb, obb"])
        self.fails(*SMALL, "--devices", "native,opnecl", says="did you mean opencl?")
        self.fails(*SMALL, "--isa", "scalar,mmx", says="'mmx'")
        self.fails(*SMALL, "--scene", "sheep", says=["'sheep'", "cows"])

    def test_operands(self):
        self.fails(*SMALL, "shape:box", says=["two meshes", "shape:box"])
        self.fails(*SMALL, "shape:box", "shape:box", "shape:box", says="unexpected")
        self.fails(*SMALL, "shape:box", "shape:box", "--scene", "cows", says="exclude")
        self.fails(*SMALL, "missing.obj", "shape:box", "--devices", "native", says="missing.obj")
        self.fails(*SMALL, "--pairs", "0", says="--pairs")
        self.fails(*SMALL, "--repeats", "0", says="--repeats")

    def test_nothing_left(self):
        self.fails(*SMALL, "--strategies", "wide", "--volumes", "obb", "--devices", "native", "--csv", "-o", "out.csv",
                   says="no row is left")

    def test_no_opencl(self):
        self.fails(*SMALL, "--devices", "native,opencl", env=WITHOUT_OPENCL, says="OpenCL")


if __name__ == "__main__":
    main()
