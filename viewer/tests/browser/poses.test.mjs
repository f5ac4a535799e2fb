// The bodies are where the recording says: in what the vertex shaders compute, and on the screen.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { importSource } from '../support/bundle.mjs';
import { rotate } from '../support/oracle.mjs';
import { closePage, launch, openPage, seek, settle, shot, text, withPage } from './support/browser.mjs';
import { hue, hueApart, pictureOf, shapesOf, strength } from './support/pixels.mjs';
import { cows, drift, MIDDLES, pageOf, replay } from './support/program.mjs';

const { bodyColour } = await importSource('src/stage/palette.ts');
const { quantity } = await importSource('src/ui/format.ts');
const browser = await launch();

const placeOf = (body) => {
    const turned = rotate(body.rotation, MIDDLES[body.mesh]);
    return body.position.map((x, axis) => x + turned[axis]);
};

// What the vertex shader gets for bodies, in the recording's own coordinates: its origin is added here.
async function probed(page, bodies) {
    return page.evaluate((wanted) => {
        const { recording, stage } = window.tandem;
        return wanted.map((body) => {
            const [x, y, z, speed, ...rotation] = stage.probe(body);
            return { place: [x, y, z].map((part, axis) => part + recording.origin[axis]), speed, rotation };
        });
    }, bodies);
}

const EXTENT = 10; // m, of either scene around its middle

// float32 has 24 bits; positions are relative to the origin, which is in the middle of the scene.
function assertNear(actual, expected, size, what) {
    expected.forEach((number, axis) => {
        const off = Math.abs(actual[axis] - number);
        assert.ok(off <= size * 2 ** -22, `${what}: ${actual} on screen, ${expected} in the recording`);
    });
}

function compare(told, bodies, shown) {
    bodies.forEach((number, i) => {
        const body = told.bodies[number];
        const what = `frame ${told.frame}, ${body.name}`;
        assertNear(shown[i].place, placeOf(body), EXTENT, `${what}: place`);
        assertNear(shown[i].rotation, body.rotation, 1, `${what}: rotation`);
        const asleep = body.kind === 'dynamic' && !body.awake;
        assert.equal(shown[i].speed, asleep ? -1 : body.speed, `${what}: speed`);
    });
}

for (const [name, make, bodies] of [
    ['cows', cows, [0, 1, 2, 9, 14, 20, 27]],
    ['drift', drift, [0, 1, 2, 3, 4]],
]) {
    test(`the vertex shader has the poses of the recording: ${name}`, async () => {
        const recording = make();
        await withPage(browser, pageOf(name, recording), { hash: '#play=0' }, async (page) => {
            for (const frame of [0, 1, 37, 60]) {
                await seek(page, frame);
                compare(replay(recording, frame), bodies, await probed(page, bodies));
            }
        });
    });
}

test('between two frames bodies are between their two places', async () => {
    await withPage(browser, pageOf('drift', drift()), { hash: '#play=0' }, async (page) => {
        await page.evaluate(() => window.tandem.stage.show(30.25));
        const shown = await probed(page, [0, 1, 2, 3, 4]);
        const [before, behind] = [30, 31].map((frame) => replay(drift(), frame).bodies);
        shown.forEach(({ place, rotation }, i) => {
            const [from, to] = [placeOf(before[i]), placeOf(behind[i])];
            const expected = from.map((x, axis) => x + 0.25 * (to[axis] - x));
            assertNear(place, expected, 40, before[i].name);
            const turn = (q) => 2 * Math.atan2(q[1], q[3]); // all of them turn about y only
            const angle = 0.75 * turn(before[i].rotation) + 0.25 * turn(behind[i].rotation);
            assert.ok(
                Math.abs(turn(rotation) - angle) < 1e-4,
                `${before[i].name}: turned by ${turn(rotation)}`,
            );
        });
    });
});

// ---------------------------------------------------------------------------------------------------------
// On the screen, from above: the balls of the drift have one height, so pixels are proportional to metres.

let page;
const told = new Map();
before(async () => {
    const hash = '#play=0&layers=none&charts=none';
    page = await openPage(browser, pageOf('drift', drift()), { hash, width: 900, height: 700 });
    for (const frame of [0, 20, 45, 60]) {
        told.set(frame, replay(drift(), frame).bodies);
    }
});
after(() => closePage(page));

async function fromAbove(frame) {
    await seek(page, frame);
    await page.keyboard.press('4');
    await page.mouse.move(5, 5);
    await settle(page);
}

// In the colours of sleep, bodies are orange or blue before what is nearly grey. The legend has these colours too.
const LARGER_THAN_LEGEND = 300;
async function seenShapes() {
    return shapesOf(await pictureOf(page), (colour) => strength(colour) > 0.35, LARGER_THAN_LEGEND);
}

// Pixels per metre, and the place of the middle: what fits the balls best, x to the right and z down.
function fitCamera(balls, shapes) {
    const mean = (list) => list.reduce((sum, x) => sum + x, 0) / list.length;
    const middle = [mean(balls.map((b) => b[0])), mean(balls.map((b) => b[2]))];
    const centre = [mean(shapes.map((s) => s.x)), mean(shapes.map((s) => s.y))];
    let [across, length] = [0, 0];
    balls.forEach(([x, , z], i) => {
        across += (x - middle[0]) * (shapes[i].x - centre[0]) + (z - middle[1]) * (shapes[i].y - centre[1]);
        length += (x - middle[0]) ** 2 + (z - middle[1]) ** 2;
    });
    const scale = across / length;
    return ([x, , z]) => ({ x: centre[0] + scale * (x - middle[0]), y: centre[1] + scale * (z - middle[1]) });
}

const nearest = (shapes, { x, y }) =>
    shapes.reduce((best, one) =>
        Math.hypot(one.x - x, one.y - y) < Math.hypot(best.x - x, best.y - y) ? one : best,
    );

test('on the screen, bodies are where the recording has them, and turned as they are there', async () => {
    await fromAbove(0);
    const hash = '#frame=0&colour=sleep&layers=none&charts=none&play=0';
    await page.evaluate((address) => (location.hash = address), hash);
    const balls = (frame) => told.get(frame).slice(1).map(placeOf);
    let project = null;
    for (const frame of told.keys()) {
        await seek(page, frame);
        await settle(page);
        const shapes = await seenShapes();
        assert.equal(shapes.length, 5, `frame ${frame}: ${JSON.stringify(shapes)}`);
        if (!project) {
            // West, east, north, south.
            const by = (key) => [...shapes].sort((one, two) => one[key] - two[key]);
            project = fitCamera(balls(0), [by('x')[0], by('x')[4], by('y')[0], by('y')[4]]);
        }
        told.get(frame).forEach((body, i) => {
            const expected = project(placeOf(body));
            const seen = nearest(shapes, expected);
            const off = Math.hypot(seen.x - expected.x, seen.y - expected.y);
            assert.ok(off < 3, `frame ${frame}, ${body.name}: ${JSON.stringify([seen, expected])}`);
            const isBlue = hueApart(hue(seen.colour), 215) < 30;
            assert.equal(isBlue, !body.awake, `frame ${frame}, ${body.name}: ${seen.colour}`);
            if (i === 0) {
                const turn = 2 * Math.atan2(body.rotation[1], body.rotation[3]);
                const apart = Math.abs(Math.sin(seen.angle + turn));
                assert.ok(apart < 0.03, `frame ${frame}: the bar lies at ${seen.angle}, expected ${-turn}`);
            }
        });
    }
    await shot(page, 'drift-top-sleep');
});

test('a body has its own colour at its place, and the background is grey beside it', async () => {
    await page.evaluate(() => (location.hash = '#frame=20&colour=body&layers=none&charts=none&play=0'));
    await fromAbove(20);
    const picture = await pictureOf(page);
    const places = await page.evaluate(() =>
        window.tandem.recording.bodies.map((_, body) => window.tandem.stage.onScreen(body)),
    );
    places.forEach(({ x, y }, body) => {
        const colour = picture.at(x, y);
        const own = bodyColour(body).map((part) => 255 * part);
        // Bright light from above takes some of the hue away.
        assert.ok(hueApart(hue(colour), hue(own)) < 22, `${body}: ${colour} on screen, its own is ${own}`);
    });
    for (const [x, y] of [
        [60, 60],
        [0.4 * picture.width, 0.25 * picture.height],
        [0.7 * picture.width, 0.8 * picture.height],
        [picture.width - 60, picture.height - 60],
    ]) {
        assert.ok(strength(picture.at(x, y)) < 0.2, `the background at ${x}, ${y}: ${picture.at(x, y)}`);
    }
});

test('a grid shows where nothing else does', async () => {
    await fromAbove(20);
    const without = await pictureOf(page);
    await page.keyboard.press('g');
    await settle(page);
    const share = (await pictureOf(page)).differenceFrom(without);
    assert.ok(share > 0.005 && share < 0.2, `${100 * share} % of pixels changed`);
    await page.keyboard.press('g');
});

// The panel as a map from names to values.
async function panelFacts() {
    return page.evaluate(() => {
        const names = [...document.querySelectorAll('.panel dt')];
        return Object.fromEntries(names.map((name) => [name.innerText, name.nextElementSibling.innerText]));
    });
}

test('a click on a body selects it, and the panel tells what the recording knows of it', async () => {
    for (const frame of [20, 60]) {
        await fromAbove(frame);
        const box = await page.locator('canvas.stage').boundingBox();
        for (const [i, body] of told.get(frame).entries()) {
            await page.keyboard.press('Escape'); // the panel may hide a body
            const at = await page.evaluate((number) => window.tandem.stage.onScreen(number), i);
            await page.mouse.click(box.x + at.x, box.y + at.y);
            assert.equal(await text(page, '.panel h2'), body.name);
            const facts = await panelFacts();
            assert.equal(facts.triangles, body.mesh === 'bar' ? '12' : '320');
            assert.equal(facts.mesh, body.mesh);
            assert.equal(facts.speed, quantity(body.speed, 'm/s'), body.name);
            assert.equal(facts.state, body.awake ? 'awake' : 'asleep', body.name);
            const place = placeOf(body).map((x) => x.toFixed(3));
            const said = facts['position (m)'].replaceAll('\u2212', '-').split(/\s+/);
            assert.deepEqual(
                said.map((x) => x.replace('-0.000', '0.000')),
                place.map((x) => x.replace('-0.000', '0.000')),
            );
            assert.equal(await text(page, '.partners h3'), 'No contacts');
        }
    }
    const box = await page.locator('canvas.stage').boundingBox();
    await page.mouse.click(box.x + 60, box.y + 60);
    assert.ok(await page.locator('.panel').isHidden(), 'a click on nothing deselects');
});

test('of bodies behind each other, the one in front is picked; a drag picks none', async () => {
    // Along x, at the start, east hides the bar and west.
    await seek(page, 0);
    await page.keyboard.press('3');
    await settle(page);
    const [x, y] = await page.evaluate(() => {
        const { stage } = window.tandem;
        const { left, top } = stage.canvas.getBoundingClientRect();
        const west = stage.onScreen(1);
        return [left + west.x, top + west.y];
    });
    await page.mouse.click(x, y);
    assert.equal(await text(page, '.panel h2'), 'east');
    await page.keyboard.press('Escape');
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 80, y + 10, { steps: 3 });
    await page.mouse.up();
    assert.ok(await page.locator('.panel').isHidden());
});
