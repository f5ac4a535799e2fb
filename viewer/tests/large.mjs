// Measures the page of a large recording in headless Chromium, drawn by software: how large its file is, how soon it
// shows something, and how fast it is while one scrubs through all frames, each of which is drawn to its end.
//
//     node large.mjs PROGRAM [--csv FILE] [--recording REC] [--bodies N] [--steps N] [--runs N]
//
// Without a recording it simulates one first: 2,500 cows of 6,000 triangles each that slide for 400 steps. The page is
// opened in a browser of its own several times (five); the worst of all is what counts. Exit status 1 if a limit is not
// kept.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { findChromium, SOFTWARE_RENDERING } from './browser/support/chromium.mjs';

const SIZE = { width: 800, height: 600 };
const PATIENCE_MS = 600_000;

function complain(message) {
    console.error(`large: ${message}`);
    process.exit(2);
}

function readArguments() {
    const text = { type: 'string' };
    const { values, positionals } = parseArgs({
        allowPositionals: true,
        options: { csv: text, recording: text, bodies: text, steps: text, runs: text },
    });
    if (positionals.length !== 1 || !existsSync(positionals[0])) {
        complain(`expected the program: node large.mjs PROGRAM [--csv FILE] [--recording REC]`);
    }
    if (values.csv && !existsSync(dirname(resolve(values.csv)))) {
        complain(`--csv ${values.csv}: expected a file in a folder that exists`);
    }
    const runs = Number(values.runs ?? 5);
    if (!Number.isInteger(runs) || runs < 1) {
        complain(`--runs ${values.runs}: expected a whole number from 1 on`);
    }
    return { bodies: '2500', steps: '400', ...values, runs, program: resolve(positionals[0]) };
}

// The recording and its page, in `folder`.
function makePage({ program, recording, bodies, steps }, folder) {
    const run = (...words) => execFileSync(program, words, { stdio: ['ignore', 'ignore', 'inherit'] });
    const source = recording ?? join(folder, 'slide.rec');
    if (!recording) {
        console.log(`simulating ${bodies} cows, ${steps} steps`);
        run(
            'simulate',
            'rockslide',
            '--set',
            `n=${bodies}`,
            '--set',
            'subdivide=1',
            '--steps',
            steps,
            '-o',
            source,
        );
    }
    const page = join(folder, 'slide.html');
    run('view', source, '-o', page, '--quiet');
    return { source, page };
}

// Runs in the page before its own program: notes when the first picture was drawn.
function noteFirstPicture() {
    const look = () => {
        if ((window.tandem?.stage?.quality.drawnTriangles ?? 0) > 0) {
            window.shownAt = performance.now();
        } else {
            requestAnimationFrame(look);
        }
    };
    requestAnimationFrame(look);
}

// Runs in the page: goes from frame to frame, each as soon as the one before was begun, and returns the milliseconds from
// picture to picture. That is the longer of two: from when one was begun to when the next was, and from when one was
// drawn to the end to when the next was.
function scrub() {
    return new Promise((done) => {
        const { stage, recording, seek } = window.tandem;
        const begun = [];
        const finished = [];
        stage.onDrawn(() => {
            if (begun.length < recording.frameCount) {
                begun.push(performance.now());
                seek(begun.length); // behind the last frame: the last
            }
        });
        stage.onFinished(() => {
            if (finished.length === begun.length) {
                return; // of a picture before the first
            }
            finished.push(performance.now());
            if (finished.length === recording.frameCount) {
                const from = (times) => times.slice(1).map((time, i) => time - times[i]);
                const ends = from(finished);
                done(from(begun).map((ms, i) => Math.max(ms, ends[i])));
            }
        });
        window.tandem.pause();
        seek(0);
        stage.needsDrawing();
    });
}

async function measure(path) {
    const browser = await chromium.launch({
        executablePath: findChromium() ?? complain('Chromium was not found (CHROMIUM=path)'),
        chromiumSandbox: process.getuid?.() !== 0,
        args: SOFTWARE_RENDERING,
    });
    try {
        const page = await browser.newPage({ viewport: SIZE });
        page.setDefaultTimeout(PATIENCE_MS);
        await page.addInitScript(noteFirstPicture);
        await page.goto(`${pathToFileURL(path).href}#play=0`, { timeout: PATIENCE_MS });
        await page.evaluate(() => window.tandem.ready);
        const ready = await page.evaluate(() => performance.now());
        await page.waitForFunction(() => window.shownAt !== undefined);
        const shown = await page.evaluate(() => window.shownAt);
        const intervals = await page.evaluate(scrub);
        const facts = await page.evaluate(() => {
            const { bodies, meshes, frameCount } = window.tandem.recording;
            const triangles = bodies.reduce((sum, body) => sum + meshes[body.mesh].triangles.length / 3, 0);
            const { note } = window.tandem.stage.quality;
            return { bodies: bodies.length, triangles, frames: frameCount, note };
        });
        return { ...facts, ready, shown, intervals, browser: browser.version() };
    } finally {
        await browser.close();
    }
}

// Of all runs: the latest times, and the intervals of all.
async function measureAll(path, runs) {
    const all = [];
    for (let i = 0; i < runs; ++i) {
        all.push(await measure(path));
        const { intervals } = all.at(-1);
        const slowest = intervals.indexOf(Math.max(...intervals));
        console.log(
            `run ${i + 1}: ${intervals.length} pictures, ${quantile(intervals, 0.5).toFixed(0)} ms each by the median; ` +
                `slowest from frame ${slowest} to the next, ${intervals[slowest].toFixed(0)} ms`,
        );
    }
    return {
        ...all[0],
        shown: Math.max(...all.map(({ shown }) => shown)),
        ready: Math.max(...all.map(({ ready }) => ready)),
        intervals: all.flatMap(({ intervals }) => intervals),
        runs,
    };
}

// The value below which this share of the numbers lies.
function quantile(numbers, share) {
    const sorted = [...numbers].sort((one, two) => one - two);
    return sorted[Math.min(Math.floor(share * sorted.length), sorted.length - 1)];
}

// What is reported: name, unit, value, and the limit that it must keep, if any.
function resultsOf(measured, source, page) {
    const rates = measured.intervals.map((ms) => 1000 / ms);
    return [
        ['bodies', '', measured.bodies],
        ['triangles', '', measured.triangles],
        ['frames', '', measured.frames],
        ['runs', '', measured.runs],
        ['recording', 'MB', statSync(source).size / 1e6],
        ['page', 'MB', statSync(page).size / 1e6, { most: 60 }],
        ['shown after', 's', measured.shown / 1000, { most: 5 }],
        ['ready after', 's', measured.ready / 1000, { most: 5 }],
        ['scrubbing, median', 'frames/s', quantile(rates, 0.5)],
        ['scrubbing, 5th percentile', 'frames/s', quantile(rates, 0.05)],
        ['scrubbing, slowest', 'frames/s', Math.min(...rates), { least: 10 }],
    ].map(([name, unit, value, limit = {}]) => {
        const kept = value <= (limit.most ?? Infinity) && value >= (limit.least ?? -Infinity);
        return { name, unit, value, limit, kept };
    });
}

function printTable(results, measured) {
    console.log(`Chromium ${measured.browser}, software rendering, ${SIZE.width} x ${SIZE.height}`);
    for (const { name, unit, value, limit, kept } of results) {
        const number = Number.isInteger(value) ? value.toLocaleString('en') : value.toFixed(2);
        const bound = limit.most ? `at most ${limit.most}` : limit.least ? `at least ${limit.least}` : '';
        const word = bound ? `${bound}: ${kept ? 'kept' : 'NOT KEPT'}` : '';
        console.log(`  ${name.padEnd(27)}${number.padStart(12)} ${unit.padEnd(10)}${word}`.trimEnd());
    }
    console.log(`  the page says: ${measured.note || 'nothing is left out'}`);
}

function writeCsv(path, results, measured) {
    const named = results.map(({ name, unit, value }) => [
        [name, unit]
            .filter(Boolean)
            .join('_')
            .replace(/[^A-Za-z0-9]+/g, '_'),
        Number.isInteger(value) ? value : value.toPrecision(6),
    ]);
    const columns = [['cpu', `"${cpus()[0]?.model ?? ''}"`], ['chromium', measured.browser], ...named];
    writeFileSync(
        path,
        `${columns.map(([name]) => name).join()}\n${columns.map(([, value]) => value).join()}\n`,
    );
    console.log(`wrote ${path}`);
}

const options = readArguments();
const folder = mkdtempSync(join(tmpdir(), 'tandem-large-'));
try {
    const { source, page } = makePage(options, folder);
    const measured = await measureAll(page, options.runs);
    const results = resultsOf(measured, source, page);
    printTable(results, measured);
    if (options.csv) {
        writeCsv(options.csv, results, measured);
    }
    process.exitCode = results.every(({ kept }) => kept) ? 0 : 1;
} finally {
    rmSync(folder, { recursive: true, force: true });
}
