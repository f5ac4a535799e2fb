"""tandem ccd: known steps, the three forms of the answer, and what is refused."""

import csv
import io
import json
import os
import struct

import support

# A triangle that falls through another, which lies still: its lowest vertex comes first, at t = 0.25.
FALL0 = """v -1 0 -1
v 1 0 -1
v 0 0 1
v 0 1 0
v 1 2 0.25
v -1 2 0.25
f 1 2 3
f 4 5 6
"""
FALL1 = FALL0.replace("v 0 1 0", "v 0 -3 0").replace("v 1 2", "v 1 -2").replace("v -1 2", "v -1 -2")


class Ccd(support.CliTest):
    def frames(self):
        self.write("0.obj", FALL0)
        self.write("1.obj", FALL1)
        return ("ccd", "0.obj", "1.obj")

    def test_json(self):
        answer = json.loads(self.ok(*self.frames(), "--json"))
        self.assertEqual(answer["vertex_face"][0][:2], [3, 0])
        self.assertLessEqual(answer["earliest"], 0.25)
        self.assertGreaterEqual(answer["earliest"], 0.25 - 1e-6)
        self.assertEqual(answer["earliest"], min(c[2] for k in ("edge_edge", "vertex_face") for c in answer[k]))
        self.assertEqual(answer["earliest_contact"], {"kind": "vertex_face", "a": 3, "b": 0})
        self.assertEqual(answer["counts"], {"edge_edge": len(answer["edge_edge"]), "vertex_face": len(answer["vertex_face"])})
        self.assertEqual(len(answer["edge_vertices"]), len(answer["edge_edge"]))
        self.assertTrue(answer["touching"] and answer["certain"])
        self.assertNotIn("face_vertex", answer)
        self.assertEqual(answer["a"], {"start": "0.obj", "end": "1.obj", "vertices": 6, "triangles": 2})

    def test_forms_agree(self):
        frames = self.frames()
        answer = json.loads(self.ok(*frames, "--json"))
        rows = list(csv.DictReader(io.StringIO(self.ok(*frames, "--csv"))))
        for kind in ("edge_edge", "vertex_face"):
            self.assertEqual([[int(r["a"]), int(r["b"]), float(r["time"])] for r in rows if r["kind"] == kind], answer[kind])
        self.assertEqual([[[int(r["a0"]), int(r["a1"])], [int(r["b0"]), int(r["b1"])]] for r in rows if r["kind"] == "edge_edge"],
                         answer["edge_vertices"])
        counted = json.loads(self.ok(*frames, "--json", "--count"))
        self.assertEqual(counted["counts"], answer["counts"])
        self.assertNotIn("edge_edge", counted)
        self.assertEqual(self.ok(*frames, "--csv", "--count"),
                         "kind,count\nedge_edge,%d\nvertex_face,%d\n" % (len(answer["edge_edge"]), len(answer["vertex_face"])))
        first = json.loads(self.ok(*frames, "--json", "--earliest"))
        self.assertEqual(first["earliest"], answer["earliest"])
        self.assertEqual(first["vertex_face"], [answer["vertex_face"][0]])
        self.assertIn("vertex-face", self.ok(*frames))
        self.assertIn("vertex 3", self.ok(*frames))

    def test_same_for_every_way(self):
        frames = self.frames()
        lists = ("edge_edge", "vertex_face", "edge_vertices", "earliest")
        expected = json.loads(self.ok(*frames, "--json"))
        for more in (("--strategy", "brute"), ("--strategy", "wide"), ("--isa", "scalar"), ("--threads", "3"), ("--repeat", "3"),
                     ("--strategy", "balanced"), ("--strategy", "stack"), ("--strategy", "stack", "--volume", "obb"),
                     ("--strategy", "stack", "--descent", "alternate"), ("--strategy", "front"),
                     ("--strategy", "front", "--volume", "obb")):
            answer = json.loads(self.ok(*frames, "--json", *more))
            self.assertEqual([answer[k] for k in lists], [expected[k] for k in lists], more)
            self.assertEqual(answer["volume"], "obb" if "obb" in more else "aabb")
        # With a separation what is not certain must not depend on the boxes.
        answer = json.loads(self.ok(*frames, "--json", "--strategy", "front", "--volume", "obb", "--separation", "0.01"))
        self.assertEqual(answer["volume"], "aabb")

    def test_two_meshes(self):
        still, falling = FALL0.splitlines(True), FALL1.splitlines(True)
        self.write("a.obj", "".join(still[:3]) + "f 1 2 3\n")
        self.write("b0.obj", "".join(still[3:6]) + "f 1 2 3\n")
        self.write("b1.obj", "".join(falling[3:6]) + "f 1 2 3\n")
        answer = json.loads(self.ok("ccd", "a.obj", "a.obj", "b0.obj", "b1.obj", "--json"))
        self.assertEqual([c[:2] for c in answer["face_vertex"]], [[0, 0]])
        turned = json.loads(self.ok("ccd", "b0.obj", "b1.obj", "a.obj", "a.obj", "--json"))
        self.assertEqual([c[:2] for c in turned["vertex_face"]], [[0, 0]])
        self.assertEqual(sorted(c[:2] for c in answer["edge_edge"]), sorted(c[1::-1] for c in turned["edge_edge"]))

    def test_exit_code(self):
        frames = self.frames()
        self.ok(*frames, "--exit-code", "--quiet", status=1)
        nothing = json.loads(self.ok("ccd", "0.obj", "0.obj", "--exit-code", "--json"))
        self.assertEqual((nothing["earliest"], nothing["touching"]), (None, False))
        self.assertIn("nothing touches", self.ok("ccd", "0.obj", "0.obj"))

    def test_separation_and_budget(self):
        self.frames()
        for separation, touching in (("0.999", False), ("1", True), ("1.001", True)):
            answer = json.loads(self.ok("ccd", "0.obj", "0.obj", "--json", "--separation", separation))
            self.assertEqual(answer["touching"], touching, separation)
        exact = json.loads(self.ok("ccd", "0.obj", "1.obj", "--json"))
        hasty = json.loads(self.ok("ccd", "0.obj", "1.obj", "--json", "--budget", "1"))
        self.assertLessEqual(hasty["earliest"], exact["earliest"])
        self.assertLessEqual({tuple(c[:2]) for c in exact["vertex_face"]}, {tuple(c[:2]) for c in hasty["vertex_face"]})

    def test_refused(self):
        frames = self.frames()
        self.write("fewer.obj", FALL1.replace("v -1 -2 0.25\n", "").replace("f 4 5 6", "f 4 5 1"))
        self.fails("ccd", "0.obj", "fewer.obj", says=("fewer.obj", "5 vertices", "6"))
        self.write("turned.obj", FALL1.replace("f 4 5 6", "f 4 6 5"))
        self.fails("ccd", "0.obj", "turned.obj", says=("triangle 1", "turned.obj", "(3, 5, 4)"))
        self.write("more.obj", FALL1 + "f 1 2 4\n")
        self.fails("ccd", "0.obj", "more.obj", says=("more.obj", "3 triangles"))
        self.write("nan.obj", FALL1.replace("v 0 -3 0", "v 0 nan 0"))
        self.fails("ccd", "0.obj", "nan.obj", says="nan.obj:4")
        self.write("far.obj", FALL1.replace("v 0 -3 0", "v 0 -1e308 0").replace("v 1 -2", "v 1 1e308"))
        self.fails("ccd", "0.obj", "far.obj", says="overflow")
        self.fails("ccd", "0.obj", "missing.obj", says="missing.obj")
        self.fails("ccd", "0.obj", says="two frames")
        self.fails("ccd", "0.obj", "1.obj", "0.obj", says="three frames")
        self.fails(*frames, "0.obj", "1.obj", "0.obj", says="unexpected argument")
        self.fails(*frames, "--count", "--earliest", says="exclude")
        for bad in ("-1", "near", "inf", "1e999", ""):
            self.fails(*frames, "--separation=" + bad, says="--separation")
        self.fails(*frames, "--budget", "-3", says="--budget")
        self.fails(*frames, "--volume", "obb", says=("aabb", "front", "stack"))
        self.fails(*frames, "--descent", "a", says="descent")

    # The same for frames in a binary file: what is not finite is named by its element.
    def test_nan_in_binary(self):
        header = ("ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty double x\nproperty double y\n"
                  "property double z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n").encode()
        face = struct.pack("<B3i", 3, 0, 1, 2)
        self.write("0.ply", header + struct.pack("<9d", 0, 0, 0, 1, 0, 0, 0, 1, 0) + face)
        self.write("1.ply", header + struct.pack("<9d", 0, 0, 0, 1, float("nan"), 0, 0, 1, 0) + face)
        self.fails("ccd", "0.ply", "1.ply", says=("1.ply", "vertex 2 of 3"))

    def test_known_frames(self):
        for scene, first, second, edges, faces in (("cloth-funnel", "227", "228", 107, 27), ("rod-twist", "3036", "3037", 4179, 765)):
            folder = os.path.join(support.settings.data, "ccd", "frames", scene)
            if not os.path.isdir(folder):
                self.skipTest("%s is not there" % folder)
            ends = [os.path.join(folder, name + ".ply") for name in (first, second)]
            answer = json.loads(self.ok("ccd", *ends, "--json"))
            self.assertEqual(answer["counts"], {"edge_edge": edges, "vertex_face": faces})
            self.check_known_pairs(answer, folder, first)
            earliest = json.loads(self.ok("ccd", *ends, "--json", "--earliest"))["earliest"]
            self.assertEqual(earliest, answer["earliest"])

    # All pairs are among the candidates that came with the frames.
    def check_known_pairs(self, answer, folder, frame):
        vertices = answer["a"]["vertices"]
        with open(os.path.join(folder, "boxes", frame + "ee.json")) as file:
            edges = {tuple(sorted(id - vertices for id in pair)) for pair in json.load(file)}
        self.assertLessEqual({(a, b) for a, b, _ in answer["edge_edge"]}, edges)
        with open(os.path.join(folder, "boxes", frame + "vf.json")) as file:
            pairs = json.load(file)
        # Which of the two is the vertex, is told by its number; faces come last.
        last = max(max(pair) for pair in pairs)
        self.assertGreater(last, vertices)
        known = {(min(pair), max(pair)) for pair in pairs}
        offset = vertices + self.edge_count(answer, known)
        self.assertLessEqual({(v, f + offset) for v, f, _ in answer["vertex_face"]}, known)

    # The number of edges, from the first contact: its face has one number here and another there.
    def edge_count(self, answer, known):
        vertices = answer["a"]["vertices"]
        mine = {}
        for v, f, _ in answer["vertex_face"]:
            mine.setdefault(v, []).append(f)
        counts = None
        for v, faces in mine.items():
            possible = {theirs - f - vertices for u, theirs in known if u == v for f in faces}
            counts = possible if counts is None else counts & possible
        self.assertEqual(len(counts), 1)
        return counts.pop()


if __name__ == "__main__":
    support.main()
