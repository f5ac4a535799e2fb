// Runs the tests of the page in Chromium, one file after the other.
//
//     TANDEM=build/tandem node run.mjs [WORD...]     all, or those whose file names have one of the words in them
//
// TANDEM_SHOTS: a folder that pictures of the page are kept in. CHROMIUM: the browser, if it is not found by itself.
// Exit status 77 where the tests cannot be run, and a line that tells why.
import { spawnSync } from 'node:child_process';
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
const files = readdirSync(here)
    .filter((name) => name.endsWith('.test.mjs'))
    .filter((name) => words.length === 0 || words.some((word) => name.includes(word)))
    .sort();
const pages = mkdtempSync(join(tmpdir(), 'tandem-pages-'));
let failed = files.length === 0;
try {
    for (const file of files) {
        const begin = Date.now();
        const { status } = spawnSync(process.execPath, ['--test', '--test-reporter=spec', join(here, file)], {
            stdio: 'inherit',
            env: { ...process.env, TANDEM_PAGES: pages },
        });
        failed ||= status !== 0;
        console.log(`${file}: ${status === 0 ? 'passed' : 'FAILED'} in ${(Date.now() - begin) / 1000} s`);
    }
} finally {
    rmSync(pages, { recursive: true, force: true });
}
if (process.env.TANDEM_SHOTS) {
    console.log(`pictures of the page are in ${process.env.TANDEM_SHOTS}`);
}
process.exit(failed ? 1 : 0);
