// Meshes without a recording, and the triangles that `collide` and `self` found in them.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { launch, settle, shot, text, until, withPage } from './support/browser.mjs';
import { hue, hueApart, pictureOf, strength } from './support/pixels.mjs';
import { fileOf, pageOf, tandem } from './support/program.mjs';

const browser = await launch();
const cow = fileOf('cow.obj');
const ball = fileOf('ball.obj');
tandem('gen', 'cow', '-o', cow, '--quiet');
tandem('gen', 'sphere', '-o', ball, '--quiet');

// Different triangles of either mesh in the answer's pairs.
const triangles = ({ triangles: pairs }, side) => new Set(pairs.map((pair) => pair[side])).size;

// Pixels in the colour of what is pointed out.
function redPixels(picture) {
    let found = 0;
    picture.forEach((_, __, ...colour) => {
        found += strength(colour) > 0.6 && hueApart(hue(colour), 351) < 12 ? 1 : 0;
    });
    return found;
}

test('one mesh is shown without a player', async () => {
    await withPage(browser, pageOf('mesh', cow), {}, async (page) => {
        assert.match(await text(page, '.facts'), /1 body\s*1500 triangles/);
        assert.ok(await page.locator('.dock').isHidden());
        assert.ok(await page.locator('.highlights').isHidden());
        await settle(page);
        await shot(page, 'mesh-desktop');
        const at = await page.evaluate(() => window.tandem.stage.onScreen(0));
        const box = await page.locator('canvas.stage').boundingBox();
        await page.mouse.click(box.x + at.x, box.y + at.y);
        assert.match(await text(page, '.panel dl'), /triangles\s*1500/);
        assert.doesNotMatch(await text(page, '.panel'), /speed|contacts/);
    });
});

test('the triangles that intersect are pointed out, and counted', async () => {
    const answer = fileOf('answer.json');
    tandem('collide', cow, ball, '--pose', '0.6 0.1 0 0 0 0 1', '--json', '-o', answer);
    const found = JSON.parse(tandem('collide', cow, ball, '--pose', '0.6 0.1 0 0 0 0 1', '--json'));
    assert.ok(found.pairs > 10);
    await withPage(browser, pageOf('result', '--result', answer), {}, async (page) => {
        await settle(page);
        await shot(page, 'result-desktop');
        const rows = await page.locator('.highlights li span').allInnerTexts();
        assert.deepEqual(rows, [`${triangles(found, 0)} of 1500`, `${triangles(found, 1)} of 320`]);
        const red = redPixels(await pictureOf(page));
        assert.ok(red > 200, `${red} pixels are red`);
        await page.locator('.highlights .link').first().click();
        assert.match(await text(page, '.panel dl'), new RegExp(`\\b${triangles(found, 0)}\\b`));
    });
    await withPage(browser, pageOf('both', cow, ball), {}, async (page) => {
        await settle(page);
        assert.equal(redPixels(await pictureOf(page)), 0, 'without a result nothing is red');
    });
});

test('several poses are frames, each with its own triangles', async () => {
    const poses = fileOf('poses.txt');
    const answer = fileOf('poses.json');
    writeFileSync(poses, '0.6 0.1 0 0 0 0 1\n9 0 0 0 0 0 1\n0 0.9 0 0 0 0 1\n');
    tandem('collide', cow, ball, '--poses', poses, '--json', '-o', answer);
    const found = JSON.parse(tandem('collide', cow, ball, '--poses', poses, '--json')).poses;
    await withPage(browser, pageOf('poses', '--result', answer), {}, async (page) => {
        assert.match(await text(page, '.facts'), /3 frames/);
        for (const [frame, one] of found.entries()) {
            await page.evaluate((wanted) => window.tandem.seek(wanted), frame);
            const rows = await page.locator('.highlights li span').allInnerTexts();
            const expected = one.pairs ? [`${triangles(one, 0)} of 1500`, `${triangles(one, 1)} of 320`] : [];
            assert.deepEqual(rows, expected, `pose ${frame}`);
        }
        assert.equal(await page.evaluate(() => document.querySelector('.charts').hidden), true);
        // Between two poses there is nothing: what is pointed out belongs to one of them.
        await page.locator('.buttons select').selectOption('0.0625');
        await page.evaluate(() => {
            window.tandem.seek(0);
            window.tandem.play();
        });
        await until(page, 'the second pose', () => window.tandem.frame === 1);
        assert.match(await text(page, '.highlights'), /none/);
    });
});
