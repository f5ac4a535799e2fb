// Measures what paper 004 compares in its Table 3: ways to draw the objects of a planar simulation, whose poses are on
// the graphics unit, in headless Chromium, drawn by software; and ours beside them.
//
//     node rendering.mjs PROGRAM [--csv FILE] [--rounds N]
//
// The six ways of the paper read translation and rotation in the vertex shader (index) or back to the program, which
// sends them (toCPU), and take the vertices from textures by object (option 1), by place (option 2) or from a buffer
// (option 3): one draw per object. Ours has the poses of all frames in one texture and one draw for all objects of a
// shape. All must draw the same picture. The page itself, with everything around it, is measured as well. Exit status 1
// if pictures differ.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { findChromium, SOFTWARE_RENDERING } from './browser/support/chromium.mjs';
import { drawByOptions } from './rendering/options.mjs';

const SIZES = [256, 512, 1024, 2048];
const PICTURE = { width: 800, height: 600 };
const PICTURES = 20; // frames of a recording that are drawn in turn
const ROUND_MS = 400; // of each way
const PAGE_PICTURES = 60;
const HARDWARE = 'GeForce 7900 GS';

// Seconds per 1,000 pictures that the paper has: 2^8 to 2^11 objects.
const PUBLISHED = {
    'option 1, index': [16.6599, 25.9099, 51.58, 117.26],
    'option 1, toCPU': [16.6599, 26.2399, 49.11, 102.279],
    'option 2, index': [16.6499, 25.87, 50.91, 102.379],
    'option 2, toCPU': [16.6499, 23.9699, 45.6399, 89.75],
    'option 3, index': [16.6599, 16.67, 33.33, 65.5299],
    'option 3, toCPU': [16.6599, 16.6599, 16.6599, 16.6599],
};

function complain(message) {
    console.error(`rendering: ${message}`);
    process.exit(2);
}

function readArguments() {
    const text = { type: 'string' };
    const { values, positionals } = parseArgs({
        allowPositionals: true,
        options: { csv: text, rounds: text },
    });
    if (positionals.length !== 1 || !existsSync(positionals[0])) {
        complain('expected the program: node rendering.mjs PROGRAM [--csv FILE] [--rounds N]');
    }
    if (values.csv && !existsSync(dirname(resolve(values.csv)))) {
        complain(`--csv ${values.csv}: expected a file in a folder that exists`);
    }
    const rounds = Number(values.rounds ?? 5);
    if (!Number.isInteger(rounds) || rounds < 1) {
        complain(`--rounds ${values.rounds}: expected a whole number from 1 on`);
    }
    return { csv: values.csv, rounds, program: resolve(positionals[0]) };
}

function makePage(program, folder, objects) {
    const run = (...words) => execFileSync(program, words, { stdio: ['ignore', 'ignore', 'inherit'] });
    const recording = join(folder, `${objects}.rec`);
    const page = join(folder, `${objects}.html`);
    run('simulate', 'triangles', '--set', `n=${objects}`, '--steps', '100', '-o', recording, '--quiet');
    run('view', recording, '-o', page, '--quiet');
    return page;
}

// Runs in the page: poses of the objects in frames over the whole recording, and their corners, in the plane: what was
// (x, y) there is (x, -z) in the recording.
function readObjects(pictures) {
    const { recording } = window.tandem;
    const moving = recording.bodies.flatMap((body, i) => (body.kind === 'static' ? [] : [i]));
    const walls = recording.bodies.flatMap((body, i) => (body.kind === 'static' ? [i] : []));
    const corners = moving.map((body) => {
        const { positions } = recording.meshes[recording.bodies[body].mesh];
        const found = [];
        for (let i = 0; i < positions.length; i += 3) {
            const [x, y] = [positions[i], -positions[i + 2]];
            if (!found.some(([u, v]) => Math.hypot(x - u, y - v) < 1e-6)) found.push([x, y]);
        }
        return found.sort((one, two) => Math.atan2(one[1], one[0]) - Math.atan2(two[1], two[0])).flat();
    });
    // Lower left and upper right of everything, walls and all.
    const states = recording.states(0);
    const ends = [...walls, ...moving].map((body) => [states[8 * body], -states[8 * body + 2]]);
    const low = [0, 1].map((k) => Math.min(...ends.map((end) => end[k])));
    const reach = [0, 1].map((k) => Math.max(...ends.map((end) => end[k])) - low[k]);
    const poses = Array.from({ length: pictures }, (_, i) => {
        const now = recording.states(Math.floor((i * (recording.frameCount - 1)) / (pictures - 1)));
        return moving.flatMap((body) => {
            const [x, , z, , , sine, , cosine] = now.subarray(8 * body, 8 * body + 8);
            return [x - low[0], -z - low[1], 1 - 2 * sine * sine, 2 * sine * cosine];
        });
    });
    return { poses, corners, reach };
}

// Runs in the page: milliseconds per picture of it, one after the other as in large.mjs.
function drawPage(pictures) {
    return new Promise((done) => {
        const { stage, recording, seek, pause } = window.tandem;
        let drawn = 0;
        let begin = 0;
        stage.onDrawn(() => {
            if (drawn > pictures) return;
            if (drawn === 0) begin = performance.now();
            if (drawn === pictures) done((performance.now() - begin) / pictures);
            drawn += 1;
            seek(drawn % recording.frameCount);
        });
        pause();
        seek(0);
        stage.needsDrawing();
    });
}

function median(numbers) {
    const sorted = [...numbers].sort((one, two) => one - two);
    return sorted[sorted.length >> 1];
}

// Rows { column, objects, ms }, and what is wrong with them.
async function measure(browser, page, objects, rounds) {
    const tab = await browser.newPage({ viewport: PICTURE });
    tab.setDefaultTimeout(600_000);
    await tab.goto(`${pathToFileURL(page).href}#play=0`);
    await tab.evaluate(() => window.tandem.ready);
    const scene = await tab.evaluate(readObjects, PICTURES);
    const whole = await tab.evaluate(drawPage, PAGE_PICTURES);
    await tab.close();
    const bare = await browser.newPage({ viewport: PICTURE });
    bare.setDefaultTimeout(600_000);
    const ways = await bare.evaluate(drawByOptions, { ...scene, ...PICTURE, roundMs: ROUND_MS, rounds });
    await bare.close();
    const same = ways.every(({ pixels }) => pixels.sum === ways[0].pixels.sum);
    const faults = ways.map(({ name, pixels }) => `${name}: ${pixels.set} pixels, hash ${pixels.sum}`);
    const rows = ways.map(({ name, ms }) => ({ column: name, objects, ms: median(ms) }));
    rows.push({ column: 'the page, all of it', objects, ms: whole });
    return { rows, faults: same ? [] : [`${objects} objects: the pictures differ`, ...faults] };
}

const number = (ms) => (ms === undefined ? '-' : ms < 10 ? ms.toFixed(3) : ms.toFixed(1));

function printTable(rows) {
    console.log(`${'objects'.padEnd(40)}${SIZES.map((n) => n.toLocaleString('en').padStart(9)).join('')}`);
    for (const column of [...new Set(rows.map((row) => row.column))]) {
        const own = SIZES.map((n) => rows.find((row) => row.column === column && row.objects === n)?.ms);
        console.log(`${column.padEnd(40)}${own.map((ms) => number(ms).padStart(9)).join('')}`);
        const published = PUBLISHED[column];
        if (published) {
            const name = `  published, ${HARDWARE}`.padEnd(40);
            console.log(`${name}${published.map((ms) => number(ms).padStart(9)).join('')}`);
        }
    }
}

function writeCsv(path, rows) {
    const lines = ['table,column,objects,ms_per_picture,source,hardware'];
    const put = (column, objects, ms, source, hardware) =>
        lines.push(`3,"${column}",${objects},${Number(ms.toPrecision(6))},${source},"${hardware}"`);
    rows.forEach((row) => put(row.column, row.objects, row.ms, 'measured', cpus()[0]?.model ?? ''));
    for (const [column, times] of Object.entries(PUBLISHED)) {
        times.forEach((ms, i) => put(column, SIZES[i], ms, 'published', HARDWARE));
    }
    writeFileSync(path, `${lines.join('\n')}\n`);
    console.log(`wrote ${path}`);
}

const options = readArguments();
const folder = mkdtempSync(join(tmpdir(), 'tandem-rendering-'));
const browser = await chromium.launch({
    executablePath: findChromium() ?? complain('Chromium was not found (CHROMIUM=path)'),
    chromiumSandbox: process.getuid?.() !== 0,
    // Pictures are not held back to the rate of a screen.
    args: [...SOFTWARE_RENDERING, '--disable-frame-rate-limit', '--disable-gpu-vsync'],
});
try {
    const all = [];
    for (const objects of SIZES) {
        const page = makePage(options.program, folder, objects);
        const { rows, faults } = await measure(browser, page, objects, options.rounds);
        all.push(...rows);
        faults.forEach((fault) => console.error(`rendering: ${fault}`));
        if (faults.length > 0) process.exitCode = 1;
    }
    console.log(
        `Seconds per 1,000 pictures (ms per picture): Chromium ${browser.version()}, software rendering, ` +
            `${PICTURE.width} x ${PICTURE.height}, triangles`,
    );
    printTable(all);
    if (options.csv && !process.exitCode) writeCsv(options.csv, all);
} finally {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
}
