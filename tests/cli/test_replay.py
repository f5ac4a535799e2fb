"""Recordings, written here by the book (docs/file-formats.md) and by the program, told about and run again."""

import csv
import io
import json
import os
import struct

from recordings import (ASLEEP, DYNAMIC, MAGIC, NAMES, STAGES, TIMES, TURN, VERSION, Recording, chunk, chunks, fnv,
                        frame_payload, signed, text, upper_half, varint)
from support import CliTest, main

# Two boxes, one of which falls on the other, and two more, that come to rest on each other.
SCENE = {
    "tandem": 1, "name": "fall", "step": 1 / 60, "steps": 150, "sleep_time": 0.3,
    "meshes": {"box": {"shape": "box"}, "shelf": {"shape": "box", "scale": [3, 1, 3]}},
    "bodies": [{"name": "below", "kind": "static", "mesh": "box"},
               {"name": "above", "mesh": "box", "position": [0.25, 2.5, 0.125], "spin": [0.5, 1, 2]},
               {"name": "still", "mesh": "box", "position": [5, 1.01, 0]},
               {"name": "shelf", "kind": "static", "mesh": "shelf", "position": [5, 0, 0]}],
}


def hand_made(frames, end=True, scene="by hand", times=False):
    """Two bodies, of which the second goes up by 1 m per frame and is turned by a third of a turn about x = y = z. It
    sleeps, but for frames 2 and 3, and touches the first: at another place since frame 2."""
    triangle = struct.pack("<III", 1, 3, 1) + struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0) + struct.pack("<3I", 0, 1, 2)
    bodies = struct.pack("<BI", 0, 0) + text("floor") + struct.pack("<BI", 2, 0) + text("lift, \"the\" one")
    data = MAGIC + struct.pack("<I", VERSION)
    data += chunk("INFO", struct.pack("<dddddII", 0.5, 10, 20, 30, 0.25, 1, 2) + text("0.0.7") + text(scene))
    data += chunk("SCEN", text("{}")) + chunk("MESH", text("triangle") + triangle) + chunk("BODY", bodies)
    half = round(TURN * 0.5)
    hashes = []
    for frame in range(frames):
        hashes.append(frame * 7 + 1)
        numbers = (frame, frame, hashes[-1], frame / 2) + tuple(range(1, 15))
        if frame == 0:
            poses = varint(6) + 6 * signed(0) + varint(0) + signed(-4) + 2 * signed(0) + 3 * signed(half)
        else:
            poses = varint(8) + signed(0) + signed(4) + 4 * signed(0)
        motions = {0: varint(1) + struct.pack("<H", ASLEEP), 2: varint(1) + struct.pack("<H", 0x4049),  # 3.14
                   4: varint(1) + struct.pack("<H", ASLEEP)}.get(frame, b"")
        where = 1023 | 1023 << 20 if frame < 2 else 1023 << 10
        contact = varint(0) + varint(0) + varint(1) + struct.pack("<IBBH", where, 127, 254, 0x3f80)
        contacts = contact if frame in (0, 2, 3, 4) else b""
        data += chunk("FRAM" if frame else "KEYF", frame_payload(numbers, poses, motions, contacts))
        if times and frame > 0:
            data += chunk("TIME", TIMES.pack(frame, *(frame + stage / 8 for stage in range(7))))
    return data + (chunk("END.", struct.pack("<QQ", frames, fnv(hashes))) if end else b"")


# ---------------------------------------------------------------------------------------------------------------------


class HandMade(CliTest):
    def about(self, name):
        return json.loads(self.ok("replay", name, "--json"))

    def test_about(self):
        self.write("a.rec", hand_made(5))
        self.assertEqual(self.about("a.rec"), {
            "hash": "%016x" % fnv(range(1, 36, 7)), "frames": 5, "verified": False, "complete": True, "timed": False,
            "lost_bytes": 0, "scene": "by hand", "step": 0.5, "bodies": 2, "meshes": 1, "version": "0.0.7"})
        rows = list(csv.DictReader(io.StringIO(self.ok("replay", "a.rec", "--csv"))))
        self.assertEqual([(row["frames"], row["verified"], row["scene"]) for row in rows], [("5", "false", "by hand")])
        table = self.ok("replay", "a.rec")
        for part in ("by hand", "%016x" % fnv(range(1, 36, 7)), "--verify"):
            self.assertIn(part, table)

    def test_frame(self):
        self.write("a.rec", hand_made(5))
        answer = json.loads(self.ok("replay", "a.rec", "--frame", "3", "--json"))
        self.assertEqual([answer[name] for name in NAMES], [3, 3, "%016x" % 22, 1.5] + list(range(1, 15)))
        self.assertNotIn("ms", answer)
        self.assertNotIn("contact_points", answer)
        floor, lift = answer["bodies"]
        self.assertEqual(floor, {"name": "floor", "kind": "static", "mesh": "triangle", "position": [10, 20, 30],
                                 "rotation": [0, 0, 0, 1], "speed": 0, "awake": False})
        self.assertEqual((lift["name"], lift["kind"]), ("lift, \"the\" one", "dynamic"))
        self.assertEqual(lift["position"], [9, 23, 30])
        self.assertEqual((lift["speed"], lift["awake"]), (upper_half(0x4049), True))
        for part in lift["rotation"]:
            self.assertAlmostEqual(part, 0.5, delta=1e-5)
        rows = list(csv.DictReader(io.StringIO(self.ok("replay", "a.rec", "--frame", "3", "--csv"))))
        self.assertEqual([row["name"] for row in rows], ["floor", "lift, \"the\" one"])
        self.assertEqual([float(rows[1][name]) for name in ("tx", "ty", "tz")], [9, 23, 30])
        self.assertIn("frame 3: 1.5 s", self.ok("replay", "a.rec", "--frame", "3"))
        self.assertEqual([row["awake"] for row in rows], ["false", "true"])
        self.assertEqual(float(rows[1]["speed"]), upper_half(0x4049))
        self.fails("replay", "a.rec", "--frame", "5", says=["a.rec", "no frame 5", "has 5"])
        asleep = json.loads(self.ok("replay", "a.rec", "--frame", "1", "--json"))["bodies"][1]
        self.assertEqual((asleep["speed"], asleep["awake"]), (0, False))

    def test_contacts(self):
        """The box of the triangle is 1 by 1 by 0 m, widened by an eighth of the square root of 2."""
        self.write("a.rec", hand_made(6))
        margin = 2**0.5 / 8
        for frame in range(6):
            answer = json.loads(self.ok("replay", "a.rec", "--frame", str(frame), "--contacts", "--json"))
            contact, = answer["contact_points"]
            self.assertEqual((contact["a"], contact["b"], contact["impulse"]), (0, 1, 1))
            self.assertEqual(contact["normal"], [0, 1, 0])
            local = [1 + margin, -margin, margin] if frame < 2 else [-margin, 1 + margin, -margin]
            for found, wanted, origin in zip(contact["point"], local, (10, 20, 30)):
                self.assertAlmostEqual(found, origin + wanted, delta=1e-12)
            self.assertEqual(len(answer["bodies"]), 2)
        rows = list(csv.DictReader(io.StringIO(self.ok("replay", "a.rec", "--frame", "1", "--contacts", "--csv"))))
        self.assertEqual([list(row) for row in rows], [["a", "b", "px", "py", "pz", "nx", "ny", "nz", "impulse"]])
        self.assertEqual(float(rows[0]["ny"]), 1)
        table = self.ok("replay", "a.rec", "--frame", "1", "--contacts")
        for part in ("frame 1: 0.5 s", "floor", "lift, \"the\" one"):
            self.assertIn(part, table)

    def test_times(self):
        self.write("a.rec", hand_made(4, times=True))
        self.assertIs(self.about("a.rec")["timed"], True)
        answer = json.loads(self.ok("replay", "a.rec", "--frame", "2", "--json"))
        self.assertEqual(answer["ms"], {stage: 2 + i / 8 for i, stage in enumerate(STAGES)})
        self.assertRegex(self.ok("replay", "a.rec"), r"times +yes")
        whole = hand_made(4, times=True, end=False)
        self.write("b.rec", whole[:-1])  # the last frame stays
        answer = self.about("b.rec")
        self.assertEqual((answer["frames"], answer["lost_bytes"]), (4, TIMES.size + 15))
        late = list(chunks(whole))[-1]
        self.write("c.rec", whole + chunk(late[0], late[2]))  # not behind its frame
        answer = self.about("c.rec")
        self.assertEqual((answer["frames"], answer["lost_bytes"]), (4, TIMES.size + 16))

    def test_cut(self):
        whole = hand_made(5)
        self.write("a.rec", whole[:-40])
        answer = self.about("a.rec")
        last = [offset for kind, offset, _ in chunks(whole) if kind == "FRAM"][-1]
        self.assertEqual((answer["frames"], answer["complete"], answer["lost_bytes"]),
                         (4, False, len(whole) - 40 - last))
        self.write("b.rec", hand_made(5, end=False))
        answer = self.about("b.rec")
        self.assertEqual((answer["frames"], answer["complete"], answer["lost_bytes"]), (5, False, 0))
        self.assertIn("lost", self.ok("replay", "a.rec"))
        self.write("c.rec", hand_made(0, end=False))
        self.assertEqual(self.about("c.rec")["frames"], 0)
        self.fails("replay", "c.rec", "--verify", says=["c.rec", "no whole frame"])

    def test_damage(self):
        whole = bytearray(hand_made(2))
        for kind, offset, payload in chunks(bytes(whole)):
            damaged = bytearray(whole)
            damaged[offset + 12 + len(payload) // 2] ^= 4
            self.write("a.rec", bytes(damaged))
            if kind in ("INFO", "SCEN", "MESH", "BODY"):
                self.fails("replay", "a.rec", says=["a.rec", "chunk %s at byte %d" % (kind, offset), "checksum"])
            else:
                self.assertFalse(self.about("a.rec")["complete"])

    def test_errors(self):
        self.write("a.rec", hand_made(2))
        self.write("mesh.obj", "v 0 0 0\n")
        self.fails("replay", says="REC")
        self.fails("replay", "missing.rec", says="missing.rec: cannot be opened")
        self.fails("replay", "mesh.obj", says=["mesh.obj", "no recording"])
        self.fails("replay", "a.rec", "a.rec", says="unexpected argument")
        self.fails("replay", "a.rec", "--verify", "--frame", "1", says="exclude each other")
        self.fails("replay", "a.rec", "--frame", "-1", says="--frame")
        self.fails("replay", "a.rec", "--contacts", says="--frame")
        self.write("old.rec", MAGIC + struct.pack("<I", 1) + hand_made(2)[12:])
        self.fails("replay", "old.rec",
                   says="old.rec: is a recording of version 1; this program reads versions 2 and 3 (record it again)")
        self.fails("replay", "a.rec", "--verify", says="a.rec")  # its scene is none
        self.fails("replay", "a.rec", "--verify", "-o", "out.json", says="a.rec")


class Simulated(CliTest):
    STEPS = 150  # more than two key frames

    def setUp(self):
        super().setUp()
        self.write("scene.json", json.dumps(SCENE))
        self.ok("simulate", "scene.json", "--steps", str(self.STEPS), "-o", "a.rec", "--quiet", "--json")
        with open(self.path("a.rec"), "rb") as file:
            self.data = file.read()

    def verify(self, name, *options):
        answer = json.loads(self.ok("replay", name, "--verify", "--json", *options))
        self.assertIs(answer["verified"], True)
        self.assertEqual(answer["compared"], answer["frames"])
        return answer

    def test_verified(self):
        answer = self.verify("a.rec")
        self.assertEqual((answer["frames"], answer["complete"], answer["lost_bytes"]), (self.STEPS + 1, True, 0))
        self.assertEqual(answer["bodies"], 4)
        self.assertIn("yes", self.ok("replay", "a.rec", "--verify"))
        for options in (["--threads", "1"], ["--threads", "3"], ["--isa", "scalar"], ["--strategy", "binary"],
                        ["--strategy", "stack", "--volume", "obb"]):
            self.assertEqual(self.verify("a.rec", *options)["hash"], answer["hash"], options)

    def test_moved_away(self):
        """The recording holds all that it needs."""
        os.remove(self.path("scene.json"))
        os.mkdir(self.path("elsewhere"))
        os.rename(self.path("a.rec"), self.path("elsewhere/b.rec"))
        self.verify("elsewhere/b.rec")

    def test_cut(self):
        """Wherever a recording is cut, what is left is run again up to the last frame that is whole."""
        starts = [(kind, offset) for kind, offset, _ in chunks(self.data)] + [("", len(self.data))]
        ends = [starts[i + 1][1] for i, (kind, _) in enumerate(starts) if kind in ("KEYF", "FRAM")]
        self.assertEqual(len(ends), self.STEPS + 1)
        header = next(offset for kind, offset in starts if kind == "KEYF")
        around = [ends[i] + shift for i in (0, 1, 63, 64, 65, self.STEPS) for shift in (-1, 0, 1)]
        for size in around + [len(self.data) // 2, len(self.data) // 3, len(self.data) - 1]:
            self.write("b.rec", self.data[:size])
            whole = sum(end <= size for end in ends)
            if whole == 0:
                answer = json.loads(self.ok("replay", "b.rec", "--json"))
                self.fails("replay", "b.rec", "--verify", says=["b.rec", "no whole frame"])
            else:
                answer = self.verify("b.rec")
            last = ends[whole - 1] if whole > 0 else header
            self.assertEqual((answer["frames"], answer["complete"], answer["lost_bytes"]), (whole, False, size - last),
                             size)
            if whole > 0:
                frame = json.loads(self.ok("replay", "b.rec", "--frame", str(whole - 1), "--json"))
                self.assertEqual(frame["frame"], whole - 1)
        for size in (0, 5, 12, 40, header - 1):
            self.write("b.rec", self.data[:size])
            self.fails("replay", "b.rec", says="b.rec")

    def test_tampered(self):
        """A state that never was, with its checksum made right."""
        data = b""
        for kind, offset, payload in chunks(self.data):
            if kind in ("KEYF", "FRAM") and payload[:8] == struct.pack("<Q", 100):
                payload = payload[:16] + bytes([payload[16] ^ 1]) + payload[17:]
            if kind != "END.":
                data += chunk(kind, payload)
        self.write("b.rec", self.data[:12] + data)
        result = self.run_tandem("replay", "b.rec", "--verify", "--json")
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, r"\Atandem: b.rec: [^\n]*frame 100 of 151[^\n]*\n\Z")
        answer = json.loads(result.stdout)
        self.assertIs(answer["verified"], False)
        self.assertEqual((answer["first_different"], answer["compared"]), (100, 101))
        self.fails("replay", "b.rec", "--verify", "--json", "-o", "out.json", says="frame 100 of 151")

    def test_decoded(self):
        """What a reader by the book sees is what the program prints."""
        recording = Recording(self.data)
        self.assertEqual(len(recording.frames), self.STEPS + 1)
        self.assertEqual(recording.count, self.STEPS + 1)
        self.assertEqual(recording.hash, fnv(frame["hash"] for frame in recording.frames))
        slept = 0
        for number in (0, 1, 40, 63, 64, 65, 100, 127, 129, self.STEPS):
            answer = json.loads(self.ok("replay", "a.rec", "--frame", str(number), "--contacts", "--json"))
            frame = recording.frames[number]
            self.assertEqual(answer["hash"], "%016x" % frame["hash"])
            self.assertEqual([answer[name] for name in NAMES if name != "hash"],
                             [frame[name] for name in NAMES if name != "hash"])
            for body, (position, rotation) in zip(answer["bodies"], frame["poses"]):
                self.assertEqual(body["position"], position)
                for found, wanted in zip(body["rotation"], rotation):
                    self.assertAlmostEqual(found, wanted, delta=1e-12)
            for body, kind, motion in zip(answer["bodies"], recording.kinds, frame["motions"]):
                self.assertEqual(body["awake"], kind == DYNAMIC and motion != ASLEEP)
                self.assertEqual(body["speed"], 0 if motion == ASLEEP else upper_half(motion))
            self.assertEqual(len(frame["contact_points"]), frame["contacts"])
            self.assertEqual(len(answer["contact_points"]), frame["contacts"])
            for found, wanted in zip(answer["contact_points"], frame["contact_points"]):
                self.assertEqual([found[name] for name in ("a", "b", "impulse")],
                                 [wanted[name] for name in ("a", "b", "impulse")])
                for name in ("point", "normal"):
                    for x, y in zip(found[name], wanted[name]):
                        self.assertAlmostEqual(x, y, delta=1e-12)
            slept += frame["motions"][2] == ASLEEP and any(point["a"] == 2 for point in frame["contact_points"])
        self.assertGreater(slept, 2)  # contacts that frames left out
        start = recording.frames[0]["poses"][1][0]
        for found, wanted in zip(start, SCENE["bodies"][1]["position"]):
            self.assertAlmostEqual(found, wanted, delta=1e-5)

    def test_timed(self):
        """Times are all that --times adds."""
        self.ok("simulate", "scene.json", "--steps", str(self.STEPS), "-o", "b.rec", "--times", "--quiet", "--json")
        with open(self.path("b.rec"), "rb") as file:
            data = file.read()
        self.assertIs(self.verify("b.rec")["timed"], True)
        rest = b"".join(chunk(kind, payload) for kind, _, payload in chunks(data) if kind != "TIME")
        self.assertEqual(data[:12] + rest, self.data)
        frames = Recording(data).frames
        self.assertNotIn("ms", frames[0])
        for frame in frames[1:]:
            self.assertGreater(frame["ms"]["total"], 0)
            stages = sum(frame["ms"][stage] for stage in ("broad", "traversal", "contacts", "solver"))
            self.assertLessEqual(stages, frame["ms"]["total"] * 1.001)
        answer = json.loads(self.ok("replay", "b.rec", "--frame", "7", "--json"))
        self.assertEqual(answer["ms"], frames[7]["ms"])
        self.fails("simulate", "scene.json", "--times", says=["--times", "-o"])

    def test_same_bytes(self):
        for options in (["--threads", "1"], ["--threads", "3"], ["--isa", "scalar"]):
            self.ok("simulate", "scene.json", "--steps", str(self.STEPS), "-o", "b.rec", "--quiet", "--json", *options)
            with open(self.path("b.rec"), "rb") as file:
                self.assertEqual(file.read(), self.data, options)


if __name__ == "__main__":
    main()
