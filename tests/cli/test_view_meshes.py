"""Pages that show meshes, and the triangles of `collide` and `self` results in them."""

import json
import os

from support import CROSS, TETRAHEDRON, CliTest, main
from test_view import ViewTest, elements


class Meshes(ViewTest):
    def setUp(self):
        super().setUp()
        self.write("t.obj", TETRAHEDRON)
        self.write("c.obj", CROSS)
        self.temporary = self.path("tmp")
        os.mkdir(self.temporary)

    def run_tandem(self, *arguments, **options):
        """Temporary files have a folder of their own, in which none is left."""
        result = super().run_tandem(*arguments, env=dict(os.environ, TMPDIR=self.temporary), **options)
        self.assertEqual(os.listdir(self.temporary), [])
        return result

    def frame(self, page, number):
        self.write("page.rec", self.data(page)[1])
        return json.loads(self.ok("replay", "page.rec", "--frame", str(number), "--json"))

    def test_bodies(self):
        told = json.loads(self.ok("view", "t.obj", "c.obj", "shape:cow", "-o", "page.html", "--json"))
        self.assertEqual((told["frames"], told["bodies"], told["meshes"]), (1, 3, 3))
        bodies = self.frame("page.html", 0)["bodies"]
        self.assertEqual([(body["name"], body["kind"]) for body in bodies],
                         [("t.obj", "static"), ("c.obj", "static"), ("shape:cow", "static")])
        for body in bodies:
            self.assertEqual(body["rotation"], [0, 0, 0, 1])
            self.assertLess(max(map(abs, body["position"])), 1e-5)
        about = self.about(self.data("page.html")[1])
        self.assertEqual((about["complete"], about["scene"]), (True, "t.obj and 2 more"))

    def test_names_without_folders(self):
        os.mkdir(self.path("folder"))
        self.write("folder/t.obj", TETRAHEDRON)
        self.ok("view", self.path("folder/t.obj"), "-o", "page.html", "-q")
        self.assertEqual([body["name"] for body in self.frame("page.html", 0)["bodies"]], ["t.obj"])

    def test_default_names(self):
        for arguments, page in ((("t.obj", "c.obj"), "t.html"), (("shape:cow:1",), "cow.html"), (("shape:box",), "box.html")):
            self.ok("view", *arguments, "-q")
            self.data(page)

    def test_poses(self):
        self.ok("view", "t.obj", "shape:box", "--pose", "1 2 3 0 0 1 0", "-q")
        bodies = self.frame("t.html", 0)["bodies"]
        self.assertEqual(bodies[0]["position"], [0, 0, 0])
        for k, wanted in enumerate((1, 2, 3)):
            self.assertAlmostEqual(bodies[1]["position"][k], wanted, delta=1e-5)
        self.write("poses.txt", "0 0 0 0 0 0 1\n1 0 0 0 0 0 1\n\n0 -1 0 2  1 0 0 0  0 0 1 0\n")
        told = json.loads(self.ok("view", "t.obj", "shape:box", "--poses", "poses.txt", "--json"))
        self.assertEqual(told["frames"], 3)
        for frame in range(3):
            self.assertAlmostEqual(self.frame("t.html", frame)["bodies"][1]["position"][0], frame, delta=1e-5)
        self.fails("view", "t.obj", "--pose", "1 2 3 0 0 0 1", says=("--pose", "two"))
        self.fails("view", "t.obj", "c.obj", "t.obj", "--poses", "poses.txt", says=("--poses", "two"))
        self.fails("view", "t.obj", "c.obj", "--pose", "1 2 3", says="--pose")
        self.fails("view", "t.obj", "c.obj", "--pose", "1 2 3 0 0 0 1", "--poses", "poses.txt", says="exclude")

    def test_bad_meshes(self):
        self.write("bad.obj", "v 0 0 0\nf 1 2 3\n")
        self.fails("view", "t.obj", "bad.obj", says="bad.obj:2")
        self.fails("view", "shape:cwo", says="cow")

    def test_nowhere_for_temporary_files(self):
        self.temporary = self.path("tmp")
        result = CliTest.run_tandem(self, "view", "t.obj", env=dict(os.environ, TMPDIR=self.path("none")))
        self.assertEqual(result.returncode, 2)
        self.assertIn("TMPDIR", result.stderr)

    # -----------------------------------------------------------------------------------------------------------------

    def highlights(self, page):
        found = elements(self.page(page), "tandem-highlights")
        self.assertEqual(len(found), 1)
        self.assertEqual(found[0][0], {"type": "application/json"})
        answer = json.loads(found[0][1])
        self.assertEqual(answer["title"], "intersecting triangles")
        return answer["frames"]

    def result(self, *command, name="hits.json"):
        self.ok(*command, "--json", "-o", name)
        return json.loads(self.read(name))

    def test_result_of_collide(self):
        pose = "0.3 0.1 0 0 0 0.6 0.8"
        answer = self.result("collide", "shape:cow", "shape:torus", "--pose", pose)
        told = json.loads(self.ok("view", "--result", "hits.json", "--json"))
        frames = self.highlights("hits.html")
        wanted = [sorted({pair[side] for pair in answer["triangles"]}) for side in (0, 1)]
        self.assertGreater(len(wanted[0]), 10)
        self.assertEqual(frames, [wanted])
        self.assertEqual(told["highlighted_triangles"], len(wanted[0]) + len(wanted[1]))
        bodies = self.frame("hits.html", 0)["bodies"]
        self.assertEqual([body["name"] for body in bodies], ["shape:cow", "shape:torus"])
        self.assertEqual(self.about(self.data("hits.html")[1])["scene"], "shape:cow and shape:torus")
        self.assertAlmostEqual(bodies[1]["position"][0], 0.3, delta=1e-5)
        self.assertAlmostEqual(bodies[1]["rotation"][2], 0.6, delta=1e-4)

    def test_result_of_a_batch(self):
        self.write("poses.txt", "".join("%g 0 0 0 0 0 1\n" % (0.2 * i) for i in range(5)) + "9 0 0 0 0 0 1\n")
        answer = self.result("collide", "shape:cow", "shape:knot", "--poses", "poses.txt")
        self.ok("view", "--result", "hits.json", "-q", "-o", "page.html")
        frames = self.highlights("page.html")
        self.assertEqual(frames, [[sorted({pair[side] for pair in pose["triangles"]}) for side in (0, 1)]
                                  for pose in answer["poses"]])
        self.assertEqual(frames[5], [[], []])
        self.assertEqual(self.about(self.data("page.html")[1])["frames"], 6)
        self.assertAlmostEqual(self.frame("page.html", 3)["bodies"][1]["position"][0], 0.6, delta=1e-5)

    def test_result_of_self(self):
        self.result("self", "c.obj")
        self.ok("view", "--result", "hits.json", "-q")
        self.assertEqual(self.highlights("hits.html"), [[[0, 1]]])
        self.assertEqual([body["name"] for body in self.frame("hits.html", 0)["bodies"]], ["c.obj"])

    def test_given_meshes_hold(self):
        self.result("self", "c.obj")
        os.rename(self.path("c.obj"), self.path("moved.obj"))
        self.fails("view", "--result", "hits.json", says="c.obj")
        self.ok("view", "moved.obj", "--result", "hits.json", "-q")
        self.assertEqual([body["name"] for body in self.frame("hits.html", 0)["bodies"]], ["moved.obj"])
        self.fails("view", "t.obj", "--result", "hits.json", says=("hits.json: a.triangles", "t.obj", "4"))
        self.fails("view", "moved.obj", "moved.obj", "--result", "hits.json", says=("hits.json", "one mesh"))
        self.fails("view", "--result", "hits.json", "-o", "hits.json", says="would replace")

    def test_given_poses_hold(self):
        self.result("collide", "t.obj", "shape:box")
        self.ok("view", "--result", "hits.json", "--pose", "2 0 0 0 0 0 1", "-q")
        self.assertAlmostEqual(self.frame("hits.html", 0)["bodies"][1]["position"][0], 2, delta=1e-5)
        self.write("poses.txt", "0 0 0 0 0 0 1\n1 0 0 0 0 0 1\n")
        self.fails("view", "--result", "hits.json", "--poses", "poses.txt", says=("hits.json: poses", "poses.txt has 2"))

    def test_nothing_to_highlight(self):
        self.result("collide", "t.obj", "shape:box", "--count")
        self.fails("view", "--result", "hits.json", says=("hits.json", "nothing to highlight", "without --count"))
        self.write("poses.txt", "0 0 0 0 0 0 1\n1 0 0 0 0 0 1\n")
        self.result("collide", "t.obj", "shape:box", "--count", "--poses", "poses.txt")
        self.fails("view", "--result", "hits.json", says=("poses[0]", "without --count"))
        self.result("collide", "t.obj", "shape:box", "--pose", "9 0 0 0 0 0 1")
        told = self.run_tandem("view", "--result", "hits.json")
        self.assertEqual(told.returncode, 0)
        self.assertRegex(told.stderr, r"\Atandem: note: hits.json: no triangles intersect[^\n]*\n\Z")
        self.assertEqual(self.highlights("hits.html"), [[[], []]])
        self.result("collide", "t.obj", "shape:box", "--first")
        self.ok("view", "--result", "hits.json", "-q")
        self.assertEqual([len(body) for body in self.highlights("hits.html")[0]], [1, 1])

    def test_wrong_results(self):
        good = self.result("collide", "t.obj", "shape:box")
        self.assertGreater(len(good["triangles"]), 0)
        identity = [0, 0, 0, 0, 0, 0, 1]
        wrong = [
            ({"triangles": [[0, 99]]}, ("triangles[0][1]", "from 0 to 11", "99")),
            ({"triangles": [[0, 0], [4, 0]]}, ("triangles[1][0]", "from 0 to 3")),
            ({"triangles": [[0, 0], [0, -1]]}, ("triangles[1][1]", "-1")),
            ({"triangles": [[0, 0.5]]}, ("triangles[0][1]", "whole number")),
            ({"triangles": [[0, 0, 0]]}, ("triangles[0]", "pair")),
            ({"triangles": [7]}, ("triangles[0]", "pair")),
            ({"triangles": [["0", "0"]]}, ("triangles[0][0]", "whole number")),
            ({"triangles": {}}, ("triangles", "an array")),
            ({"pose": [1, 2, 3]}, ("pose", "7 numbers")),
            ({"pose": [0, 0, 0, 0, 0, 0, 2]}, ("pose",)),
            ({"pose": None}, ("pose",)),
            ({"a": {"name": "t.obj"}}, ("a", "triangles", "missing")),
            ({"a": {"name": 5, "triangles": 4}}, ("a.name", "text")),
            ({"a": {"name": "", "triangles": 4}}, ("a.name", "text")),
            ({"a": 5}, ("a", "object")),
            ({"b": {"triangles": 4}}, ("b", "name")),
            ({"poses": 5}, ("poses", "an array")),
            ({"poses": []}, ("poses", "empty")),
            ({"poses": [7]}, ("poses[0]", "object")),
            ({"poses": [{"pose": identity}, {"pose": identity, "triangles": []}]}, ("poses[0]", "triangles")),
            ({"poses": [{"pose": identity, "triangles": [[0, 12]]}]}, ("poses[0].triangles[0][1]", "from 0 to 11")),
        ]
        for change, says in wrong:
            self.write("wrong.json", json.dumps({**good, **change}))
            self.fails("view", "--result", "wrong.json", "-o", "page.html", says=("wrong.json",) + says)
        for text, says in (("", "empty"), ("{", "wrong.json:1:"), ("[]", "object"), ("7", "object"), ("{}", '"a"'),
                           ("[" * 100000, "wrong.json:1:"), ('{"a": 1} x', "wrong.json:1:10"), ("\0\1\2", "wrong.json:1:")):
            self.write("wrong.json", text)
            self.fails("view", "--result", "wrong.json", "-o", "page.html", says=says)
        for key in ("a", "pose", "triangles"):
            self.write("wrong.json", json.dumps({name: value for name, value in good.items() if name != key}))
            self.fails("view", "--result", "wrong.json", "-o", "page.html", says='"%s"' % key if key != "triangles" else key)
        self.fails("view", "--result", "missing.json", says="missing.json")


if __name__ == "__main__":
    main()
