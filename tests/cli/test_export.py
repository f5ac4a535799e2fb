"""Recordings for other programs: animations, tables of poses, one frame as a mesh."""

import csv
import io
import json
import math
import os
import shutil
import signal
import struct
import subprocess

from support import CliTest, main, settings

# Boxes fall on a floor; those that go beyond its edge are put back.
SCENE = {
    "tandem": 1, "name": "boxes", "steps": 150,
    "meshes": {"box": {"shape": "box", "fit": 0.5},
               "floor": {"shape": "box", "scale": [3, 1, 3], "translate": [0, -0.5, 0]}},
    "bodies": [{"name": "floor", "kind": "static", "mesh": "floor"},
               {"name": "box", "mesh": "box", "position": [0.4, 1, 0], "spin": [1, 2, 3],
                "grid": {"count": [3, 2, 2], "spacing": [1, 1, 1]}},
               {"name": "lost \"ö\"", "mesh": "box", "position": [5, 0, 0]}],
    "rules": [{"reinsert": {"below": -4}}],
}
SIZES = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}


class Animation:
    """A .glb file, read by the book."""

    def __init__(self, data):
        magic, version, size, length = struct.unpack_from("<4sIII", data)
        assert (magic, version, size) == (b"glTF", 2, len(data))
        self.json = json.loads(data[20:20 + length])
        self.buffer = data[28 + length:]
        self.nodes = self.json["nodes"]
        self.tracks = {}
        for animation in self.json.get("animations", []):
            for channel in animation["channels"]:
                sampler = animation["samplers"][channel["sampler"]]
                key = channel["target"]["node"], channel["target"]["path"]
                assert key not in self.tracks
                self.tracks[key] = self.accessor(sampler["input"]), self.accessor(sampler["output"])
        root = self.nodes[self.json["scenes"][0]["nodes"][0]]
        self.origin = root["translation"]

    def accessor(self, index):
        accessor = self.json["accessors"][index]
        view = self.json["bufferViews"][accessor["bufferView"]]
        size = SIZES[accessor["type"]]
        start = view["byteOffset"] + accessor.get("byteOffset", 0)
        numbers = struct.unpack_from("<%df" % (size * accessor["count"]), self.buffer, start)
        return numbers if size == 1 else [numbers[i:i + size] for i in range(0, len(numbers), size)]

    def value(self, node, path, time):
        if (node, path) not in self.tracks:
            return self.nodes[node][path]
        times, values = self.tracks[node, path]
        after = next((i for i, at in enumerate(times) if at > time), len(times))
        if after in (0, len(times)):
            return values[max(after - 1, 0)]
        share = (time - times[after - 1]) / (times[after] - times[after - 1])
        a, b = values[after - 1], values[after]
        if path == "rotation":
            mix = [(1 - share) * x + share * y for x, y in zip(a, b)]  # near enough: keys are close
            return [part / math.hypot(*mix) for part in mix]
        return [(1 - share) * x + share * y for x, y in zip(a, b)]

    def pose(self, node, time):
        position = [a + b for a, b in zip(self.value(node, "translation", time), self.origin)]
        return position, self.value(node, "rotation", time)


class Export(CliTest):
    STEPS = 150

    @classmethod
    def setUpClass(cls):
        cls.recording = None

    def setUp(self):
        super().setUp()
        if not Export.recording:
            self.write("scene.json", json.dumps(SCENE))
            self.ok("simulate", "scene.json", "--steps", str(self.STEPS), "-o", "a.rec", "--quiet", "--json")
            Export.recording = self.bytes("a.rec")
        self.write("a.rec", Export.recording)

    def bytes(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def export(self, *arguments):
        return json.loads(self.ok("export", "a.rec", "--json", *arguments))

    def check_poses(self, name, frames, start=0, delta=1e-5):
        animation = Animation(self.bytes(name))
        for number in frames:
            frame = json.loads(self.ok("replay", "a.rec", "--frame", str(number), "--json"))
            time = struct.unpack("<f", struct.pack("<f", (number - start) / 60))[0]
            for node, body in enumerate(frame["bodies"]):
                self.assertEqual(animation.nodes[node]["name"], body["name"])
                position, rotation = animation.pose(node, time)
                sign = 1 if sum(a * b for a, b in zip(rotation, body["rotation"])) >= 0 else -1
                for found, wanted in zip(position, body["position"]):
                    self.assertAlmostEqual(found, wanted, delta=delta)
                for found, wanted in zip(rotation, body["rotation"]):
                    self.assertAlmostEqual(sign * found, wanted, delta=delta)
        return animation

    def test_animation(self):
        answer = self.export("-o", "a.glb")
        self.assertEqual((answer["format"], answer["frames"], answer["bodies"], answer["meshes"], answer["complete"]),
                         ("glb", self.STEPS + 1, 14, 2, True))
        self.assertEqual(answer["moving_bodies"], 13)
        self.assertEqual(answer["bytes"], os.path.getsize(self.path("a.glb")))
        self.assertGreaterEqual(answer["jumps"], 1)  # the lost box, at least
        self.assertLess(answer["largest_error"], 1.1e-5)
        animation = self.check_poses("a.glb", (0, 73, self.STEPS))
        self.assertEqual(animation.json["asset"]["generator"], self.ok("--version").strip())
        self.assertEqual([animation["name"] for animation in animation.json["animations"]], ["boxes"])

    def test_tolerances(self):
        sizes = []
        for tolerance in ("0", "1e-3", "0.05"):
            answer = self.export("-o", "a.glb", "--tolerance", tolerance)
            self.check_poses("a.glb", (1, 60, 149), delta=max(1e-5, float(tolerance)))
            self.assertLessEqual(answer["largest_error"], float(tolerance) + 1e-5)
            sizes.append(answer["bytes"])
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        self.assertLess(sizes[2], 0.7 * sizes[0])

    def test_range(self):
        answer = self.export("-o", "a.glb", "--from", "20", "--to", "101", "--every", "4")
        self.assertEqual(answer["frames"], 21)
        self.check_poses("a.glb", (20, 60, 100), start=20)
        self.assertEqual(self.export("-o", "a.glb", "--frame", "70")["keys"], 0)
        self.assertNotIn("animations", self.check_poses("a.glb", (70,), start=70).json)

    def test_validator(self):
        script = os.path.join(settings.source, "viewer", "tests", "validate-glb.mjs")
        module = os.path.join(settings.source, "viewer", "node_modules", "gltf-validator")
        if not shutil.which("node") or not os.path.isdir(module):
            self.skipTest("node or the package gltf-validator is not installed")
        self.export("-o", "all.glb", "--tolerance", "0")
        self.export("-o", "fit.glb", "--tolerance", "1e-3")
        self.export("-o", "one.glb", "--frame", "3")
        names = ["all.glb", "fit.glb", "one.glb"]
        result = subprocess.run(["node", script, *names], cwd=self.folder, capture_output=True, text=True, timeout=120)
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
        for name in names:
            self.assertIn(name + ": 0 errors, 0 warnings", result.stdout)
        # And it would find something.
        data = bytearray(self.bytes("one.glb"))
        data[data.index(b'"SCALAR"')] = ord(" ")
        self.write("bad.glb", bytes(data))
        result = subprocess.run(["node", script, "bad.glb"], cwd=self.folder, capture_output=True, timeout=120)
        self.assertEqual(result.returncode, 1, result.stdout)

    def test_read_by_another_reader(self):
        if not settings.assimp:
            self.skipTest("the program was built without assimp")
        self.export("-o", "a.glb", "--frame", "0")
        self.export("-o", "a.obj", "--frame", "0")
        found, wanted = (json.loads(self.ok("info", name, "--json", "-q"))["meshes"][0] for name in ("a.glb", "a.obj"))
        self.assertEqual(found["triangles"], wanted["triangles"])
        for key in ("area", "volume"):
            self.assertAlmostEqual(found[key], wanted[key], delta=1e-4 * abs(wanted[key]))

    def test_table(self):
        self.assertEqual(self.export("-o", "a.csv", "--from", "3", "--to", "5")["frames"], 3)
        with open(self.path("a.csv"), newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(rows[0]), "frame time body name x y z qx qy qz qw speed awake".split())
        self.assertEqual(len(rows), 3 * 14)
        frame = json.loads(self.ok("replay", "a.rec", "--frame", "4", "--json"))
        for row, body in zip(rows[14:], frame["bodies"]):
            self.assertEqual((row["frame"], row["name"]), ("4", body["name"]))
            self.assertEqual(float(row["time"]), frame["time"])
            self.assertEqual([float(row[key]) for key in ("x", "y", "z")], body["position"])
            self.assertEqual([float(row[key]) for key in ("qx", "qy", "qz", "qw")], body["rotation"])
        self.assertAlmostEqual(float(rows[-1]["speed"]), 9.81 * 5 / 60, delta=0.05)  # it falls
        self.assertEqual((rows[0]["awake"], rows[-1]["awake"]), ("0", "1"))

    def test_frame(self):
        for name in ("a.obj", "a.PLY", "a.off", "a.stl"):
            answer = self.export("-o", name, "--frame", "50")
            self.assertEqual((answer["frames"], answer["triangles"]), (1, 14 * 12))
            mesh = json.loads(self.ok("info", name, "--json", "-q"))["meshes"][0]
            self.assertEqual((mesh["triangles"], mesh["components"], mesh["closed"]), (14 * 12, 14, True))
        names = [line[2:] for line in self.read("a.obj").splitlines() if line.startswith("o ")]
        self.assertEqual(names, ["floor"] + ["box[%d]" % i for i in range(12)] + ["lost \"ö\""])
        self.assertEqual(self.export("-o", "a.data", "--frame", "50", "--format", "off")["format"], "off")
        self.assertTrue(self.read("a.data").startswith("OFF"))

    def test_summaries(self):
        text = self.ok("export", "a.rec", "-o", "a.glb")
        self.assertIn("a.glb: 14 bodies, 151 frames", text)
        self.assertIn("keys of", text)
        self.assertEqual(self.ok("export", "a.rec", "-o", "a.glb", "--quiet"), "")
        rows = list(csv.DictReader(io.StringIO(self.ok("export", "a.rec", "-o", "a.glb", "--csv"))))
        answer = self.export("-o", "a.glb")
        self.assertEqual(len(rows), 1)
        for key in ("bytes", "frames", "keys", "jumps"):
            self.assertEqual(int(rows[0][key]), answer[key])

    def test_replaces(self):
        """A file that is there stays until the new one is complete."""
        self.write("a.glb", "old")
        self.fails("export", "a.rec", "-o", "a.glb", "--from", "500", says=["a.rec", "no frame 500", "has 151"])
        self.assertEqual(self.read("a.glb"), "old")
        self.export("-o", "a.glb")
        self.assertEqual(self.bytes("a.glb")[:4], b"glTF")

    def test_cut(self):
        """What is whole is exported, and what is not is told."""
        for size in (len(Export.recording) - 100, len(Export.recording) // 2):
            self.write("cut.rec", Export.recording[:size])
            about = json.loads(self.ok("replay", "cut.rec", "--json"))
            result = self.run_tandem("export", "cut.rec", "-o", "a.glb", "--json")
            self.assertEqual(result.returncode, 0)
            self.assertRegex(result.stderr, r"\Atandem: note: cut.rec: [^\n]*%d bytes[^\n]*%d frames\n\Z"
                             % (about["lost_bytes"], about["frames"]))
            answer = json.loads(result.stdout)
            self.assertEqual((answer["frames"], answer["complete"], answer["lost_bytes"]),
                             (about["frames"], False, about["lost_bytes"]))
            self.check_poses("a.glb", (0, about["frames"] - 1))
            self.ok("export", "cut.rec", "-o", "a.glb", "--quiet")

    def test_damage(self):
        whole = Export.recording
        self.write("b.rec", whole[:8] + struct.pack("<I", 99) + whole[12:])
        self.fails("export", "b.rec", "-o", "b.glb", says=["b.rec", "99"])
        self.write("b.rec", whole[:40] + bytes([whole[40] ^ 1]) + whole[41:])
        self.fails("export", "b.rec", "-o", "b.glb", says=["b.rec", "INFO"])
        self.write("b.rec", whole[:200])
        self.fails("export", "b.rec", "-o", "b.glb", says="b.rec")
        self.write("b.rec", b"")
        self.fails("export", "b.rec", "-o", "b.csv", says="b.rec")

    def test_pipe(self):
        """A pipe gets the same bytes; one that nobody reads from can be left by Ctrl-C."""
        self.export("-o", "a.glb")
        os.mkfifo(self.path("pipe"))
        command = [settings.program, "export", "a.rec", "-o", "pipe", "--format", "glb", "--quiet"]
        with subprocess.Popen(command, cwd=self.folder, stderr=subprocess.PIPE) as process:
            self.assertEqual(self.bytes("pipe"), self.bytes("a.glb"))
            self.assertEqual((process.stderr.read(), process.wait(60)), (b"", 0))
        command[command.index("glb")] = "csv"  # more than a pipe holds
        with subprocess.Popen(command, cwd=self.folder, stderr=subprocess.PIPE) as process:
            with open(self.path("pipe"), "rb"):  # so it was opened on the other side as well
                process.send_signal(signal.SIGINT)
                self.assertEqual(process.wait(60), -signal.SIGINT)

    def test_errors(self):
        self.fails("export", says="REC")
        self.fails("export", "a.rec", says="-o FILE")
        self.fails("export", "missing.rec", "-o", "a.glb", says="missing.rec: cannot be opened")
        self.fails("export", "a.rec", "-o", "a.blend", says=["a.blend", ".glb", ".csv", ".obj", ".ply", ".off", ".stl"])
        self.fails("export", "a.rec", "-o", "a", says=["a: unknown format", ".glb"])
        self.fails("export", "a.rec", "-o", "a.glb", "--format", "gbl", says=["gbl", "glb"])
        self.fails("export", "a.rec", "-o", "a.obj", says="--frame")
        self.fails("export", "a.rec", "-o", "a.obj", "--frame", "151", says=["no frame 151", "has 151"])
        self.fails("export", "a.rec", "-o", "a.glb", "--to", "151", says=["no frame 151", "has 151"])
        self.fails("export", "a.rec", "-o", "a.glb", "--from", "7", "--to", "6", says="7 to 6")
        self.fails("export", "a.rec", "-o", "a.glb", "--frame", "7", "--to", "9", says="--frame excludes")
        self.fails("export", "a.rec", "-o", "a.glb", "--every", "0", says="--every")
        self.fails("export", "a.rec", "-o", "a.csv", "--tolerance", "1", says="--tolerance")
        for tolerance in ("-1", "x", "nan", ""):
            self.fails("export", "a.rec", "-o", "a.glb", "--tolerance", tolerance, says="--tolerance")
        self.fails("export", "a.rec", "-o", "nowhere/a.glb", says="nowhere/a.glb")
        self.fails("export", "a.rec", "-o", ".", "--format", "glb", says="folder")
        if os.path.exists("/dev/full"):
            self.fails("export", "a.rec", "-o", "/dev/full", "--format", "glb", says="/dev/full")
            self.fails("export", "a.rec", "-o", "/dev/full", "--format", "csv", says="/dev/full")


if __name__ == "__main__":
    main()
