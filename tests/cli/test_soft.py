"""Soft bodies in scenes: they run, and what is wrong about them is said with its place in the file."""

import json

from support import CliTest, main

RAG = {
    "tandem": 1,
    "name": "rag",
    "steps": 10,
    "meshes": {"sheet": {"shape": "sheet", "cells": 4}, "box": {"shape": "box"}},
    "bodies": [
        {"mesh": "box", "kind": "static", "position": [0, -1, 0]},
        {"mesh": "sheet", "kind": "soft", "mass": 1, "position": [0, 0, 0], "soft": {"thickness": 0.05}},
    ],
}


class SoftTest(CliTest):
    def scene(self, **soft):
        """The scene with other keys in the body's `soft`."""
        scene = json.loads(json.dumps(RAG))
        scene["bodies"][1]["soft"].update(soft)
        self.write("rag.json", json.dumps(scene))

    def test_runs(self):
        self.scene()
        answer = json.loads(self.ok("simulate", "rag.json", "--json", "-q"))
        row = answer["rows"][-1]
        self.assertEqual((row["soft_bodies"], row["soft_awake"], row["soft_passed"]), (1, 1, 0))
        self.assertGreater(row["soft_ms"], 0)
        table = self.ok("simulate", "rag.json", "-q")
        self.assertIn("soft bodies", table)
        self.assertIn("elements", table)

    def test_same_bits(self):
        self.scene(pins={"corners": True})
        hashes = {json.loads(self.ok("simulate", "rag.json", "--json", "-q", *way))["summary"]["hash"]
                  for way in (("--threads", "1", "--isa", "scalar"), ("--threads", "2"), ("--threads", "8"))}
        self.assertEqual(len(hashes), 1)

    def test_curtain(self):
        """The built-in sheet that is held at two corners hangs, and no frame of it intersects itself."""
        self.ok("simulate", "curtain", "-o", "curtain.rec", "-q")
        for frame in range(0, 301, 20):
            self.ok("export", "curtain.rec", "--frame", str(frame), "-o", "all.obj", "-q")
            self.assertEqual(json.loads(self.ok("self", "all.obj", "--json"))["pairs"], 0, f"frame {frame}")
        sheet = [float(line.split()[2]) for line in self.read("all.obj").splitlines() if line.startswith("v ")][-49 * 49:]
        self.assertAlmostEqual(max(sheet), 2.5, places=3)  # the corners
        self.assertLess(min(sheet), 1.2)
        self.assertGreater(min(sheet), 0)

    def test_pins(self):
        for pins in ([0, 24], {"vertices": [3]}, {"box": [[-1, -1, -1], [0, 1, 0]]}, {"corners": True}, {"border": True}):
            self.scene(pins=pins)
            self.ok("simulate", "rag.json", "-q")

    def test_wrong(self):
        for soft, says in (
            ({"thickness": 0}, "bodies[1].soft.thickness"),
            ({"stretch": -5}, "bodies[1].soft.stretch"),
            ({"bend": -1}, "bodies[1].soft.bend"),
            ({"damping": "x"}, "bodies[1].soft.damping"),
            ({"stiffness": 1}, "stiffness"),
            ({"pins": [0, 25]}, "bodies[1].soft.pins[1]"),
            ({"pins": {"box": [[5, 5, 5], [6, 6, 6]]}}, "no vertex"),
            ({"pins": {"box": [1, 2]}}, "bodies[1].soft.pins.box"),
            ({"pins": {"edges": 1}}, "edges"),
        ):
            self.scene(**soft)
            self.fails("simulate", "rag.json", says=says)

    def test_wrong_places(self):
        scene = json.loads(json.dumps(RAG))
        scene["bodies"][1]["kind"] = "dynamic"
        self.write("rag.json", json.dumps(scene))
        self.fails("simulate", "rag.json", says="soft")
        scene["bodies"][1].update(kind="soft", mesh="box", soft={"pins": {"border": True}})
        self.write("rag.json", json.dumps(scene))
        self.fails("simulate", "rag.json", says="border")
        scene["meshes"]["box"]["cells"] = 3
        self.write("rag.json", json.dumps(scene))
        self.fails("simulate", "rag.json", says="meshes.box.cells")


if __name__ == "__main__":
    main()
