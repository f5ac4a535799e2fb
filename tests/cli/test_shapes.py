"""`gen` and `info`: built-in shapes through every format and back, and what is told about meshes."""

import base64
import csv
import io
import json
import os
import struct

from support import CROSS, TETRAHEDRON, CliTest, main, settings


class Gen(CliTest):
    def shapes(self):
        return [shape["name"] for shape in json.loads(self.ok("gen", "--list", "--json"))["shapes"]]

    def info(self, *names):
        return json.loads(self.ok("info", *names, "--json"))["meshes"]

    def test_list(self):
        names = self.shapes()
        for name in ("box", "sphere", "torus", "knot", "cow"):
            self.assertIn(name, names)
        self.assertEqual(self.ok("gen"), self.ok("gen", "--list"))
        self.assertEqual([line.split()[0] for line in self.ok("gen").splitlines()], names)
        self.assertEqual([row["name"] for row in csv.DictReader(io.StringIO(self.ok("gen", "--csv")))], names)

    def test_round_trips(self):
        for shape in self.shapes():
            whole = self.info("shape:" + shape)[0]
            closed = shape != "sheet"
            self.assertEqual(whole["closed"], closed, shape)
            self.assertTrue(not closed or whole["volume"] > 0, shape)
            for extension in ("obj", "ply", "off", "stl"):
                name = "%s.%s" % (shape, extension)
                self.ok("gen", shape, "-q", "-o", name)
                back = self.info(name)[0]
                self.assertEqual(back["triangles"], whole["triangles"], name)
                self.assertEqual(back["distinct_positions"], whole["distinct_positions"], name)
                self.assertEqual(back["closed"], closed, name)
                if extension == "stl":
                    self.assertEqual(back["vertices"], 3 * whole["triangles"])
                    self.assertAlmostEqual(back["volume"], whole["volume"], places=5)
                else:
                    for key in ("vertices", "lower", "upper", "area", "volume", "components"):
                        self.assertEqual(back[key], whole[key], (name, key))

    def test_formats_agree_on_a_collision(self):
        wanted = self.ok("collide", "shape:cow", "shape:torus", "--csv")
        self.assertGreater(len(wanted.splitlines()), 10)
        for extension in ("obj", "ply", "off"):
            for shape in ("cow", "torus"):
                self.ok("gen", shape, "-q", "-o", "%s.%s" % (shape, extension))
            self.assertEqual(self.ok("collide", "cow." + extension, "torus." + extension, "--csv"), wanted)

    def test_subdivide(self):
        for name in ("box", "cow"):
            plain, fine = self.info("shape:" + name, "shape:%s:2" % name)
            self.assertEqual(fine["triangles"], 16 * plain["triangles"])
            self.ok("gen", name, "--subdivide", "2", "-q", "-o", "fine.ply")
            self.assertEqual(self.info("fine.ply")[0]["triangles"], fine["triangles"])

    def test_standard_output_is_obj(self):
        self.ok("gen", "cow", "-q", "-o", "cow.obj")
        self.assertEqual(self.ok("gen", "cow"), self.read("cow.obj"))

    def test_what_is_told(self):
        self.assertEqual(self.ok("gen", "box", "-o", "box.obj"), "box.obj: 8 vertices, 12 triangles\n")
        self.assertEqual(self.ok("gen", "box", "-o", "box.obj", "--quiet"), "")
        told = json.loads(self.ok("gen", "box", "-o", "box.obj", "--json"))
        self.assertEqual(told, {"file": "box.obj", "shape": "box", "subdivide": 0, "vertices": 8, "triangles": 12})
        row = list(csv.DictReader(io.StringIO(self.ok("gen", "box", "-o", "box.obj", "--csv"))))
        self.assertEqual(row[0]["triangles"], "12")
        self.assertEqual(os.listdir(self.folder), ["box.obj"])


class Info(CliTest):
    def note(self, text):
        self.write("m.obj", text)
        return json.loads(self.ok("info", "m.obj", "--json"))["meshes"][0], self.ok("info", "m.obj")

    def test_program(self):
        info = json.loads(self.ok("info", "--json"))
        self.assertEqual(self.ok("--version"), "tandem %s\n" % info["version"])
        self.assertEqual(self.ok("collide", "--version"), "tandem %s\n" % info["version"])
        self.assertIn("scalar", info["isas"])
        self.assertIn(info["isa"], info["isas"])
        self.assertLessEqual({"brute", "stack", "wide"}, {entry["name"] for entry in info["strategies"]})
        self.assertEqual(json.loads(self.ok("info", "--json", "--threads", "3"))["threads"], 3)
        self.assertEqual(json.loads(self.ok("info", "--json", "--isa", "scalar"))["isa"], "scalar")
        table = self.ok("info")
        self.assertIn("(used: %s)" % info["isa"], table)

    def test_closed_mesh(self):
        told, table = self.note(TETRAHEDRON)
        self.assertEqual((told["vertices"], told["triangles"], told["components"]), (4, 4, 1))
        self.assertTrue(told["closed"])
        self.assertAlmostEqual(told["volume"], 1 / 6)
        self.assertEqual((told["lower"], told["upper"]), ([0, 0, 0], [1, 1, 1]))
        self.assertRegex(table, r"notes +closed\n")
        self.assertGreater(told["hierarchy"]["bytes_per_triangle"], 0)

    def test_open_mesh(self):
        told, table = self.note(CROSS)
        self.assertEqual((told["closed"], told["boundary_edges"], told["components"]), (False, 6, 2))
        self.assertIn("6 boundary edges", table)
        self.assertIn("none: the mesh is open", table)

    def test_oddities(self):
        told, table = self.note(TETRAHEDRON + "v 9 9 9\nf 2 3 4\nf 1 1 2\n")
        self.assertEqual((told["duplicate_triangles"], told["repeated_vertex"], told["unreferenced_vertices"]), (1, 1, 1))
        self.assertIn("1 duplicate triangle\n", table)
        self.assertIn("1 triangle that names one position twice", table)
        self.assertIn("1 vertex that no triangle uses", table)
        told, table = self.note(TETRAHEDRON.replace("f 2 3 4", "f 2 4 3"))
        self.assertEqual(told["misoriented_edges"], 3)
        self.assertIn("not consistently oriented", table)
        told, _ = self.note("v 0 0 0\nv 1 1 1\nv 3 3 3\nv 0 1 0\nf 1 2 3\nf 1 2 4\n")
        self.assertEqual(told["zero_area"], 1)

    def test_vertices_that_are_not_welded(self):
        told, table = self.note("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\nf 4 5 6\n")
        self.assertEqual((told["vertices"], told["distinct_positions"]), (6, 4))
        self.assertIn("6, at 4 distinct positions", table)

    def test_several(self):
        self.write("m.obj", TETRAHEDRON)
        meshes = json.loads(self.ok("info", "m.obj", "shape:box", "--json"))["meshes"]
        self.assertEqual([mesh["name"] for mesh in meshes], ["m.obj", "shape:box"])
        table = list(csv.DictReader(io.StringIO(self.ok("info", "m.obj", "shape:box", "--csv"))))
        self.assertEqual([int(row["triangles"]) for row in table], [4, 12])
        self.assertTrue(all(None not in row and None not in row.values() for row in table))

    def test_gltf(self):
        if not settings.assimp:
            self.skipTest("this build has no assimp")
        data = struct.pack("<9f3H", 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 2)
        scene = {
            "asset": {"version": "2.0"},
            "scenes": [{"nodes": [0]}],
            "nodes": [{"mesh": 0, "translation": [2, 0, 0]}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
            "buffers": [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}],
            "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 6}],
            "accessors": [
                {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]},
                {"bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR"},
            ],
        }
        self.write("t.gltf", json.dumps(scene))
        told = json.loads(self.ok("info", "t.gltf", "--json"))["meshes"][0]
        self.assertEqual((told["triangles"], told["lower"], told["upper"]), (1, [2, 0, 0], [3, 1, 0]))
        self.assertEqual(self.ok("self", "t.gltf", "--csv"), "pose,a,b\n")
        self.write("broken.gltf", "{")
        self.fails("info", "broken.gltf", says="broken.gltf")
        self.fails("info", "missing.glb", says="missing.glb")


if __name__ == "__main__":
    main()
