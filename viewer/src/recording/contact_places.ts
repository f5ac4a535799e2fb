// Contacts as they are drawn: where they are in the recording, and which way they push.
import { fromUpperHalf } from './half';
import { STATE_SIZE } from './types';
import type { ContactList } from './contacts';
import type { Header } from './header';
import type { FrameContacts } from './types';

const PLACE_BITS = 10;
const PLACE_MOST = 1023;
const NORMAL_MOST = 254;

// The octahedron |x| + |y| + |z| = 1, seen from above; its lower half is folded outwards.
function putNormal(out: Float32Array, at: number, first: number, second: number): void {
    const u = first * (2 / NORMAL_MOST) - 1;
    const v = second * (2 / NORMAL_MOST) - 1;
    const z = 1 - Math.abs(u) - Math.abs(v);
    const x = z >= 0 ? u : (1 - Math.abs(v)) * (u < 0 ? -1 : 1);
    const y = z >= 0 ? v : (1 - Math.abs(u)) * (v < 0 ? -1 : 1);
    const length = Math.sqrt(x * x + y * y + z * z);
    out[at] = x / length;
    out[at + 1] = y / length;
    out[at + 2] = z / length;
}

// A place in the box with these corners, widened by an eighth of its diagonal.
function putInBox(out: Float32Array, at: number, where: number, box: Float64Array): void {
    const margin = 0.125 * Math.hypot(box[3] - box[0], box[4] - box[1], box[5] - box[2]);
    for (let k = 0; k < 3; ++k) {
        const steps = (where >>> (k * PLACE_BITS)) & PLACE_MOST;
        const low = box[k] - margin;
        out[at + k] = low + steps * ((box[3 + k] + margin - low) / PLACE_MOST);
    }
}

export class ContactPlaces {
    // Per mesh: the square of its box's diagonal; and the wider box that places are steps of, relative to the box's
    // middle: its lower corner and the size of a step, along each axis.
    private readonly squares: Float64Array;
    private readonly corners: Float64Array;
    private readonly steps: Float64Array;
    private readonly meshOf: Uint32Array;
    private readonly softOf: Int32Array; // the place of a body among the soft ones, or -1
    private points = new Float32Array();
    private normals = new Float32Array();
    private impulses = new Float32Array();

    constructor({ meshes, bodies }: Header) {
        this.meshOf = Uint32Array.from(bodies, (body) => body.mesh);
        let soft = 0;
        this.softOf = Int32Array.from(bodies, ({ kind }) => (kind === 'soft' ? soft++ : -1));
        this.squares = new Float64Array(meshes.length);
        this.corners = new Float64Array(3 * meshes.length);
        this.steps = new Float64Array(3 * meshes.length);
        meshes.forEach(({ halfSize }, mesh) => {
            const square = halfSize.reduce((sum, half) => sum + 2 * half * (2 * half), 0);
            const margin = 0.125 * Math.sqrt(square);
            this.squares[mesh] = square;
            halfSize.forEach((half, k) => {
                this.corners[3 * mesh + k] = -half - margin;
                this.steps[3 * mesh + k] = (2 * half + 2 * margin) / PLACE_MOST;
            });
        });
    }

    // softBox: of the frame, by the body's place among the soft ones. Valid until the next call.
    place(list: ContactList, states: Float32Array, softBox: (soft: number) => Float64Array): FrameContacts {
        const { count } = list;
        if (3 * count > this.points.length) {
            const size = Math.ceil(1.5 * count);
            this.points = new Float32Array(3 * size);
            this.normals = new Float32Array(3 * size);
            this.impulses = new Float32Array(size);
        }
        for (let i = 0; i < count; ++i) {
            this.putPoint(i, list, states, softBox);
            putNormal(this.normals, 3 * i, list.normals[2 * i], list.normals[2 * i + 1]);
            this.impulses[i] = fromUpperHalf(list.impulses[i]);
        }
        return {
            count,
            a: list.a.subarray(0, count),
            b: list.b.subarray(0, count),
            points: this.points.subarray(0, 3 * count),
            normals: this.normals.subarray(0, 3 * count),
            impulses: this.impulses.subarray(0, count),
        };
    }

    // From the frame of the smaller body's mesh, or from the box around its vertices in the world.
    private putPoint(
        i: number,
        list: ContactList,
        states: Float32Array,
        softBox: (soft: number) => Float64Array,
    ): void {
        const { meshOf, squares, corners, steps } = this;
        const a = list.a[i];
        const b = list.b[i];
        const body = squares[meshOf[b]] < squares[meshOf[a]] ? b : a;
        if (this.softOf[body] >= 0) {
            putInBox(this.points, 3 * i, list.where[i], softBox(this.softOf[body]));
            return;
        }
        const mesh = 3 * meshOf[body];
        const where = list.where[i];
        const px = corners[mesh] + (where & PLACE_MOST) * steps[mesh];
        const py = corners[mesh + 1] + ((where >>> PLACE_BITS) & PLACE_MOST) * steps[mesh + 1];
        const pz = corners[mesh + 2] + ((where >>> (2 * PLACE_BITS)) & PLACE_MOST) * steps[mesh + 2];
        const at = body * STATE_SIZE;
        const x = states[at + 4];
        const y = states[at + 5];
        const z = states[at + 6];
        const w = states[at + 7];
        // Turned: p + 2 v x (v x p + w p), with v and w of the quaternion.
        const tx = y * pz - z * py + w * px;
        const ty = z * px - x * pz + w * py;
        const tz = x * py - y * px + w * pz;
        this.points[3 * i] = states[at] + px + 2 * (y * tz - z * ty);
        this.points[3 * i + 1] = states[at + 1] + py + 2 * (z * tx - x * tz);
        this.points[3 * i + 2] = states[at + 2] + pz + 2 * (x * ty - y * tx);
    }
}
