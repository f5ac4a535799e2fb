// Recordings that are cut off, damaged or of another version, pages without one, and browsers that cannot draw: the
// page says what is wrong, and shows what can be shown.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { start as startOf } from '../support/write_recording.mjs';
import {
    closePage,
    launch,
    openPage,
    seek,
    settle,
    shot,
    start,
    text,
    until,
    withPage,
} from './support/browser.mjs';
import { layoutFaults } from './support/layout.mjs';
import { drift, fileOf, pageOf, tandem } from './support/program.mjs';

const browser = await launch();
const recording = drift();
const whole = readFileSync(recording);
const html = readFileSync(pageOf('drift', recording), 'utf8');
const DATA = /<script id="tandem-data"[^>]*>([^<]*)<\/script>/;
assert.match(html, DATA);

// A page whose data is another.
function pageWith(name, change) {
    const path = fileOf(`${name}.html`);
    writeFileSync(path, change(html));
    return path;
}

function damaged(name, bytes) {
    const path = fileOf(`${name}.rec`);
    writeFileSync(path, bytes);
    return path;
}

const framesOf = (path) => JSON.parse(tandem('replay', path, '--json', '--quiet')).frames;

// Where a frame begins: frame 0, the first that others build upon, is behind the header.
const firstFrame = whole.indexOf('KEYF');
const frameAt = (number) => {
    let at = firstFrame;
    for (let i = 0; i < number; ++i) {
        at += 16 + Number(whole.readBigUInt64LE(at + 4));
    }
    return at;
};

const landingPage = pageWith('landing', (text) => text.replace(DATA, ''));
let landing;
let fresh; // the same, opened again for every file
before(async () => {
    landing = await openPage(browser, landingPage, {});
    fresh = await openPage(browser, landingPage, { width: 800, height: 600 });
});
after(() => closePage(landing));
after(() => closePage(fresh));

test('a page without a recording says how to make one, and opens one', async () => {
    assert.match(await text(landing, '.landing'), /Drop one here.*tandem simulate scene\.json -o fall\.rec/s);
    assert.equal(await landing.locator('.banner').count(), 0);
    assert.equal(await landing.evaluate(() => window.tandem.recording), null);
    assert.deepEqual((await layoutFaults(landing)).faults, []);
    await shot(landing, 'landing-desktop');
    await landing.setInputFiles('#file', recording);
    await until(landing, 'all frames', () => window.tandem.recording?.complete);
    assert.equal(await landing.evaluate(() => window.tandem.recording.frameCount), 61);
    assert.equal(await landing.locator('.banner').count(), 0);
    await seek(landing, 60);
    assert.match(await text(landing, '.clock'), /frame 60 \/ 60/);
});

// Opens a file in a fresh page, waits for what is said of it.
async function complaintAbout(path) {
    await fresh.reload();
    await fresh.evaluate(() => window.tandem.ready);
    assert.equal(await fresh.locator('.banner').count(), 0);
    await fresh.setInputFiles('#file', path);
    await until(fresh, 'a banner', () => document.querySelector('.banner'));
    const said = await text(fresh, '.banner p');
    const frames = await fresh.evaluate(() => window.tandem.recording?.frameCount ?? 0);
    const { faults } = await layoutFaults(fresh);
    await shot(fresh, `bad-${path.replace(/.*\//, '').replace('.rec', '')}`);
    assert.deepEqual(faults, []);
    assert.deepEqual(fresh.faults, []);
    return { said, frames };
}

for (const [name, bytes, expected] of [
    [
        'cut-in-magic',
        whole.subarray(0, 5),
        /^The file ends within its first 12 bytes: expected a recording\./,
    ],
    [
        'cut-in-header',
        whole.subarray(0, 800),
        /^The chunk MESH \(mesh 0\) at byte \d+ is not whole.*nothing can be shown\.$/,
    ],
    [
        'version-1',
        Buffer.concat([startOf(1), whole.subarray(12)]),
        /recording of version 1, and this page reads versions 2 to 3/,
    ],
    ['no-recording', Buffer.from('solid cow\n'.repeat(50)), /^This is no recording: expected/],
    ['empty', Buffer.alloc(0), /^The file is empty: expected a recording\./],
]) {
    test(`${name}: the banner says what is unreadable, and nothing is shown`, async () => {
        const { said, frames } = await complaintAbout(damaged(name, bytes));
        assert.match(said, expected);
        assert.equal(frames, 0);
    });
}

const flipped = Buffer.from(whole);
flipped[frameAt(33) + 40] ^= 0x10;
for (const [name, bytes, left, expected] of [
    [
        'cut-in-frame',
        whole.subarray(0, frameAt(20) + 30),
        20,
        /^Frame 20 at byte [\d,]+ is not whole.* The 20 frames/,
    ],
    ['cut-between-frames', whole.subarray(0, frameAt(41)), 41, /^The end mark is missing.* The 41 frames/],
    [
        'cut-after-start',
        whole.subarray(0, frameAt(1)),
        1,
        /^The end mark is missing.* Only the start, frame 0/,
    ],
    [
        'cut-before-end',
        whole.subarray(0, whole.length - 3),
        61,
        /^The end mark at byte [\d,]+ is not whole.* The 61 frames/,
    ],
    [
        'flipped-byte',
        flipped,
        33,
        /^Frame 33 at byte [\d,]+ is damaged: its checksum is wrong\. The 33 frames/,
    ],
]) {
    test(`${name}: the frames before the damage are shown, and the banner says so`, async () => {
        const path = damaged(name, bytes);
        const { said, frames } = await complaintAbout(path);
        assert.match(said, expected);
        assert.equal(frames, left);
        assert.equal(framesOf(path), left, 'the program says the same');
    });
}

test('`tandem view` of a damaged recording makes a page that tells it', async () => {
    const path = damaged('viewed', flipped);
    await withPage(browser, pageOf('viewed', path), { hash: '#play=0' }, async (page) => {
        assert.equal(await page.evaluate(() => window.tandem.recording.frameCount), 33);
        assert.match(await text(page, '.banner p'), /^Frame 33 .* The 33 frames before it are shown\.$/);
        await page.keyboard.press('End');
        await settle(page);
        await shot(page, 'damaged-desktop');
        await page.getByRole('button', { name: 'Dismiss' }).click();
        assert.equal(await page.locator('.banner').count(), 0);
    });
});

test('data inside of the page that is damaged is told, and never a fault of the page', async () => {
    const cases = [
        ['half', (data) => data.slice(0, (data.length >> 3) * 4)],
        ['no-gzip', (data) => Buffer.from('no gzip at all').toString('base64') + data.slice(0, 400)],
        ['no-base64', (data) => `${data.slice(0, 400)}???${data.slice(403)}`],
        ['nothing', () => ''],
    ];
    for (const [name, change] of cases) {
        const changed = (text) => text.replace(DATA, (script, data) => script.replace(data, change(data)));
        await withPage(browser, pageWith(`data-${name}`, changed), {}, async (page) => {
            const said = await text(page, '.banner p');
            assert.doesNotMatch(said, /fault of this page/, name);
            assert.match(said, /recording/i, name);
        });
    }
    const encoded = pageWith('data-encoding', (text) =>
        text.replace(DATA, (script) => script.replace('gzip-base64', 'brotli')),
    );
    await withPage(browser, encoded, {}, async (page) => {
        assert.match(await text(page, '.banner p'), /brotli.*expected "gzip-base64"/);
    });
});

const NO_GRAPHICS = ['--headless=new', '--disable-gpu', '--disable-software-rasterizer', '--disable-3d-apis'];

test('without WebGL2 the page says so, and its numbers still work', async () => {
    const blind = await start(NO_GRAPHICS);
    try {
        await withPage(blind, pageOf('drift', recording), { hash: '#play=0' }, async (page) => {
            assert.match(await text(page, '.no-picture'), /no WebGL2/);
            assert.equal(await page.evaluate(() => window.tandem.stage), null);
            await page.keyboard.press('End');
            assert.match(await text(page, '.clock'), /frame 60 \/ 60/);
            await page.keyboard.press(']');
            assert.equal(await text(page, '.panel h2'), 'turning bar');
            assert.equal(await page.locator('.chart').count(), 4);
            assert.deepEqual((await layoutFaults(page)).faults, []);
            await shot(page, 'no-webgl-desktop');
        });
    } finally {
        await blind.close();
    }
});
