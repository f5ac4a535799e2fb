"""The format of recordings, a second time, by the book (docs/file-formats.md): what the program writes and reads must
be this."""

import math
import struct
import zlib

MAGIC = b"\x89TNDM\r\n\x1a"
VERSION = 2
TURN = 131071 / math.sqrt(0.5)
NUMBERS = struct.Struct("<QQQdddddIIIIQQQQQQ")
NAMES = ("frame", "steps", "hash", "time", "kinetic_energy", "potential_energy", "penetration", "residual", "awake",
         "islands", "passes", "colours", "broad_pairs", "colliding_pairs", "faces", "regions", "contacts",
         "stopped_bodies")
STAGES = ("total", "broad", "traversal", "contacts", "solver", "copy", "kernel")
TIMES = struct.Struct("<Q7f")
DYNAMIC = 2
ASLEEP = 0x8000


def text(content):
    content = content.encode()
    return struct.pack("<Q", len(content)) + content + b"\0"


def take_text(payload, at):
    length = struct.unpack_from("<Q", payload, at)[0]
    return payload[at + 8:at + 8 + length].decode(), at + 8 + length + 1


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


def upper_half(half):
    return struct.unpack("<f", struct.pack("<I", half << 16))[0]


def fnv(hashes):
    total = 0xcbf29ce484222325
    for byte in b"".join(struct.pack("<Q", number) for number in hashes):
        total = (total ^ byte) * 0x100000001b3 % 2**64
    return total


def frame_payload(numbers, poses=b"", motions=b"", contacts=b""):
    return NUMBERS.pack(*numbers) + struct.pack("<II", len(poses), len(motions)) + poses + motions + contacts


# ---------------------------------------------------------------------------------------------------------------------
# Reading


class Recording:
    """Header and frames, as a viewer would see them."""

    def __init__(self, data):
        assert data[:12] == MAGIC + struct.pack("<I", VERSION)
        self.frames, self.boxes, self.kinds, self.meshes = [], [], [], []
        self.poses, self.motions, self.contacts = [], [], {}
        self.count = self.hash = None
        for kind, _, payload in chunks(data):
            {"INFO": self.info, "SCEN": self.scene, "MESH": self.mesh, "BODY": self.bodies, "KEYF": self.key_frame,
             "FRAM": self.frame, "TIME": self.time, "END.": self.end}[kind](payload)

    def info(self, payload):
        self.step, *self.origin, self.unit, _, self.body_count = struct.unpack_from("<dddddII", payload)

    def scene(self, payload):
        self.text, _ = take_text(payload, 0)

    def mesh(self, payload):
        _, at = take_text(payload, 0)
        single, vertices, _ = struct.unpack_from("<III", payload, at)
        numbers = struct.unpack_from("<%d%s" % (3 * vertices, "f" if single else "d"), payload, at + 12)
        self.boxes.append(([min(numbers[k::3]) for k in range(3)], [max(numbers[k::3]) for k in range(3)]))

    def bodies(self, payload):
        at = 0
        for _ in range(self.body_count):
            kind, mesh = struct.unpack_from("<BI", payload, at)
            _, at = take_text(payload, at + 5)
            self.kinds.append(kind)
            self.meshes.append(mesh)

    def key_frame(self, payload):
        self.poses = [[0] * 6 + [3] for _ in self.kinds]
        self.motions = [0] * self.body_count
        self.contacts = {}
        self.take_frame(payload, None)

    def frame(self, payload):
        self.take_frame(payload, list(self.motions))

    def take_frame(self, payload, motions_before):
        frame = dict(zip(NAMES, NUMBERS.unpack_from(payload)))
        at = NUMBERS.size
        poses, motions = struct.unpack_from("<II", payload, at)
        at += 8
        self.take_poses(payload[at:at + poses])
        self.take_motions(payload[at + poses:at + poses + motions])
        if motions_before is not None:
            self.contacts = {pair: points for pair, points in self.contacts.items()
                             if not any(self.moves(body, motions_before) for body in pair)}
        self.take_contacts(payload[at + poses + motions:])
        frame["poses"] = [self.pose_of(pose) for pose in self.poses]
        frame["motions"] = list(self.motions)
        frame["contact_points"] = [self.contact_of(pair, point, frame["poses"])
                                   for pair in sorted(self.contacts) for point in self.contacts[pair]]
        self.frames.append(frame)

    def moves(self, body, motions_before):
        return self.kinds[body] == DYNAMIC and (self.motions[body] != ASLEEP or motions_before[body] != ASLEEP)

    def take_poses(self, payload):
        at = body = 0
        while at < len(payload):
            head, at = take_varint(payload, at)
            body += head >> 3
            assert head & 1 == 0, "nothing in these scenes is far"
            for k in range(6):
                delta, at = take_signed(payload, at)
                self.poses[body][k] += delta
            self.poses[body][6] = head >> 1 & 3
            body += 1

    def take_motions(self, payload):
        at = body = 0
        while at < len(payload):
            passed, at = take_varint(payload, at)
            body += passed
            self.motions[body], = struct.unpack_from("<H", payload, at)
            at += 2
            body += 1

    def take_contacts(self, payload):
        at = a = 0
        while at < len(payload):
            more, at = take_varint(payload, at)
            between, at = take_varint(payload, at)
            count, at = take_varint(payload, at)
            a += more
            pair = (a, a + between + 1)
            assert count > 0 and pair not in self.contacts
            self.contacts[pair] = [struct.unpack_from("<IBBH", payload, at + 8 * i) for i in range(count)]
            at += 8 * count

    def pose_of(self, numbers):
        rotation = [number / TURN for number in numbers[3:6]]
        rotation.insert(numbers[6], math.sqrt(1 - sum(part * part for part in rotation)))
        return [self.origin[k] + numbers[k] * self.unit for k in range(3)], rotation

    def contact_of(self, pair, contact, poses):
        where, u, v, impulse = contact
        sides = [[high - low for low, high in zip(*self.boxes[self.meshes[body]])] for body in pair]
        squares = [(side[0] * side[0] + side[1] * side[1]) + side[2] * side[2] for side in sides]
        smaller = 1 if squares[1] < squares[0] else 0
        low, _ = self.boxes[self.meshes[pair[smaller]]]
        margin = math.sqrt(squares[smaller]) / 8
        local = [low[k] - margin + (where >> 10 * k & 1023) * (sides[smaller][k] + 2 * margin) / 1023
                 for k in range(3)]
        position, rotation = poses[pair[smaller]]
        point = [p + r for p, r in zip(position, rotate(rotation, local))]
        return {"a": pair[0], "b": pair[1], "point": point, "normal": normal_of(u, v), "impulse": upper_half(impulse)}

    def time(self, payload):
        frame, *times = TIMES.unpack(payload)
        assert frame == len(self.frames) - 1 and "ms" not in self.frames[-1]
        self.frames[-1]["ms"] = dict(zip(STAGES, times))

    def end(self, payload):
        self.count, self.hash = struct.unpack("<QQ", payload)


def rotate(q, v):
    """v + 2 w (u x v) + 2 u x (u x v)"""
    def cross(a, b):
        return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    once = cross(q[:3], v)
    twice = cross(q[:3], once)
    return [v[k] + 2 * (q[3] * once[k] + twice[k]) for k in range(3)]


def normal_of(u, v):
    x, y = u / 127 - 1, v / 127 - 1
    z = 1 - abs(x) - abs(y)
    if z < 0:
        x, y = (1 - abs(y)) * (1 if x >= 0 else -1), (1 - abs(x)) * (1 if y >= 0 else -1)
    length = math.sqrt(x * x + y * y + z * z)
    return [x / length, y / length, z / length]
