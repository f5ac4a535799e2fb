"""`tandem simulate`: reports in every format, what the command line changes, warnings, errors, interruptions."""

import csv
import io
import json
import os
import re
import signal
import subprocess
import time

from support import CliTest, TETRAHEDRON, main, settings

SCENES = ("arch", "billiards", "bowl", "chain", "circles", "cloth", "cows", "cradle", "curtain", "dominoes", "gas", "peg",
          "pile", "rigid-and-sheets", "rigid-objects", "rockslide", "stack", "trampoline", "triangles")
TOUCHING = ("dominoes", "stack")
COLUMNS = ("step,time,bodies,awake,islands,broad_pairs,tested_pairs,colliding_pairs,faces,regions,contacts,swept_pairs,"
           "stopped_bodies,residual,kinetic_energy,potential_energy,penetration,colours,total_ms,broad_ms,traversal_ms,"
           "contacts_ms,solver_ms,copy_ms,kernel_ms,"
           "soft_bodies,soft_awake,soft_laps,soft_near,soft_contacts,soft_held,soft_passed,"
           "soft_ms,soft_search_ms,soft_elements_ms,soft_contacts_ms,soft_exact_ms")

# A ball that falls onto a floor.
DROP = {
    "tandem": 1,
    "name": "drop",
    "steps": 30,
    "parameters": {"height": 1.2},
    "meshes": {"ball": {"shape": "icosahedron", "fit": 1},
               "floor": {"shape": "box", "scale": [20, 1, 20], "translate": [0, -0.5, 0]}},
    "bodies": [{"name": "floor", "mesh": "floor", "kind": "static"},
               {"name": "ball", "mesh": "ball", "position": [0, "$height", 0]}],
}


class Simulate(CliTest):
    def scene(self, name="drop.json", **changes):
        return self.write(name, json.dumps({**DROP, **changes}))

    def rows(self, *arguments):
        return list(csv.DictReader(io.StringIO(self.ok("simulate", *arguments, "--csv"))))

    def summary(self, *arguments):
        return json.loads(self.ok("simulate", *arguments, "--json"))["summary"]

    def test_list(self):
        rows = list(csv.DictReader(io.StringIO(self.ok("simulate", "--list", "--csv"))))
        self.assertEqual(tuple(row["scene"] for row in rows), SCENES)
        told = json.loads(self.ok("simulate", "--list", "--json"))["scenes"]
        self.assertEqual([scene["description"] for scene in told], [row["description"] for row in rows])
        for scene in SCENES:
            self.assertIn("\n%s " % scene, "\n" + self.ok("simulate", "--list"))

    def test_every_scene_starts(self):
        """No built-in scene starts with bodies inside each other: no warning, but where they touch on purpose."""
        for scene in SCENES:
            quiet = ("-q",) if scene in TOUCHING else ()
            self.ok("simulate", scene, "--steps", "2", *quiet)

    def test_file_and_builtin_are_the_same(self):
        path = os.path.join(settings.source, "scenes", "peg.json")
        first, second = (self.summary(scene, "--steps", "20") for scene in ("peg", path))
        self.assertEqual(first["hash"], second["hash"])

    def test_csv(self):
        self.scene()
        text = self.ok("simulate", "drop.json", "--csv")
        self.assertEqual(text.splitlines()[0], COLUMNS)
        rows = self.rows("drop.json")
        self.assertEqual([int(row["step"]) for row in rows], list(range(30)))
        for i, row in enumerate(rows):
            self.assertAlmostEqual(float(row["time"]), (i + 1) / 60)
            self.assertEqual(row["bodies"], "2")
        self.assertGreater(float(rows[9]["kinetic_energy"]), float(rows[0]["kinetic_energy"]))
        self.assertGreater(max(int(row["contacts"]) for row in rows), 0)
        self.assertEqual([int(row["step"]) for row in self.rows("drop.json", "--every", "12")], [11, 23, 29])

    def test_json(self):
        self.scene()
        told = json.loads(self.ok("simulate", "drop.json", "--json", "--threads", "2"))
        self.assertEqual((told["scene"], told["bodies"], told["overlaps"], told["threads"]), ("drop", 2, 0, 2))
        self.assertEqual(len(told["rows"]), 30)
        self.assertEqual(",".join(told["rows"][0]), COLUMNS)
        summary = told["summary"]
        self.assertRegex(summary["hash"], r"\A[0-9a-f]{16}\Z")
        self.assertEqual(summary["steps"], 30)
        self.assertEqual(summary["peak_kinetic_energy"], max(row["kinetic_energy"] for row in told["rows"]))
        self.assertEqual(summary["deepest_penetration"], max(row["penetration"] for row in told["rows"]))
        parts = summary["ms_per_step"]
        self.assertLessEqual(parts["broad"] + parts["traversal"] + parts["contacts"] + parts["solver"],
                             1.01 * parts["total"] + 0.01)

    def test_table(self):
        self.scene(steps=100)
        text = self.ok("simulate", "drop.json")
        lines = text.splitlines()
        self.assertEqual(lines[0], "drop: 2 bodies, 100 steps")
        steps = [int(line.split()[0]) for line in lines if re.match(r" +\d+ +\d", line)]
        self.assertEqual(steps, list(range(4, 100, 5)))
        for part in ("per step", "broad phase", "solver", "energy", "penetration", "awake", "hash"):
            self.assertIn(part, text)
        self.assertEqual(re.search(r"hash +([0-9a-f]{16})\n", text).group(1), self.summary("drop.json")["hash"])

    def test_planar(self):
        """Circles and polygons: kept energy, one hash for every broad phase, a recording that verifies."""
        rows = self.rows("triangles", "--set", "n=60", "--steps", "50")
        self.assertEqual({row["bodies"] for row in rows}, {"60"})
        energies = [float(row["kinetic_energy"]) for row in rows]
        self.assertLess(max(energies) - min(energies), 1e-9 * max(energies))
        self.assertGreater(sum(int(row["contacts"]) for row in rows), 0)
        for stepping in ("ordered", "first"):
            hashes = {self.summary("circles", "--set", "n=60", "--steps", "40", "--stepping", stepping, "--broad", broad)["hash"]
                      for broad in ("all", "grid")}
            self.assertEqual(len(hashes), 1)
        self.ok("simulate", "billiards", "-o", "billiards.rec", "--steps", "100", "-q")
        told = json.loads(self.ok("replay", "billiards.rec", "--verify", "--json"))
        self.assertEqual((told["verified"], told["frames"], told["bodies"]), (True, 101, 20))
        self.ok("export", "billiards.rec", "-o", "billiards.glb")

    def test_planar_refused(self):
        self.fails("simulate", "circles", "--iterations", "3", says="a planar scene has no \"iterations\"")
        self.fails("simulate", "circles", "--strategy", "wide", says="a planar scene has no meshes")
        self.fails("simulate", "circles", "--stepping", "last", says=["\"last\"", "\"ordered\" or \"first\""])
        self.fails("simulate", "peg", "--stepping", "first", says="no planar scene")
        self.fails("simulate", "circles", "--stepping", "first", "--broad", "all", "--set", "n=20000", says="object 16384")
        self.scene("plane.json", meshes={}, planar={})
        self.fails("simulate", "plane.json", says="a planar scene has no")

    def test_report_file(self):
        self.scene()
        self.assertEqual(self.ok("simulate", "drop.json", "--csv", "--report", "out.csv"), "")
        self.assertEqual(self.read("out.csv").splitlines()[0], COLUMNS)

    def test_overrides(self):
        self.scene()
        self.assertEqual(len(self.rows("drop.json", "--steps", "3")), 3)
        rows = self.rows("drop.json", "--step", "0.01", "--steps", "2")
        self.assertAlmostEqual(float(rows[1]["time"]), 0.02)
        high = self.rows("drop.json", "--set", "height=100", "--steps", "1")[0]
        self.assertGreater(float(high["potential_energy"]), float(rows[0]["potential_energy"]))
        plain = self.summary("drop.json")["hash"]
        self.assertNotEqual(plain, self.summary("drop.json", "--set", "height=1.3", "--set", "height=1.4")["hash"])
        self.assertNotEqual(plain, self.summary("drop.json", "--substeps", "9")["hash"])
        self.assertEqual(plain, self.summary("drop.json", "--broad", "all")["hash"])
        self.assertEqual(plain, self.summary("drop.json", "--strategy", "binary")["hash"])
        self.assertEqual(plain, self.summary("drop.json", "--volume", "obb", "--strategy", "stack")["hash"])
        self.assertEqual(plain, self.summary("drop.json", "--isa", "scalar", "--threads", "1")["hash"])

    def test_other_mesh(self):
        self.scene()
        self.write("tetra.obj", TETRAHEDRON)
        plain = self.summary("drop.json")["hash"]
        other = self.summary("drop.json", "--mesh", "ball=tetra.obj")["hash"]
        self.assertNotEqual(plain, other)
        os.mkdir(self.path("sub"))
        self.write("sub/drop.json", json.dumps({**DROP, "meshes": {**DROP["meshes"], "ball": {"file": "../tetra.obj", "fit": 1}}}))
        self.assertEqual(self.summary("sub/drop.json")["hash"], other)
        self.fails("simulate", "drop.json", "--mesh", "bull=tetra.obj", says='has no mesh "bull"')
        self.fails("simulate", "drop.json", "--mesh", "ball=none.obj", says=("none.obj", "cannot be opened"))

    def test_overlaps_are_told(self):
        self.scene(bodies=[{"name": "b", "mesh": "ball", "position": [0, 5, 0],
                            "grid": {"count": [13, 1, 1], "spacing": [0.5, 1, 1]}}])
        result = self.run_tandem("simulate", "drop.json", "--steps", "5")
        self.assertEqual(result.returncode, 0)
        warning = result.stderr
        self.assertRegex(warning, r"\Atandem: warning: \d+ pairs of bodies start inside each other: b\[0\] and b\[1\], [^\n]*\n\Z")
        self.assertEqual(warning.count(" and b["), 10)
        self.assertRegex(warning, r", and \d+ more\n")
        self.assertEqual(self.ok("simulate", "drop.json", "--steps", "1", "-q", "--csv").count("\n"), 2)

    def test_errors(self):
        self.scene()
        self.fails("simulate", says="needs a scene")
        self.fails("simulate", "cosw", says=("did you mean cows?", "arch, billiards, bowl"))
        self.fails("simulate", "none.json", says="none.json: cannot be opened")
        self.fails("simulate", "drop.json", "extra", says="unexpected argument 'extra'")
        self.fails("simulate", "drop.json", "--step", "0", says="--step '0' is not a number of seconds")
        self.fails("simulate", "drop.json", "--step", "2", says="at most 1")
        self.fails("simulate", "drop.json", "--step", "nan", says="--step 'nan'")
        self.fails("simulate", "drop.json", "--steps", "0", says="--steps '0' is not a number from 1")
        self.fails("simulate", "drop.json", "--set", "height", says='expected "name=value"')
        self.fails("simulate", "drop.json", "--set", "hight=1", says="did you mean height?")
        self.fails("simulate", "drop.json", "--set", "height=inf", says="expected a number")
        self.fails("simulate", "drop.json", "--broad", "grid", says="grid")
        self.fails("simulate", "drop.json", "-o", "none/x.rec", says="none/x.rec")
        self.fails("simulate", "drop.json", "--report", "none/x.csv", says="none/x.csv")

    def test_bad_scenes(self):
        body = {"mesh": "ball"}
        rows = (
            ({"step": 0}, "drop.json: step: expected a number of seconds"),
            ({"step": 30}, "drop.json: step: expected a number of seconds"),
            ({"bodies": []}, "drop.json: bodies: expected at least one body"),
            ({"bodies": [body, body, body, {**body, "density": -1}]},
             "drop.json: bodies[3].density: expected a number > 0, got -1"),
            ({"bodies": [{"mesh": "cow"}]}, 'drop.json: bodies[0].mesh: there is no mesh "cow"'),
            ({"meshes": {"ball": {"file": "gone.obj"}}}, "drop.json: meshes.ball.file: gone.obj: cannot be opened"),
            ({"meshes": {"ball": {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "triangles": [[0, 1, 2]]}},
              "bodies": [body]}, "drop.json: bodies[0]: "),
            ({"gravty": [0, 0, 0]}, 'drop.json: gravty: unknown key: did you mean "gravity"?'),
        )
        for changes, says in rows:
            self.scene(**changes)
            self.fails("simulate", "drop.json", says=says)
        self.write("bad.json", '{"tandem": 1,\n "step": NaN}')
        self.fails("simulate", "bad.json", says="bad.json:2:10: this is no JSON")

    def test_recording(self):
        self.scene()
        text = self.ok("simulate", "drop.json", "-o", "a.rec")
        self.assertIn("recording    a.rec\n", text)
        self.ok("simulate", "drop.json", "-o", "b.rec", "--threads", "2", "--isa", "scalar", "--csv")
        with open(self.path("a.rec"), "rb") as a, open(self.path("b.rec"), "rb") as b:
            self.assertEqual(len(a.read()), len(b.read()))

    def test_interrupt_keeps_the_recording(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            arguments = ("simulate", "peg", "--steps", "1000000", "-o", "out.rec", "--report", "out.txt")
            process = subprocess.Popen([settings.program, *arguments], cwd=self.folder, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
            self.addCleanup(process.stdout.close)
            self.addCleanup(process.stderr.close)
            deadline, sizes = time.monotonic() + 60, set()
            while process.poll() is None and time.monotonic() < deadline and len(sizes) < 5:
                if os.path.exists(self.path("out.rec")):
                    sizes.add(os.path.getsize(self.path("out.rec")))
                time.sleep(0.01)
            process.send_signal(number)
            self.assertEqual(process.wait(timeout=60), -number)
            self.assertRegex(process.stderr.read(), r"\Atandem: note: stopped after \d+ steps, which out.rec holds\n\Z")
            self.assertEqual(os.listdir(self.folder), ["out.rec"])
            os.remove(self.path("out.rec"))


if __name__ == "__main__":
    main()
