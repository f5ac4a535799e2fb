"""Pictures and films: what is in the files, that they are the same on all ways, and what is refused."""

import csv
import io
import json
import os
import shutil
import signal
import subprocess
import time

from png import Png
from support import CliTest, TETRAHEDRON, main, settings

# A sphere falls on a floor, beside a box that lies there.
SCENE = {
    "tandem": 1, "name": "fall", "steps": 40, "step": 1 / 50,
    "meshes": {"ball": {"shape": "sphere"}, "box": {"shape": "box", "fit": 0.8},
               "floor": {"shape": "box", "scale": [40, 1, 40], "translate": [0, -0.5, 0]}},
    "bodies": [{"name": "floor", "kind": "static", "mesh": "floor"},
               {"name": "box", "mesh": "box", "position": [1.5, 0.5, 0]},
               {"name": "ball", "mesh": "ball", "position": [0, 3, 0]}],
}
SMALL = ("--size", "64x48", "--samples", "2", "--sky", "1")
NEED_FFMPEG = "ffmpeg is not installed: films are not tested"


def brightness(pixel):
    return sum(pixel) / 3


class Render(CliTest):
    recording = None

    def setUp(self):
        super().setUp()
        if Render.recording is None:
            self.write("fall.json", json.dumps(SCENE))
            self.ok("simulate", "fall.json", "-o", "fall.rec", "--quiet")
            with open(self.path("fall.rec"), "rb") as file:
                Render.recording = file.read()
            os.remove(self.path("fall.json"))
        self.write("fall.rec", Render.recording)

    def bytes(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def png(self, name="p.png"):
        return Png(self.bytes(name))

    # ------------------------------------------------------------------------------------------------------------------

    def test_one_picture(self):
        told = json.loads(self.ok("render", "shape:sphere:3", "-o", "p.png", *SMALL, "--json"))
        picture = self.png()
        self.assertEqual((picture.width, picture.height), (64, 48))
        self.assertEqual({name: told[name] for name in ("file", "kind", "width", "height", "pictures", "samples")},
                         {"file": "p.png", "kind": "picture", "width": 64, "height": 48, "pictures": 1, "samples": 2})
        self.assertEqual(told["bytes"], len(self.bytes("p.png")))
        self.assertEqual(told["rays"]["camera"], 64 * 48 * 2)
        self.assertEqual(sum(told["rays"][kind] for kind in ("camera", "sun", "sky")), told["rays"]["all"])
        self.assertGreater(told["million_rays_per_s"], 0)
        self.assertEqual(told["camera"]["fov"], 38)
        self.assertEqual(os.listdir(self.folder).count("p.png"), 1)

    def test_summaries(self):
        text = self.ok("render", "shape:box", "-o", "p.png", *SMALL)
        self.assertRegex(text, r"\Ap.png: 64 x 48 pixels, [\d.]+ \w+\n[\d,]+ rays in [\d.]+ \w+: [\d.]+ million per second\n\Z")
        self.assertEqual(self.ok("render", "shape:box", "-o", "p.png", *SMALL, "--quiet"), "")
        rows = list(csv.DictReader(io.StringIO(self.ok("render", "shape:box", "-o", "p.png", *SMALL, "--csv"))))
        self.assertEqual((len(rows), rows[0]["width"], rows[0]["triangles"]), (1, "64", "12"))

    def test_sphere_and_its_shadow(self):
        """Seen from the front: a disc, bright on the side of the sun, and a shadow on the ground on the other."""
        self.ok("render", "shape:sphere:4", "-o", "p.png", "--size", "81x81", "--samples", "1", "--sky", "0", "--eye", "0 0 10",
                "--look-at", "0 0 0", "--fov", "20", "--ground", "-1.5")
        self.ok("render", "shape:sphere:4", "-o", "bare.png", "--size", "81x81", "--samples", "1", "--eye", "0 0 10",
                "--look-at", "0 0 0", "--fov", "20", "--ground", "none", "--colour", "normal")
        lit, bare = self.png("p.png").rows, self.png("bare.png").rows
        self.assertEqual(bare[40][40][2], 255)  # faces the camera: z
        self.assertGreater(bare[40][60][0], bare[40][20][0])  # x grows to the right
        self.assertGreater(bare[20][40][1], bare[60][40][1])  # y to the top
        self.assertGreater(brightness(lit[30][30]), brightness(lit[55][55]) + 40)  # the sun is at the upper left
        ground = lit[71]  # the shadow's middle is at x = 0.88, z = -0.81
        self.assertLess(brightness(ground[58]), brightness(ground[5]) - 30)
        self.assertEqual(ground[5], ground[13])

    def test_same_bytes_on_all_ways(self):
        self.ok("render", "fall.rec", "-o", "first.png", *SMALL, "--quiet", "--frame", "20")
        isas = [isa for isa in ("scalar", "sse4", "avx2", "avx512", "neon")
                if self.run_tandem("render", "shape:box", "-o", "x.png", "--size", "1x1", "-q", "--isa", isa).returncode == 0]
        self.assertIn("scalar", isas)
        for isa in isas:
            for threads in ("1", "3"):
                self.ok("render", "fall.rec", "-o", "p.png", *SMALL, "-q", "--frame", "20", "--isa", isa, "--threads", threads)
                self.assertEqual(self.bytes("p.png"), self.bytes("first.png"), (isa, threads))

    def test_sizes(self):
        """Rows of all kinds, down to a single pixel, are what an independent reader reads."""
        for size in ((1, 1), (1, 9), (9, 1), (17, 5), (200, 3)):
            self.ok("render", "shape:cow", "-o", "p.png", "--size", "%dx%d" % size, "--samples", "1", "--sky", "0", "-q")
            picture = self.png()
            self.assertEqual((picture.width, picture.height), size)

    def test_filters(self):
        """Rows choose among the filters, and what they say is undone."""
        self.ok("render", "shape:cow:1", "-o", "p.png", "--size", "160x120", "--samples", "1", "--sky", "0", "-q")
        picture = self.png()
        self.assertGreater(len(picture.filters), 2)
        self.assertGreater(len({pixel for row in picture.rows for pixel in row}), 500)

    def test_frames_of_a_recording(self):
        for frame in ("0", "40"):
            self.ok("render", "fall.rec", "-o", frame + ".png", *SMALL, "-q", "--frame", frame)
        self.ok("render", "fall.rec", "-o", "last.png", *SMALL, "-q")
        self.assertNotEqual(self.bytes("0.png"), self.bytes("40.png"))
        self.assertEqual(self.bytes("last.png"), self.bytes("40.png"))
        self.fails("render", "fall.rec", "-o", "p.png", "--frame", "41", says=("--frame 41", "41 frames", "0 to 40"))

    def test_colours(self):
        pictures = []
        for colour in ("body", "speed", "normal"):
            self.ok("render", "fall.rec", "-o", "p.png", *SMALL, "-q", "--frame", "20", "--colour", colour)
            pictures.append(self.bytes("p.png"))
        self.assertEqual(len(set(pictures)), 3)
        self.fails("render", "fall.rec", "-o", "q.png", "--colour", "sped", says=("sped", "speed"))
        self.fails("render", "shape:box", "-o", "q.png", "--colour", "speed", says="recording")

    def test_from_above(self):
        """Straight down: x to the right, and what is far back at the top."""
        self.ok("render", "shape:box", "-o", "p.png", "--size", "41x41", "--samples", "1", "--eye", "0.3 9 0.3", "--look-at",
                "0.3 0 0.3", "--fov", "20", "--ground", "none", "--colour", "normal", "-q")
        rows = self.png().rows
        self.assertEqual(rows[20][20][1], 255)  # its upper face
        seen = [(x, y) for y, row in enumerate(rows) for x, pixel in enumerate(row) if pixel[1] == 255]
        self.assertLess(sum(x for x, _ in seen) / len(seen), 20)  # the middle of the box is left of the camera's axis
        self.assertLess(sum(y for _, y in seen) / len(seen), 20)  # and behind it

    def test_flat(self):
        self.ok("render", "shape:sphere", "-o", "a.png", *SMALL, "-q")
        self.ok("render", "shape:sphere", "-o", "b.png", *SMALL, "-q", "--flat")
        self.assertNotEqual(self.bytes("a.png"), self.bytes("b.png"))

    def test_result(self):
        self.ok("collide", "shape:box", "shape:sphere", "--pose", "1 0.3 0.2 0 0 0 1", "--json", "-o", "hits.json")
        self.ok("render", "--result", "hits.json", "-o", "p.png", *SMALL, "-q")
        self.ok("render", "shape:box", "shape:sphere", "--pose", "1 0.3 0.2 0 0 0 1", "-o", "q.png", *SMALL, "-q")
        red = [sum(p[0] > 2 * p[1] and p[0] > 2 * p[2] for row in self.png(name).rows for p in row)
               for name in ("p.png", "q.png")]
        self.assertGreater(red[0], 20)
        self.assertEqual(red[1], 0)
        self.ok("collide", "shape:box", "shape:sphere", "--count", "--json", "-o", "count.json")
        self.fails("render", "--result", "count.json", "-o", "r.png", says="only counted")
        self.fails("render", "shape:cow", "shape:sphere", "--result", "hits.json", "-o", "r.png", says="hits.json")
        self.fails("render", "--result", "none.json", "-o", "r.png", says="none.json")

    # ------------------------------------------------------------------------------------------------------------------
    # Several pictures

    def test_sequence_of_pictures(self):
        told = json.loads(self.ok("render", "fall.rec", "-o", "f-%03d.png", *SMALL, "--from", "10", "--to", "20", "--every", "4",
                                  "--json"))
        names = sorted(name for name in os.listdir(self.folder) if name.startswith("f-"))
        self.assertEqual(names, ["f-000.png", "f-001.png", "f-002.png"])
        self.assertEqual((told["kind"], told["pictures"], told["first_frame"], told["last_frame"]), ("pictures", 3, 10, 18))
        self.assertEqual(told["bytes"], sum(len(self.bytes(name)) for name in names))
        self.assertEqual(len({self.bytes(name) for name in names}), 3)

    def deforming(self, count=3):
        names = []
        for i in range(count):
            text = TETRAHEDRON.replace("v 0 1 0", "v 0 %g 0" % (1 + 0.5 * i))
            names.append(self.write("d%d.obj" % i, text))
        return names

    def test_deforming_mesh(self):
        """Frames of one mesh are drawn like each alone, with the camera that sees them all."""
        names = self.deforming()
        told = json.loads(self.ok("render", *names, "-o", "f%d.png", *SMALL, "--json"))
        self.assertEqual((told["pictures"], told["triangles"], told["bodies"]), (3, 4, 1))
        self.assertIn("refit", told["ms"])
        camera = told["camera"]
        point = lambda name: " ".join(repr(number) for number in camera[name])
        for i, name in enumerate(names):
            self.ok("render", name, "-o", "alone.png", *SMALL, "-q", "--eye", point("eye"), "--look-at", point("look_at"),
                    "--ground", "0")
            self.assertEqual(self.png("alone.png").rows, self.png("f%d.png" % i).rows, name)

    def test_wrong_frames(self):
        names = self.deforming()
        self.write("more.obj", TETRAHEDRON + "v 5 5 5\n")
        self.fails("render", *names, "more.obj", "-o", "f%d.png", says=("more.obj has 5 vertices", "d0.obj has 4"))
        self.write("turned.obj", TETRAHEDRON.replace("f 2 3 4", "f 2 4 3"))
        self.fails("render", *names, "turned.obj", "-o", "f%d.png", says=("triangle 3", "turned.obj"))
        self.write("fewer.obj", TETRAHEDRON.replace("f 2 3 4\n", ""))
        self.fails("render", *names, "fewer.obj", "-o", "f%d.png", says=("fewer.obj has 3 triangles", "4"))
        self.write("nan.obj", TETRAHEDRON.replace("v 1 0 0", "v nan 0 0"))
        self.fails("render", *names, "nan.obj", "-o", "f%d.png", says="nan.obj")
        self.fails("render", *names, "shape:box", "-o", "f%d.png", says="shape:box")
        self.fails("render", names[0], "-o", "f%d.png", says="one mesh is no film")

    # ------------------------------------------------------------------------------------------------------------------
    # Films

    def probe(self, name):
        result = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries",
                                 "stream=codec_name,nb_read_frames,r_frame_rate,width,height", "-of", "json", name],
                                cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(result.returncode, 0, result.stderr)
        streams = json.loads(result.stdout)["streams"]
        self.assertEqual(len(streams), 1)
        return streams[0]

    def film(self, *arguments):
        if not shutil.which("ffmpeg") or not shutil.which("ffprobe"):
            self.skipTest(NEED_FFMPEG)
        told = json.loads(self.ok("render", *arguments, "-o", "f.mp4", *SMALL, "--json"))
        stream = self.probe("f.mp4")
        self.assertEqual((stream["codec_name"], stream["width"], stream["height"]), ("h264", 64, 48))
        self.assertEqual(told["pictures"], int(stream["nb_read_frames"]))
        over, under = map(int, stream["r_frame_rate"].split("/"))
        self.assertAlmostEqual(told["fps"], over / under, 3)
        self.assertEqual(told["bytes"], len(self.bytes("f.mp4")))
        self.assertFalse([name for name in os.listdir(self.folder) if "partial" in name])
        return told

    def test_film(self):
        told = self.film("fall.rec")  # 50 steps per second: all of them
        self.assertEqual((told["pictures"], told["fps"], told["kind"]), (41, 50, "film"))

    def test_film_of_another_rate(self):
        told = self.film("fall.rec", "--fps", "25", "--from", "1")
        self.assertEqual((told["pictures"], told["fps"], told["first_frame"], told["last_frame"]), (20, 25, 1, 39))

    def test_film_of_a_deforming_mesh(self):
        told = self.film(*self.deforming(5))
        self.assertEqual((told["pictures"], told["fps"]), (5, 25))

    def test_film_of_poses(self):
        self.write("poses.txt", "0 0 0 0 0 0 1\n0.5 0 0 0 0 0 1\n1 0 0 0 0 0 1\n")
        self.assertEqual(self.film("shape:box", "shape:sphere", "--poses", "poses.txt")["pictures"], 3)

    def test_without_ffmpeg(self):
        empty = self.path("empty")
        os.mkdir(empty)
        self.fails("render", "fall.rec", "-o", "f.mp4", *SMALL, env=dict(os.environ, PATH=empty),
                   says=("ffmpeg", "apt-get install ffmpeg", "frame-%04d.png"))

    def fake(self, script):
        folder = self.path("bin")
        os.mkdir(folder)
        path = os.path.join(folder, "ffmpeg")
        with open(path, "w") as file:
            file.write("#!/bin/sh\n" + script)
        os.chmod(path, 0o755)
        return dict(os.environ, PATH=folder + ":" + os.environ["PATH"])

    def test_ffmpeg_that_fails(self):
        """At once, in the middle, at the end: told in its own words, and no film is left, nor another one replaced."""
        self.write("f.mp4", "an older film")
        for script in ("echo cannot >&2; exit 1\n", "head -c 20000 >/dev/null; echo cannot >&2; exit 3\n",
                       "cat >/dev/null; echo partly >/dev/fd/3; echo cannot >&2; exit 1\n"):
            environment = self.fake(script)
            self.fails("render", "fall.rec", "-o", "f.mp4", *SMALL, env=environment, says=("ffmpeg", "cannot"))
            self.assertEqual(self.bytes("f.mp4"), b"an older film")
            shutil.rmtree(self.path("bin"))

    def test_interrupted_film(self):
        environment = self.fake("cat >/dev/null; echo late >/dev/fd/3\n")
        before = sorted(os.listdir(self.folder))
        with subprocess.Popen([settings.program, "render", "fall.rec", "-o", "f.mp4", "--size", "640x480", "--samples", "64"],
                              cwd=self.folder, env=environment, stdout=subprocess.DEVNULL) as process:
            deadline = time.time() + 30
            while time.time() < deadline and sorted(os.listdir(self.folder)) == before:
                time.sleep(0.02)
            self.assertNotEqual(sorted(os.listdir(self.folder)), before)  # the unfinished file
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(30), -signal.SIGTERM)
        time.sleep(0.3)  # ffmpeg notices, and may still write
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    # ------------------------------------------------------------------------------------------------------------------

    def test_bad_options(self):
        for arguments, says in (
                (("shape:box",), "-o FILE"),
                (("-o", "p.png"), "recording"),
                (("shape:box", "-o", "p.jpg"), ("p.jpg", ".png", ".mp4")),
                (("shape:box", "shape:box", "-o", "p%s.png"), ("p%s.png", "%d")),
                (("shape:box", "shape:box", "-o", "p%d%d.png"), "%d"),
                (("shape:box", "-o", "p.png", "--size", "10"), ("--size", "1920x1080")),
                (("shape:box", "-o", "p.png", "--size", "0x10"), "--size"),
                (("shape:box", "-o", "p.png", "--size", "10x20000"), "16384"),
                (("shape:box", "-o", "p.png", "--size", "10x10x10"), "--size"),
                (("fall.rec", "-o", "p.mp4", "--size", "65x48"), "even"),
                (("shape:box", "-o", "p.png", "--samples", "0"), "--samples"),
                (("shape:box", "-o", "p.png", "--samples", "9999"), "4096"),
                (("shape:box", "-o", "p.png", "--eye", "1 2"), ("--eye", "three numbers")),
                (("shape:box", "-o", "p.png", "--eye", "1 2 nan"), "--eye"),
                (("shape:box", "-o", "p.png", "--eye", "1 2 3", "--look-at", "1 2 3"), "camera"),
                (("shape:box", "-o", "p.png", "--eye", "1e200 0 0"), "eye"),
                (("shape:box", "-o", "p.png", "--fov", "200"), ("--fov", "170")),
                (("shape:box", "-o", "p.png", "--ground", "deep"), ("--ground", "none")),
                (("shape:box", "-o", "p.png", "--fps", "25"), "films"),
                (("fall.rec", "-o", "p.mp4", "--fps", "0"), "--fps"),
                (("fall.rec", "-o", "p.mp4", "--frame", "3"), "--frame"),
                (("fall.rec", "-o", "p.png", "--to", "3"), "films"),
                (("fall.rec", "-o", "p%d.png", "--to", "99"), ("--to 99", "41 frames")),
                (("fall.rec", "-o", "p%d.png", "--from", "9", "--to", "3"), "--from 9"),
                (("fall.rec", "fall.rec", "-o", "p.png"), "alone"),
                (("fall.rec", "-o", "p.png", "--pose", "0 0 0 0 0 0 1"), "--pose"),
                (("shape:box", "-o", "p.png", "--pose", "0 0 0 0 0 0 1"), "two"),
                (("shape:box", "-o", "p.png", "--device", "opencl"), "--device"),
                (("missing.obj", "-o", "p.png"), "missing.obj"),
                (("shape:kow", "-o", "p.png"), "cow"),
                (("shape:box", "-o", "no/such/p.png"), "no/such/p.png")):
            self.fails("render", *arguments, says=says)

    def test_does_not_replace_its_input(self):
        shutil.copy(self.path("fall.rec"), self.path("fall.png"))
        self.fails("render", "fall.png", "-o", "fall.png", says="another name")

    def test_huge_coordinates(self):
        self.write("huge.obj", TETRAHEDRON.replace("v 1 0 0", "v 1e200 0 0"))
        self.fails("render", "huge.obj", "-o", "p.png", *SMALL, says=("huge.obj", "1e+100"))

    def test_damaged_recordings(self):
        data = Render.recording
        self.write("cut.rec", data[:len(data) * 2 // 3])
        result = self.run_tandem("render", "cut.rec", "-o", "p.png", *SMALL, "--json")
        self.assertEqual(result.returncode, 0)
        self.assertIn("its end is missing", result.stderr)
        self.assertLess(json.loads(result.stdout)["last_frame"], 40)
        self.write("head.rec", data[:50])
        self.fails("render", "head.rec", "-o", "q.png", says="head.rec")


if __name__ == "__main__":
    main()
