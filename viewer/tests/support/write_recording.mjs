// Writes recordings as docs/file-formats.md says, for tests that need what no simulation gives: lists that make no
// sense behind a right checksum, positions that are far, meshes of either precision.
const MAGIC = [0x89, 0x54, 0x4e, 0x44, 0x4d, 0x0d, 0x0a, 0x1a];
export const VERSION = 3;

// ---------------------------------------------------------------------------------------------------------
// Bytes

export const u8 = (...numbers) => Buffer.from(numbers);
export function u16(number) {
    const bytes = Buffer.alloc(2);
    bytes.writeUInt16LE(number);
    return bytes;
}
export function u32(...numbers) {
    const bytes = Buffer.alloc(4 * numbers.length);
    numbers.forEach((number, i) => bytes.writeUInt32LE(number, 4 * i));
    return bytes;
}
export function u64(...numbers) {
    const bytes = Buffer.alloc(8 * numbers.length);
    numbers.forEach((number, i) => bytes.writeBigUInt64LE(BigInt(number), 8 * i));
    return bytes;
}
export function f32(...numbers) {
    const bytes = Buffer.alloc(4 * numbers.length);
    numbers.forEach((number, i) => bytes.writeFloatLE(number, 4 * i));
    return bytes;
}
export function f64(...numbers) {
    const bytes = Buffer.alloc(8 * numbers.length);
    numbers.forEach((number, i) => bytes.writeDoubleLE(number, 8 * i));
    return bytes;
}
export function text(string) {
    const bytes = Buffer.from(string);
    return Buffer.concat([u64(bytes.length), bytes, u8(0)]);
}
export function varint(number) {
    const bytes = [];
    let rest = BigInt(number);
    for (; rest >= 0x80n; rest >>= 7n) {
        bytes.push(Number(rest & 0x7fn) | 0x80);
    }
    bytes.push(Number(rest));
    return Buffer.from(bytes);
}
export const signed = (number) => varint(number >= 0 ? 2n * BigInt(number) : -2n * BigInt(number) - 1n);

// Bit by bit, as its definition says.
export function crc32(bytes) {
    let sum = 0xffffffff;
    for (const byte of bytes) {
        sum ^= byte;
        for (let bit = 0; bit < 8; ++bit) {
            sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
        }
    }
    return ~sum >>> 0;
}

// ---------------------------------------------------------------------------------------------------------
// Chunks

export function chunk(kind, ...parts) {
    const payload = Buffer.concat(parts);
    const bytes = Buffer.concat([Buffer.from(kind, 'latin1'), u64(payload.length), payload]);
    return Buffer.concat([bytes, u32(crc32(bytes))]);
}

export const start = (version = VERSION) => Buffer.concat([u8(...MAGIC), u32(version)]);

export function info({
    step = 0.01,
    origin = [0, 0, 0],
    unit = 2 ** -20,
    meshes,
    bodies,
    version = VERSION,
}) {
    const again = version >= 3 ? [u32(version)] : [];
    const counts = u32(meshes, bodies);
    return chunk('INFO', f64(step, ...origin, unit), counts, text('0.0.0'), text('a scene'), ...again);
}

export function mesh({ name = 'mesh', single = true, positions, triangles }) {
    const counts = u32(single ? 1 : 0, positions.length / 3, triangles.length / 3);
    const numbers = single ? f32(...positions) : f64(...positions);
    return chunk('MESH', text(name), counts, numbers, u32(...triangles));
}

export function bodies(list) {
    const kinds = ['static', 'kinematic', 'dynamic', 'soft'];
    return chunk(
        'BODY',
        ...list.flatMap((body) => [
            u8(kinds.indexOf(body.kind)),
            u32(body.mesh),
            text(body.name),
            ...(body.kind === 'soft' ? [f64(body.unit)] : []),
        ]),
    );
}

// ---------------------------------------------------------------------------------------------------------
// Frames

const PLACE_BITS = 10;
const FNV_START = 0xcbf29ce484222325n;
const FNV_PRIME = 0x100000001b3n;

export function numbers(frame, { steps = frame, hash = BigInt(frame) * 77n, contacts = 0 } = {}) {
    return Buffer.concat([
        u64(frame, steps, hash),
        f64(frame * 0.01, 1 + frame, 2 + frame, 0.001 * frame, 0.5),
        u32(3, 2, 4, 5),
        u64(10, 9, 8, 7, contacts, 1),
    ]);
}

// A frame from lists that are bytes already.
export function rawFrame(kind, head, poses, motions, contacts, positions = u8(), version = VERSION) {
    const sizes = [poses.length, motions.length, ...(version >= 3 ? [positions.length] : [])];
    return chunk(kind, head, u32(...sizes), poses, motions, positions, contacts);
}

const zeroPose = () => ({ position: [0, 0, 0], rotation: [0, 0, 0], largest: 3, far: null });

// poses: per body { position: units, rotation: steps, largest, far: metres or null }.
export function poseList(before, now, key) {
    const parts = [];
    let next = 0;
    now.forEach((pose, body) => {
        const last = key ? zeroPose() : before[body];
        if (!key && JSON.stringify(pose) === JSON.stringify(last)) {
            return;
        }
        parts.push(varint(8 * (body - next) + 2 * pose.largest + (pose.far ? 1 : 0)));
        const from = last.far ? [0, 0, 0] : last.position;
        parts.push(
            pose.far ? f64(...pose.far) : Buffer.concat(pose.position.map((x, k) => signed(x - from[k]))),
        );
        parts.push(...pose.rotation.map((x, k) => signed(x - last.rotation[k])));
        next = body + 1;
    });
    return Buffer.concat(parts);
}

// Motions: per body the uint16.
export function motionList(before, now, key) {
    const parts = [];
    let next = 0;
    now.forEach((motion, body) => {
        if (motion !== (key ? 0 : before[body])) {
            parts.push(varint(body - next), u16(motion));
            next = body + 1;
        }
    });
    return Buffer.concat(parts);
}

// Contacts: sorted { a, b, where: three steps, normal: two steps, impulse: uint16 }.
export function contactList(contacts) {
    const parts = [];
    let last = 0;
    for (let first = 0; first < contacts.length; ) {
        const { a, b } = contacts[first];
        let end = first;
        while (end < contacts.length && contacts[end].a === a && contacts[end].b === b) {
            ++end;
        }
        parts.push(varint(a - last), varint(b - a - 1), varint(end - first));
        for (const { where, normal, impulse } of contacts.slice(first, end)) {
            const place = where.reduce((sum, steps, k) => sum + steps * 2 ** (PLACE_BITS * k), 0);
            parts.push(u32(place), u8(...normal), u16(impulse));
        }
        last = a;
        first = end;
    }
    return Buffer.concat(parts);
}

// A recording, part by part: `parts` has the bytes of each, `bytes` all of them.
export class RecordingWriter {
    parts = [];
    headerParts = 0;
    frames = 0;
    #hash = FNV_START;
    #poses = [];
    #motions = [];
    #version;
    #soft; // SoftWriter, if there are soft bodies

    constructor({ meshes, bodies: list, version = VERSION, soft = null, ...rest }) {
        this.#version = version;
        this.#soft = soft;
        this.parts.push(
            start(version),
            info({ ...rest, version, meshes: meshes.length, bodies: list.length }),
        );
        this.parts.push(chunk('SCEN', text('{"name": "a scene"}')), ...meshes.map(mesh), bodies(list));
        this.headerParts = this.parts.length;
    }

    // `listed`: the contacts to put, all of a key frame, those of pairs that do not rest else. `soft`: the numbers of
    // soft bodies, see write_soft.mjs.
    frame({ key = this.frames === 0, poses, motions, listed = [], times = null, soft = [] }) {
        const hash = BigInt.asUintN(64, BigInt(this.frames + 1) * 0x9e3779b97f4a7c15n);
        this.parts.push(
            rawFrame(
                key ? 'KEYF' : 'FRAM',
                numbers(this.frames, { hash, contacts: listed.length }),
                poseList(this.#poses, poses, key),
                motionList(this.#motions, motions, key),
                contactList(listed),
                this.#soft ? this.#soft.list(soft, key) : u8(),
                this.#version,
            ),
        );
        if (times) {
            this.parts.push(chunk('TIME', u64(this.frames), f32(...times)));
        }
        for (const byte of u64(hash)) {
            this.#hash = BigInt.asUintN(64, (this.#hash ^ BigInt(byte)) * FNV_PRIME);
        }
        this.#poses = poses;
        this.#motions = motions;
        ++this.frames;
    }

    end() {
        this.parts.push(chunk('END.', u64(this.frames, this.#hash)));
        return this.bytes;
    }

    get bytes() {
        return Buffer.concat(this.parts);
    }
}
