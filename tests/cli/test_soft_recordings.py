"""Soft bodies in recordings: told about, exported and drawn as they are in each frame."""

import csv
import json
import math
import os
import shutil
import struct
import subprocess

from png import Png
from recordings import Recording, waving_sheet
from support import CliTest, main, settings
from test_export import Animation

FRAMES, REST = 80, 70
SMALL = ("--size", "64x48", "--samples", "2", "--sky", "1")


class Shapes(Animation):
    """An animation with morph targets, by the book."""

    def accessor(self, index):
        accessor = self.json["accessors"][index]
        if accessor["componentType"] == 5126:
            return super().accessor(index)
        assert (accessor["componentType"], accessor["type"]) == (5121, "SCALAR") and accessor["normalized"]
        view = self.json["bufferViews"][accessor["bufferView"]]
        start = view["byteOffset"] + accessor.get("byteOffset", 0)
        return [byte / 255 for byte in self.buffer[start:start + accessor["count"]]]

    def weights(self, node, time):
        if (node, "weights") not in self.tracks:
            return []
        times, numbers = self.tracks[node, "weights"]
        count = len(numbers) // len(times)
        rows = [numbers[i * count:(i + 1) * count] for i in range(len(times))]
        after = next((i for i, at in enumerate(times) if at > time), len(times))
        if after in (0, len(times)):
            return rows[max(after - 1, 0)]
        share = (time - times[after - 1]) / (times[after] - times[after - 1])
        return [(1 - share) * a + share * b for a, b in zip(rows[after - 1], rows[after])]

    def vertices(self, node, time):
        primitive, = self.json["meshes"][self.nodes[node]["mesh"]]["primitives"]
        base = self.accessor(primitive["attributes"]["POSITION"])
        targets = [self.accessor(target["POSITION"]) for target in primitive.get("targets", [])]
        weights = self.weights(node, time)
        assert len(weights) == len(targets)
        place, rotation = self.pose(node, time)
        assert tuple(rotation) == (0, 0, 0, 1)
        return [[place[k] + base[i][k] + sum(w * t[i][k] for w, t in zip(weights, targets) if w) for k in range(3)]
                for i in range(len(base))]


def distance(a, b):
    return max(math.dist(x, y) for x, y in zip(a, b))


class Soft(CliTest):
    recording = None

    def setUp(self):
        super().setUp()
        if Soft.recording is None:
            Soft.recording, Soft.positions = waving_sheet(FRAMES, rest=REST)
        self.write("a.rec", Soft.recording)

    def bytes(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def export(self, *arguments):
        return json.loads(self.ok("export", "a.rec", "--json", *arguments))

    def obj_vertices(self, name):
        return [[float(part) for part in line.split()[1:]] for line in self.read(name).splitlines()
                if line.startswith("v ")]

    # ------------------------------------------------------------------------------------------------------------------

    def test_both_readers_agree(self):
        read = Recording(Soft.recording)
        self.assertEqual([frame["positions"][1] for frame in read.frames], Soft.positions)
        for frame in (79, 0, 30, 64, 66):
            self.export("-o", "f.obj", "--frame", str(frame))
            self.assertEqual(self.obj_vertices("f.obj")[8:], Soft.positions[frame])

    def test_told(self):
        about = json.loads(self.ok("replay", "a.rec", "--json"))
        self.assertEqual((about["frames"], about["complete"], about["bodies"]), (FRAMES, True, 2))
        frame = json.loads(self.ok("replay", "a.rec", "--frame", "30", "--json"))
        floor, sheet = frame["bodies"]
        self.assertEqual((sheet["kind"], sheet["mesh"], sheet["awake"]), ("soft", "cloth", True))
        middle = [sum(p[k] for p in Soft.positions[30]) / len(Soft.positions[30]) for k in range(3)]
        for found, wanted in zip(sheet["position"], middle):
            self.assertAlmostEqual(found, wanted, delta=1e-12)
        self.assertEqual(sheet["rotation"], [0, 0, 0, 1])
        self.assertFalse(json.loads(self.ok("replay", "a.rec", "--frame", "75", "--json"))["bodies"][1]["awake"])
        self.export("-o", "a.csv", "--from", "30", "--to", "30")
        with open(self.path("a.csv"), newline="") as file:
            row = list(csv.DictReader(file))[1]
        self.assertEqual([float(row[key]) for key in "xyz"], sheet["position"])

    def test_cut(self):
        self.write("a.rec", Soft.recording[:len(Soft.recording) * 2 // 3])
        about = json.loads(self.run_tandem("replay", "a.rec", "--json").stdout)
        self.assertFalse(about["complete"])
        last = about["frames"] - 1
        self.assertTrue(0 < last < FRAMES - 1)
        self.assertEqual(self.run_tandem("export", "a.rec", "-o", "f.obj", "--frame", str(last)).returncode, 0)
        self.assertEqual(self.obj_vertices("f.obj")[8:], Soft.positions[last])

    def test_meshes_of_a_frame(self):
        for name in ("f.ply", "f.off", "f.stl"):
            self.assertEqual(self.export("-o", name, "--frame", "40")["triangles"], 12 + 2 * 11 * 11)
            mesh = json.loads(self.ok("info", name, "--json", "-q"))["meshes"][0]
            highest = max(p[1] for p in Soft.positions[40])
            self.assertAlmostEqual(mesh["upper"][1], highest, delta=1e-6)

    # ------------------------------------------------------------------------------------------------------------------

    def check_shapes(self, name, tolerance):
        animation = Shapes(self.bytes(name))
        largest = 0
        for frame in range(0, FRAMES, 3):
            time = struct.unpack("<f", struct.pack("<f", frame / 60))[0]
            largest = max(largest, distance(animation.vertices(1, time), Soft.positions[frame]))
        self.assertLessEqual(largest, tolerance)
        return animation, largest

    def test_animation(self):
        size = math.sqrt(8)
        told = self.export("-o", "a.glb")
        self.assertEqual((told["soft_bodies"], told["sampled_shapes"], told["soft_tolerance"]), (1, FRAMES - 1, 1 / 256))
        animation, largest = self.check_shapes("a.glb", size / 256 + 2e-5)
        self.assertTrue(3 < told["shapes"] < FRAMES / 4)
        self.assertGreaterEqual(told["largest_error"], largest)
        sheet = animation.json["meshes"][animation.nodes[1]["mesh"]]["primitives"][0]
        self.assertEqual(list(sheet["attributes"]), ["POSITION"])
        every = self.export("-o", "every.glb", "--soft-tolerance", "0")
        self.assertEqual(every["shapes"], REST)  # it rests then
        self.check_shapes("every.glb", 2e-5)
        self.assertLess(every["largest_error"], 2e-5)
        self.assertLess(told["bytes"], every["bytes"] / 3)
        coarse = self.export("-o", "coarse.glb", "--soft-tolerance", "0.1")
        self.check_shapes("coarse.glb", size / 10)
        self.assertLess(coarse["shapes"], told["shapes"])
        text = self.ok("export", "a.rec", "-o", "a.glb")
        self.assertIn("%d shapes of %d" % (told["shapes"], FRAMES - 1), text)
        rows = list(csv.DictReader(self.ok("export", "a.rec", "-o", "a.glb", "--csv").splitlines()))
        self.assertEqual((rows[0]["soft_bodies"], rows[0]["shapes"]), ("1", str(told["shapes"])))

    def test_options(self):
        for wrong in ("-1", "much", "nan", "inf"):
            self.fails("export", "a.rec", "-o", "a.glb", "--soft-tolerance", wrong, says="--soft-tolerance")
        self.fails("export", "a.rec", "-o", "a.csv", "--soft-tolerance", "1", says="--soft-tolerance")

    def test_validator(self):
        script = os.path.join(settings.source, "viewer", "tests", "validate-glb.mjs")
        module = os.path.join(settings.source, "viewer", "node_modules", "gltf-validator")
        if not shutil.which("node") or not os.path.isdir(module):
            self.skipTest("node or the package gltf-validator is not installed")
        self.export("-o", "all.glb", "--soft-tolerance", "0", "--tolerance", "0")
        self.export("-o", "fit.glb")
        self.export("-o", "one.glb", "--frame", "3")
        self.export("-o", "still.glb", "--from", str(REST))
        names = ["all.glb", "fit.glb", "one.glb", "still.glb"]
        result = subprocess.run(["node", script, *names], cwd=self.folder, capture_output=True, text=True, timeout=120)
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
        for name in names:
            self.assertIn(name + ": 0 errors, 0 warnings", result.stdout)
        self.assertEqual(self.export("-o", "still.glb", "--from", str(REST))["shapes"], 0)

    # ------------------------------------------------------------------------------------------------------------------

    def test_pictures(self):
        told = json.loads(self.ok("render", "a.rec", "-o", "p%02d.png", *SMALL, "--every", "30", "--json"))
        self.assertEqual(told["pictures"], 3)
        self.assertIn("refit", told["ms"])
        pictures = [self.bytes(name) for name in ("p00.png", "p01.png", "p02.png")]
        self.assertEqual(len(set(pictures)), 3)
        # Frame 30 as a mesh, seen from the same place, looks the same.
        self.ok("render", "a.rec", "-o", "a.png", *SMALL, "--frame", "30", "--colour", "normal",
                "--eye", "3 4 5", "--look-at", "0 1 0")
        self.export("-o", "f.obj", "--frame", "30")
        self.ok("render", "f.obj", "-o", "b.png", *SMALL, "--colour", "normal", "--eye", "3 4 5", "--look-at", "0 1 0")
        a, b = Png(self.bytes("a.png")), Png(self.bytes("b.png"))
        pixels = [pair for rows in zip(a.rows, b.rows) for pair in zip(*rows)]
        differing = sum(max(abs(p - q) for p, q in zip(*pair)) > 40 for pair in pixels)
        self.assertLess(differing, 64 * 48 // 50)
        self.assertGreater(len(set(a for a, _ in pixels)), 100)  # there is something to be seen

    def test_pictures_do_not_depend_on_order(self):
        self.ok("render", "a.rec", "-o", "p%02d.png", *SMALL, "--from", "40", "--to", "60", "--every", "20",
                "--eye", "3 4 5", "--look-at", "0 1 0")
        self.ok("render", "a.rec", "-o", "q.png", *SMALL, "--frame", "60", "--eye", "3 4 5", "--look-at", "0 1 0",
                "--threads", "1", "--isa", "scalar")
        self.assertEqual(self.bytes("p01.png"), self.bytes("q.png"))

    def test_film(self):
        if not shutil.which("ffmpeg"):
            self.skipTest("ffmpeg is not installed: films are not tested")
        told = json.loads(self.ok("render", "a.rec", "-o", "f.mp4", *SMALL, "--to", "20", "--json"))
        self.assertEqual((told["kind"], told["last_frame"]), ("film", 20))


# A sheet falls over a box, and a ball onto the sheet.
SCENE = {
    "tandem": 1, "name": "table", "steps": 70,
    "meshes": {"sheet": {"shape": "sheet", "cells": 12, "fit": 2}, "box": {"shape": "box"},
               "ball": {"shape": "sphere", "subdivide": 1, "fit": 0.4}},
    "bodies": [{"name": "table", "mesh": "box", "kind": "static", "position": [0, -1, 0]},
               {"name": "cloth", "mesh": "sheet", "kind": "soft", "mass": 0.5, "position": [0, 0.1, 0],
                "soft": {"thickness": 0.02}},
               {"name": "ball", "mesh": "ball", "position": [0.1, 1, 0]}],
}


class Simulated(CliTest):
    """From the scene to the file that others read."""

    recording = None

    def setUp(self):
        super().setUp()
        self.write("table.json", json.dumps(SCENE))
        if Simulated.recording is None:
            self.ok("simulate", "table.json", "-o", "a.rec", "--quiet", "--json")
            Simulated.recording = self.bytes("a.rec")
        self.write("a.rec", Simulated.recording)

    def bytes(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_same_bytes(self):
        for way in (("--threads", "1", "--isa", "scalar"), ("--threads", "3")):
            self.ok("simulate", "table.json", "-o", "b.rec", "--quiet", "--json", *way)
            self.assertEqual(self.bytes("b.rec"), Simulated.recording)

    def test_verified(self):
        self.assertTrue(json.loads(self.ok("replay", "a.rec", "--verify", "--json"))["verified"])
        about = json.loads(self.ok("replay", "a.rec", "--json"))
        self.assertEqual((about["frames"], about["complete"]), (SCENE["steps"] + 1, True))

    def test_positions(self):
        read = Recording(Simulated.recording)
        start, end = (read.frames[frame]["positions"][1] for frame in (0, -1))
        self.assertEqual(len(start), 13 * 13)
        self.assertLess(max(p[1] for p in start) - min(p[1] for p in start), 1e-3)
        self.assertLess(min(p[1] for p in end), -0.3)  # its border hangs down
        for frame in (0, 33, SCENE["steps"]):
            self.ok("export", "a.rec", "-o", "f.obj", "--frame", str(frame), "-q")
            found = [[float(part) for part in line.split()[1:]] for line in self.read("f.obj").splitlines()
                     if line.startswith("v ")][8:8 + 169]
            self.assertEqual(found, read.frames[frame]["positions"][1])

    def test_export_and_picture(self):
        told = json.loads(self.ok("export", "a.rec", "-o", "a.glb", "--json"))
        self.assertEqual((told["soft_bodies"], told["moving_bodies"]), (1, 2))
        self.assertTrue(1 < told["shapes"] <= told["sampled_shapes"])
        animation = Shapes(self.bytes("a.glb"))
        read = Recording(Simulated.recording)
        size = math.sqrt(8)
        for frame in (0, 20, 50, SCENE["steps"]):
            time = struct.unpack("<f", struct.pack("<f", read.frames[frame]["time"]))[0]
            self.assertLess(distance(animation.vertices(1, time), read.frames[frame]["positions"][1]),
                            size / 256 + 2e-5)
        self.ok("render", "a.rec", "-o", "p.png", *SMALL, "--frame", "60", "-q")
        self.assertEqual((Png(self.bytes("p.png")).width, Png(self.bytes("p.png")).height), (64, 48))
        script = os.path.join(settings.source, "viewer", "tests", "validate-glb.mjs")
        module = os.path.join(settings.source, "viewer", "node_modules", "gltf-validator")
        if shutil.which("node") and os.path.isdir(module):
            result = subprocess.run(["node", script, "a.glb"], cwd=self.folder, capture_output=True, text=True, timeout=120)
            self.assertIn("a.glb: 0 errors, 0 warnings", result.stdout)


if __name__ == "__main__":
    main()
