"""Pages that hold a recording, and what is said about them. What other tests of pages share is here, too."""

import base64
import gzip
import html
import json
import os
import pty
import re
import resource
import signal
import struct
import subprocess
import time

from support import TETRAHEDRON, CliTest, main, settings

MAGIC = b"\x89TNDM\r\n\x1a"
VERSION = 2

# A box falls on another.
SCENE = {
    "tandem": 1, "name": "fall", "step": 1 / 60, "steps": 40,
    "meshes": {"box": {"shape": "box"}},
    "bodies": [{"name": "below", "kind": "static", "mesh": "box"},
               {"name": "above", "mesh": "box", "position": [0.25, 1.5, 0.125], "spin": [0.5, 1, 2]}],
}


def elements(page, name):
    """(attributes, content) of each script element of that id."""
    found = re.findall(r'<script id="%s"([^>]*)>([^<]*)</script>' % name, page)
    return [({key: html.unescape(value) for key, value in re.findall(r'([a-z-]+)="([^"]*)"', attributes)}, content)
            for attributes, content in found]


def chunk_ends(data):
    """Where each chunk ends."""
    at, ends = 12, []
    while at < len(data):
        at += struct.unpack_from("<Q", data, at + 4)[0] + 16
        ends.append(at)
    return ends


class ViewTest(CliTest):
    @classmethod
    def setUpClass(cls):
        told = subprocess.run([settings.program, "view", "shape:box", "-o", "/dev/null"], capture_output=True, text=True)
        if "built without the viewer" in told.stderr:
            cls.skipTest(cls, "the program was built without the viewer")

    def setUp(self):
        super().setUp()
        self.write("fall.json", json.dumps(SCENE))

    def record(self, name="fall.rec", steps=40):
        self.ok("simulate", "fall.json", "--steps", str(steps), "-o", name, "-q")
        return self.bytes(name)

    def bytes(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def page(self, name):
        return self.bytes(name).decode()

    def data(self, name):
        """The attributes of the recording in a page, and its bytes."""
        found = elements(self.page(name), "tandem-data")
        self.assertEqual(len(found), 1)
        attributes, content = found[0]
        self.assertEqual(attributes["type"], "application/octet-stream")
        self.assertEqual(attributes["data-encoding"], "gzip-base64")
        return attributes, gzip.decompress(base64.b64decode(content, validate=True))

    def about(self, data):
        """What `replay` says about these bytes."""
        self.write("about.rec", data)
        return json.loads(self.ok("replay", "about.rec", "--json"))

    def names(self):
        return sorted(os.listdir(self.folder))


class Recordings(ViewTest):
    def test_page_holds_the_recording(self):
        recording = self.record()
        before = self.names()
        told = json.loads(self.ok("view", "fall.rec", "-o", "page.html", "--json"))
        self.assertEqual(self.names(), sorted(before + ["page.html"]))
        attributes, data = self.data("page.html")
        self.assertEqual(attributes["data-name"], "fall.rec")
        self.assertEqual(data, recording)
        page = self.page("page.html")
        self.assertNotIn("<!--tandem:data-->", page)
        self.assertTrue(page.lower().startswith("<!doctype html>"))
        self.assertEqual(elements(page, "tandem-highlights"), [])
        self.assertEqual(told, {"path": "page.html", "bytes": len(self.bytes("page.html")), "recording_bytes": len(recording),
                                "frames": 41, "bodies": 2, "meshes": 1, "complete": True, "lost_bytes": 0,
                                "highlighted_triangles": 0})

    def test_same_page_again(self):
        self.record()
        self.ok("view", "fall.rec", "-q", "-o", "a.html")
        self.ok("view", "fall.rec", "-q", "-o", "b.html", "--threads", "3")
        self.assertEqual(self.bytes("a.html"), self.bytes("b.html"))

    def test_what_is_said(self):
        self.record()
        self.assertRegex(self.ok("view", "fall.rec"), r"\Afall.html: [\d.]+ [KM]iB, 41 frames of 2 bodies; [^\n]+\n\Z")
        self.assertEqual(self.ok("view", "fall.rec", "--quiet"), "")
        header, row = self.ok("view", "fall.rec", "--csv").splitlines()
        values = dict(zip(header.split(","), row.split(",")))
        self.assertEqual((values["path"], values["frames"], values["bytes"]), ("fall.html", "41", str(len(self.bytes("fall.html")))))

    def test_default_name(self):
        data = self.record()
        os.mkdir(self.path("a.b"))
        for name, page in (("x.y.rec", "x.y.html"), ("a.b/plain", "a.b/plain.html"), ("a.b/c.rec", "a.b/c.html")):
            self.write(name, data)
            self.ok("view", name, "-q")
            self.assertEqual(self.data(page)[1], data)

    def test_names_are_escaped(self):
        data = self.record()
        for name in ('a"b.rec', "a'b&amp;.rec", "<script>.rec", "</script>.rec", "käse.rec", "new\nline.rec", "tab\t.rec"):
            if "/" in name:
                os.mkdir(self.path(os.path.dirname(name)))
            self.write(name, data)
            self.ok("view", name, "-q", "-o", "page.html")
            attributes, held = self.data("page.html")
            self.assertEqual((attributes["data-name"], held), (os.path.basename(name), data), name)
        name = os.fsdecode(b"x\xff\xc0\xafy.rec")
        self.write(name, data)
        self.ok("view", name, "-q", "-o", "page.html")
        self.assertEqual(self.data("page.html")[0]["data-name"], "x\ufffd\ufffd\ufffdy.rec")

    def test_any_size(self):
        """Base64 comes in threes, packed pieces in 64 KiB: pages of every remainder, and of a larger recording."""
        data = self.record(steps=5)
        for extra in range(4):
            self.write("more.rec", data + b"x" * extra)
            self.ok("view", "more.rec", "-q", "-o", "page.html")
            self.assertEqual(self.data("page.html")[1], data + b"x" * extra)
        self.ok("simulate", "cows", "--steps", "30", "-o", "cows.rec", "-q")
        self.assertGreater(len(self.bytes("cows.rec")), 1 << 17)
        self.ok("view", "cows.rec", "-q")
        self.assertEqual(self.data("cows.html")[1], self.bytes("cows.rec"))

    def test_truncated(self):
        data = self.record()
        ends = chunk_ends(data)
        for cut, frames, lost in ((ends[-2], 41, 0), (ends[-3], 40, 0), (ends[-3] + 5, 40, 5), (len(data) - 1, 41, 31)):
            self.write("cut.rec", data[:cut])
            told = self.run_tandem("view", "cut.rec", "-o", "page.html", "--json")
            answer = json.loads(told.stdout)
            self.assertEqual((told.returncode, answer["frames"], answer["lost_bytes"], answer["complete"]),
                             (0, frames, lost, False), cut)
            self.assertRegex(told.stderr, r"\Atandem: note: cut.rec: [^\n]*\b%d frames\b[^\n]*\n\Z" % frames)
            if lost:
                self.assertIn(" %d bytes " % lost, told.stderr)
            self.assertEqual(self.data("page.html")[1], data[:cut])
        self.ok("view", "cut.rec", "--quiet")

    def test_damaged(self):
        data = bytearray(self.record())
        ends = chunk_ends(data)
        data[ends[-5] - 6] ^= 0x10  # in the last but three frames
        self.write("bad.rec", bytes(data))
        told = self.run_tandem("view", "bad.rec", "-o", "page.html", "--json")
        answer = json.loads(told.stdout)
        self.assertEqual((answer["frames"], answer["lost_bytes"]), (37, len(data) - ends[-6]))
        self.assertIn("37 frames", told.stderr)
        self.assertEqual(self.data("page.html")[1], bytes(data))

    def test_unreadable(self):
        data = self.record(steps=3)
        first = chunk_ends(data)[0]
        self.write("old.rec", MAGIC + struct.pack("<I", 1) + data[12:])
        self.write("future.rec", MAGIC + struct.pack("<I", 77) + data[12:])
        self.write("header.rec", data[:first + 9])
        self.write("start.rec", data[:10])
        self.write("empty.rec", b"")
        self.write("text.rec", "this is no recording, whatever its name says")
        self.write("mangled.rec", data.replace(b"\r\n", b"\n", 1))
        flipped = bytearray(data)
        flipped[first - 6] ^= 1
        self.write("flipped.rec", bytes(flipped))
        self.fails("view", "old.rec", says=("old.rec", "version 1", "versions %d and" % VERSION))
        self.fails("view", "future.rec", says=("future.rec", "version 77"))
        self.fails("view", "flipped.rec", says=("flipped.rec", "INFO"))
        for name in ("header.rec", "start.rec", "empty.rec", "text.rec", "mangled.rec", "missing.rec", "no/such.rec"):
            self.fails("view", name, says=name)
            self.fails("view", name, "-o", "page.html", "--json", says=name)
        self.fails("view", "missing.obj", says="missing.obj")
        self.fails("view", self.folder, "-o", "page.html", says=self.folder)

    def test_earlier_page_stays(self):
        self.write("page.html", "earlier")
        self.write("bad.rec", MAGIC + b"\1\0\0\0")
        self.fails("view", "bad.rec", "-o", "page.html", says="bad.rec")
        self.assertEqual(self.read("page.html"), "earlier")
        self.record()
        self.ok("view", "fall.rec", "-q", "-o", "page.html")
        self.data("page.html")

    def test_unwritable(self):
        self.record()
        self.fails("view", "fall.rec", "-o", "no/such/page.html", says=("-o", "no/such/page.html"))
        self.fails("view", "fall.rec", "-o", self.folder, says="is a folder")
        self.fails("view", "fall.rec", "-o", "fall.rec", says=("would replace fall.rec", "-o"))
        os.symlink("fall.rec", self.path("link.html"))
        self.fails("view", "fall.rec", "-o", "link.html", says="would replace")
        self.write("page", self.bytes("fall.rec"))
        os.rename(self.path("page"), self.path("page.html"))
        self.fails("view", "page.html", says="would replace")
        if os.path.exists("/dev/full"):
            self.fails("view", "fall.rec", "-o", "/dev/full", says="/dev/full")

    def test_output_that_is_full(self):
        self.record()
        result = self.run_tandem("view", "fall.rec", "-o", "page.html", preexec_fn=limit_files)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("page.html", result.stderr)
        self.assertEqual(self.names(), ["fall.json", "fall.rec"])

    def test_wrong_options(self):
        self.record()
        self.write("t.obj", TETRAHEDRON)
        self.fails("view", says="'view' needs")
        self.fails("view", "fall.rec", "t.obj", says=("fall.rec is a recording", "alone"))
        self.fails("view", "t.obj", "fall.rec", says="fall.rec is a recording")
        self.fails("view", "fall.rec", "--pose", "0 0 0 0 0 0 1", says=("--pose", "recording"))
        self.fails("view", "fall.rec", "--poses", "x", says=("--poses", "recording"))
        self.fails("view", "fall.rec", "--result", "x", says=("--result", "recording"))
        self.fails("view", "fall.rec", "--port", "8000", says=("--port", "--serve"))
        self.fails("view", "fall.rec", "--serve", "-o", "x.html", says=("--serve", "-o"))
        self.fails("view", "fall.rec", "--serve", "--port", "70000", says=("--port", "65535"))

    def test_interrupted(self):
        """Whenever a signal comes, there is the whole page or none, and no other file."""
        self.ok("simulate", "cows", "--set", "n=4", "--steps", "60", "-o", "cows.rec", "-q")
        before = self.names()
        for delay in (0, 0.002, 0.01, 0.03, 0.1):
            process = subprocess.Popen([settings.program, "view", "cows.rec", "-q"], cwd=self.folder)
            time.sleep(delay)
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=60)
            self.assertIn(self.names(), (before, sorted(before + ["cows.html"])))
            if "cows.html" in self.names():
                self.assertEqual(self.data("cows.html")[1], self.bytes("cows.rec"))
                os.remove(self.path("cows.html"))


def limit_files():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


class Progress(ViewTest):
    def test_terminal(self):
        """A file that takes a while: what is behind the recording is packed as well."""
        data = self.record(steps=3)
        self.write("large.rec", data + os.urandom(40 << 20))
        master, slave = pty.openpty()
        process = subprocess.Popen([settings.program, "view", "large.rec"], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=slave, env=dict(os.environ, TERM="xterm"))
        os.close(slave)
        shown = b""
        while True:
            try:
                part = os.read(master, 4096)
            except OSError:
                break
            if not part:
                break
            shown += part
        os.close(master)
        self.assertEqual(process.wait(), 0)
        self.assertRegex(shown.decode(), r"packing large.rec: \d+%")
        self.assertTrue(shown.endswith(b"\r\033[K"))


class WithoutViewer(CliTest):
    def test_is_told(self):
        told = self.run_tandem("view", "shape:box", "-o", "/dev/null")
        if told.returncode == 0:
            self.skipTest("the program was built with the viewer")
        self.fails("view", "shape:box", says=("built without the viewer", "-DTANDEM_VIEWER=ON"))
        self.fails("view", "x.rec", "--serve", says="built without the viewer")


if __name__ == "__main__":
    main()
