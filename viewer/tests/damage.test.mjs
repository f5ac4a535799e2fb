// What the page does with recordings that are cut off, damaged or none: it shows the frames before the first part
// that is not right, says which that is, and neither throws nor hangs nor shows anything else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importSource } from './support/bundle.mjs';
import { randomFrom, wholeFrom } from './support/random.mjs';
import { framesOf, readAll } from './support/read.mjs';
import * as sample from './support/sample.mjs';
import * as w from './support/write_recording.mjs';

const { createReader } = await importSource('src/recording/reader.ts');
const writer = sample.writeSample();
const bytes = writer.bytes;
const whole = framesOf(readAll(createReader, bytes).recording);

// Where each part ends, and how many frames there are then.
const ends = [];
writer.parts.reduce(({ at, frames }, part) => {
    const kind = part.toString('latin1', 0, 4);
    const end = { at: at + part.length, frames: frames + (kind === 'KEYF' || kind === 'FRAM' ? 1 : 0), kind };
    ends.push(end);
    return end;
}, { at: 0, frames: 0 }); // prettier-ignore
const headerEnd = ends[writer.headerParts - 1].at;
const wholeParts = (size) => ends.filter((end) => end.at <= size);

// The frames that are there are those of the recording as it was; times that were lost apart.
function assertBeginning(recording, count, timesLost, what) {
    const frames = framesOf(recording);
    const expected = whole.slice(0, count);
    if (timesLost && count > 0) {
        const last = expected[count - 1];
        expected[count - 1] = { ...last, numbers: { ...last.numbers, times: null } };
    }
    assert.deepEqual(frames, expected, what);
}

test('cut off at every byte', () => {
    for (let size = 0; size < bytes.length; ++size) {
        const { recording, problem } = readAll(createReader, bytes.subarray(0, size));
        const parts = wholeParts(size);
        const last = parts.at(-1) ?? { at: 0, frames: 0 };
        const what = `cut off at ${size}`;
        assert.equal(recording !== null, size >= headerEnd, what);
        const timesLost = writer.parts[parts.length]?.toString('latin1', 0, 4) === 'TIME';
        assertBeginning(recording, last.frames, timesLost, what);
        assert.equal(problem.offset, size < 12 ? 0 : last.at, what);
        assert.equal(problem.lostBytes, size - problem.offset, what);
        assert.notEqual(recording?.complete, true, what);
        const shown =
            last.frames === 0
                ? /othing can be shown/
                : last.frames === 1
                  ? /Only the start/
                  : /frames before it/;
        assert.match(problem.what, shown, what);
        if (last.frames > 1) {
            assert.match(problem.what, new RegExp(`The ${last.frames} frames before it are shown`), what);
        }
    }
});

test('a byte changed, anywhere', () => {
    const random = randomFrom(2);
    for (let i = 0; i < 3000; ++i) {
        const at = i < bytes.length ? i : wholeFrom(random, 0, bytes.length - 1);
        const damaged = Buffer.from(bytes);
        damaged[at] ^= wholeFrom(random, 1, 255);
        const { recording, problem } = readAll(createReader, damaged, () => wholeFrom(random, 1, 3000));
        const parts = wholeParts(at);
        const what = `byte ${at} is ${damaged[at]} instead of ${bytes[at]}`;
        assert.ok(problem, what);
        assert.equal(recording !== null, at >= headerEnd, what);
        const timesLost = writer.parts[parts.length].toString('latin1', 0, 4) === 'TIME';
        assertBeginning(recording, parts.at(-1)?.frames ?? 0, timesLost, what);
        assert.equal(problem.offset, at < 12 ? 0 : parts.at(-1).at, what);
        assert.notEqual(recording?.complete, true, what);
    }
});

test('many bytes changed, left out or put in', () => {
    const random = randomFrom(3);
    for (let i = 0; i < 500; ++i) {
        let damaged = Buffer.from(bytes);
        const first = wholeFrom(random, 0, bytes.length - 1);
        const length = wholeFrom(random, 1, 64);
        const noise = Buffer.from(Array.from({ length }, () => wholeFrom(random, 0, 255)));
        const behind = damaged.subarray(first + (i % 3 === 0 ? 0 : length));
        damaged = Buffer.concat([damaged.subarray(0, first), i % 3 === 1 ? Buffer.alloc(0) : noise, behind]);
        const { recording } = readAll(createReader, damaged, () => wholeFrom(random, 1, 500));
        const count = recording?.frameCount ?? 0;
        assert.ok(count <= (wholeParts(first + length).at(-1)?.frames ?? 0) + 1);
        const timesLost = count > 0 && recording.numbers[count - 1].times === null;
        assertBeginning(recording, count, timesLost, `noise at ${first}`);
    }
});

test('what is no recording', () => {
    const cases = [
        ['', /empty: expected a recording/],
        ['solid cube\nfacet normal 0 0 1\n', /no recording/],
        ['\x89', /ends within its first 12 bytes/],
        ['\x89TNDM\n\x1a\x02\0\0\0', /no recording/], // as text
        [w.start(), /chunk INFO at byte 12 is missing: the file ends before it/],
        [w.start(1), /version 1, and this page reads versions 2 to 3/],
        [w.start(4), /version 4, and this page reads versions 2 to 3/],
        [Buffer.alloc(100000), /no recording/],
    ];
    for (const [content, expected] of cases) {
        const given = Buffer.from(content, 'latin1');
        for (const size of [1, given.length || 1]) {
            const { recording, problem, bytesRead } = readAll(createReader, given, () => size);
            assert.equal(recording, null);
            assert.match(problem.what, expected);
            assert.match(problem.what, /othing can be shown/);
            assert.equal(bytesRead, given.length);
            assert.equal(problem.offset + problem.lostBytes, given.length);
        }
    }
});

test('what comes behind the end mark', () => {
    const { recording, problem } = readAll(createReader, Buffer.concat([bytes, Buffer.from('more')]));
    assertBeginning(recording, whole.length, false, 'all');
    assert.equal(recording.complete, true);
    assert.match(problem.what, /goes on behind its end mark/);
    assert.equal(problem.lostBytes, 4);
});

// ---------------------------------------------------------------------------------------------------------
// Behind a right checksum

const scene = w.chunk('SCEN', w.text('{}'));
const tetrahedron = { positions: [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1], triangles: [0, 2, 1] };
const goodInfo = w.info({ meshes: 1, bodies: 2 });
const goodMesh = w.mesh(tetrahedron);
const two = [
    { name: 'a', kind: 'static', mesh: 0 },
    { name: 'b', kind: 'dynamic', mesh: 0 },
];

test('headers that make no sense', () => {
    const huge = 0xffffffff;
    const meshWith = (...counts) => w.chunk('MESH', w.text('m'), w.u32(...counts), Buffer.alloc(60));
    const cases = [
        [[scene], /INFO.* a chunk of another kind/],
        [[goodInfo, goodMesh], /SCEN.* a chunk of another kind/],
        [[goodInfo, scene, w.bodies(two)], /MESH \(mesh 0\).* a chunk of another kind/],
        [[w.chunk('INFO', w.f64(1))], /INFO at byte 12 has not the size/],
        [[w.info({ meshes: 1, bodies: 2, step: -1 })], /INFO.* positive and finite/],
        [[w.info({ meshes: 1, bodies: 2, unit: NaN })], /INFO.* positive and finite/],
        [[w.info({ meshes: 1, bodies: 2, unit: 2 ** -1070 })], /INFO.* positive and finite/],
        [[w.info({ meshes: 1, bodies: 2, origin: [0, Infinity, 0] })], /INFO.* positive and finite/],
        [[goodInfo, w.chunk('SCEN', w.u64(99), w.u8(0))], /SCEN.* size of its text/],
        [[goodInfo, w.chunk('SCEN', w.u64(2), w.u8(65, 0, 0))], /SCEN.* size of its text/],
        [[goodInfo, w.chunk('SCEN', w.text('{}'), w.u8(0))], /SCEN.* size of its text/],
        [[w.info({ meshes: huge, bodies: 2 }), scene, goodMesh], /MESH \(mesh 1\).* missing/],
        [[goodInfo, scene, meshWith(1, huge, huge)], /MESH \(mesh 0\).* has not the size/],
        [[goodInfo, scene, meshWith(2, 1, 3)], /MESH.* has not the size/],
        [[goodInfo, scene, meshWith(1, 5, 0)], /MESH.* has not the size/],
        [
            [goodInfo, scene, w.mesh({ ...tetrahedron, triangles: [0, 1, 4] })],
            /MESH.* vertex that is not there/,
        ],
        [[goodInfo, scene, w.mesh({ ...tetrahedron, positions: [NaN, 0, 0] })], /MESH.* not finite/],
        [[w.info({ meshes: 1, bodies: huge }), scene, goodMesh, w.bodies(two)], /BODY.* less room/],
        [[w.info({ meshes: 1, bodies: 1 }), scene, goodMesh, w.bodies(two)], /BODY.* behind its last body/],
        [[goodInfo, scene, goodMesh, w.bodies([two[0], { ...two[1], mesh: 1 }])], /BODY.* no known kind/],
        [[goodInfo, scene, goodMesh, w.bodies([two[0], { ...two[1], kind: '?' }])], /BODY.* no known kind/],
        [[goodInfo, Buffer.from('SCEN'), w.u64(2n ** 62n), scene], /SCEN.* its size is damaged/],
    ];
    for (const [parts, expected] of cases) {
        const { recording, problem } = readAll(createReader, Buffer.concat([w.start(), ...parts]));
        assert.equal(recording, null, String(expected));
        assert.match(problem.what, expected);
        assert.match(problem.what, /nothing can be shown/);
    }
});

test('frames that make no sense end the recording before them', () => {
    const still = { position: [0, 0, 0], rotation: [0, 0, 0], largest: 3, far: null };
    const none = Buffer.alloc(0);
    const contact = Buffer.concat([w.u32(0), w.u8(127, 127), w.u16(0x3f80)]);
    const pair = (a, b, count, ...contacts) =>
        Buffer.concat([w.varint(a), w.varint(b), w.varint(count), ...contacts]);
    const fram = (lists, head = w.numbers(2)) =>
        w.rawFrame('FRAM', head, lists.poses ?? none, lists.motions ?? none, lists.contacts ?? none);
    const keyf = (lists) =>
        w.rawFrame('KEYF', w.numbers(2), lists.poses ?? none, lists.motions ?? none, none);
    const onePose = (head, place, turns) =>
        Buffer.concat([w.varint(head), ...place.map(w.signed), ...turns.map(w.signed)]);
    const sleeping = Buffer.concat([w.varint(1), w.u16(0x8000)]);
    const awake = Buffer.concat([w.varint(1), w.u16(0x3f80)]);
    const big = 2n ** 54n;
    const cases = [
        [w.chunk('ADDB', w.u32(1)), /What follows frame 1 .* no kind/],
        [w.chunk('MESH', w.u32(1)), /no kind/],
        [w.chunk('FRAM', w.u32(1)), /Frame 2 .* size/],
        [fram({}, w.numbers(3)), /is not the next/],
        [fram({}, w.numbers(1)), /is not the next/],
        [fram({}, w.numbers(2, { steps: 1 })), /is not the next/],
        [w.chunk('FRAM', w.numbers(2), w.u32(0xffffffff, 0xffffffff)), /size/],
        [w.chunk('FRAM', w.numbers(2), w.u32(1, 0)), /size/],
        [fram({ poses: w.u8(0x80) }), /poses/],
        [fram({ poses: w.u8(...Array(9).fill(0x80), 0) }), /poses/],
        [fram({ poses: onePose(8 * 2 + 6, [0, 0, 0], [0, 0, 0]) }), /poses/], // body 2
        [fram({ poses: onePose(8n * 2n ** 50n, [0, 0, 0], [0, 0, 0]) }), /poses/],
        [fram({ poses: onePose(6, [2 ** 51 + 1, 0, 0], [0, 0, 0]) }), /poses/],
        [fram({ poses: onePose(6, [big, 0, 0], [0, 0, 0]) }), /poses/],
        [fram({ poses: onePose(6, [0, 0, 0], [131072, 0, 0]) }), /poses/],
        [fram({ poses: onePose(6, [0, 0, 0], [131071, 131071, 0]) }), /poses/], // longer than 1
        [fram({ poses: Buffer.concat([w.varint(7), w.f64(0, NaN, 0), w.u8(0, 0, 0)]) }), /poses/],
        [fram({ poses: Buffer.concat([w.varint(7), w.f64(0, 1)]) }), /poses/],
        [keyf({ poses: w.poseList([], [still], true) }), /poses/], // one body is missing
        [keyf({}), /poses/],
        [fram({ motions: w.u8(0, 1) }), /motions/],
        [fram({ motions: Buffer.concat([w.varint(0), w.u16(1)]) }), /motions/], // a static body
        [fram({ motions: Buffer.concat([w.varint(1), w.u16(0x7f80)]) }), /motions/], // infinite
        [fram({ motions: Buffer.concat([w.varint(1), w.u16(0x8001)]) }), /motions/],
        [fram({ motions: Buffer.concat([w.varint(2), w.u16(0)]) }), /motions/],
        [fram({ contacts: pair(0, 0, 0) }), /contacts/],
        [fram({ contacts: pair(0, 0, 2, contact) }), /contacts/],
        [fram({ contacts: pair(0, 0, 2n ** 50n, contact) }), /contacts/],
        [fram({ contacts: pair(0, 1, 1, contact) }), /contacts/],
        [fram({ contacts: pair(2n ** 55n, 0, 1, contact) }), /contacts/],
        [fram({ contacts: Buffer.concat([pair(0, 0, 1, contact), pair(0, 0, 1, contact)]) }), /contacts/],
        [fram({ contacts: pair(0, 0, 1, w.u32(2 ** 30), w.u8(0, 0), w.u16(0)) }), /contacts/],
        [fram({ contacts: pair(0, 0, 1, w.u32(0), w.u8(0, 255), w.u16(0)) }), /contacts/],
        [fram({ contacts: pair(0, 0, 1, w.u32(0), w.u8(0, 0), w.u16(0x7f80)) }), /contacts/],
        [w.chunk('TIME', w.u64(0), w.f32(1, 1, 1, 1, 1, 1, 1)), /TIME behind frame 1/],
        [w.chunk('TIME', w.u64(1), w.f32(1, 1, 1, 1, 1, 1)), /TIME behind frame 1/],
        [w.chunk('TIME', w.u64(1), w.f32(1, 1, 1, 1, 1, 1, NaN)), /TIME behind frame 1/],
        [w.chunk('TIME', w.u64(1), w.f32(1, 1, 1, 1, 1, 1, -1)), /TIME behind frame 1/],
        [w.chunk('END.', w.u64(1, 0)), /end mark .* not that of these 2 frames/],
        [w.chunk('END.', w.u64(2, 5)), /end mark .* not that of these 2 frames/],
    ];
    const wakes = Buffer.concat([pair(0, 0, 1, contact)]);
    for (const motions of [
        [0, 0x3f80],
        [0, 0x8000],
    ]) {
        // prettier-ignore
        const made = new w.RecordingWriter({ meshes: [tetrahedron], bodies: two });
        made.frame({ poses: [still, still], motions });
        made.frame({ poses: [still, still], motions });
        const good = made.bytes;
        const asleep = motions[1] === 0x8000;
        const more = asleep
            ? [[fram({ contacts: wakes }), /contacts/], [fram({ contacts: wakes, motions: awake }), null]] // prettier-ignore
            : [[fram({ contacts: wakes }), null], [fram({ contacts: wakes, motions: sleeping }), null]]; // prettier-ignore
        for (const [part, expected] of [...cases, ...more]) {
            const { recording, problem } = readAll(createReader, Buffer.concat([good, part]));
            if (expected) {
                assert.match(problem.what, expected);
                assert.match(problem.what, /The 2 frames before it are shown/);
                assert.equal(problem.offset, good.length);
                assert.equal(recording.frameCount, 2, problem.what);
                assert.equal(recording.contacts(1).count, 0);
            } else {
                assert.match(problem.what, /end mark is missing/);
                assert.equal(recording.frameCount, 3);
                assert.equal(recording.contacts(2).count, 1);
            }
        }
    }
});

test('a frame that follows none', () => {
    const first = new w.RecordingWriter({ meshes: [tetrahedron], bodies: two }).bytes;
    const frame = w.rawFrame('FRAM', w.numbers(0), ...Array(3).fill(Buffer.alloc(0)));
    const { recording, problem } = readAll(createReader, Buffer.concat([first, frame]));
    assert.match(problem.what, /Frame 0 .* no frame before it.*Nothing can be shown/);
    assert.equal(recording.frameCount, 0);
});
