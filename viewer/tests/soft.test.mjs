// What the page reads of soft bodies: where their vertices are in every frame, in whatever order frames are asked for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importSource } from './support/bundle.mjs';
import { randomFrom, wholeFrom } from './support/random.mjs';
import { readAll } from './support/read.mjs';
import { RecordingWriter, varint, u8 } from './support/write_recording.mjs';
import { SoftWriter } from './support/write_soft.mjs';

const { createReader } = await importSource('src/recording/reader.ts');
const STILL = { position: [0, 0, 0], rotation: [0, 0, 0], largest: 3, far: null };
const ORIGIN = [10, -20, 30];
const UNIT = 2 ** -10;
const FRAMES = 90;

// A strip of triangles; only the number of vertices matters here.
function strip(vertices) {
    const positions = Array.from({ length: vertices }, (_, i) => [i >> 1, i & 1, 0]).flat();
    const triangles = Array.from({ length: vertices - 2 }, (_, i) => [i, i + 1, i + 2]).flat();
    return { name: `strip ${vertices}`, positions, triangles };
}

const meshes = [strip(300), strip(5), strip(128)];
const bodies = [
    { name: 'long', kind: 'soft', mesh: 0, unit: UNIT },
    { name: 'post', kind: 'static', mesh: 1, unit: 0 },
    { name: 'short', kind: 'soft', mesh: 1, unit: 2 ** -3 },
    { name: 'block', kind: 'soft', mesh: 2, unit: UNIT },
];

// Waves, noise, rests, leaps over all 32 bits, and frames in which a body is far.
function motion(random) {
    const soft = bodies.filter(({ kind }) => kind === 'soft');
    let last = null;
    return Array.from({ length: FRAMES }, (_, f) => {
        last = soft.map((body, i) => {
            const vertices = meshes[body.mesh].positions.length / 3;
            if (i === 1 && f % 17 === 5) {
                return { far: Array.from({ length: 3 * vertices }, () => 1e12 * (random() - 0.5)) };
            }
            if (last && !last[i].far && f % 5 === 2) return last[i];
            const wild = i === 2 && f % 11 === 3;
            return {
                at: Array.from({ length: 3 * vertices }, (_, n) =>
                    wild
                        ? wholeFrom(random, -(2 ** 30) + 1, 2 ** 30 - 1)
                        : Math.round(1000 * Math.sin(0.3 * f + 0.05 * n)) + wholeFrom(random, -2, 2),
                ),
            };
        });
        return last;
    });
}

function write(frames, random, isKey = (f) => f % 64 === 0) {
    const writer = new RecordingWriter({ meshes, bodies, origin: ORIGIN, soft: new SoftWriter(random) });
    frames.forEach((soft, f) =>
        writer.frame({
            key: isKey(f),
            poses: bodies.map(() => STILL),
            motions: bodies.map(({ kind }) => (kind === 'soft' ? 0x3f80 + f : 0)),
            soft,
        }),
    );
    return writer.end();
}

const expected = ({ at, far }, unit) =>
    Float32Array.from(far ? far.map((x, i) => x - ORIGIN[i % 3]) : at.map((n) => n * unit));

function assertFrame(recording, frames, f) {
    assert.deepEqual(recording.softBodies, [0, 2, 3]);
    recording.softBodies.forEach((body, soft) => {
        const places = expected(frames[f][soft], bodies[body].unit);
        const out = new Float32Array(places.length);
        recording.softPositions(out, f, soft);
        assert.deepEqual(out, places, `frame ${f}, body ${body}`);
        const box = recording.softBox(f, soft);
        for (let k = 0; k < 3; ++k) {
            const along = [...places].filter((_, i) => i % 3 === k);
            assert.ok(Math.abs(box[k] - Math.min(...along)) <= 1e-6 * Math.abs(box[k]), 'the box, below');
            assert.ok(Math.abs(box[3 + k] - Math.max(...along)) <= 1e-6 * Math.abs(box[3 + k]), 'above');
            const middle = recording.states(f)[8 * body + k];
            assert.ok(
                Math.abs(middle - (box[k] + box[3 + k]) / 2) <= 1e-6 * (1 + Math.abs(middle)),
                'middle',
            );
        }
        assert.deepEqual([...recording.states(f).subarray(8 * body + 4, 8 * body + 8)], [0, 0, 0, 1]);
    });
}

test('positions of every frame, forwards, backwards and at random', () => {
    for (let seed = 1; seed <= 3; ++seed) {
        const random = randomFrom(seed);
        const frames = motion(random);
        const isKey = seed === 3 ? (f) => f % 13 === 0 : undefined;
        const { recording, problem } = readAll(createReader, write(frames, random, isKey), () =>
            wholeFrom(random, 1, 5000),
        );
        assert.equal(problem, null);
        assert.equal(recording.frameCount, FRAMES);
        for (let f = 0; f < FRAMES; ++f) assertFrame(recording, frames, f);
        for (let f = FRAMES - 1; f >= 0; --f) assertFrame(recording, frames, f);
        for (let i = 0; i < 60; ++i) assertFrame(recording, frames, wholeFrom(random, 0, FRAMES - 1));
    }
});

test('cut off and flipped bits never throw, and leave the frames before', () => {
    const random = randomFrom(7);
    const frames = motion(random).slice(0, 12);
    const bytes = write(frames, random);
    for (let i = 0; i < 150; ++i) {
        const cut = bytes.subarray(0, wholeFrom(random, 0, bytes.length - 1));
        const { recording } = readAll(createReader, cut);
        for (let f = 0; f < (recording?.frameCount ?? 0); f += 3) assertFrame(recording, frames, f);
        const flipped = Buffer.from(bytes);
        flipped[wholeFrom(random, 0, bytes.length - 1)] ^= 1 << wholeFrom(random, 0, 7);
        const read = readAll(createReader, flipped);
        assert.notEqual(read.problem, null);
        for (let f = 0; f < (read.recording?.frameCount ?? 0); f += 3) assertFrame(read.recording, frames, f);
    }
});

// Behind a right checksum: bytes that no writer makes.
class OddWriter extends SoftWriter {
    constructor(random, odd) {
        super(random);
        this.odd = odd;
    }
    list(soft, key) {
        const list = super.list(soft, key);
        return key ? list : this.odd(list);
    }
}

test('lists that make no sense behind a right checksum are named', () => {
    const random = randomFrom(9);
    const frames = motion(random).slice(0, 3);
    const odd = [
        ['one body too many', (list) => Buffer.concat([list, varint(2 * 5), u8(15, 15, 15)])],
        ['a body that is cut off', (list) => list.subarray(0, list.length - 2)],
        ['bytes behind the last body', (list) => Buffer.concat([list, u8(0)])],
        [
            'a block predicted by nothing known',
            () => Buffer.concat([varint(0), u8(0xc0 | 15), Buffer.alloc(40)]),
        ],
        ['a parameter that there is not', () => Buffer.concat([varint(0), u8(14, 0x0f), Buffer.alloc(40)])],
        ['places that are not finite', () => Buffer.concat([varint(3), Buffer.alloc(5 * 24, 0xff)])],
    ];
    for (const [what, change] of odd) {
        const writer = new RecordingWriter({
            meshes,
            bodies,
            origin: ORIGIN,
            soft: new OddWriter(random, change),
        });
        frames.forEach((soft, f) =>
            writer.frame({
                key: f === 0,
                poses: bodies.map(() => STILL),
                motions: bodies.map(() => 0),
                soft,
            }),
        );
        const { recording, problem } = readAll(createReader, writer.end());
        assert.equal(recording.frameCount, 1, what);
        assert.match(
            problem.what,
            /^Frame 1 at byte [\d,]+ has positions of soft bodies that make no sense/,
            what,
        );
    }
});

test('a unit that is none, and soft bodies in a recording of version 2, are refused', () => {
    const make = (version, unit) => {
        const list = bodies.map((body) => ({ ...body, unit }));
        return new RecordingWriter({ meshes, bodies: list, version }).end();
    };
    assert.match(readAll(createReader, make(3, 0)).problem.what, /BODY.*soft body \(0\) whose unit/);
    assert.match(readAll(createReader, make(3, Infinity)).problem.what, /BODY.*soft body \(0\) whose unit/);
    assert.match(readAll(createReader, make(2, UNIT)).problem.what, /BODY.*no known kind/);
});
