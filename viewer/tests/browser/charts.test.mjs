// The charts' numbers are those of the report that the simulation wrote.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { importSource } from '../support/bundle.mjs';
import { closePage, launch, openPage, seek, shot, withPage } from './support/browser.mjs';
import { cows, drift, pageOf, reportOf } from './support/program.mjs';

const { inScale } = await importSource('src/ui/format.ts');
const { scaleFor } = await importSource('src/ui/scale.ts');
const recording = cows();
const report = reportOf('cows');
const browser = await launch();

const ALL = 'pairs,faces,contacts,energy,time,awake,penetration';
let page;
let charts;
before(async () => {
    page = await openPage(browser, pageOf('cows', recording), {
        hash: `#play=0&charts=${ALL}`,
        width: 1280,
        height: 1000,
    });
    charts = await page.evaluate(() => window.tandem.charts());
});
after(() => closePage(page));

const seconds = (column) => report[column].map((ms) => ms / 1000);
const sum = (...columns) => columns[0].map((_, i) => columns.reduce((total, column) => total + column[i], 0));

// By the name of a line: what the report has for it, step by step.
const EXPECTED = {
    'pairs.broad': report.broad_pairs,
    'pairs.colliding': report.colliding_pairs,
    faces: report.faces,
    contacts: report.contacts,
    'energy.kinetic': report.kinetic_energy,
    'energy.potential': report.potential_energy,
    'energy.total': sum(report.kinetic_energy, report.potential_energy),
    'time.broad': seconds('broad_ms'),
    'time.traversal': seconds('traversal_ms'),
    'time.contacts': seconds('contacts_ms'),
    'time.solver': seconds('solver_ms'),
    awake: report.awake,
    penetration: report.penetration,
};

test('each line has a number per step, equal to the report', () => {
    assert.deepEqual(new Set(Object.keys(charts)), new Set([...Object.keys(EXPECTED), 'time.other']));
    for (const [name, expected] of Object.entries(EXPECTED)) {
        const { values, zero } = charts[name];
        assert.equal(values.length, 61, name);
        assert.ok(Number.isNaN(values[0]), `${name}: nothing was done before the first frame`);
        // Times are recorded as float32.
        const size = Math.max(...expected.map(Math.abs)) * (name.startsWith('time.') ? 2 ** -23 : 1e-12);
        expected.forEach((number, step) => {
            const off = Math.abs(values[step + 1] + zero - number);
            assert.ok(off <= size, `${name}, step ${step}: ${values[step + 1] + zero}, not ${number}`);
        });
    }
    assert.ok(report.contacts.at(-1) > 10, 'the scene has contacts to be shown');
});

test('the times of the stages and the rest are the whole', () => {
    const stages = ['broad', 'traversal', 'contacts', 'solver', 'other'].map(
        (one) => charts[`time.${one}`].values,
    );
    seconds('total_ms').forEach((total, step) => {
        const shown = stages.reduce((all, values) => all + values[step + 1], 0);
        assert.ok(Math.abs(shown - total) <= 1e-9 + 1e-6 * total, `step ${step}: ${shown} s, not ${total} s`);
    });
});

test('energies begin where potential energy is least', () => {
    assert.equal(Math.min(...charts['energy.potential'].values.slice(1)), 0);
    assert.equal(charts['energy.potential'].zero, Math.min(...report.potential_energy));
    assert.equal(charts['energy.kinetic'].zero, 0);
});

test('beside each chart stand the numbers of the frame', async () => {
    await seek(page, 50);
    await shot(page, 'charts-all-desktop');
    const shown = await page.evaluate(() =>
        [...document.querySelectorAll('.chart')].map((chart) => ({
            title: chart.querySelector('h3').innerText,
            values: [...chart.querySelectorAll('.chart-values b')].map((value) => value.innerText),
        })),
    );
    assert.equal(shown.length, 7);
    const energies = ['kinetic', 'potential', 'total'].map((name) => charts[`energy.${name}`].values);
    const factor = scaleFor(Math.max(...energies.flatMap((values) => values.slice(1))), 'J').factor;
    assert.deepEqual(
        shown.find(({ title }) => title.startsWith('Energy')).values,
        energies.map((values) => inScale(values[50], factor, 'J')),
    );
    assert.deepEqual(shown.find(({ title }) => title.startsWith('Contacts')).values, [
        String(report.contacts[49]),
    ]);
    assert.deepEqual(shown.find(({ title }) => title.startsWith('Pairs')).values, [
        String(report.broad_pairs[49]),
        String(report.colliding_pairs[49]),
    ]);
});

// The height of the line in a column of pixels: where pixels have its colour.
async function drawnHeights(title, frames) {
    return page.evaluate(
        ([name, wanted]) => {
            const chart = [...document.querySelectorAll('.chart')].find((one) =>
                one.querySelector('h3').innerText.startsWith(name),
            );
            const canvas = chart.querySelector('canvas');
            const { width, height } = canvas;
            const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
            const [red, green, blue] = [11, 92, 214]; // of the first line, in light colours
            const isLine = (at) =>
                data[at + 3] > 100 &&
                Math.abs(data[at] - red) + Math.abs(data[at + 1] - green) + Math.abs(data[at + 2] - blue) <
                    60;
            return wanted.map((frame) => {
                const x = Math.round(38 + (frame / 60) * (width - 46));
                const rows = Array.from({ length: height }, (_, y) => y).filter((y) =>
                    isLine(4 * (y * width + x)),
                );
                return { height: height - 16, rows };
            });
        },
        [title, frames],
    );
}

test('lines are drawn at the height of their values', async () => {
    const { high } = scaleFor(Math.max(...report.contacts), '');
    const frames = [5, 10, 40, 50, 60];
    const drawn = await drawnHeights('Contacts', frames);
    drawn.forEach(({ height, rows }, i) => {
        const expected = 8 + height * (1 - report.contacts[frames[i] - 1] / high);
        const reached = rows.some((y) => Math.abs(y + 0.5 - expected) < 3);
        assert.ok(reached, `frame ${frames[i]}: pixels at ${rows}, expected at ${expected}`);
    });
});

test('charts are chosen by their buttons', async () => {
    const titles = () => page.locator('.chart h3').allInnerTexts();
    const chooser = page.getByRole('group', { name: 'Charts that are shown' });
    await chooser.getByRole('button', { name: 'Faces' }).click();
    assert.equal((await titles()).length, 6);
    assert.equal(await chooser.getByRole('button', { name: 'Faces' }).getAttribute('aria-pressed'), 'false');
    await page.getByRole('button', { name: 'Charts', exact: true }).click();
    assert.equal((await titles()).length, 0);
    await chooser.getByRole('button', { name: 'Faces' }).click();
    assert.equal((await titles()).length, 7);
});

test('where times were not recorded, the chart says how to', async () => {
    await withPage(browser, pageOf('drift', drift()), { hash: '#play=0&charts=time' }, async (own) => {
        assert.match(await own.locator('.chart-empty').innerText(), /not recorded: simulate --times/);
        const { values } = await own.evaluate(() => window.tandem.charts()['time.solver']);
        assert.ok(values.every(Number.isNaN));
    });
});
