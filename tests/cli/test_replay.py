"""Recordings, written here by the book (docs/file-formats.md) and by the program, told about and run again."""

import csv
import io
import json
import math
import os
import struct
import zlib

from support import CliTest, main

MAGIC = b"\x89TNDM\r\n\x1a"
TURN = 131071 / math.sqrt(0.5)
NUMBERS = struct.Struct("<QQQddddIIQQQ")
NAMES = ("frame", "steps", "hash", "time", "kinetic_energy", "potential_energy", "penetration", "awake", "islands",
         "colliding_pairs", "faces", "contacts")
KINDS = ("static", "kinematic", "dynamic")

# Two boxes, one of which falls on the other.
SCENE = {
    "tandem": 1, "name": "fall", "step": 1 / 60, "steps": 150,
    "meshes": {"box": {"shape": "box"}},
    "bodies": [{"name": "below", "kind": "static", "mesh": "box"},
               {"name": "above", "mesh": "box", "position": [0.25, 2.5, 0.125], "spin": [0.5, 1, 2]}],
}


# ---------------------------------------------------------------------------------------------------------------------
# The format, a second time


def text(content):
    content = content.encode()
    return struct.pack("<Q", len(content)) + content + b"\0"


def chunk(kind, payload):
    body = kind.encode() + struct.pack("<Q", len(payload)) + payload
    return body + struct.pack("<I", zlib.crc32(body))


def chunks(data):
    """(kind, offset, payload) of each."""
    at = 12
    while at < len(data):
        size = struct.unpack_from("<Q", data, at + 4)[0]
        yield data[at:at + 4].decode(), at, data[at + 12:at + 12 + size]
        at += size + 16


def varint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7f | 0x80)
        number >>= 7
    return bytes(out + bytes([number]))


def signed(number):
    return varint(2 * number if number >= 0 else -2 * number - 1)


def take_varint(payload, at):
    number = shift = 0
    while True:
        byte = payload[at]
        at += 1
        number |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return number, at


def take_signed(payload, at):
    number, at = take_varint(payload, at)
    return (number >> 1) ^ -(number & 1), at


def fnv(hashes):
    total = 0xcbf29ce484222325
    for byte in b"".join(struct.pack("<Q", number) for number in hashes):
        total = (total ^ byte) * 0x100000001b3 % 2**64
    return total


def hand_made(frames, end=True, scene="by hand"):
    """Two bodies, of which the second goes up by 1 m per frame and is turned by a third of a turn about x = y = z."""
    triangle = struct.pack("<III", 1, 3, 1) + struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0) + struct.pack("<3I", 0, 1, 2)
    bodies = struct.pack("<BI", 0, 0) + text("floor") + struct.pack("<BI", 2, 0) + text("lift, \"the\" one")
    data = MAGIC + struct.pack("<I", 1)
    data += chunk("INFO", struct.pack("<dddddII", 0.5, 10, 20, 30, 0.25, 1, 2) + text("0.0.7") + text(scene))
    data += chunk("SCEN", text("{}")) + chunk("MESH", text("triangle") + triangle) + chunk("BODY", bodies)
    half = round(TURN * 0.5)
    hashes = []
    for frame in range(frames):
        hashes.append(frame * 7 + 1)
        numbers = NUMBERS.pack(frame, frame, hashes[-1], frame / 2, 1, 2, 3, 4, 5, 6, 7, 8)
        if frame == 0:
            poses = varint(6) + 6 * signed(0) + varint(0) + signed(-4) + 2 * signed(0) + 3 * signed(half)
        else:
            poses = varint(8) + signed(0) + signed(4) + 4 * signed(0)
        data += chunk("FRAM" if frame else "KEYF", numbers + poses)
    return data + (chunk("END.", struct.pack("<QQ", frames, fnv(hashes))) if end else b"")


def decode(data):
    """Header and frames, as a viewer would."""
    recording = {"frames": [], "bodies": []}
    poses = []
    for kind, _, payload in chunks(data):
        if kind == "INFO":
            recording["step"], *recording["origin"], recording["unit"], _, bodies = \
                struct.unpack_from("<dddddII", payload)
            poses = [[0] * 6 + [3] for _ in range(bodies)]
        elif kind in ("KEYF", "FRAM"):
            numbers = dict(zip(NAMES, NUMBERS.unpack_from(payload)))
            at, body = NUMBERS.size, 0
            if kind == "KEYF":
                poses = [[0] * 6 + [3] for _ in poses]
            while at < len(payload):
                head, at = take_varint(payload, at)
                body += head >> 3
                assert head & 1 == 0, "nothing in these scenes is far"
                for k in range(6):
                    delta, at = take_signed(payload, at)
                    poses[body][k] += delta
                poses[body][6] = head >> 1 & 3
                body += 1
            numbers["poses"] = [pose_of(pose, recording) for pose in poses]
            recording["frames"].append(numbers)
        elif kind == "END.":
            recording["count"], recording["hash"] = struct.unpack("<QQ", payload)
    return recording


def pose_of(numbers, recording):
    rotation = [number / TURN for number in numbers[3:6]]
    rotation.insert(numbers[6], math.sqrt(1 - sum(part * part for part in rotation)))
    return [recording["origin"][k] + numbers[k] * recording["unit"] for k in range(3)], rotation


# ---------------------------------------------------------------------------------------------------------------------


class HandMade(CliTest):
    def about(self, name):
        return json.loads(self.ok("replay", name, "--json"))

    def test_about(self):
        self.write("a.rec", hand_made(5))
        self.assertEqual(self.about("a.rec"), {
            "hash": "%016x" % fnv(range(1, 36, 7)), "frames": 5, "verified": False, "complete": True, "lost_bytes": 0,
            "scene": "by hand", "step": 0.5, "bodies": 2, "meshes": 1, "version": "0.0.7"})
        rows = list(csv.DictReader(io.StringIO(self.ok("replay", "a.rec", "--csv"))))
        self.assertEqual([(row["frames"], row["verified"], row["scene"]) for row in rows], [("5", "false", "by hand")])
        table = self.ok("replay", "a.rec")
        for part in ("by hand", "%016x" % fnv(range(1, 36, 7)), "--verify"):
            self.assertIn(part, table)

    def test_frame(self):
        self.write("a.rec", hand_made(5))
        answer = json.loads(self.ok("replay", "a.rec", "--frame", "3", "--json"))
        self.assertEqual([answer[name] for name in NAMES], [3, 3, "%016x" % 22, 1.5, 1, 2, 3, 4, 5, 6, 7, 8])
        floor, lift = answer["bodies"]
        self.assertEqual(floor, {"name": "floor", "kind": "static", "mesh": "triangle", "position": [10, 20, 30],
                                 "rotation": [0, 0, 0, 1]})
        self.assertEqual((lift["name"], lift["kind"]), ("lift, \"the\" one", "dynamic"))
        self.assertEqual(lift["position"], [9, 23, 30])
        for part in lift["rotation"]:
            self.assertAlmostEqual(part, 0.5, delta=1e-5)
        rows = list(csv.DictReader(io.StringIO(self.ok("replay", "a.rec", "--frame", "3", "--csv"))))
        self.assertEqual([row["name"] for row in rows], ["floor", "lift, \"the\" one"])
        self.assertEqual([float(rows[1][name]) for name in ("tx", "ty", "tz")], [9, 23, 30])
        self.assertIn("frame 3: 1.5 s", self.ok("replay", "a.rec", "--frame", "3"))
        self.fails("replay", "a.rec", "--frame", "5", says=["a.rec", "no frame 5", "has 5"])

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
        self.assertEqual(answer["bodies"], 2)
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
        recording = decode(self.data)
        self.assertEqual(len(recording["frames"]), self.STEPS + 1)
        self.assertEqual(recording["hash"], fnv(frame["hash"] for frame in recording["frames"]))
        for number in (0, 1, 63, 64, 65, self.STEPS):
            answer = json.loads(self.ok("replay", "a.rec", "--frame", str(number), "--json"))
            frame = recording["frames"][number]
            self.assertEqual(frame["frame"], number)
            self.assertEqual(answer["hash"], "%016x" % frame["hash"])
            for body, (position, rotation) in zip(answer["bodies"], frame["poses"]):
                self.assertEqual(body["position"], position)
                for found, wanted in zip(body["rotation"], rotation):
                    self.assertAlmostEqual(found, wanted, delta=1e-12)
        start = recording["frames"][0]["poses"][1][0]
        for found, wanted in zip(start, SCENE["bodies"][1]["position"]):
            self.assertAlmostEqual(found, wanted, delta=1e-5)

    def test_same_bytes(self):
        for options in (["--threads", "1"], ["--threads", "3"], ["--isa", "scalar"]):
            self.ok("simulate", "scene.json", "--steps", str(self.STEPS), "-o", "b.rec", "--quiet", "--json", *options)
            with open(self.path("b.rec"), "rb") as file:
                self.assertEqual(file.read(), self.data, options)


if __name__ == "__main__":
    main()
