// The page opens, plays at the pace of the recording, and goes where slider, charts, keys and address tell it to.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
    closePage,
    launch,
    openPage,
    seek,
    settle,
    shot,
    text,
    until,
    withPage,
} from './support/browser.mjs';
import { cows, pageOf } from './support/program.mjs';

const LAST = 60;
const browser = await launch();
const cowPage = pageOf('cows', cows());

let page;
before(async () => (page = await openPage(browser, cowPage, { hash: '#play=0' })));
after(() => closePage(page));

const shownFrame = () => page.evaluate(() => window.tandem.frame);
const isPlaying = (one = page) =>
    one.locator('.play').evaluate((button) => button.getAttribute('aria-label').startsWith('Pause'));

test('opened by itself it plays to the end and stops there', async () => {
    await withPage(browser, cowPage, {}, async (own) => {
        assert.equal(await own.title(), 'cows – tandem');
        assert.deepEqual((await own.locator('.facts span').allInnerTexts()).slice(0, 3), [
            '28 bodies',
            '40.5\u202fk triangles',
            '61 frames',
        ]);
        await until(own, 'the last frame', (last) => window.tandem.frame === last, LAST);
        await until(own, 'the play button', () =>
            document.querySelector('.play').getAttribute('aria-label').startsWith('Play'),
        );
        assert.match(await text(own, '.clock'), /1\.000\u202fs\s*frame 60 \/ 60/);
        await settle(own);
        await shot(own, 'cows-end-desktop');
        await own.locator('.play').click();
        await until(
            own,
            'the film again from its start',
            (last) =>
                window.tandem.frame < last &&
                document.querySelector('.play').getAttribute('aria-label').startsWith('Pause'),
            LAST,
        );
    });
});

// How many seconds of the recording pass per second, while nothing keeps the browser from drawing. A film does not
// jump over what kept it: of a longer pause, a quarter of a second counts.
async function pace(speed) {
    await page.locator('.buttons select').selectOption(String(speed));
    await seek(page, 0);
    return page.evaluate(
        () =>
            new Promise((resolve) => {
                const { tandem } = window;
                const { step } = tandem.recording;
                let clock = 0;
                let last = null;
                const tick = (now) => {
                    clock += last === null ? 0 : Math.min(now - last, 250) / 1000;
                    last = now;
                    if (tandem.frame >= 45 || clock > 3) {
                        tandem.pause();
                        resolve((tandem.frame * step) / clock);
                    } else {
                        requestAnimationFrame(tick);
                    }
                };
                tandem.play();
                requestAnimationFrame(tick);
            }),
    );
}

test('time passes as in the recording, or slower and faster if one wants', async () => {
    for (const speed of [1, 0.25]) {
        const measured = await pace(speed);
        assert.ok(Math.abs(measured / speed - 1) < 0.12, `${measured} times real time, expected ${speed}`);
    }
    await page.locator('.buttons select').selectOption('1');
});

test('the button plays and pauses', async () => {
    await seek(page, 0);
    await page.locator('.buttons select').selectOption('0.125');
    await page.getByRole('button', { name: 'Play (space)' }).click();
    await until(page, 'a later frame', () => window.tandem.frame > 3);
    await page.getByRole('button', { name: 'Pause (space)' }).click();
    const stopped = await shownFrame();
    await page.waitForTimeout(300);
    assert.equal(await shownFrame(), stopped);
    await page.locator('.buttons select').selectOption('1');
});

test('a loop begins again', async () => {
    await seek(page, LAST - 3);
    await page.getByRole('button', { name: /Again from the start/ }).click();
    await page.locator('.play').click();
    await until(page, 'the start after the end', () => window.tandem.frame < 50);
    assert.ok(await isPlaying());
    await page.getByRole('button', { name: /Again from the start/ }).click();
    await page.evaluate(() => window.tandem.pause());
});

const THUMB = 8; // px: half of it stays inside of the slider at either end

// Where a frame is on the slider.
async function onSlider(frame) {
    const { x, y, width, height } = await page.locator('.timeline').boundingBox();
    return [x + THUMB + (frame / LAST) * (width - 2 * THUMB), y + height / 2];
}

test('the slider goes to a frame, by a click and by dragging', async () => {
    await seek(page, 0);
    for (const frame of [30, 7, 60, 0, 43]) {
        await page.mouse.click(...(await onSlider(frame)));
        assert.equal(await shownFrame(), frame);
        assert.match(await text(page, '.clock-frame'), new RegExp(`frame ${frame} / 60`));
    }
    await page.mouse.move(...(await onSlider(43)));
    await page.mouse.down();
    await page.mouse.move(...(await onSlider(20)), { steps: 4 });
    assert.equal(await shownFrame(), 20);
    await page.mouse.up();
});

// Where a frame is in a chart: its plot has 38 px for labels at the left, 8 at the right.
async function inChart(chart, frame) {
    const { x, y, width, height } = await page.locator('.chart-plot').nth(chart).boundingBox();
    return [x + 38 + (frame / LAST) * (width - 46), y + height / 2];
}

test('a click or a drag in any chart goes to a frame, and its cursor is there', async () => {
    const charts = await page.locator('.chart').count();
    assert.equal(charts, 4);
    for (let chart = 0; chart < charts; ++chart) {
        const frame = 10 + 13 * chart;
        await page.mouse.click(...(await inChart(chart, frame)));
        assert.equal(await shownFrame(), frame);
        for (let other = 0; other < charts; ++other) {
            const cursor = await page.locator('.chart-cursor').nth(other).boundingBox();
            assert.ok(
                Math.abs(cursor.x - (await inChart(other, frame))[0]) < 1.5,
                `cursor of chart ${other}`,
            );
        }
    }
    await page.mouse.move(...(await inChart(1, 10)));
    await page.mouse.down();
    await page.mouse.move(...(await inChart(1, 33)), { steps: 3 });
    await page.mouse.up();
    assert.equal(await shownFrame(), 33);
    await page.mouse.move(640, 100);
});

test('keys step, jump and play', async () => {
    await seek(page, 20);
    for (const [key, frame] of [
        ['ArrowRight', 21],
        ['ArrowLeft', 20],
        ['Shift+ArrowRight', 30],
        ['Shift+ArrowLeft', 20],
        ['End', LAST],
        ['ArrowRight', LAST],
        ['Home', 0],
        ['ArrowLeft', 0],
    ]) {
        await page.keyboard.press(key);
        assert.equal(await shownFrame(), frame, key);
    }
    await page.keyboard.press('Space');
    assert.ok(await isPlaying());
    await page.keyboard.press('Space');
    assert.ok(!(await isPlaying()));
    await page.keyboard.press('-');
    assert.equal(await page.locator('.buttons select').inputValue(), '0.5');
    await page.keyboard.press('+');
    assert.equal(await page.locator('.buttons select').inputValue(), '1');
});

test('keys switch layers and colours, select and follow', async () => {
    const layers = () => page.evaluate(() => ({ ...window.tandem.stage.layers }));
    for (const [key, layer] of Object.entries({
        p: 'contacts',
        n: 'normals',
        b: 'boxes',
        w: 'wireframe',
        g: 'grid',
    })) {
        const { [layer]: was, ...others } = await layers();
        await page.keyboard.press(key);
        assert.deepEqual(await layers(), { ...others, [layer]: !was }, key);
        await page.keyboard.press(key);
        assert.equal((await layers())[layer], was, key);
    }
    for (const title of ['speed', 'sleep', 'contact force']) {
        await page.keyboard.press('c');
        assert.equal(await text(page, '.legend h2'), title);
    }
    await page.keyboard.press('c');
    assert.ok(await page.locator('.legend').isHidden());

    const panel = page.getByRole('complementary', { name: 'Selected body' });
    await page.keyboard.press(']');
    await page.keyboard.press(']');
    assert.equal(await panel.locator('h2').innerText(), 'cow[0]');
    await page.keyboard.press('[');
    assert.equal(await panel.locator('h2').innerText(), 'ground');
    await page.keyboard.press('[');
    assert.equal(await panel.locator('h2').innerText(), 'cow[26]');
    await page.keyboard.press('f');
    assert.equal(await panel.getByText('Follow').getAttribute('aria-pressed'), 'true');
    await page.keyboard.press('Escape');
    assert.ok(await panel.isHidden());
});

test('the camera goes with a body that is followed', async () => {
    await page.keyboard.press('1');
    await page.evaluate(() => window.tandem.select(14));
    await page.keyboard.press('f');
    await seek(page, 5);
    await settle(page);
    const place = () => page.evaluate(() => window.tandem.stage.onScreen(14));
    const start = await place();
    await seek(page, 40);
    await settle(page);
    const end = await place();
    assert.ok(Math.hypot(end.x - start.x, end.y - start.y) < 1, `${JSON.stringify([start, end])}`);
    await page.keyboard.press('Escape');
    await page.keyboard.press('1');
});

test('help opens by ?, keeps keys from acting, and closes by escape', async () => {
    await seek(page, 10);
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keys and gestures' });
    assert.ok(await help.isVisible());
    await shot(page, 'help-desktop');
    await page.keyboard.press('ArrowRight');
    assert.equal(await shownFrame(), 10);
    await page.keyboard.press('Escape');
    assert.ok(await help.isHidden());
    await page.getByRole('button', { name: 'Keys and help (?)' }).click();
    assert.ok(await help.isVisible());
    await help.getByRole('button', { name: 'Close' }).click();
    assert.ok(await help.isHidden());
});

test('the address has what is shown', async () => {
    await seek(page, 41);
    await page.keyboard.press('c');
    await page.keyboard.press('b');
    await page.evaluate(() => window.tandem.select(3));
    const parts = ['frame=41', 'colour=speed', 'body=3', 'play=0'];
    await until(page, 'the address', (all) => all.every((part) => location.hash.includes(part)), parts);
    const hash = await page.evaluate(() => location.hash);
    assert.match(hash, /layers=[a-z,]*boxes/);
    await withPage(browser, cowPage, { hash }, async (own) => {
        assert.equal(await own.evaluate(() => window.tandem.frame), 41);
        assert.equal(await text(own, '.legend h2'), 'speed');
        assert.equal(await text(own, '.panel h2'), 'cow[2]');
        assert.ok(await own.evaluate(() => window.tandem.stage.layers.boxes));
        assert.ok(!(await isPlaying(own)));
        // Another address in the same page.
        await own.evaluate(() => (location.hash = '#frame=12&colour=sleep&body=1&charts=energy&play=0'));
        await until(own, 'the frame of the new address', () => window.tandem.frame === 12);
        assert.equal(await text(own, '.legend h2'), 'sleep');
        assert.deepEqual(await own.locator('.chart h3').allInnerTexts(), ['Energy kJ']);
    });
});

// A change of the address has the browser draw its own window anew, which would slow down what is moved through.
test('the address is left alone while frames go by', async () => {
    await withPage(browser, cowPage, { hash: '#play=0' }, async (own) => {
        const writes = await own.evaluate(async () => {
            let count = 0;
            const replace = history.replaceState.bind(history);
            history.replaceState = (...what) => {
                ++count;
                replace(...what);
            };
            for (let frame = 1; frame <= 40; ++frame) {
                window.tandem.seek(frame);
                await new Promise((resolve) => setTimeout(resolve, 50));
            }
            return count;
        });
        assert.equal(writes, 0);
        await until(own, 'the address at rest', () => location.hash.includes('frame=40'));
    });
});
