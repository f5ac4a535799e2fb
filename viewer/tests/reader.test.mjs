// What the page reads from a recording: all that is in it, however its bytes come.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importSource } from './support/bundle.mjs';
import { boxOf, halfToNumber, normalOf, placeOf, quaternionOf } from './support/oracle.mjs';
import { randomFrom, wholeFrom } from './support/random.mjs';
import { readAll, snapshot } from './support/read.mjs';
import * as sample from './support/sample.mjs';

const { createReader } = await importSource('src/recording/reader.ts');
const bytes = sample.writeSample().bytes;

// As near as float32 can be.
function assertNear(actual, expected, what) {
    assert.equal(actual.length, expected.length, what);
    expected.forEach((number, i) => {
        const most = Math.max(Math.abs(number) * 2 ** -23, 1e-12);
        const off = Math.abs(actual[i] - number);
        // What float32 cannot hold becomes infinite.
        assert.ok(
            off <= most || actual[i] === Math.fround(number),
            `${what}[${i}]: ${actual[i]}, expected ${number}`,
        );
    });
}

test('the header', () => {
    const { recording, problem } = readAll(createReader, bytes);
    assert.equal(problem, null);
    assert.equal(recording.complete, true);
    assert.equal(recording.name, 'a scene');
    assert.equal(recording.writer, '0.0.0');
    assert.equal(recording.step, 0.01);
    assert.equal(recording.sceneText, '{"name": "a scene"}');
    assert.deepEqual(recording.origin, sample.origin);
    assert.deepEqual(recording.bodies, sample.bodies);
    recording.meshes.forEach((mesh, i) => {
        const { name, positions, triangles } = sample.meshes[i];
        const { middle, upper } = boxOf(positions);
        assert.equal(mesh.name, name);
        assertNear(mesh.middle, middle, 'middle');
        assertNear(
            mesh.halfSize,
            upper.map((x, k) => x - middle[k]),
            'half size',
        );
        assertNear(
            [...mesh.positions],
            positions.map((x, k) => x - middle[k % 3]),
            'positions',
        );
        assert.deepEqual([...mesh.triangles], triangles);
    });
});

test('states, numbers and times', () => {
    const { recording } = readAll(createReader, bytes);
    assert.equal(recording.frameCount, sample.frames.length);
    sample.frames.forEach((frame, f) => {
        const states = recording.states(f);
        frame.poses.forEach((pose, body) => {
            const state = [...states.subarray(8 * body, 8 * body + 8)];
            const { middle } = boxOf(sample.meshes[sample.bodies[body].mesh].positions);
            assertNear(
                state.slice(0, 3),
                placeOf(pose, middle, sample),
                `frame ${f}, body ${body}: position`,
            );
            assertNear(state.slice(4), quaternionOf(pose), `frame ${f}, body ${body}: rotation`);
            const motion = frame.motions[body];
            assert.equal(state[3], motion === 0x8000 ? -1 : halfToNumber(motion));
        });
        const numbers = recording.numbers[f];
        assert.equal(numbers.hash, BigInt.asUintN(64, BigInt(f + 1) * 0x9e3779b97f4a7c15n));
        const { hash, times, ...rest } = numbers;
        assert.deepEqual(rest, {
            steps: f,
            time: f * 0.01,
            kineticEnergy: 1 + f,
            potentialEnergy: 2 + f,
            penetration: 0.001 * f,
            residual: 0.5,
            awake: 3,
            islands: 2,
            passes: 4,
            colours: 5,
            broadPairs: 10,
            collidingPairs: 9,
            faces: 8,
            regions: 7,
            contacts: frame.listed.length,
            stoppedBodies: 1,
        });
        assert.deepEqual(times && Object.values(times), frame.times ?? null);
    });
});

function checkContacts(contacts, f) {
    const { all, poses } = sample.frames[f];
    assert.equal(contacts.count, all.length, `frame ${f}`);
    all.forEach((expected, i) => {
        const what = `frame ${f}, contact ${i}`;
        assert.deepEqual([contacts.a[i], contacts.b[i]], [expected.a, expected.b], what);
        const boxes = [expected.a, expected.b].map((body) =>
            boxOf(sample.meshes[sample.bodies[body].mesh].positions),
        );
        const smaller = boxes[1].diagonal < boxes[0].diagonal ? 1 : 0;
        const { lower, upper, diagonal } = boxes[smaller];
        const point = expected.where.map((steps, k) => {
            const from = lower[k] - diagonal / 8;
            return from + (steps / 1023) * (upper[k] + diagonal / 8 - from);
        });
        const place = placeOf(poses[[expected.a, expected.b][smaller]], point, sample);
        const actual = [...contacts.points.subarray(3 * i, 3 * i + 3)];
        // Drawn beside a body whose place is a float32 itself.
        const off = Math.hypot(...actual.map((x, k) => x - place[k]));
        assert.ok(off <= 1e-6 * (1 + Math.hypot(...place)), `${what}: ${actual}, expected ${place}`);
        assertNear([...contacts.normals.subarray(3 * i, 3 * i + 3)], normalOf(expected.normal), what);
        assert.equal(contacts.impulses[i], halfToNumber(expected.impulse), what);
    });
}

test('contacts, in any order of asking', () => {
    const { recording } = readAll(createReader, bytes);
    const random = randomFrom(5);
    const order = [...sample.frames.keys(), 7, 6, 5, 4, 3, 2, 1, 0];
    for (let i = 0; i < 50; ++i) {
        order.push(wholeFrom(random, 0, sample.frames.length - 1));
    }
    order.forEach((f) => checkContacts(recording.contacts(f), f));
    assert.throws(() => recording.contacts(sample.frames.length), /no frame 8/);
    assert.throws(() => recording.states(-1), /no frame -1/);
});

test('pieces of any size give the same', () => {
    const whole = snapshot(readAll(createReader, bytes));
    for (const size of [1, 2, 3, 7, 11, 12, 13, 100, 1000]) {
        assert.deepEqual(snapshot(readAll(createReader, bytes, () => size)), whole, `pieces of ${size}`);
    }
    const random = randomFrom(1);
    for (let i = 0; i < 50; ++i) {
        const most = wholeFrom(random, 1, 600);
        assert.deepEqual(snapshot(readAll(createReader, bytes, () => wholeFrom(random, 0, most))), whole);
    }
});

test('frames are there as soon as their bytes are, and do not change', () => {
    const { parts, headerParts } = sample.writeSample();
    const reader = createReader();
    const kept = [];
    parts.forEach((part, i) => {
        const piece = Buffer.from(part);
        reader.push(piece);
        piece.fill(0xff); // the reader must not have kept it
        assert.equal(reader.problem, null);
        assert.equal(reader.recording !== null, i + 1 >= headerParts);
        if (reader.recording && reader.recording.frameCount > kept.length) {
            const view = reader.recording.states(kept.length);
            kept.push({ view, copy: [...view] });
            checkContacts(reader.recording.contacts(kept.length - 1), kept.length - 1);
        }
    });
    assert.equal(kept.length, sample.frames.length);
    kept.forEach(({ view, copy }, f) => {
        assert.deepEqual([...view], copy);
        assert.deepEqual([...reader.recording.states(f)], copy);
        checkContacts(reader.recording.contacts(f), f);
    });
    assert.equal(reader.recording.complete, true);
});

test('a recording of version 2 is the same without soft bodies', () => {
    const { bytesRead: _, ...old } = snapshot(readAll(createReader, sample.writeSample(2).bytes));
    const { bytesRead: __, ...now } = snapshot(readAll(createReader, bytes));
    assert.deepEqual(old, now);
});
