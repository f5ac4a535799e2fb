// Where things happen in a recording: what the camera looks at to begin with.
import { Box3, Quaternion, Sphere, Vector3 } from 'three';
import { type Recording, STATE_SIZE } from '../recording/types';

const MOST_SAMPLES = 40_000;
const MOST_PLACES = 3_000;
// What stands still is looked at as well if it is around what moves and makes the box no larger than this: the walls of
// a room are, the ground is not.
const WALLS_FACTOR = 1.25;
const MOST_WALLS = 50;

export interface Extent {
    readonly box: Box3; // of the bodies that matter, outliers left out
    readonly bodyRadius: number; // a typical one
    readonly places: readonly Sphere[]; // some of the places where bodies are, within the box
    readonly walled: boolean; // what stands still are walls around it
}

// Of the bodies that move; if there are none, of all.
export function extentOf(recording: Recording, radii: Float32Array): Extent {
    const free = recording.bodies.some(({ kind }) => kind === 'dynamic' || kind === 'soft');
    const wanted = free ? ['dynamic', 'soft'] : ['kinematic'];
    let bodies = recording.bodies.flatMap((body, i) => (wanted.includes(body.kind) ? [i] : []));
    if (bodies.length === 0) bodies = recording.bodies.map((_, i) => i);
    const frames = recording.frameCount;
    if (bodies.length === 0 || frames === 0) {
        return {
            box: new Box3(new Vector3(-1, -1, -1), new Vector3(1, 1, 1)),
            bodyRadius: 1,
            places: [],
            walled: false,
        };
    }
    const sorted = Float32Array.from(bodies, (i) => radii[i]).sort();
    const bodyRadius = sorted[sorted.length >> 1] || 1;
    const box = new Box3();
    for (const axis of ['x', 'y', 'z'] as const) {
        const [low, high] = span(recording, bodies, radii, 'xyz'.indexOf(axis));
        box.min[axis] = low;
        box.max[axis] = high;
    }
    const places = placesIn(recording, bodies, radii, box);
    const walls = wallsAround(recording, box);
    for (const corner of walls) box.expandByPoint(corner);
    const all = [...places, ...walls.map((corner) => new Sphere(corner, 0))];
    return { box, bodyRadius, places: all, walled: walls.length > 0 };
}

// The corners of the boxes of bodies that stand still, where they are the walls of the box; none otherwise.
function wallsAround(recording: Recording, box: Box3): Vector3[] {
    const states = recording.states(0);
    const walls = recording.bodies.flatMap(({ kind }, i) => (kind === 'static' ? [i] : []));
    if (walls.length === recording.bodies.length || walls.length > MOST_WALLS) return [];
    const corners = walls.flatMap((body) => {
        const { halfSize } = recording.meshes[recording.bodies[body].mesh];
        const middle = new Vector3().fromArray(states, body * STATE_SIZE);
        const rotation = new Quaternion().fromArray(states, body * STATE_SIZE + 4);
        return Array.from({ length: 8 }, (_, i) =>
            new Vector3(...halfSize)
                .multiply(new Vector3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1))
                .applyQuaternion(rotation)
                .add(middle),
        );
    });
    const both = new Box3().setFromPoints(corners).union(box);
    const size = (one: Box3) => one.getSize(new Vector3()).length();
    return size(both) <= WALLS_FACTOR * size(box) ? corners : [];
}

// Along an axis, from the lowest end to the highest, but for outliers: what is farther from the middle 96 of a hundred
// than half of what these span.
function span(recording: Recording, bodies: number[], radii: Float32Array, axis: number): [number, number] {
    const frames = recording.frameCount;
    const frameStep = Math.max(Math.floor((bodies.length * frames) / MOST_SAMPLES), 1);
    const bodyStep = Math.max(Math.floor((bodies.length * Math.ceil(frames / frameStep)) / MOST_SAMPLES), 1);
    const lows: number[] = [];
    const highs: number[] = [];
    for (let frame = 0; frame < frames; frame += frameStep) {
        const states = recording.states(frame);
        for (let i = 0; i < bodies.length; i += bodyStep) {
            const at = states[bodies[i] * STATE_SIZE + axis];
            if (!Number.isFinite(at)) continue;
            lows.push(at - radii[bodies[i]]);
            highs.push(at + radii[bodies[i]]);
        }
    }
    if (lows.length === 0) return [-1, 1];
    const low = Float32Array.from(lows).sort();
    const high = Float32Array.from(highs).sort();
    const last = low.length - 1;
    const middle = [low[Math.floor(0.02 * last)], high[Math.ceil(0.98 * last)]];
    const reach = 0.5 * (middle[1] - middle[0]);
    return [Math.max(low[0], middle[0] - reach), Math.min(high[last], middle[1] + reach)];
}

function placesIn(recording: Recording, bodies: number[], radii: Float32Array, box: Box3): Sphere[] {
    const places: Sphere[] = [];
    const total = bodies.length * recording.frameCount;
    // Odd, so that the samples do not keep to a few bodies.
    const step = Math.floor(total / MOST_PLACES) | 1;
    for (let i = 0; i < total; i += step) {
        const body = bodies[i % bodies.length];
        const states = recording.states(Math.floor(i / bodies.length));
        const place = new Vector3().fromArray(states, body * STATE_SIZE);
        if (box.containsPoint(place)) places.push(new Sphere(place, radii[body]));
    }
    return places;
}

// The speed that 98 of 100 do not exceed, among bodies that move.
export function topSpeedOf(recording: Recording): number {
    const bodies = recording.bodies;
    const speeds: number[] = [];
    // Odd, so that the samples do not keep to a few bodies.
    const step = Math.floor((bodies.length * recording.frameCount) / MOST_SAMPLES) | 1;
    const total = bodies.length * recording.frameCount;
    for (let i = 0; i < total; i += step) {
        const body = i % bodies.length;
        const speed = recording.states(Math.floor(i / bodies.length))[body * STATE_SIZE + 3];
        if (speed > 0 && bodies[body].kind !== 'static') speeds.push(speed);
    }
    return Float32Array.from(speeds).sort()[Math.floor(0.98 * (speeds.length - 1))] ?? 0;
}
