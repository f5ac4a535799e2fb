// Where the vertices of soft bodies are: whole numbers of each body's unit from the origin of the recording, over the
// last frames (docs/file-formats.md, "Positions"). The same arithmetic as src/io/record_soft.c.
import { BitReader } from './bits';
import { BLOCK_VERTICES, takeBlock, type History } from './blocks';
import { allocate } from './memory';
import type { ByteReader } from './bytes';
import type { Header } from './header';

const HISTORY = 3; // frames before this one that are looked at

interface SoftBody {
    readonly vertexCount: number;
    readonly unit: number; // m
    // This frame and those before it, the last one first: x of all vertices, then y, then z.
    frames: Int32Array[];
    farAt: Float64Array | null; // if it is far: x y z per vertex, m, in the world
}

// What decoding goes on from.
export interface Checkpoint {
    readonly frame: number;
    readonly bytes: number;
    readonly age: number;
    readonly frames: readonly (readonly Int32Array[])[]; // by soft body
}

export class SoftBodies {
    private readonly items: SoftBody[];
    private age = 0; // frames from the last key frame on, HISTORY at most

    constructor(private readonly header: Header) {
        this.items = header.bodies.flatMap(({ kind, mesh, unit }) =>
            kind === 'soft'
                ? [{ vertexCount: header.meshes[mesh].positions.length / 3, unit, frames: [], farAt: null }]
                : [],
        );
    }

    get count(): number {
        return this.items.length;
    }

    // Takes the list of a frame, up to the reader's end. Returns whether it is one; if not, the bodies are nowhere until
    // the next key frame.
    take(reader: ByteReader, key: boolean): boolean {
        let next = 0;
        this.items.forEach(shift);
        while (reader.left > 0) {
            const head = reader.varint();
            const body = next + Math.floor(head / 2);
            if (reader.failed || body >= this.count || (key && body !== next)) {
                return false;
            }
            for (; next < body; ++next) keep(this.items[next]);
            if (!this.takeBody(this.items[next++], reader, key, head % 2 === 1)) {
                return false;
            }
        }
        if (key && next !== this.count) {
            return false;
        }
        for (; next < this.count; ++next) keep(this.items[next]);
        this.age = key ? 1 : Math.min(this.age + 1, HISTORY);
        return true;
    }

    // Memory is taken for what is there, not for what a header says there will be.
    private takeBody(body: SoftBody, reader: ByteReader, key: boolean, far: boolean): boolean {
        const { vertexCount } = body;
        const least = far ? 24 * vertexCount : 3 * Math.ceil(vertexCount / BLOCK_VERTICES);
        if (reader.left < least) {
            return false;
        }
        while (body.frames.length <= HISTORY) {
            body.frames.push(allocate(() => new Int32Array(3 * vertexCount)));
        }
        body.farAt = null;
        if (far) {
            return this.takeFar(body, reader);
        }
        return this.takeBlocks(body, reader, key);
    }

    private takeFar(body: SoftBody, reader: ByteReader): boolean {
        const places = allocate(() => new Float64Array(3 * body.vertexCount));
        for (let i = 0; i < places.length; ++i) places[i] = reader.f64();
        body.farAt = places;
        body.frames[0].fill(0);
        return places.every(Number.isFinite);
    }

    private takeBlocks({ vertexCount, frames }: SoftBody, reader: ByteReader, key: boolean): boolean {
        const bits = new BitReader(reader);
        // Frames before the last key frame count as that.
        const part = (back: number, k: number) =>
            frames[Math.min(back, this.age)].subarray(k * vertexCount, (k + 1) * vertexCount);
        const axes = [0, 1, 2].map((k) => ({
            values: frames[0].subarray(k * vertexCount, (k + 1) * vertexCount),
            history: key ? null : ([part(1, k), part(2, k), part(3, k)] as History),
        }));
        for (let first = 0; first < vertexCount; first += BLOCK_VERTICES) {
            const count = Math.min(BLOCK_VERTICES, vertexCount - first);
            for (const { values, history } of axes) {
                if (!takeBlock(bits, reader, values, history, first, count)) {
                    return false;
                }
            }
        }
        return bits.finish();
    }

    // Three numbers per vertex, in the world less the origin of the recording, into `out`.
    positions(soft: number, out: Float32Array): void {
        const { vertexCount, unit, frames, farAt } = this.items[soft];
        const { origin } = this.header;
        for (let k = 0; k < 3; ++k) {
            const numbers = frames[0].subarray(k * vertexCount, (k + 1) * vertexCount);
            for (let i = 0, to = k; i < vertexCount; ++i, to += 3) {
                out[to] = farAt ? farAt[to] - origin[k] : numbers[i] * unit;
            }
        }
    }

    // The box around the positions, in the world less the origin: its lower and its upper corner, into `out` from `at`.
    box(soft: number, out: Float64Array, at: number): void {
        const { vertexCount, unit, frames, farAt } = this.items[soft];
        const { origin } = this.header;
        for (let k = 0; k < 3; ++k) {
            const numbers = frames[0].subarray(k * vertexCount, (k + 1) * vertexCount);
            let low = Infinity;
            let high = -Infinity;
            for (let i = 0; i < vertexCount; ++i) {
                const place = farAt ? farAt[3 * i + k] - origin[k] : numbers[i] * unit;
                if (place < low) low = place;
                if (place > high) high = place;
            }
            out[at + k] = low;
            out[at + 3 + k] = high;
        }
    }

    // Null where a body is far: its places are no numbers to go on from, and it seldom is.
    checkpoint(frame: number): Checkpoint | null {
        if (this.items.some(({ farAt }) => farAt)) {
            return null;
        }
        const frames = this.items.map((body) =>
            body.frames.slice(0, HISTORY).map((numbers) => allocate(() => numbers.slice())),
        );
        const bytes = frames.flat().reduce((sum, numbers) => sum + numbers.byteLength, 0);
        return { frame, bytes, age: this.age, frames };
    }

    // What checkpoint() kept is this frame again.
    goTo(checkpoint: Checkpoint): void {
        this.age = checkpoint.age;
        this.items.forEach((body, soft) => {
            body.farAt = null;
            const kept = checkpoint.frames[soft];
            while (body.frames.length <= HISTORY) {
                body.frames.push(allocate(() => new Int32Array(3 * body.vertexCount)));
            }
            kept.forEach((numbers, i) => body.frames[i].set(numbers));
        });
    }
}

// This frame becomes the last; it is to be filled in again.
function shift(body: SoftBody): void {
    const oldest = body.frames.pop();
    if (oldest) body.frames.unshift(oldest);
}

function keep(body: SoftBody): void {
    body.frames[0].set(body.frames[1]);
}
