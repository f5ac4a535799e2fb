"""`tandem bench paper` and `tandem bench scaling`: rows, forms, and what is refused. Short runs."""

import csv
import io
import json
import math
import os
import struct

from support import CliTest, main

WITHOUT_OPENCL = dict(os.environ, TANDEM_OPENCL_LIBRARY="/nonexistent/libOpenCL.so")
FALL = ("bench", "paper", "000", "--n", "2", "--steps", "50", "-q")
AREA = ("bench", "paper", "002", "--scenes", "stack", "--steps", "3", "--repeats", "1", "-q")
OPERATIONS = ("bench", "paper", "001", "--rounds", "1", "-q")
SCALING = ("bench", "scaling", "--settle", "20", "--steps", "3", "-q")
FALL_COLUMNS = """source place hardware threads cows triangles strategy volume iteration broad_pairs tested_pairs
colliding_pairs faces contacts simulation_s contact_s collision_s copy_s kernel_s summed_collision_s summed_copy_s
summed_kernel_s hash""".split()
AREA_COLUMNS = """cpu scene steps objects object_triangles triangles object_pairs colliding_pairs faces contact_area
published_contact_area strategy volume device device_name threads repeats total_ms speedup cpu_ms cpu_speedup candidates_ms copy_ms kernel_ms
kernel_speedup published_speedup_low published_speedup_high""".split()
OPERATION_COLUMNS = """source scene triangles frames rounds operation way volume place hardware threads ms cpu_ms refit_ms
traversal_ms tests_ms found box_tests triangle_tests""".split()
PUBLISHED = [{("build", "compaction", "aabb"): a, ("build", "balanced", "aabb"): b, ("build", "compaction", "obb"): c,
              ("build", "balanced", "obb"): d, **refit,
              **{(operation, way, volume): ms for way, times in (("standard", standard), ("front", front))
                 for (operation, volume), ms in zip((("discrete", "aabb"), ("discrete", "obb"), ("continuous", "aabb"),
                                                     ("continuous", "obb")), times)}}
             for (a, b, c, d), refit, standard, front in (
                 ((35, 31, 43, 39), {("refit", "levels", "obb"): 7.9, ("refit", "subtrees", "aabb"): 29},
                  (33, 49, 47, 43), (28, 36, 42, 38)),
                 ((62, 56, 74, 68), {("refit", "levels", "aabb"): 3.2, ("refit", "subtrees", "aabb"): 56},
                  (85, 75, 99, 81), (78, 70, 91, 74)))]
NATIVE_WAYS = [("build", "linear", "aabb"), ("build", "sah", "aabb"), ("discrete", "wide", "aabb"),
               ("discrete", "stack", "aabb"), ("discrete", "stack", "obb"), ("discrete", "balanced", "aabb"),
               ("discrete", "front", "aabb"), ("discrete", "front", "obb"), ("continuous", "wide", "aabb"),
               ("continuous", "stack", "aabb"), ("continuous", "stack", "obb"), ("continuous", "balanced", "aabb"),
               ("continuous", "front", "aabb"), ("continuous", "front", "obb"), ("refit", "blocks", "aabb"),
               ("refit", "post-order", "aabb"), ("refit", "post-order", "obb")]
SCALING_COLUMNS = """cpu threads scene cows awake object_triangles triangles settle_steps steps object_pairs tested_pairs
faces contacts step_ms cpu_ms broad_ms traversal_ms contacts_ms solver_ms peak_bytes exponent cpu_exponent""".split()


class BenchTest(CliTest):
    def rows(self, *command, **settings):
        return list(csv.DictReader(io.StringIO(self.ok(*command, "--csv", **settings))))

    def has_opencl(self):
        return self.run_tandem("collide", "shape:box", "shape:box", "--device", "opencl", "--count").returncode == 0


class Paper004(BenchTest):
    PLANE = ("bench", "paper", "004", "--most", "256", "--steps", "2", "--repeats", "1", "-q")

    def test_rows(self):
        rows = self.rows(*self.PLANE, env=WITHOUT_OPENCL)
        self.assertEqual(list(rows[0]), "table column objects ms_per_step source hardware".split())
        self.assertEqual({row["table"] for row in rows}, {"1", "2", "3", "4", "5", "beyond"})
        published = {(row["table"], row["column"]): row["ms_per_step"] for row in rows if row["source"] == "published"}
        self.assertEqual(published["4", "polygons, GPU"], "17.47")
        self.assertEqual(published["2", "four-six, GPU"], "1.532")
        self.assertEqual(published["3", "option 2, toCPU, GPU"], "16.6499")
        own = {(row["table"], row["column"]): float(row["ms_per_step"]) for row in rows if row["source"] == "measured"}
        self.assertNotIn("3", {table for table, _ in own})  # that is the viewer's to measure
        self.assertGreater(own["beyond", "first, all pairs, scalar"], own["beyond", "ordered, grid, scalar"])
        self.assertTrue(all(time >= 0 for time in own.values()))
        self.assertFalse(any("device" in column for _, column in own))

    def test_forms(self):
        told = json.loads(self.ok(*self.PLANE, "--json"))
        self.assertEqual(told["waits"], 0)
        self.assertLess(told["energy_error"], 1e-5)
        self.assertLess(told["momentum_error"], 1e-5)
        self.assertGreater(told["smallest_gap"], 0)
        self.assertEqual(told["device_steps"] > 0, self.has_opencl())
        table = self.ok(*self.PLANE, "--device", "native")
        for part in ("Table 1", "Table 2", "Table 3", "Table 4", "Table 5", "22,369,620", "growth", "times faster"):
            self.assertIn(part, table)

    def test_refused(self):
        self.fails("bench", "paper", "004", "--strategy", "wide", says="no triangle meshes")
        self.fails("bench", "paper", "004", "--most", "100", says="--most")


class Paper003(BenchTest):
    TRACE = ("bench", "paper", "003", "--scene", "stack", "--n", "3", "--steps", "30", "--sheets", "1", "-q")

    def test_rows(self):
        rows = self.rows(*self.TRACE, env=WITHOUT_OPENCL)
        ways = {(row["way"], row["iterative"]): row for row in rows}
        self.assertEqual({row["place"] for row in rows}, {"native"})
        self.assertEqual(set(ways), {("naive", "0"), ("pipeline", "0"), ("naive", "1"), ("pipeline", "1"),
                                     ("ignore, Eq. 1", "1"), ("ignore, Eq. 2", "1")})
        self.assertEqual(ways["pipeline", "0"]["iterative_rays"], "0")
        self.assertGreater(int(ways["pipeline", "1"]["iterative_rays"]), 0)
        self.assertLess(int(ways["pipeline", "1"]["bvh"]), int(ways["pipeline", "0"]["bvh"]))
        for way in ("naive", "pipeline"):  # nothing is missed unless that is asked for
            self.assertEqual((ways[way, "0"]["missed"], ways[way, "1"]["missed"]), ("0", "0"))

    def test_forms(self):
        told = json.loads(self.ok(*self.TRACE, "--json"))
        self.assertGreater(told["contacts"], 0)
        self.assertEqual(any(lane["place"] == "device" for lane in told["lanes"]), self.has_opencl())
        table = self.ok(*self.TRACE, "--device", "native")
        for part in ("Figs. 6 and 7", "Table 1", "Table 2", "AMD HD 7990", "times faster"):
            self.assertIn(part, table)

    def test_refused(self):
        self.fails("bench", "paper", "003", "--strategy", "wide", says="casts rays")
        self.fails("bench", "paper", "003", "--scene", "nowhere", says="nowhere")


class Paper000(BenchTest):
    def test_native_rows(self):
        rows = self.rows(*FALL, env=WITHOUT_OPENCL)
        self.assertEqual(list(rows[0]), FALL_COLUMNS)
        own = [row for row in rows if row["source"] == "tandem"]
        self.assertEqual([row["iteration"] for row in own], ["0", "25", "50"])
        for row in own:
            self.assertEqual((row["threads"], row["cows"], row["triangles"], row["strategy"], row["volume"]),
                             ("1", "8", "1500", "binary", "obb"))
            self.assertEqual((row["copy_s"], row["kernel_s"]), ("", ""))
            self.assertGreaterEqual(float(row["simulation_s"]), float(row["contact_s"]) + float(row["collision_s"]))
            self.assertGreaterEqual(float(row["summed_collision_s"]), float(row["collision_s"]))
            self.assertLessEqual(int(row["colliding_pairs"]), int(row["broad_pairs"]))
        self.assertEqual(own[0]["faces"], "0")
        self.assertGreater(int(own[2]["faces"]), 0)

    def test_published_rows(self):
        rows = self.rows(*FALL, "--device", "native")
        published = [row for row in rows if row["source"] == "paper"]
        self.assertEqual([(row["place"], row["iteration"]) for row in published],
                         [(place, step) for step in ("0", "25", "50") for place in ("CPU", "GPU")])
        last = published[-1]  # Table 1, iteration 50, GPU
        self.assertEqual((last["broad_pairs"], last["colliding_pairs"], last["faces"]), ("1262", "143", "14640"))
        self.assertEqual((last["simulation_s"], last["contact_s"], last["collision_s"], last["copy_s"], last["kernel_s"]),
                         ("1.03642", "0.338279", "0.151617", "0.125513", "0.011885"))
        self.assertIn("8800 GTX", last["hardware"])
        self.assertIn("Athlon 64 X2 6000+", published[-2]["hardware"])

    def test_device_rows(self):
        if not self.has_opencl():
            self.skipTest("no OpenCL device")
        rows = [row for row in self.rows(*FALL, "--every", "10") if row["source"] == "tandem"]
        places = {}
        for row in rows:
            places.setdefault(row["place"], []).append(row)
        self.assertIn("opencl:0", places)
        self.assertGreaterEqual(len(places), 2)
        alike = ("iteration", "broad_pairs", "tested_pairs", "colliding_pairs", "faces", "contacts", "hash")
        first = next(iter(places.values()))
        self.assertTrue(rows[0]["place"].startswith("native"))
        for own in places.values():
            self.assertEqual([[row[key] for key in alike] for row in own], [[row[key] for key in alike] for row in first])
        self.assertEqual(len({row["hash"] for row in first}), 6)
        self.assertGreater(float(places["opencl:0"][-1]["summed_kernel_s"]), 0)

    def test_state_is_that_of_simulate(self):
        """Whatever finds the triangles, the bodies are where `simulate` has them."""
        final = json.loads(self.ok(*FALL, "--json", "--device", "native"))["rows"]
        own = [row for row in final if row["source"] == "tandem"][-1]
        table = self.ok("simulate", "cows", "--set", "n=2", "--steps", "51", "-q")
        self.assertIn(own["hash"], table)

    def test_strategies_and_meshes(self):
        hashes = set()
        for options in (("--strategy", "wide", "--volume", "aabb"), ("--strategy", "auto", "--volume", "aabb"), ()):
            hashes.add(self.rows(*FALL, *options, "--device", "native")[-3]["hash"])
        self.assertEqual(len(hashes), 1)
        self.ok("gen", "torus", "-q", "-o", "torus.obj")
        row = self.rows(*FALL, "--mesh", "torus.obj", "--device", "native", "--steps", "2", "--every", "2")[0]
        self.assertNotEqual(row["triangles"], "1500")

    def test_repeats(self):
        rows = self.rows(*FALL, "--steps", "3", "--every", "1", "--repeats", "3", "--device", "native")
        self.assertEqual([row["iteration"] for row in rows if row["source"] == "tandem"], ["0", "1", "2", "3"])

    def test_table(self):
        table = self.ok(*FALL, "--device", "native")
        self.assertIn("2 x 2 x 2 cows of 1,500 triangles", table)
        self.assertRegex(table, r"(?m)^ +50  paper, GPU +1,262 +143 +14,640 +1\.036420 +0\.338279 +0\.151617")
        self.assertRegex(table, r"Over all 51 iterations:\n  native \S+: simulation [\d.]+ s, .*hash [0-9a-f]{16}\n")
        self.assertNotIn("bit by bit", table)  # one run has nothing to be compared with

    def test_refused(self):
        self.fails("bench", "paper", says=["name of a paper", "--help"])
        self.fails("bench", "paper", "--csv", says="--csv")
        self.fails("bench", "paper", "005", says=["'005'", "000, 001, 002, 003"])
        self.fails("help", "bench", "paper", "005", says="'005'")
        self.fails(*FALL, "more", says="unexpected")
        self.fails(*FALL, "--n", "0", says="--n")
        self.fails(*FALL, "--every", "0", says="--every")
        self.fails(*FALL, "--strategy", "wide", "--device", "native", says="oriented boxes")
        self.fails(*FALL, "--mesh", "missing.obj", "--device", "native", says="missing.obj")
        self.fails(*FALL, "--device", "opencl", "--csv", "-o", "out.csv", env=WITHOUT_OPENCL, says="OpenCL")

    def test_note(self):
        command = [word for word in FALL if word != "-q"]
        result = self.run_tandem(*command, "--steps", "1", env=WITHOUT_OPENCL)
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stderr, r"\Atandem: note: native rows only: [^\n]*OpenCL[^\n]*\n\Z")


class Paper001(BenchTest):
    def sequence(self, frames=3):
        """Two tetrahedra, the second of which comes nearer until it is through the first: files of the scene 'horse'."""
        corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
        faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
        self.write("horse.obj", "".join("v %g %g %g\n" % c for c in corners + [(x + 2, y, z) for x, y, z in corners]) +
                   "".join("f %d %d %d\n" % (a + 1 + k, b + 1 + k, c + 1 + k) for k in (0, 4) for a, b, c in faces))
        with open(os.path.join(self.folder, "horse.f32"), "wb") as file:
            for frame in range(frames):
                for x, y, z in corners + [(x + 2 - 0.8 * frame, y + 0.1, z + 0.05) for x, y, z in corners]:
                    file.write(struct.pack("<3f", x, y, z))
        return ("--scenes", "horse", "--mesh", "horse.obj", "--positions", "horse.f32")

    def check(self, rows):
        self.assertEqual(list(rows[0]), OPERATION_COLUMNS)
        for row in rows:
            self.assertGreater(float(row["ms"]), 0)
            asked = row["source"] == "tandem" and row["operation"] in ("discrete", "continuous")
            self.assertEqual(row["found"] != "", asked)
            if asked:
                self.assertGreater(int(row["box_tests"]), 0)
                self.assertGreater(float(row["refit_ms"]), 0)
                self.assertLess(0, float(row["traversal_ms"]))
                self.assertEqual(row["tests_ms"] != "", row["place"].startswith("native"))

    def ways(self, rows, place):
        return [(row["operation"], row["way"], row["volume"]) for row in rows
                if row["source"] == "tandem" and row["place"].startswith(place)]

    def test_horse(self):
        rows = self.rows(*OPERATIONS, *self.sequence(), env=WITHOUT_OPENCL)
        self.check(rows)
        self.assertEqual(self.ways(rows, ""), NATIVE_WAYS)
        self.assertTrue(all((row["scene"], row["triangles"], row["frames"], row["rounds"]) == ("horse", "8", "2", "1")
                            for row in rows))
        # Of two frames the second intersects: its pairs as `self` finds them, half of them per frame.
        with open(os.path.join(self.folder, "horse.f32"), "rb") as file:
            last = list(struct.iter_unpack("<3f", file.read()))[-8:]
        with open(os.path.join(self.folder, "horse.obj")) as file:
            faces = [line for line in file if line.startswith("f")]
        self.write("last.obj", "".join("v %.9g %.9g %.9g\n" % vertex for vertex in last) + "".join(faces))
        pairs = json.loads(self.ok("self", "last.obj", "--json", "-q"))["pairs"]
        self.assertGreater(pairs, 0)
        found = {row["operation"]: float(row["found"]) for row in rows if row["found"]}
        self.assertEqual(found["discrete"], pairs / 2)
        self.assertGreater(found["continuous"], 0)
        rows = self.rows(*OPERATIONS, *self.sequence(), "--frames", "1", "--device", "native")
        self.assertEqual({row["found"] for row in rows if row["operation"] == "discrete"}, {"0"})

    def test_device_rows(self):
        if not self.has_opencl():
            self.skipTest("no OpenCL device")
        rows = self.rows(*OPERATIONS, *self.sequence(), "--device", "opencl:0")
        self.check(rows)
        self.assertEqual(self.ways(rows, "native"), NATIVE_WAYS)
        self.assertEqual(self.ways(rows, "opencl:0"),
                         [("build", "linear", "aabb"), ("build", "balanced", "aabb"), ("build", "compaction", "aabb"),
                          ("refit", "blocks", "aabb"), ("refit", "post-order", "aabb"), ("refit", "post-order", "obb"),
                          ("discrete", "blocked", "aabb"), ("discrete", "stack", "aabb"), ("discrete", "stack", "obb"),
                          ("discrete", "balanced", "aabb"), ("discrete", "balanced", "obb"),
                          ("discrete", "front", "aabb"), ("discrete", "front", "obb"),
                          ("continuous", "blocked", "aabb"), ("continuous", "stack", "aabb"),
                          ("continuous", "stack", "obb"), ("continuous", "balanced", "aabb"),
                          ("continuous", "balanced", "obb"), ("continuous", "front", "aabb"),
                          ("continuous", "front", "obb")])
        self.assertEqual(len({row["found"] for row in rows if row["operation"] == "continuous"}), 1)

    def test_built_in(self):
        """Both scenes with the paper's figures, and contacts in them."""
        answer = json.loads(self.ok(*OPERATIONS, "--frames", "1", "--device", "native", "--json"))
        self.assertEqual([(scene["scene"], scene["triangles"]) for scene in answer["scenes"]],
                         [("cloth", 92018), ("balls", 145920)])
        for scene, expected in zip(answer["scenes"], PUBLISHED):
            published = {(row["operation"], row["way"], row["volume"]): row["ms"]
                         for row in scene["rows"] if row["source"] == "paper"}
            self.assertEqual(published, expected)
            own = [row for row in scene["rows"] if row["source"] == "tandem" and "found" in row]
            for operation in ("discrete", "continuous"):
                counts = {row["found"] for row in own if row["operation"] == operation}
                self.assertEqual(len(counts), 1)
                self.assertGreater(counts.pop(), 50)

    def test_table(self):
        table = self.ok(*OPERATIONS, *self.sequence(), "--device", "native")
        self.assertIn("horse: 2 frames of 8 triangles.\n", table)
        self.assertRegex(table, r"(?m)^horse  tandem  native \S+ +[\d.]+ +[\d.]+ +- +- +[\d.]+ +[\d.]+ +[\d.]+$")
        for way in ("stack", "front"):
            self.assertRegex(table, r"(?m)^horse  %s +native \S+ +[\d.]+ +[\d.]+ +[\d.]+ +[\d.]+$" % way)
        self.assertRegex(table, r"(?m)^horse  continuous aabb  wide +native \S+ +[\d.]+ +[\d.]+ +[\d.]+ +\d+ +\d+ +\d+$")

    def test_refused(self):
        horse = self.sequence()
        self.fails(*OPERATIONS, "--scenes", "cloth,horse", says=["'horse'", "--mesh"])
        self.fails(*OPERATIONS, "--scenes", "flamenco", says=["'flamenco'", "cloth, balls, horse"])
        self.fails(*OPERATIONS, "--scenes", "cloth", *horse[2:], says="--mesh")
        self.fails(*OPERATIONS, "--mesh", "horse.obj", says="--positions")
        self.fails(*OPERATIONS, "--positions", "horse.f32", says="--mesh")
        self.fails(*OPERATIONS, *horse[:-1], "missing.f32", says="missing.f32")
        self.fails(*OPERATIONS, "--frames", "0", says="--frames")
        self.fails(*OPERATIONS, "--strategy", "wide", says="--strategy")
        self.fails(*OPERATIONS, *horse, "--device", "opencl", "--csv", "-o", "out.csv", env=WITHOUT_OPENCL, says="OpenCL")
        self.sequence(frames=1)
        self.fails(*OPERATIONS, *horse, says=["horse.f32", "one frame"])
        with open(os.path.join(self.folder, "horse.f32"), "r+b") as file:
            file.write(struct.pack("<f", math.nan))
        self.fails(*OPERATIONS, *horse, says=["coordinate x of vertex 0 in frame 0", "nan"])


class Paper002(BenchTest):
    def check(self, rows):
        self.assertEqual(list(rows[0]), AREA_COLUMNS)
        for row in rows:
            self.assertAlmostEqual(float(row["contact_area"]), int(row["faces"]) / int(row["triangles"]), delta=1e-5)
            self.assertEqual(int(row["triangles"]), int(row["objects"]) * int(row["object_triangles"]) + 12)
            self.assertGreaterEqual(int(row["object_pairs"]), int(row["colliding_pairs"]))
            self.assertGreater(int(row["colliding_pairs"]), 0)
            if (row["strategy"], row["volume"]) == ("stack", "obb"):
                self.assertEqual(row["speedup"], "1")
            if row["device"].startswith("native"):
                self.assertEqual((row["threads"], row["copy_ms"], row["kernel_ms"]), ("1", "", ""))
            else:
                self.assertGreater(float(row["kernel_ms"]), 0)

    def test_native_rows(self):
        rows = self.rows(*AREA, env=WITHOUT_OPENCL)
        self.check(rows)
        self.assertEqual([(row["objects"], row["object_triangles"]) for row in rows[::2]],
                         [(objects, each) for objects in ("216", "512") for each in ("12", "48", "192")])
        self.assertEqual([row["strategy"] for row in rows[:2]], ["stack", "blocked"])
        self.assertEqual([row["published_contact_area"] for row in rows[::2]], ["", "", "", "6.599", "6.8112", "6.984"])

    def test_device_rows(self):
        if not self.has_opencl():
            self.skipTest("no OpenCL device")
        rows = self.rows(*AREA)
        self.check(rows)
        self.assertIn("opencl:0", {row["device"] for row in rows})

    def test_scenes(self):
        rows = self.rows("bench", "paper", "002", "--scenes", "rockslide,pile", "--steps", "20", "--repeats", "1", "-q",
                         "--device", "native")
        self.check(rows)
        self.assertEqual({(row["scene"], row["objects"]) for row in rows},
                         {("rockslide", "500"), ("rockslide", "1000"), ("pile", "216"), ("pile", "512")})

    def test_faces_are_those_of_the_step(self):
        """Bodies that do not move yet: the first step finds what the benchmark finds, pair for pair."""
        for row, n in zip(self.rows(*AREA, "--steps", "0", "--device", "native")[::6], ("6", "8")):
            step = json.loads(self.ok("simulate", "stack", "--set", "n=" + n, "--steps", "1", "--json", "-q"))["rows"][0]
            self.assertEqual((row["objects"], row["object_triangles"]), (str(int(n) ** 3), "12"))
            self.assertEqual((int(row["faces"]), int(row["colliding_pairs"])), (step["faces"], step["colliding_pairs"]))

    def test_forms(self):
        answer = json.loads(self.ok(*AREA, "--json", "--device", "native"))
        self.assertEqual(len(answer["configurations"]), 6)
        self.assertEqual(answer["configurations"][5]["published"]["contact_area"], 6.984)
        self.assertIn("9800 GX2", answer["published_hardware"]["gpu"])
        table = self.ok(*AREA, "--device", "native")
        self.assertRegex(table, r"(?m)^stack +512 +192 .* 6\.9840$")
        self.assertRegex(table, r"(?m)^stack +216 +12 +blocked aabb +native .* 5 to 8$")

    def test_refused(self):
        self.fails(*AREA, "--scenes", "stack,heap", says=["'heap'", "rockslide, pile, stack"])
        self.fails(*AREA, "--repeats", "0", says="--repeats")
        self.fails(*AREA, "--device", "native", "--volume", "obb", "--csv", "-o", "out.csv", says="oriented boxes")
        self.fails(*AREA, "--device", "opencl", env=WITHOUT_OPENCL, says="OpenCL")


class Scaling(BenchTest):
    def test_rows_and_exponent(self):
        rows = self.rows(*SCALING)
        self.assertEqual(list(rows[0]), SCALING_COLUMNS)
        self.assertEqual([(row["scene"], row["cows"]) for row in rows],
                         [("pile", cows) for cows in ("216", "512", "1000")] +
                         [("rockslide", cows) for cows in ("500", "1000", "1500", "2000", "2500")])
        for scene in ("pile", "rockslide"):
            for time, exponent in (("step_ms", "exponent"), ("cpu_ms", "cpu_exponent")):
                points = [(math.log(float(row["contacts"])), math.log(float(row[time])))
                          for row in rows if row["scene"] == scene]
                x, y = [sum(values) / len(points) for values in zip(*points)]
                slope = sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)
                for row in rows:
                    if row["scene"] == scene:
                        self.assertAlmostEqual(float(row[exponent]), slope, delta=1e-3)
        peaks = [int(row["peak_bytes"]) for row in rows]
        self.assertEqual(peaks, sorted(peaks))
        self.assertGreater(peaks[0], 1 << 20)

    def test_largest(self):
        """60 million triangles, instanced, in less than 2 GiB."""
        answer = json.loads(self.ok("bench", "scaling", "--scenes", "rockslide", "--full", "--settle", "1", "--steps", "1",
                                    "-q", "--json"))
        last = answer["rows"][-1]
        self.assertEqual((last["cows"], last["object_triangles"]), (2500, 24000))
        self.assertEqual(last["triangles"], 60000012)
        self.assertLess(last["peak_bytes"], 2 << 30)
        self.assertEqual(set(answer["exponents"]), {"rockslide"})

    def test_no_contacts(self):
        table = self.ok("bench", "scaling", "--scenes", "pile", "--settle", "0", "--steps", "1", "-q")
        self.assertIn("pile  cannot be told: too few contacts", table)

    def test_refused(self):
        self.fails(*SCALING, "--scenes", "heap", says=["'heap'", "pile, rockslide"])
        self.fails(*SCALING, "--steps", "0", says="--steps")
        self.fails(*SCALING, "pile", says="unexpected")


if __name__ == "__main__":
    main()
