// `tandem view --serve`: the page of a recording that a simulation still writes.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, test } from 'node:test';
import { launch, openPage, settle, shot, text, until } from './support/browser.mjs';
import { fileOf, program, tandem } from './support/program.mjs';

const STEPS = 240;
const browser = await launch();
const recording = fileOf('live.rec');

const running = new Set();
after(() => running.forEach((child) => child.kill('SIGKILL')));

function start(...words) {
    const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    running.add(child);
    child.ended = new Promise((resolve) => child.once('exit', resolve)).then(() => running.delete(child));
    return child;
}

// A server, once it has told its address.
async function serve(port = 0) {
    const child = start('view', recording, '--serve', '--port', String(port));
    let said = '';
    for await (const piece of child.stdout) {
        said += piece;
        const address = said.match(/http:\/\/127\.0\.0\.1:\d+\/\S*/);
        if (address) {
            child.stdout.resume();
            return { child, address: address[0] };
        }
    }
    throw new Error(`the server ended, and said only "${said}"`);
}

async function stop(child, signal = 'SIGTERM') {
    child.kill(signal);
    await child.ended;
}

// A simulation that is held up once it has recorded something.
async function beginSimulation() {
    const child = start(
        'simulate',
        'cows',
        '--set',
        'n=4',
        '--steps',
        String(STEPS),
        '-o',
        recording,
        '--quiet',
    );
    child.stdout.resume();
    while (!existsSync(recording) || statSync(recording).size < 120_000) {
        assert.equal(child.exitCode, null, 'the simulation runs');
        await sleep(2);
    }
    child.kill('SIGSTOP');
    return child;
}

const frames = (page) => page.evaluate(() => window.tandem.recording.frameCount);

test('a page that is served goes along with the simulation, and outlives its server', async () => {
    const first = await serve();
    const page = await openPage(browser, first.address, { ready: false });
    await until(page, 'the wait', () => document.body.innerText.includes('waiting for the first frame'));
    await shot(page, 'live-waiting-desktop');

    const simulation = await beginSimulation();
    await page.evaluate(() => window.tandem.ready);
    const badge = page.locator('.live');
    await until(page, 'the badge', () => document.querySelector('.live').innerText === 'live');
    const held = await frames(page);
    assert.ok(held > 0 && held < STEPS, `${held} frames of a simulation that is held up`);
    assert.ok(await page.locator('.progress').isHidden(), 'what is shown is no longer waited for');
    await settle(page);
    await shot(page, 'live-desktop');

    // One looks back, and goes to the newest frame again.
    await page.keyboard.press('Home');
    assert.equal(await badge.innerText(), 'go live');
    await badge.click();
    assert.equal(await badge.innerText(), 'live');
    await until(
        page,
        'the newest frame',
        () => window.tandem.frame === window.tandem.recording.frameCount - 1,
    );

    // The server goes, and comes again at its place.
    await stop(first.child);
    await until(page, 'a word on the server', () => document.querySelector('.banner'));
    assert.match(await text(page, '.banner p'), /server of this page does not answer.*is shown/);
    await shot(page, 'live-server-gone-desktop');
    const second = await serve(new URL(first.address).port);
    await until(page, 'the server again', () => !document.querySelector('.banner'));

    // The simulation goes on to its end.
    simulation.kill('SIGCONT');
    await until(page, 'more frames', (before) => window.tandem.recording.frameCount > before, held);
    await until(page, 'the end of the recording', () => window.tandem.recording.complete);
    assert.equal(await frames(page), STEPS + 1);
    await until(page, 'no badge', () => document.querySelector('.live').hidden);
    assert.match(await text(page, '.clock-frame'), new RegExp(`/ ${STEPS}$`));
    await simulation.ended;
    assert.equal(JSON.parse(tandem('replay', recording, '--json')).frames, STEPS + 1);

    // Once all is there, the server is no longer needed.
    await stop(second.child);
    await page.keyboard.press('Home');
    await sleep(600);
    assert.equal(await page.locator('.banner').count(), 0);
    await page.context().close();

    // The page asks its server for the recording, and complains, in the console, only of the time without a server.
    const { origin } = new URL(first.address);
    const others = page.faults.filter((fault) => !fault.startsWith(`request: ${origin}/recording`));
    assert.ok(
        others.every((fault) => /^console error: Failed to load resource: net::ERR_CONNECTION_/.test(fault)),
        others.join('\n'),
    );
});
