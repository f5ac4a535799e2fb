// What the page reads from recordings of the program is what the program says about them itself. The program is
// given as TANDEM=path.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { importSource } from './support/bundle.mjs';
import { rotate } from './support/oracle.mjs';
import { randomFrom, wholeFrom } from './support/random.mjs';
import { framesOf, readAll, snapshot } from './support/read.mjs';

const program = process.env.TANDEM;
const options = program ? {} : { skip: 'TANDEM is not set: it names the program whose recordings are read' };
const folder = mkdtempSync(join(tmpdir(), 'tandem-recordings-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const { createReader } = await importSource('src/recording/reader.ts');

const tandem = (...words) =>
    execFileSync(program, words, {
        encoding: 'utf8',
        maxBuffer: 1 << 28,
        stdio: ['ignore', 'pipe', 'inherit'],
    });

function record(name, scene, ...words) {
    const path = join(folder, `${name}.rec`);
    tandem('simulate', scene, '-o', path, '--quiet', ...words);
    return path;
}

// Far from zero, with a lift that carries what lies on it, and bodies that do not start at their middle.
const liftScene = {
    tandem: 1,
    name: 'lift',
    description: 'two wedges on a lift, far from zero',
    steps: 80,
    meshes: {
        wedge: { shape: 'cow', scale: 0.5, translate: [0.3, 0.7, -0.2] },
        floor: { shape: 'box', scale: [4, 0.2, 4] },
    },
    bodies: [
        { name: 'lift', mesh: 'floor', kind: 'kinematic', position: [5000, 0, -300], velocity: [0, 0.25, 0] },
        { name: 'first', mesh: 'wedge', position: [5000, 1, -300] },
        { name: 'second', mesh: 'wedge', position: [5000.2, 2.5, -300.1] },
    ],
};

// As near as float32 can be, of numbers whose parts are as large as `size`.
function assertNear(actual, expected, size, what) {
    expected.forEach((number, i) => {
        const off = Math.abs(actual[i] - number);
        assert.ok(off <= size * 2 ** -23 + 1e-12, `${what}[${i}]: ${actual[i]}, expected ${number}`);
    });
}

const largest = (vector) => Math.max(...vector.map(Math.abs));
const fromOrigin = (vector, origin) => vector.map((x, k) => x - origin[k]);

function compareBodies(told, recording, f) {
    const states = recording.states(f);
    assert.equal(told.bodies.length, recording.bodies.length);
    told.bodies.forEach((body, i) => {
        const what = `frame ${f}, ${body.name}`;
        const mesh = recording.meshes[recording.bodies[i].mesh];
        assert.deepEqual(
            { name: recording.bodies[i].name, kind: recording.bodies[i].kind, mesh: mesh.name },
            { name: body.name, kind: body.kind, mesh: body.mesh },
        );
        const turned = rotate(body.rotation, mesh.middle);
        const place = fromOrigin(body.position, recording.origin).map((x, k) => x + turned[k]);
        const state = states.subarray(8 * i, 8 * i + 8);
        assertNear(state.subarray(0, 3), place, largest(place), `${what}: position`);
        assertNear(state.subarray(4), body.rotation, 1, `${what}: rotation`);
        const asleep = body.kind === 'dynamic' && !body.awake;
        assert.equal(state[3], asleep ? -1 : body.speed, `${what}: motion`);
    });
}

function compareContacts(told, recording, f) {
    const contacts = recording.contacts(f);
    assert.equal(contacts.count, told.contact_points.length, `frame ${f}: number of contacts`);
    told.contact_points.forEach((contact, i) => {
        const what = `frame ${f}, contact ${i}`;
        assert.deepEqual([contacts.a[i], contacts.b[i]], [contact.a, contact.b], what);
        const place = fromOrigin(contact.point, recording.origin);
        const reach = largest([...recording.meshes.map((mesh) => 2 * largest(mesh.halfSize)), ...place]);
        assertNear(contacts.points.subarray(3 * i, 3 * i + 3), place, 8 * reach, `${what}: point`);
        assertNear(contacts.normals.subarray(3 * i, 3 * i + 3), contact.normal, 1, `${what}: normal`);
        assert.equal(contacts.impulses[i], contact.impulse, `${what}: impulse`);
    });
}

function compareNumbers(told, recording, f) {
    const { hash, times, ...numbers } = recording.numbers[f];
    assert.equal(hash, BigInt(`0x${told.hash}`), `frame ${f}: hash`);
    assert.equal(told.frame, f);
    for (const [name, number] of Object.entries(numbers)) {
        const key = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
        assert.equal(number, told[key], `frame ${f}: ${name}`);
    }
    if (f > 0) {
        assert.deepEqual(times, told.ms ?? null, `frame ${f}: times`);
    }
}

// All frames of the recording are compared, those of some steps by what the program tells of them.
function compare(path, frames) {
    const bytes = readFileSync(path);
    const { recording, problem } = readAll(createReader, bytes);
    assert.equal(problem, null);
    const about = JSON.parse(tandem('replay', path, '--json'));
    assert.equal(recording.name, about.scene);
    assert.equal(recording.step, about.step);
    assert.equal(recording.writer, about.version);
    assert.equal(recording.frameCount, about.frames);
    assert.equal(recording.complete, true);
    for (const f of frames(recording.frameCount - 1)) {
        const told = JSON.parse(tandem('replay', path, '--frame', String(f), '--contacts', '--json'));
        compareNumbers(told, recording, f);
        compareBodies(told, recording, f);
        compareContacts(told, recording, f);
    }
    return { bytes, recording };
}

const some = (last) => [0, 1, 2, 30, 63, 64, 65, last - 1, last, 40, 5];

test('bodies that come to rest', options, () => {
    const { recording } = compare(record('stack', 'stack', '--steps', '90', '--times'), some);
    const last = recording.states(90);
    assert.ok(last.some((number, i) => i % 8 === 3 && number === -1), 'none sleeps: the test would show nothing'); // prettier-ignore
    assert.ok(recording.contacts(90).count > 0);
    assert.ok(recording.numbers[90].times.total > 0);
});

test('meshes away from their middle', options, () => {
    const { recording } = compare(record('arch', 'arch', '--steps', '70'), some);
    assert.ok(recording.meshes.some((mesh) => largest(mesh.middle) > 1));
    assert.equal(recording.numbers[70].times, null);
});

test('a kinematic body, far from zero', options, () => {
    const scene = join(folder, 'lift.json');
    writeFileSync(scene, JSON.stringify(liftScene));
    const { recording } = compare(record('lift', scene), some);
    assert.ok(recording.states(70)[3] > 0, 'the lift does not move');
    assert.ok(recording.origin[0] > 4990);
});

test('many bodies', options, () => {
    const { recording } = compare(record('cows', 'cows', '--steps', '66'), (last) => [0, 37, 64, last]);
    assert.ok(recording.bodies.length > 100);
});

test('pieces, cuts and damage', options, () => {
    const bytes = readFileSync(record('small', 'arch', '--steps', '66', '--times'));
    const random = randomFrom(7);
    const whole = snapshot(readAll(createReader, bytes));
    assert.deepEqual(snapshot(readAll(createReader, bytes, () => 1)), whole);
    assert.deepEqual(snapshot(readAll(createReader, bytes, () => wholeFrom(random, 1, 5000))), whole);
    for (let i = 0; i < 100; ++i) {
        const at = wholeFrom(random, 0, bytes.length - 1);
        const damaged = Buffer.from(i % 2 === 0 ? bytes.subarray(0, at) : bytes);
        if (i % 2 === 1) {
            damaged[at] ^= 1 << wholeFrom(random, 0, 7);
        }
        const path = join(folder, 'damaged.rec');
        writeFileSync(path, damaged);
        const { recording, problem } = readAll(createReader, damaged);
        assert.ok(problem);
        const frames = framesOf(recording);
        // Times stand behind their frame: those of the last may be lost.
        if (frames.length > 0 && frames.at(-1).numbers.times === null) {
            frames.at(-1).numbers.times = whole.frames[frames.length - 1].numbers.times;
        }
        assert.deepEqual(frames, whole.frames.slice(0, frames.length));
        if (recording) {
            const about = JSON.parse(tandem('replay', path, '--json'));
            assert.equal(recording.frameCount, about.frames);
            assert.equal(problem.lostBytes, about.lost_bytes);
        } else {
            assert.throws(() => execFileSync(program, ['replay', path], { stdio: 'ignore' }));
        }
    }
});
