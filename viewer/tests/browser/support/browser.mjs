// Chromium, and pages in it that are watched: whatever a page complains of, or asks of the network, is a fault.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { after } from 'node:test';
import { chromium } from 'playwright-core';
import { findChromium, SOFTWARE_RENDERING } from './chromium.mjs';

// What machines under load still do in time.
const PATIENCE_MS = 60_000;

const options = (flags) => ({
    executablePath: findChromium(),
    chromiumSandbox: process.getuid?.() !== 0,
    args: flags,
    timeout: PATIENCE_MS,
});

export const start = (flags) => chromium.launch(options(flags));

// A browser that several programs use, one after the other: wsEndpoint() is its address.
export const startServer = () => chromium.launchServer(options(SOFTWARE_RENDERING));

// A browser that draws by software: that of run.mjs, or one that ends with the tests of the file.
export async function launch() {
    const there = process.env.TANDEM_BROWSER;
    const browser = await (there ? chromium.connect(there) : start(SOFTWARE_RENDERING));
    after(() => browser.close());
    return browser;
}

// Reading pixels back is what tests do, not the page; Chromium remarks that it is slow.
const REMARK_ON_TESTS = /GPU stall due to ReadPixels/;

function watch(page, address) {
    const faults = [];
    page.on('console', (message) => {
        const bad = ['error', 'warning', 'assert'].includes(message.type());
        if (bad && !REMARK_ON_TESTS.test(message.text())) {
            faults.push(`console ${message.type()}: ${message.text()}`);
        }
    });
    page.on('pageerror', (error) => faults.push(`page error: ${error.stack ?? error}`));
    page.on('request', (request) => {
        if (request.url().split('#')[0] !== address && !request.url().startsWith('data:')) {
            faults.push(`request: ${request.url()}`);
        }
    });
    page.on('websocket', (socket) => faults.push(`socket: ${socket.url()}`));
    return faults;
}

// Opens a page, at `place` (a path, or an address), and waits until it is ready, unless `ready` is false. `init` runs
// in the page before its own program. `page.faults` has what it did wrong until now; whoever expects faults takes
// them out.
export async function openPage(browser, place, options = {}) {
    const { width = 1024, height = 640, touch = false, hash = '', init = null, ready = true } = options;
    const context = await browser.newContext({
        viewport: { width, height },
        hasTouch: touch,
        isMobile: touch,
        deviceScaleFactor: 1,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    const address = place.includes('://') ? place : pathToFileURL(place).href;
    page.faults = watch(page, address);
    if (init) {
        await page.addInitScript(init);
    }
    await page.goto(address + hash, { waitUntil: 'load' });
    if (ready) {
        await page.evaluate(() => window.tandem.ready);
    }
    return page;
}

// Ends a page: it must have nothing to be blamed for.
export async function closePage(page) {
    await page.context().close();
    assert.deepEqual(page.faults, []);
}

export async function withPage(browser, place, options, use) {
    const page = await openPage(browser, place, options);
    try {
        await use(page);
    } catch (error) {
        await page.context().close();
        throw error;
    }
    await closePage(page);
}

// Waits until a condition, computed in the page, holds; says what it waited for if it never does.
export async function until(page, what, condition, argument) {
    try {
        await page.waitForFunction(condition, argument, { polling: 50, timeout: PATIENCE_MS / 2 });
    } catch (error) {
        throw new Error(`never came: ${what} (${error.message})`);
    }
}

// Waits until the picture is drawn as finely as it will be, the note upon it tells of that one (it is written a few times
// a second only), and the browser had time to put both on the screen.
export async function settle(page) {
    await page.evaluate(async () => {
        const { stage } = window.tandem;
        const frame = () => new Promise((shown) => requestAnimationFrame(shown));
        await stage.settled();
        // Behind it, while it plays, stands how fast.
        const told = () => document.querySelector('.quality').textContent.replace(/( · )?\d+ frames\/s$/, '');
        while (told() !== stage.quality.note) {
            await frame();
        }
        await frame();
        await frame();
    });
}

// Goes to a frame and stays there.
export async function seek(page, frame) {
    await page.evaluate((wanted) => {
        window.tandem.pause();
        window.tandem.seek(wanted);
    }, frame);
}

export const text = (page, selector) => page.locator(selector).innerText();

const shots = process.env.TANDEM_SHOTS;

// Keeps a picture of the page as it is, for people to look at.
export async function shot(page, name) {
    if (shots) {
        mkdirSync(shots, { recursive: true });
        await page.screenshot({ path: join(shots, `${name}.png`) });
    }
}
