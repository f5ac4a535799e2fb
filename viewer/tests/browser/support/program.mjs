// What the program makes and says: recordings, pages, and its own words about them.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

export const program = process.env.TANDEM;
if (!program) {
    throw new Error('TANDEM is not set: it names the program whose pages are tested (run.mjs sets it)');
}

// Files of one name are made once; run.mjs gives a folder that all tests share.
const shared = process.env.TANDEM_PAGES;
const folder = shared ?? mkdtempSync(join(tmpdir(), 'tandem-pages-'));
if (!shared) {
    after(() => rmSync(folder, { recursive: true, force: true }));
}
export const fileOf = (name) => join(folder, name);

export function tandem(...words) {
    return execFileSync(program, words, {
        encoding: 'utf8',
        maxBuffer: 1 << 28,
        stdio: ['ignore', 'pipe', 'inherit'],
    });
}

// A recording NAME.rec, with the report of its steps in NAME.csv. The scene is a name, or an object.
export function record(name, scene, ...words) {
    const path = fileOf(`${name}.rec`);
    if (!existsSync(path)) {
        let source = scene;
        if (typeof scene !== 'string') {
            source = fileOf(`${name}.json`);
            writeFileSync(source, JSON.stringify(scene));
        }
        const report = ['--csv', '--every', '1', '--report', fileOf(`${name}.csv`)];
        tandem('simulate', source, '-o', path, '--quiet', ...report, ...words);
    }
    return path;
}

// The page of a recording, or of meshes; `words` are those of `tandem view`.
export function pageOf(name, ...words) {
    const path = fileOf(`${name}.html`);
    if (!existsSync(path)) {
        tandem('view', ...words, '-o', path, '--quiet');
    }
    return path;
}

export function replay(recording, frame) {
    return JSON.parse(tandem('replay', recording, '--frame', String(frame), '--contacts', '--json'));
}

// The report of a recording: an array of numbers per column.
export function reportOf(name) {
    const [head, ...rows] = readFileSync(fileOf(`${name}.csv`), 'utf8')
        .trim()
        .split('\n');
    const cells = rows.map((row) => row.split(',').map(Number));
    return Object.fromEntries(head.split(',').map((title, i) => [title, cells.map((row) => row[i])]));
}

// Cows that fall onto the ground, most of them touching something at the end.
export const cows = () => record('cows', 'cows', '--set', 'n=3', '--steps', '60', '--times');

// Bodies far apart and far from zero, which nothing holds: one that turns about a point beside its mesh's middle,
// balls that move, and one that rests and falls asleep. All at one height, so that none hides another from above.
export const DRIFT = {
    tandem: 1,
    name: 'drift',
    gravity: [0, 0, 0],
    steps: 60,
    meshes: {
        bar: { shape: 'box', scale: [3, 0.5, 0.5], translate: [0.5, 0.25, 0] },
        ball: { shape: 'sphere', scale: 0.8 },
    },
    bodies: [
        { name: 'turning bar', mesh: 'bar', position: [5000, 0, -300], spin: [0, 1.5, 0] },
        { name: 'west', mesh: 'ball', position: [4994, 0, -300], velocity: [0, 0, 2] },
        { name: 'east', mesh: 'ball', position: [5006, 0, -300], velocity: [-1, 0, -2] },
        { name: 'north, at rest', mesh: 'ball', position: [5000, 0, -304.5] },
        { name: 'south', mesh: 'ball', position: [5000, 0, -295.5], velocity: [3, 0, 0] },
    ],
};
// Where the middles of their meshes' boxes are, as the scenes above and scenes/cows.json say.
export const MIDDLES = { bar: [0.5, 0.25, 0], ball: [0, 0, 0], cow: [0, 0, 0], ground: [0, -1, 0] };
export const drift = () => record('drift', DRIFT);
