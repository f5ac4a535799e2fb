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

const SETTLED_MS = 1500; // as long without a change, the picture is as fine as it gets
const MOST_MS = 60_000;

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
    await tab.goto(`${pathToFileURL(resolve(page))}#play=0&${values.state}`);
    await tab.evaluate(() => window.tandem.ready);
    const began = Date.now();
    let drawn = -1;
    let since = began;
    while (Date.now() - since < SETTLED_MS && Date.now() - began < MOST_MS) {
        const triangles = await tab.evaluate(() => window.tandem.stage?.quality.drawnTriangles ?? 0);
        if (triangles !== drawn) since = Date.now();
        drawn = triangles;
        await tab.waitForTimeout(100);
    }
    await tab.screenshot({ path: picture });
    console.log(`${picture}: ${values.size}, ${drawn} triangles`);
} finally {
    await browser.close();
}
