"""The format of recordings, a second time, by the book (docs/file-formats.md): what the program writes and reads must
be this."""

import math
import struct
import zlib

MAGIC = b"\x89TNDM\r\n\x1a"
RIGID, SOFT_BODIES = 2, 3  # versions
VERSION = RIGID
TURN = 131071 / math.sqrt(0.5)
NUMBERS = struct.Struct("<QQQdddddIIIIQQQQQQ")
NAMES = ("frame", "steps", "hash", "time", "kinetic_energy", "potential_energy", "penetration", "residual", "awake",
         "islands", "passes", "colours", "broad_pairs", "colliding_pairs", "faces", "regions", "contacts",
         "stopped_bodies")
STAGES = ("total", "broad", "traversal", "contacts", "solver", "copy", "kernel")
TIMES = struct.Struct("<Q7f")
DYNAMIC = 2
SOFT = 3
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
        assert data[:8] == MAGIC
        self.version, = struct.unpack_from("<I", data, 8)
        assert self.version in (RIGID, SOFT_BODIES)
        self.frames, self.boxes, self.kinds, self.meshes = [], [], [], []
        self.poses, self.motions, self.contacts = [], [], {}
        self.vertices, self.soft = [], {}
        self.count = self.hash = None
        for kind, _, payload in chunks(data):
            {"INFO": self.info, "SCEN": self.scene, "MESH": self.mesh, "BODY": self.bodies, "KEYF": self.key_frame,
             "FRAM": self.frame, "TIME": self.time, "END.": self.end}[kind](payload)

    def info(self, payload):
        self.step, *self.origin, self.unit, _, self.body_count = struct.unpack_from("<dddddII", payload)
        _, at = take_text(payload, struct.calcsize("<dddddII"))
        _, at = take_text(payload, at)
        assert payload[at:] == (struct.pack("<I", SOFT_BODIES) if self.version == SOFT_BODIES else b"")

    def scene(self, payload):
        self.text, _ = take_text(payload, 0)

    def mesh(self, payload):
        _, at = take_text(payload, 0)
        single, vertices, _ = struct.unpack_from("<III", payload, at)
        numbers = struct.unpack_from("<%d%s" % (3 * vertices, "f" if single else "d"), payload, at + 12)
        self.vertices.append(vertices)
        self.boxes.append(([min(numbers[k::3]) for k in range(3)], [max(numbers[k::3]) for k in range(3)]))

    def bodies(self, payload):
        at = 0
        for _ in range(self.body_count):
            kind, mesh = struct.unpack_from("<BI", payload, at)
            _, at = take_text(payload, at + 5)
            self.kinds.append(kind)
            self.meshes.append(mesh)
            if kind == SOFT:
                self.soft[len(self.kinds) - 1] = SoftBody(*struct.unpack_from("<d", payload, at), self.vertices[mesh])
                at += 8
        assert at == len(payload) and bool(self.soft) == (self.version == SOFT_BODIES)

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
        sizes = "<III" if self.soft else "<II"
        poses, motions, *positions = struct.unpack_from(sizes, payload, at)
        at += struct.calcsize(sizes)
        self.take_poses(payload[at:at + poses])
        self.take_motions(payload[at + poses:at + poses + motions])
        at += poses + motions
        if self.soft:
            self.take_positions(payload[at:at + positions[0]], motions_before is None)
            at += positions[0]
            frame["positions"] = {body: soft.positions(self.origin) for body, soft in self.soft.items()}
        if motions_before is not None:
            self.contacts = {pair: points for pair, points in self.contacts.items()
                             if not any(self.moves(body, motions_before) for body in pair)}
        self.take_contacts(payload[at:])
        frame["poses"] = [([0, 0, 0], [0, 0, 0, 1]) if body in self.soft else self.pose_of(pose)
                          for body, pose in enumerate(self.poses)]
        frame["motions"] = list(self.motions)
        frame["contact_points"] = [self.contact_of(pair, point, frame["poses"])
                                   for pair in sorted(self.contacts) for point in self.contacts[pair]]
        if not self.soft:
            assert "positions" not in frame
        self.frames.append(frame)

    def moves(self, body, motions_before):
        return self.kinds[body] in (DYNAMIC, SOFT) and (self.motions[body] != ASLEEP or motions_before[body] != ASLEEP)

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

    def take_positions(self, payload, key):
        at, taken, bodies = 0, set(), list(self.soft.values())
        index = 0
        while at < len(payload):
            head, at = take_varint(payload, at)
            index += head >> 1
            at = bodies[index].take(payload, at, key, bool(head & 1))
            taken.add(index)
            index += 1
        assert at == len(payload) and (not key or len(taken) == len(bodies))
        for index, body in enumerate(bodies):
            if index not in taken:
                body.stay()

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
        low, high = self.boxes[self.meshes[pair[smaller]]]
        if pair[smaller] in self.soft:
            around = self.soft[pair[smaller]].positions(self.origin)
            low, high = [[pick(point[k] for point in around) for k in range(3)] for pick in (min, max)]
        margin = math.sqrt(sum((b - a) ** 2 for a, b in zip(low, high))) / 8
        local = [low[k] - margin + (where >> 10 * k & 1023) * (high[k] - low[k] + 2 * margin) / 1023
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


class Bits:
    """From the lowest of a byte on."""

    def __init__(self, payload, at):
        self.payload, self.at = payload, 8 * at

    def take(self, count):
        number = sum((self.payload[(self.at + i) // 8] >> (self.at + i) % 8 & 1) << i for i in range(count))
        self.at += count
        return number

    def rice(self, k):
        zeros = 0
        while zeros < 16 and self.take(1) == 0:
            zeros += 1
        return self.take(32) if zeros == 16 else (zeros << k) + self.take(k)

    def end(self):
        assert self.take(-self.at % 8) == 0
        return self.at // 8


class SoftBody:
    """Its frames since the last key frame, three at most, the last one first: whole numbers per coordinate."""

    def __init__(self, unit, vertices):
        self.unit, self.vertices, self.frames, self.far = unit, vertices, [], None

    def positions(self, origin):
        if self.far is not None:
            return [list(self.far[3 * i:3 * i + 3]) for i in range(self.vertices)]
        return [[origin[k] + self.frames[0][k][i] * self.unit for k in range(3)] for i in range(self.vertices)]

    def stay(self):
        self.frames = [self.frames[0]] + self.frames[:2]

    def take(self, payload, at, key, far):
        before = [] if key else [self.frames[min(i, len(self.frames) - 1)] for i in range(3)]
        self.far, now = None, [[0] * self.vertices for _ in range(3)]
        if far:
            self.far = struct.unpack_from("<%dd" % (3 * self.vertices), payload, at)
            at += 24 * self.vertices
        else:
            bits = Bits(payload, at)
            for first in range(0, self.vertices, 128):
                for k in range(3):
                    self.take_block(bits, now[k], [frame[k] for frame in before], first)
            at = bits.end()
        self.frames = [now] + ([] if key else self.frames[:2])
        return at

    def take_block(self, bits, now, before, first):
        behind = min(first + 128, self.vertices)
        code, t, s = bits.take(4), bits.take(2), bits.take(2)

        def predicted(i):
            if not before:
                return 0
            p1, p2, p3 = (frame[i] for frame in before)
            return (0, p1, 2 * p1 - p2, 3 * p1 - 3 * p2 + p3)[t]

        rest = self.take_rest(bits, code, behind - first)
        for i in range(first, behind):
            d1, d2 = (now[i - back] - predicted(i - back) if i >= back else 0 for back in (1, 2))
            number = rest[i - first] + (0, d1, 2 * d1 - d2)[s] + predicted(i)
            now[i] = (number + 2**31) % 2**32 - 2**31

    @staticmethod
    def take_rest(bits, code, count):
        def unsign(number):
            return (number >> 1) ^ -(number & 1)
        if code == 15:
            return [0] * count
        if code < 14:
            return [unsign(bits.rice(code)) for _ in range(count)]
        k, rest = bits.take(4), []
        while len(rest) < count:
            rest += [0] * bits.rice(k)
            assert len(rest) <= count
            if len(rest) < count:
                rest.append(unsign(bits.rice(0) + 1))
        return rest


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


# ---------------------------------------------------------------------------------------------------------------------
# Writing soft bodies: in a way that the program would not choose, but must read


class BitWriter:
    def __init__(self):
        self.number = self.count = 0

    def put(self, number, count):
        self.number |= number << self.count
        self.count += count

    def rice(self, number, k):
        if number >> k >= 16:
            self.put(0, 16)
            self.put(number, 32)
        else:
            self.put(1 << (number >> k), (number >> k) + 1)
            self.put(number & (1 << k) - 1, k)

    def bytes(self):
        return self.number.to_bytes((self.count + 7) // 8, "little")


def soft_entry(now, before, passed_over=0):
    """Of a body that is not far; `now` and `before` (empty: a key frame) are whole numbers per coordinate. Differences in
    time, and from vertex to vertex where the vertex has an even block."""
    bits = BitWriter()
    count = len(now[0])
    for first in range(0, count, 128):
        for k in range(3):
            d = [now[k][i] - (before[k][i] if before else 0) for i in range(count)]
            s = first // 128 % 2
            rest = [d[i] - (d[i - 1] if s and i else 0) for i in range(first, min(first + 128, count))]
            folded = [2 * e if e >= 0 else -2 * e - 1 for e in rest]
            code = min(13, (sum(folded) // len(folded)).bit_length())
            code = 15 if not any(folded) else code
            bits.put(code | (1 if before else 0) << 4 | s << 6, 8)
            for number in folded if code < 15 else ():
                bits.rice(number, code)
    return varint(2 * passed_over) + bits.bytes()


def waving_sheet(frames, side=12, unit=2**-12, rest=None):
    """A recording of a floor and of a sheet of 2 m that waves and falls, and rests from a frame on. Returns its bytes, and
    where the vertices are in each frame."""
    def vertex(i, t):
        x, z = 2 * (i % side) / (side - 1) - 1, 2 * (i // side) / (side - 1) - 1
        return [x + 0.1 * math.sin(5 * t + z), 2 - 0.5 * t + 0.2 * math.sin(3 * x + 6 * t), z]

    cells = [(r * side + c) for r in range(side - 1) for c in range(side - 1)]
    triangles = [t for i in cells for t in ((i, i + side, i + 1), (i + 1, i + side, i + side + 1))]
    flat = [[2 * (i % side) / (side - 1) - 1, 0, 2 * (i // side) / (side - 1) - 1] for i in range(side * side)]
    floor = [[x, y, z] for x in (-4, 4) for z in (-4, 4) for y in (-0.5, 0)]
    slab = [(0, 1, 3), (0, 3, 2), (4, 7, 5), (4, 6, 7), (0, 5, 1), (0, 4, 5), (2, 3, 7), (2, 7, 6), (0, 2, 6),
            (0, 6, 4), (1, 7, 3), (1, 5, 7)]

    def mesh(name, vertices, corners):
        return chunk("MESH", text(name) + struct.pack("<III", 0, len(vertices), len(corners)) +
                     b"".join(struct.pack("<3d", *v) for v in vertices) + b"".join(struct.pack("<3I", *c) for c in corners))

    data = MAGIC + struct.pack("<I", SOFT_BODIES)
    data += chunk("INFO", struct.pack("<dddddII", 1 / 60, 0, 1, 0, 2**-20, 2, 2) + text("0.0.7") + text("waves") +
                  struct.pack("<I", SOFT_BODIES))
    data += chunk("SCEN", text("{}")) + mesh("floor", floor, slab) + mesh("cloth", flat, triangles)
    data += chunk("BODY", struct.pack("<BI", 0, 0) + text("floor") +
                  struct.pack("<BI", SOFT, 1) + text("sheet") + struct.pack("<d", unit))
    before, all_positions, hashes = [], [], []
    for frame in range(frames):
        t = min(frame, rest if rest is not None else frame) / 60
        points = [vertex(i, t) for i in range(side * side)]
        now = [[round((p[k] - (0, 1, 0)[k]) / unit) for p in points] for k in range(3)]
        key = frame % 64 == 0
        poses = varint(6) + 3 * signed(0) + 3 * signed(0) + varint(6) + 6 * signed(0) if key else b""
        awake = rest is None or frame < rest
        motion = struct.pack("<H", 0x3f80 if awake else ASLEEP)
        motions = varint(1) + motion if key or frame == rest else b""
        positions = b"" if now == before and not key else soft_entry(now, [] if key else before)
        hashes.append(frame + 5)
        numbers = (frame, frame, hashes[-1], frame / 60, 1, 1, 0, 0, int(awake), 1, 0, 0, 0, 0, 0, 0, 0, 0)
        payload = NUMBERS.pack(*numbers) + struct.pack("<III", len(poses), len(motions), len(positions))
        data += chunk("KEYF" if key else "FRAM", payload + poses + motions + positions)
        before = now
        all_positions.append([[(0, 1, 0)[k] + now[k][i] * unit for k in range(3)] for i in range(side * side)])
    return data + chunk("END.", struct.pack("<QQ", frames, fnv(hashes))), all_positions
