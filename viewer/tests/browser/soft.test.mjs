// Bodies that deform: every vertex is drawn where the recording has it, in whatever order frames are asked for; and all
// that the page can do with bodies it can do with these.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { after, before, test } from 'node:test';
import { randomFrom, wholeFrom } from '../support/random.mjs';
import { RecordingWriter } from '../support/write_recording.mjs';
import { SoftWriter } from '../support/write_soft.mjs';
import { closePage, launch, openPage, seek, settle, shot, text, withPage } from './support/browser.mjs';
import { layoutFaults } from './support/layout.mjs';
import { pictureOf } from './support/pixels.mjs';
import { drift, fileOf, pageOf } from './support/program.mjs';

// ---------------------------------------------------------------------------------------------------------
// A recording: a sheet that waves on its way down, a ball of jelly that is squeezed and springs back, a post, the ground.

const FRAMES = 80;
const SIDE = 20; // vertices along the sheet
const ORIGIN = [100, 2, -50];
const UNIT = 2 ** -12;
const SHEET = 2;
const JELLY = 3;

function gridMesh(name, side, place) {
    const positions = [];
    const triangles = [];
    for (let i = 0; i < side * side; ++i) {
        const [u, v] = [i % side, Math.floor(i / side)];
        positions.push(...place(u / (side - 1), v / (side - 1)));
        if (u + 1 < side && v + 1 < side) {
            triangles.push(i, i + side, i + 1, i + 1, i + side, i + side + 1);
        }
    }
    return { name, positions, triangles };
}

function boxMesh(name, [x, y, z]) {
    const positions = Array.from({ length: 8 }, (_, i) => [i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z]);
    const sides = [
        [0, 4, 6, 2],
        [1, 3, 7, 5],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 2, 3, 1],
        [4, 5, 7, 6],
    ];
    const triangles = sides.flatMap(([a, b, c, d]) => [a, b, c, a, c, d]);
    return { name, positions: positions.flat(), triangles };
}

// An octahedron whose triangles are cut into four, three times, on the sphere.
function ballMesh(name, radius) {
    let faces = [];
    for (const [x, y, z] of [1, -1].flatMap((a) => [1, -1].flatMap((b) => [1, -1].map((c) => [a, b, c])))) {
        const face = [[x, 0, 0], [0, y, 0], [0, 0, z]]; // prettier-ignore
        faces.push(x * y * z > 0 ? face : [face[0], face[2], face[1]]);
    }
    const middle = (p, q) => {
        const sum = p.map((n, k) => n + q[k]);
        return sum.map((n) => n / Math.hypot(...sum));
    };
    for (let i = 0; i < 3; ++i) {
        faces = faces.flatMap(([a, b, c]) => {
            const [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
            return [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]; // prettier-ignore
        });
    }
    const numbers = new Map();
    const positions = [];
    const triangles = faces.flat().map((corner) => {
        const key = corner.map((n) => Math.round(n * 1e6)).join();
        if (!numbers.has(key)) {
            numbers.set(key, numbers.size);
            positions.push(...corner.map((n) => n * radius));
        }
        return numbers.get(key);
    });
    return { name, positions, triangles };
}

const meshes = [
    boxMesh('ground', [6, 0.5, 6]),
    boxMesh('post', [0.3, 1, 0.3]),
    gridMesh('sheet', SIDE, (u, v) => [4 * u - 2, 0, 4 * v - 2]),
    ballMesh('ball', 1),
];
const bodies = [
    { name: 'ground', kind: 'static', mesh: 0, unit: 0 },
    { name: 'post', kind: 'static', mesh: 1, unit: 0 },
    { name: 'flag', kind: 'soft', mesh: 2, unit: UNIT },
    { name: 'jelly', kind: 'soft', mesh: 3, unit: UNIT },
];

// Relative to the origin, in metres.
function sheetAt(frame, [x, , z]) {
    const wave = 0.35 * Math.sin(2 * x + 0.2 * frame) * Math.cos(1.3 * z - 0.11 * frame);
    return [x - 2.6, 3.2 - 0.02 * frame + wave, z];
}
function jellyAt(frame, [x, y, z]) {
    const squeeze = 1 + 0.3 * Math.sin(0.35 * frame);
    return [2.6 + x / Math.sqrt(squeeze), squeeze * (y + 1) + 0.01 * frame * y, z / Math.sqrt(squeeze)];
}
const corners = (mesh) =>
    Array.from({ length: meshes[mesh].positions.length / 3 }, (_, i) =>
        meshes[mesh].positions.slice(3 * i, 3 * i + 3),
    );
const numbersAt = (frame) =>
    [
        [2, sheetAt],
        [3, jellyAt],
    ].map(([mesh, place]) => ({
        at: corners(mesh).flatMap((corner) => place(frame, corner).map((x) => Math.round(x / UNIT))),
    }));
const written = Array.from({ length: FRAMES }, (_, frame) => numbersAt(frame));

function writeRecording() {
    const random = randomFrom(5);
    const place = (units) => ({ position: units, rotation: [0, 0, 0], largest: 3, far: null });
    const writer = new RecordingWriter({
        meshes,
        bodies,
        origin: ORIGIN,
        unit: 2 ** -16,
        soft: new SoftWriter(random),
    });
    written.forEach((soft, frame) =>
        writer.frame({
            key: frame % 64 === 0,
            poses: [
                place([0, -(2 ** 15), 0]),
                place([0, 2 ** 16, 3 * 2 ** 16]),
                place([0, 0, 0]),
                place([0, 0, 0]),
            ],
            motions: [0, 0, 0x3f80 + (frame % 8), frame % 10 === 5 ? 0x8000 : 0x3f00],
            // In the middle of the jelly's box, whichever that is in the frame.
            listed: [{ a: 0, b: JELLY, where: [512, 512, 512], normal: [127, 127], impulse: 0x4120 }],
            soft,
        }),
    );
    return writer.end();
}

const DATA = /<script id="tandem-data"[^>]*>[^<]*<\/script>/;
function makePage() {
    const path = fileOf('soft.html');
    const data = gzipSync(writeRecording()).toString('base64');
    const element =
        '<script id="tandem-data" type="application/octet-stream" data-name="soft.rec" ' +
        `data-encoding="gzip-base64">${data}</script>`;
    writeFileSync(path, readFileSync(pageOf('drift', drift()), 'utf8').replace(DATA, element));
    return path;
}

const browser = await launch();
const address = makePage();
let page;
before(async () => {
    page = await openPage(browser, address, { hash: '#play=0&charts=none', width: 900, height: 650 });
});
after(() => closePage(page));

const wanted = (frame, body) => written[frame][body - SHEET].at.map((n) => n * UNIT);

function assertNear(found, expected, what) {
    assert.equal(found.length, expected.length, what);
    expected.forEach((number, i) => {
        assert.ok(
            Math.abs(found[i] - number) < 2e-6 * (1 + Math.abs(number)),
            `${what}[${i}]: ${found[i]}, not ${number}`,
        );
    });
}

// ---------------------------------------------------------------------------------------------------------

const drawn = (body) => page.evaluate((one) => [...window.tandem.stage.probeVertices(one)], body);

test('every vertex is drawn where the recording has it, in any order of frames', async () => {
    const random = randomFrom(3);
    const some = Array.from({ length: 8 }, () => wholeFrom(random, 0, FRAMES - 1));
    for (const frame of [0, 1, 2, 63, 64, 65, FRAMES - 1, 40, 39, 38, ...some]) {
        await seek(page, frame);
        for (const body of [SHEET, JELLY]) {
            assertNear(await drawn(body), wanted(frame, body), `frame ${frame}, body ${body}`);
        }
    }
});

test('between two frames they are mixed', async () => {
    for (const [frame, share] of [
        [10, 0.25],
        [11, 0.5],
        [63, 0.75],
    ]) {
        await page.evaluate((at) => window.tandem.stage.show(at), frame + share);
        const [a, b] = [wanted(frame, SHEET), wanted(frame + 1, SHEET)];
        assertNear(
            await drawn(SHEET),
            a.map((x, i) => x + share * (b[i] - x)),
            `frame ${frame + share}`,
        );
    }
});

// Places of the canvas, from places in the recording, by the camera's own words: where the middles of bodies are.
test('pictures: what is drawn there is what is picked there', async () => {
    for (const frame of [5, 60]) {
        await seek(page, frame);
        await settle(page);
        await shot(page, `soft-${frame}-desktop`);
        const picked = await page.evaluate(
            ([sheet, jelly]) =>
                [sheet, jelly].map((body) => {
                    const { stage } = window.tandem;
                    const { x, y } = stage.onScreen(body);
                    return stage.pick(x, y);
                }),
            [SHEET, JELLY],
        );
        assert.equal(picked[1], JELLY);
        // The middle of the sheet's box is near the sheet, and seldom behind something else.
        assert.ok([SHEET, JELLY, null].includes(picked[0]), `${picked[0]}`);
    }
    const hits = await page.evaluate((body) => {
        const { stage } = window.tandem;
        const { clientWidth, clientHeight } = stage.canvas;
        let count = 0;
        for (let y = 2; y < clientHeight; y += 12) {
            for (let x = 2; x < clientWidth; x += 12) count += stage.pick(x, y) === body ? 1 : 0;
        }
        return count;
    }, SHEET);
    assert.ok(hits > 20, `${hits} places of the picture show the sheet`);
});

test('colours, wireframe, boxes and contacts show with soft bodies', async () => {
    await seek(page, 30);
    await settle(page);
    const plain = await pictureOf(page);
    for (const [hash, name] of [
        ['colour=speed', 'speed'],
        ['colour=sleep', 'sleep'],
        ['colour=body&layers=wireframe', 'wireframe'],
        ['layers=boxes', 'boxes'],
        ['layers=contacts', 'contacts'],
    ]) {
        await page.evaluate((wish) => (location.hash = `#${wish}`), hash);
        await settle(page);
        const changed = (await pictureOf(page)).differenceFrom(plain);
        await shot(page, `soft-${name}-desktop`);
        assert.ok(changed > 0.0001, `${name}: ${100 * changed} % of pixels changed`);
    }
    const { point, box } = await page.evaluate((body) => {
        const { recording } = window.tandem;
        const soft = recording.softBodies.indexOf(body);
        return { point: [...recording.contacts(30).points], box: [...recording.softBox(30, soft)] };
    }, JELLY);
    const margin = 0.125 * Math.hypot(box[3] - box[0], box[4] - box[1], box[5] - box[2]);
    const expected = [0, 1, 2].map(
        (k) => box[k] - margin + (512 / 1023) * (box[3 + k] - box[k] + 2 * margin),
    );
    assertNear(point, expected, 'the contact');
    await page.evaluate(() => (location.hash = '#layers=none'));
});

test('a soft body is selected, told about and followed', async () => {
    await page.evaluate((body) => window.tandem.select(body), JELLY);
    assert.match(await text(page, '.panel'), /jelly[^]*3, soft[^]*512/);
    await page.evaluate((body) => (location.hash = `#body=${body}&follow=${body}`), JELLY);
    const places = [];
    for (const frame of [0, 20, 70]) {
        await seek(page, frame);
        await settle(page);
        places.push(await page.evaluate((body) => window.tandem.stage.onScreen(body), JELLY));
    }
    await shot(page, 'soft-followed-desktop');
    for (const { x, y } of places) {
        assert.ok(Math.hypot(x - places[0].x, y - places[0].y) < 2, `it stays at its place: ${x}, ${y}`);
    }
});

test('it plays, and a phone shows it', async () => {
    const size = { width: 390, height: 844, touch: true };
    await withPage(browser, address, { ...size, hash: '' }, async (phone) => {
        await phone.waitForFunction(() => window.tandem.frame > 3);
        await seek(phone, 30);
        await settle(phone);
        await shot(phone, 'soft-phone');
        assert.deepEqual((await layoutFaults(phone)).faults, []);
    });
});
