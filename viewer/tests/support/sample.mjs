// A small recording that has one of everything, with what a reader must find in it.
import { RecordingWriter, VERSION } from './write_recording.mjs';

const ASLEEP = 0x8000;
const STILL = { position: [0, 0, 0], rotation: [0, 0, 0], largest: 3, far: null };
const triangles = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3];

export const meshes = [
    // Around zero, of float32; larger than the other.
    { name: 'ground', single: true, positions: [-4, -1, -4, 4, -1, -4, 4, 1, 4, -4, 1, 4], triangles },
    // Away from zero, of numbers that float32 does not have.
    {
        name: 'wedge',
        single: false,
        positions: [0.1, 2.1, -0.3, 0.9, 2.2, -0.3, 0.1, 3.3, -0.2, 0.1, 2.1, 0.7],
        triangles,
    },
];

export const bodies = [
    { name: 'ground', kind: 'static', mesh: 0, unit: 0 },
    { name: 'first wedge', kind: 'dynamic', mesh: 1, unit: 0 },
    { name: 'Keil № 2', kind: 'dynamic', mesh: 1, unit: 0 },
    { name: 'lift', kind: 'kinematic', mesh: 0, unit: 0 },
];

export const origin = [1000.1, -20.2, 3.3];
export const unit = 2 ** -18;

const contact = (a, b, where, normal, impulse) => ({ a, b, where, normal, impulse });
const A = contact(0, 1, [0, 1023, 512], [127, 127], 0x3f80);
const B = contact(0, 1, [100, 200, 300], [0, 254], 0x0001);
const C = contact(1, 2, [1023, 0, 7], [254, 127], 0x7f7f);
const D = contact(1, 2, [511, 512, 513], [10, 20], 0x4048);
const E = contact(2, 3, [1, 2, 3], [200, 3], 0);

const pose = (position, rotation, largest) => ({ position, rotation, largest, far: null });
const far = (place) => ({ position: [0, 0, 0], rotation: [-131071, 3, 0], largest: 2, far: place });
const p1 = pose([1000000, -2000000, 3], [131071, -4, 5], 0);
const p2 = pose([-1, 64, -65], [-70000, 65000, 60000], 1);
const p2b = pose([-1, 8191, -8193], [-70001, 65001, 60000], 1);
const lift = (height) => pose([0, height, 0], [0, 0, 0], 3);
const edge = pose([2 ** 51 - 1, -(2 ** 51 - 1), 2 ** 31], [1, -1, 63], 3);

// Per frame: what is written, and all contacts that there are then.
export const frames = [
    {
        poses: [STILL, p1, p2, lift(0)],
        motions: [0, 0x4120, 0x3dcd, 0x3f80],
        listed: [A, B, C],
        all: [A, B, C],
    },
    {
        poses: [STILL, pose([999999, -2000128, 3], [131070, -4, 68], 0), p2, lift(1000)],
        motions: [0, 0x4121, ASLEEP, 0x3f80],
        listed: [A, D],
        all: [A, D],
        times: [7.5, 1, 2, 3, 0.5, 0.25, 0.125],
    },
    {
        poses: [STILL, p1, p2, lift(2000)],
        motions: [0, ASLEEP, ASLEEP, 0x3f80],
        listed: [B, C, D],
        all: [B, C, D],
    },
    { poses: [STILL, p1, p2, lift(3000)], motions: [0, ASLEEP, ASLEEP, 0x3f80], listed: [], all: [B, C, D] },
    { poses: [STILL, p1, p2b, lift(4000)], motions: [0, ASLEEP, 0, 0], listed: [C, E], all: [B, C, E] },
    {
        key: true,
        poses: [STILL, far([1e300, -2e20, 5]), p2b, lift(5000)],
        motions: [0, 0x7f7f, ASLEEP, 0],
        listed: [E],
        all: [E],
        times: [0, 0, 0, 0, 0, 0, 0],
    },
    { poses: [STILL, edge, p2b, lift(5000)], motions: [0, ASLEEP, ASLEEP, 0], listed: [A], all: [A, E] },
    { poses: [STILL, edge, p2b, lift(5000)], motions: [0, ASLEEP, ASLEEP, 0], listed: [], all: [A, E] },
];

export function writeSample(version = VERSION) {
    const writer = new RecordingWriter({ meshes, bodies, origin, unit, step: 0.01, version });
    frames.forEach((frame) => writer.frame(frame));
    writer.end();
    return writer;
}
