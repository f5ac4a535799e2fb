// What can be shown on top of the bodies, and the colours they can have: each changes the picture as it should.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { closePage, launch, openPage, seek, settle, shot, text } from './support/browser.mjs';
import { hue, hueApart, pictureOf, strength } from './support/pixels.mjs';
import { cows, pageOf, replay } from './support/program.mjs';

const FRAME = 60;
const recording = cows();
const told = replay(recording, FRAME);
const browser = await launch();

// What the page tells the graphics unit to draw: corners and copies of each call.
function countDraws() {
    window.draws = [];
    const { prototype } = WebGL2RenderingContext;
    const { drawArraysInstanced } = prototype;
    prototype.drawArraysInstanced = function (mode, first, corners, copies) {
        window.draws.push({ corners, copies });
        return drawArraysInstanced.call(this, mode, first, corners, copies);
    };
}

let page;
let plain;
before(async () => {
    const hash = `#play=0&frame=${FRAME}&layers=none&charts=none`;
    page = await openPage(browser, pageOf('cows', recording), {
        hash,
        init: countDraws,
        width: 900,
        height: 600,
    });
    plain = await lastingPicture();
});
after(() => closePage(page));

// The picture once all that is made in the background, such as coarser meshes, is there.
async function lastingPicture() {
    let last = null;
    for (let tries = 0; tries < 10; ++tries) {
        await settle(page);
        const picture = await pictureOf(page);
        if (last && picture.differenceFrom(last) === 0) {
            return picture;
        }
        last = picture;
    }
    throw new Error('the picture never stays as it is');
}

// Dots have six corners, arrows nine; each is drawn twice, before and behind bodies.
const DOT = 6;
const ARROW = 9;

async function copiesOf(corners) {
    await page.evaluate(() => (window.draws.length = 0));
    await settle(page);
    return page.evaluate(
        (wanted) => [
            ...new Set(window.draws.filter((one) => one.corners === wanted).map((one) => one.copies)),
        ],
        corners,
    );
}

// The marks' own colour, which nothing else in the picture has.
function pinkPixels(picture) {
    let found = 0;
    picture.forEach((_, __, ...colour) => {
        found += strength(colour) > 0.6 && hueApart(hue(colour), 334) < 14 ? 1 : 0;
    });
    return found;
}

test('contact points: one per contact of the frame, and none where there is none', async () => {
    assert.ok(told.contact_points.length > 10);
    assert.deepEqual(await copiesOf(DOT), []);
    const before = pinkPixels(plain);
    await page.keyboard.press('p');
    assert.deepEqual(await copiesOf(DOT), [told.contact_points.length]);
    assert.deepEqual(await copiesOf(ARROW), []);
    await page.keyboard.press('1');
    await settle(page);
    const picture = await pictureOf(page);
    assert.ok(pinkPixels(picture) > before + 20, `${pinkPixels(picture)} pixels, ${before} without`);
    await shot(page, 'contacts-desktop');
    await seek(page, 30);
    assert.deepEqual(await copiesOf(DOT), [replay(recording, 30).contact_points.length]);
    await seek(page, 5);
    assert.equal(replay(recording, 5).contact_points.length, 0);
    assert.deepEqual(await copiesOf(DOT), []);
    await seek(page, FRAME);
    await page.keyboard.press('p');
});

for (const [key, name, corners] of [
    ['n', 'normals', ARROW],
    ['b', 'boxes', null],
    ['w', 'wireframe', null],
    ['g', 'grid', null], // upon the ground
]) {
    test(`${name} appear and go again`, async () => {
        await page.keyboard.press(key);
        if (corners) {
            assert.deepEqual(await copiesOf(corners), [told.contact_points.length]);
        }
        await settle(page);
        const changed = (await pictureOf(page)).differenceFrom(plain);
        await shot(page, `${name}-desktop`);
        assert.ok(changed > 0.002, `${100 * changed} % of pixels changed`);
        await page.keyboard.press(key);
        await settle(page);
        assert.equal((await pictureOf(page)).differenceFrom(plain), 0, 'the picture is as before');
    });
}

test('colours by speed, sleep and force have a legend that tells what they mean', async () => {
    await page.getByRole('button', { name: 'Display' }).click();
    const display = page.getByRole('group', { name: 'Display options' });
    await shot(page, 'display-desktop');
    for (const [label, title, ends] of [
        ['speed', 'speed', /m\/s/],
        ['awake or asleep', 'sleep', /awake\s+asleep\s+static/],
        ['contact force', 'contact force', /N/],
    ]) {
        await display.getByLabel(label).check();
        assert.equal(await text(page, '.legend h2'), title);
        assert.match(await text(page, '.legend'), ends);
        await settle(page);
        assert.ok((await pictureOf(page)).differenceFrom(plain) > 0.01, title);
        await shot(page, `colour-${title.replace(' ', '-')}-desktop`);
    }
    await display.getByLabel('body', { exact: true }).check();
    assert.ok(await page.locator('.legend').isHidden());
    await page.mouse.click(20, 400); // beside the menu: closes it
    assert.ok(await display.isHidden());
    await page.keyboard.press('Escape');
});

test('the panel of a body tells its contacts, and leads to those it touches', async () => {
    const body = told.bodies.findIndex((_, i) => i > 0 && touching(i).size >= 2);
    assert.ok(body > 0, 'some body touches two others');
    await page.evaluate((number) => window.tandem.select(number), body);
    const own = told.contact_points.filter(({ a, b }) => a === body || b === body);
    assert.match(await text(page, '.partners h3'), new RegExp(`^${own.length} contacts`));
    const names = await page.locator('.partners .link').allInnerTexts();
    const expected = [...touching(body)]
        .sort((one, two) => one - two)
        .map((other) => told.bodies[other].name);
    assert.deepEqual(names, expected);
    const force = own.reduce((sum, { impulse }) => sum + impulse, 0) * 60;
    const said = (await text(page, '.partners h3')).match(/([\d.]+)\u202f(k?)N in all/);
    const tolerance = 0.006 * force; // of three digits
    assert.ok(
        Math.abs(Number(said[1]) * (said[2] ? 1e3 : 1) - force) <= tolerance,
        `${said[0]}, not ${force} N`,
    );
    await shot(page, 'panel-desktop');
    await page.locator('.partners .link').first().click();
    assert.equal(await text(page, '.panel h2'), expected[0]);
    await page.keyboard.press('Escape');
});

function touching(body) {
    const pairs = told.contact_points.filter(({ a, b }) => a === body || b === body);
    return new Set(pairs.map(({ a, b }) => (a === body ? b : a)));
}
