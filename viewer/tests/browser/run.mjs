// Runs the tests of the page in Chromium, two files at a time, each in its own browser: one waits for pictures while the
// other draws.
//
//     TANDEM=build/tandem node run.mjs [WORD...]     all, or those whose file names have one of the words in them
//
// TANDEM_SHOTS: a folder that pictures of the page are kept in. CHROMIUM: the browser, if it is not found by itself.
// Exit status 77 where the tests cannot be run, and a line that tells why.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findChromium } from './support/chromium.mjs';

const SKIPPED = 77;

async function whatIsMissing() {
    if (!findChromium()) {
        return process.env.CHROMIUM
            ? `CHROMIUM is ${process.env.CHROMIUM}, which cannot be run`
            : 'Chromium was not found (Debian: apt-get install chromium; or CHROMIUM=path)';
    }
    try {
        await import('playwright-core');
    } catch {
        return 'playwright-core is not there (npm ci in viewer/)';
    }
    return '';
}

if (!process.env.TANDEM) {
    console.error('run: TANDEM is not set: it names the program whose pages are tested');
    process.exit(2);
}

const missing = await whatIsMissing();
if (missing) {
    console.log(`skipped: ${missing}`);
    process.exit(SKIPPED);
}

const here = fileURLToPath(new URL('.', import.meta.url));
const words = process.argv.slice(2);
// Those that take long go first, so that both ends are near each other.
const LONG = ['layers', 'layout', 'playing', 'damaged', 'poses', 'soft'];
const place = (name) => LONG.findIndex((word) => name.startsWith(word));
const files = readdirSync(here)
    .filter((name) => name.endsWith('.test.mjs'))
    .filter((name) => words.length === 0 || words.some((word) => name.includes(word)))
    .sort((one, two) => (place(one) >>> 0) - (place(two) >>> 0));
// A folder each for the two that run side by side: what one makes, the other must not find half made.
const folders = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'tandem-pages-')));
const begin = Date.now();
let failed = files.length === 0;

// What a file says is told in one piece, when it is done.
function run(file, pages, browser) {
    return new Promise((done) => {
        const begin = Date.now();
        const test = spawn(process.execPath, ['--test', '--test-reporter=spec', join(here, file)], {
            stdio: ['ignore', 'pipe', 'pipe'],
            env: { ...process.env, TANDEM_PAGES: pages, TANDEM_BROWSER: browser },
        });
        const said = [];
        test.stdout.on('data', (text) => said.push(text));
        test.stderr.on('data', (text) => said.push(text));
        test.on('close', (status) => {
            failed ||= status !== 0;
            process.stdout.write(Buffer.concat(said));
            console.log(`${file}: ${status === 0 ? 'passed' : 'FAILED'} in ${(Date.now() - begin) / 1000} s`);
            done();
        });
    });
}

async function runInTurn(waiting, pages) {
    const { startServer } = await import('./support/browser.mjs');
    const server = await startServer();
    try {
        for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
            await run(file, pages, server.wsEndpoint());
        }
    } finally {
        await server.close();
    }
}

try {
    const waiting = [...files];
    await Promise.all(folders.map((pages) => runInTurn(waiting, pages)));
} finally {
    folders.forEach((pages) => rmSync(pages, { recursive: true, force: true }));
}
console.log(`${files.length} files in ${(Date.now() - begin) / 1000} s`);
if (process.env.TANDEM_SHOTS) {
    console.log(`pictures of the page are in ${process.env.TANDEM_SHOTS}`);
}
process.exit(failed ? 1 : 0);
