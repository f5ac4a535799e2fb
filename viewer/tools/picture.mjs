// A picture of a page that `tandem view` wrote, taken by a headless Chromium.
//
//   node viewer/tools/picture.mjs PAGE PICTURE.png [--size WxH] [--dark] [--state "frame=120&colour=speed"]
//
// The state is what the page keeps behind the # of its address.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';

const PATIENCE_MS = 60_000;

function refuse(message) {
    console.error(`picture: ${message}`);
    process.exit(2);
}

const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
        size: { type: 'string', default: '1280x800' },
        dark: { type: 'boolean', default: false },
        state: { type: 'string', default: '' },
    },
});
const [page, picture] = positionals;
const size = /^(\d+)x(\d+)$/.exec(values.size);
if (positionals.length !== 2) refuse('expected a page and a picture to write');
if (!size) refuse(`--size is '${values.size}': expected WIDTHxHEIGHT`);
if (!existsSync(page)) refuse(`${page}: there is no such file`);
const executable = process.env.CHROMIUM ?? '/usr/bin/chromium';
if (!existsSync(executable))
    refuse(`${executable} is not there: expected Debian's chromium, or CHROMIUM to name another`);

const browser = await chromium.launch({
    executablePath: executable,
    args: ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'].concat(
        process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    ),
});
try {
    const tab = await browser.newPage({
        viewport: { width: Number(size[1]), height: Number(size[2]) },
        colorScheme: values.dark ? 'dark' : 'light',
    });
    tab.setDefaultTimeout(PATIENCE_MS);
    await tab.goto(`${pathToFileURL(resolve(page))}#play=0&${values.state}`);
    await tab.evaluate(() => window.tandem.ready);
    const drawn = await tab.evaluate(async () => {
        await window.tandem.stage?.settled();
        return window.tandem.stage?.quality.drawnTriangles ?? 0;
    });
    await tab.screenshot({ path: picture });
    console.log(`${picture}: ${values.size}, ${drawn} triangles`);
} finally {
    await browser.close();
}
