// The poses of all bodies on the grid that they are recorded on, from frame to frame, and as they are drawn.
// The same arithmetic as src/io/record_pose.c, in float64.
import { STATE_SIZE } from './types';
import type { ByteReader } from './bytes';
import type { Header } from './header';

const FAR = 2 ** 51; // units
const TURN_MOST = 131071; // steps: 2^17 - 1
const TURN_STEP = 0.7071067811865476 / TURN_MOST;
// Of the three smaller components, in steps. The largest is at least 1/2; a little less is left to rounding.
const TURN_SQUARE_MOST = 2 * 0.76 * TURN_MOST * TURN_MOST;

export class Poses {
    // Per body: three numbers of units, of steps, of metres if far.
    private readonly positions: Float64Array;
    private readonly rotations: Int32Array;
    private readonly farPlaces: Float64Array;
    private readonly middles: Float64Array; // of the body's mesh, in its frame
    private readonly count: number;
    private readonly quaternion = new Float64Array(4);

    constructor(private readonly header: Header) {
        this.count = header.bodies.length;
        this.positions = new Float64Array(3 * this.count);
        this.rotations = new Int32Array(3 * this.count);
        this.farPlaces = new Float64Array(3 * this.count);
        this.middles = new Float64Array(3 * this.count);
        header.bodies.forEach((body, i) => this.middles.set(header.meshes[body.mesh].middle, 3 * i));
    }

    // Takes the list of a frame and puts the bodies that are in it into `states`. Returns whether it is one; if not,
    // the poses are those of no frame.
    take(reader: ByteReader, key: boolean, states: Float32Array): boolean {
        let next = 0;
        if (key) {
            this.positions.fill(0);
            this.rotations.fill(0);
        }
        while (reader.left > 0) {
            const head = reader.varint();
            const body = next + Math.floor(head / 8);
            if (reader.failed || body >= this.count || (key && body !== next)) {
                return false;
            }
            const isFar = (head & 1) !== 0;
            if (!this.takePosition(reader, body, isFar) || !this.takeRotation(reader, body)) {
                return false;
            }
            this.put(body, (head >>> 1) & 3, isFar, states);
            next = body + 1;
        }
        return !key || next === this.count;
    }

    // Numbers out of range would not come from a writer, and their sums would not stay exact.
    private takePosition(reader: ByteReader, body: number, isFar: boolean): boolean {
        for (let at = 3 * body; at < 3 * body + 3; ++at) {
            const place = isFar ? reader.f64() : 0;
            const units = isFar ? 0 : this.positions[at] + reader.signed();
            if (!Number.isFinite(place) || Math.abs(units) > FAR) {
                return false;
            }
            this.positions[at] = units;
            this.farPlaces[at] = place;
        }
        return !reader.failed;
    }

    private takeRotation(reader: ByteReader, body: number): boolean {
        let square = 0;
        for (let at = 3 * body; at < 3 * body + 3; ++at) {
            const steps = this.rotations[at] + reader.signed();
            if (Math.abs(steps) > TURN_MOST) {
                return false;
            }
            this.rotations[at] = steps;
            square += steps * steps;
        }
        return !reader.failed && square < TURN_SQUARE_MOST;
    }

    private put(body: number, largest: number, isFar: boolean, states: Float32Array): void {
        const q = this.quaternion;
        const at = 3 * body;
        let square = 0;
        for (let k = 0, from = at; k < 4; ++k) {
            if (k !== largest) {
                q[k] = this.rotations[from++] * TURN_STEP;
                square += q[k] * q[k];
            }
        }
        q[largest] = Math.sqrt(Math.max(0, 1 - square));

        // The middle, turned: m + 2 v x (v x m + w m), with v and w of the quaternion.
        const [x, y, z, w] = [q[0], q[1], q[2], q[3]];
        const [mx, my, mz] = [this.middles[at], this.middles[at + 1], this.middles[at + 2]];
        const tx = y * mz - z * my + w * mx;
        const ty = z * mx - x * mz + w * my;
        const tz = x * my - y * mx + w * mz;
        const to = body * STATE_SIZE;
        states[to] = this.place(at, 0, isFar) + mx + 2 * (y * tz - z * ty);
        states[to + 1] = this.place(at, 1, isFar) + my + 2 * (z * tx - x * tz);
        states[to + 2] = this.place(at, 2, isFar) + mz + 2 * (x * ty - y * tx);
        states[to + 4] = x;
        states[to + 5] = y;
        states[to + 6] = z;
        states[to + 7] = w;
    }

    // In the world, less the origin.
    private place(at: number, k: number, isFar: boolean): number {
        const { origin, unit } = this.header;
        const world = isFar ? this.farPlaces[at + k] : origin[k] + this.positions[at + k] * unit;
        return world - origin[k];
    }
}
