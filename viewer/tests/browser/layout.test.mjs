// At the sizes of desktops, small windows and phones: no text is cut off or over another, all controls have names,
// and fingers can do what the mouse does.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { launch, seek, settle, shot, text, until, withPage } from './support/browser.mjs';
import { layoutFaults, namelessControls } from './support/layout.mjs';
import { cows, drift, pageOf, replay } from './support/program.mjs';

const browser = await launch();
const cowPage = pageOf('cows', cows());
const CHARTS = 'pairs,faces,contacts,energy,time,awake,penetration';

const SIZES = [
    { name: 'desktop', width: 1280, height: 800 },
    { name: 'small', width: 800, height: 600 },
    { name: 'phone', width: 390, height: 844, touch: true },
];

async function check(page, what, size) {
    const { faults, pieces } = await layoutFaults(page);
    await shot(page, `layout-${what}-${size.name}`);
    assert.ok(pieces >= 3, `${what}: ${pieces} pieces of text`);
    assert.deepEqual(faults, [], `${what}, ${size.name}`);
    const { controls, nameless } = await namelessControls(page);
    assert.ok(controls >= 2, `${what}: ${controls} controls`);
    assert.deepEqual(nameless, [], `${what}, ${size.name}: controls without a name`);
}

for (const size of SIZES) {
    test(`nothing is cut off, over another or without a name: ${size.name}`, async () => {
        await withPage(browser, cowPage, { ...size, hash: '#play=0&frame=55' }, async (page) => {
            await settle(page);
            await check(page, 'start', size);
            await page.evaluate(() => (location.hash = '#colour=force&layers=contacts,boxes'));
            await until(page, 'the legend', () => document.querySelector('.legend').innerText.includes('N'));
            await settle(page);
            await check(page, 'force', size);
            await page.evaluate((all) => (location.hash = `#body=3&follow=5&charts=${all}`), CHARTS);
            await until(page, 'the panel', () => !document.querySelector('.panel').hidden);
            await check(page, 'panel', size);
            await page.evaluate(() => window.tandem.select(null));
            await page.getByRole('button', { name: 'Display' }).click();
            await check(page, 'display', size);
            await page.getByRole('button', { name: 'Keys and help (?)' }).click();
            await check(page, 'help', size);
        });
    });
}

test('the search for faults finds them', async () => {
    await withPage(browser, cowPage, { hash: '#play=0' }, async (page) => {
        await page.evaluate(() => {
            const add = (parent, html) =>
                document.querySelector(parent).insertAdjacentHTML('beforeend', html);
            add('.topbar', '<b style="position: absolute; left: 14px; top: 8px">over</b>');
            add('.picture', '<div style="width: 20px; overflow: hidden; white-space: nowrap">too long</div>');
            add('.picture', '<button></button>');
        });
        const { faults } = await layoutFaults(page);
        assert.equal(faults.length, 2, faults.join('; '));
        assert.match(faults.join('; '), /cut off: "too long".*over each other: "cows".*"over"/);
        assert.deepEqual((await namelessControls(page)).nameless, ['button']);
    });
});

test('dark colours, where the reader wants them', async () => {
    await withPage(browser, cowPage, { hash: '#play=0&frame=40' }, async (page) => {
        await page.emulateMedia({ colorScheme: 'dark' });
        await settle(page);
        const [red, green, blue] = await page.evaluate(() =>
            getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number),
        );
        assert.ok(Math.max(red, green, blue) < 60, `a background of ${[red, green, blue]}`);
        await check(page, 'dark', SIZES[0]);
    });
});

test('who wants less motion gets a page that stands still at first', async () => {
    const context = await browser.newContext({ reducedMotion: 'reduce' });
    const page = await context.newPage();
    await page.goto(`file://${cowPage}`);
    await page.evaluate(() => window.tandem.ready);
    assert.ok(await page.getByRole('button', { name: 'Play (space)' }).isVisible());
    await context.close();
});

test('fingers scrub, play, and select bodies', async () => {
    const phone = { ...SIZES[2], hash: '#play=0' };
    await withPage(browser, pageOf('drift', drift()), phone, async (page) => {
        const slider = await page.locator('.timeline').boundingBox();
        const at = slider.x + 8 + 0.75 * (slider.width - 16);
        await page.touchscreen.tap(at, slider.y + slider.height / 2);
        assert.equal(await page.evaluate(() => window.tandem.frame), 45);
        await settle(page);
        for (const [body, { name }] of replay(drift(), 45).bodies.entries()) {
            const place = await page.evaluate((number) => {
                const { stage } = window.tandem;
                const { left, top } = stage.canvas.getBoundingClientRect();
                const { x, y } = stage.onScreen(number);
                return { x: left + x, y: top + y };
            }, body);
            await page.touchscreen.tap(place.x, place.y);
            assert.equal(await text(page, '.panel h2'), name);
            await page.locator('.panel').getByRole('button', { name: 'Deselect', exact: true }).tap();
            await settle(page);
        }
        await page.locator('.play').tap();
        await until(page, 'a later frame', () => window.tandem.frame > 45);
        await seek(page, 20);
        await settle(page);
        await shot(page, 'drift-phone');
    });
});

test('what a finger touches is large enough', async () => {
    await withPage(browser, cowPage, { ...SIZES[2], hash: '#play=0&frame=55&body=3' }, async (page) => {
        const small = await page.evaluate(() =>
            [...document.querySelectorAll('button, select, input, .file')]
                .filter((one) => one.checkVisibility())
                .map((one) => ({
                    name: one.ariaLabel || one.innerText || one.type,
                    box: one.getBoundingClientRect(),
                }))
                .filter(({ box }) => box.height < 34 || box.width < 24)
                .map(({ name, box }) => `${name}: ${box.width} x ${box.height}`),
        );
        assert.deepEqual(small, []);
    });
});
