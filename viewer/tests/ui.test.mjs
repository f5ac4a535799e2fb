// The functions of the interface that need no page: numbers for people, scales, sampling, the address.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importSource } from './support/bundle.mjs';
import { randomFrom, wholeFrom } from './support/random.mjs';

const format = await importSource('src/ui/format.ts');
const { scaleFor } = await importSource('src/ui/scale.ts');
const sampling = await importSource('src/ui/sampling.ts');
const { readHash, writeHash } = await importSource('src/ui/hash.ts');

const GAP = '\u202f';
const MINUS = '\u2212';
const DASH = '\u2013';

// Each row: the arguments, then what must come.
function table(call, rows) {
    for (const [expected, ...given] of rows) {
        assert.equal(call(...given), expected, `of ${given.join(', ')}`);
    }
}

test('counts are whole, with gaps between thousands from five digits on', () => {
    table(format.count, [
        ['0', 0],
        ['9999', 9999],
        [`12${GAP}345`, 12345],
        [`${MINUS}1${GAP}234${GAP}567`, -1234567],
        ['0', -0.4],
        [DASH, NaN],
        [DASH, Infinity],
    ]);
});

test('short numbers have three digits and no exponent', () => {
    table(format.short, [
        ['0', 0],
        ['1.23', 1.234],
        ['10.0', 9.996],
        ['12.3', 12.34],
        ['100', 99.96],
        ['1234', 1234.4],
        ['0.012', 0.0123],
        ['0.000', 1e-9],
        [`${MINUS}1.50`, -1.5],
        [DASH, NaN],
    ]);
});

test('quantities take the prefix that leaves one to three digits before the point', () => {
    table(format.quantity, [
        [`12.3${GAP}mm`, 0.0123, 'm'],
        [`1.00${GAP}m`, 1, 'm'],
        [`1.00${GAP}m`, 0.99999, 'm'],
        [`4.56${GAP}kJ`, 4560, 'J'],
        [`${MINUS}4.56${GAP}kJ`, -4560, 'J'],
        [`0${GAP}N`, 0, 'N'],
        ['9999', 9999, ''],
        [`15.1${GAP}M`, 15.1e6, ''],
        [DASH, NaN, 'm'],
    ]);
});

test('values in the unit of a scale, times, sizes and plurals', () => {
    table(format.inScale, [
        [`12${GAP}345`, 12345, 1e3, ''],
        ['4.21', 4210, 1e3, 'J'],
        ['0.003', 3, 1e3, 'J'],
        [DASH, NaN, 1, 'J'],
    ]);
    table(format.seconds, [
        [`1.500${GAP}s`, 1.5, 1 / 60],
        [`1.5000${GAP}s`, 1.5, 1 / 500],
        [`2.00${GAP}s`, 2, 0],
    ]);
    table(format.bytes, [
        [`2${GAP}kB`, 1999],
        [`12.3${GAP}MB`, 12.34e6],
    ]);
    table(format.plural, [
        ['1 body', 1, 'body', 'bodies'],
        ['2 bodies', 2, 'body', 'bodies'],
        ['0 frames', 0, 'frame'],
    ]);
});

test('one frame can be told from the next by its time', () => {
    for (const step of [1, 0.5, 1 / 60, 1 / 120, 0.001, 0.00025]) {
        const texts = Array.from({ length: 50 }, (_, frame) => format.seconds(frame * step, step));
        assert.equal(new Set(texts).size, 50, `steps of ${step} s`);
    }
});

test('a scale begins at zero, reaches the value by few round steps, and its labels say its ticks', () => {
    const random = randomFrom(3);
    for (let run = 0; run < 400; ++run) {
        const unit = run % 3 === 0 ? '' : 'J';
        const value = unit === '' ? wholeFrom(random, 1, 2e6) : 10 ** (16 * random() - 9);
        const scale = scaleFor(value, unit);
        const what = `${value} ${unit}`;
        assert.equal(scale.ticks[0].value, 0, what);
        assert.ok(scale.high >= value * (1 - 1e-9), what);
        assert.ok(scale.high <= value * 2.6 || scale.high <= 1, `${what}: not much higher than the value`);
        assert.ok(scale.ticks.length >= 2 && scale.ticks.length <= 6, `${what}: ${scale.ticks.length} ticks`);
        assert.equal(scale.ticks.at(-1).value, scale.high, what);
        const labels = scale.ticks.map((tick) => tick.label);
        assert.equal(new Set(labels).size, labels.length, `${what}: ${labels}`);
        scale.ticks.forEach(({ value: tick, label }) => {
            const prefixes = { k: 1e3, M: 1e6 };
            const factor = unit === '' ? (prefixes[label.at(-1)] ?? 1) : scale.factor;
            const said = Number(label.replace(/[kM\u202f]/g, '')) * factor;
            assert.ok(Math.abs(said - tick) <= 1e-9 * scale.high, `${what}: ${label} stands for ${tick}`);
        });
    }
    for (const nothing of [0, -1, NaN, 1e-20]) {
        assert.equal(scaleFor(nothing, '').high, 1);
    }
});

test('sampling takes every frame once and loses no peak', () => {
    const random = randomFrom(5);
    for (const [frames, columns] of [
        [1000, 7],
        [401, 400],
        [50000, 333],
    ]) {
        const values = Float64Array.from({ length: frames }, random);
        values[wholeFrom(random, 0, frames - 1)] = 5;
        values[wholeFrom(random, 0, frames - 1)] = -5;
        let next = 0;
        for (let column = 0; column < columns; ++column) {
            const [first, last] = sampling.framesOf(column, columns, frames);
            assert.equal(first, next);
            assert.ok(last > first);
            next = last;
        }
        assert.equal(next, frames);
        const found = sampling.lowAndHigh(values, columns);
        assert.equal(Math.max(...found.map(({ high }) => high)), Math.max(...values));
        assert.equal(Math.min(...found.map(({ low }) => low)), Math.min(...values));
    }
});

test('columns without a value are told, and values beside none still count', () => {
    const values = Float64Array.from([NaN, NaN, 3, NaN, 1, 2]);
    assert.deepEqual(sampling.lowAndHigh(values, 3), [null, { low: 3, high: 3 }, { low: 1, high: 2 }]);
});

test('of a stack, the frame where all series together are highest is drawn', () => {
    const one = Float64Array.from([1, 9, 1, 1, 4, NaN]);
    const two = Float64Array.from([1, 1, 1, 8, 4, NaN]);
    assert.deepEqual(sampling.highestFrames([one, two], 2), [1, 3]);
    assert.equal(sampling.highest([one, two], true), 10);
    assert.equal(sampling.highest([one, two], false), 9);
    assert.equal(sampling.highest([], true), 0);
});

const STATE = {
    frame: 12,
    frameCount: 50,
    playing: true,
    speed: 0.25,
    loop: true,
    arrival: 'done',
    atNewest: false,
    body: 17,
    followed: 4,
    colour: 'speed',
    layers: { contacts: true, normals: false, boxes: true, wireframe: false, grid: false },
    pointedFrame: null,
    charts: ['pairs', 'energy'],
    chartsOpen: true,
};

test('what is written to the address is read again', () => {
    const wish = readHash(writeHash(STATE));
    assert.equal(wish.frame, 12);
    assert.equal(wish.play, true);
    for (const key of ['speed', 'loop', 'body', 'followed', 'colour', 'layers', 'charts', 'chartsOpen']) {
        assert.deepEqual(wish.state[key], STATE[key], key);
    }
});

test('closed charts and no layers are kept in the address as well', () => {
    const layers = { contacts: false, normals: false, boxes: false, wireframe: false, grid: false };
    const wish = readHash(writeHash({ ...STATE, layers, chartsOpen: false, playing: false, body: null }));
    assert.deepEqual(wish.state.layers, layers);
    assert.equal(wish.state.chartsOpen, false);
    assert.equal(wish.state.charts, undefined);
    assert.equal(wish.state.body, undefined);
    assert.equal(wish.play, false);
});

test('an address that makes no sense wishes for nothing', () => {
    const wishes = '#frame=-3&colour=mauve&speed=3&body=x&charts=lies&layers=walls&play=maybe&%%%&=&frame=1';
    const { state, frame, play } = readHash(wishes);
    assert.equal(frame, null);
    assert.equal(play, true);
    assert.equal(state.colour, undefined);
    assert.equal(state.speed, undefined);
    assert.equal(state.body, null);
    assert.equal(state.charts, undefined);
    assert.deepEqual(Object.values(state.layers), [false, false, false, false, false]);
    assert.deepEqual(readHash('').state, {});
});
