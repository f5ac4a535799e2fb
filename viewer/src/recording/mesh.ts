// A mesh of a recording: its coordinates as they were simulated, made relative to the middle of its box.
import { allocate } from './memory';
import type { ByteReader } from './bytes';
import type { MeshData, Vector } from './types';

const FLOAT64 = 0;
const FLOAT32 = 1;

// A copy that begins where numbers may. Typed arrays have the byte order of the machine: where browsers run, it is
// that of the file.
function aligned(reader: ByteReader, size: number): ArrayBuffer {
    const begin = reader.skip(size);
    return allocate(() => reader.bytes.slice(begin, begin + size)).buffer as ArrayBuffer;
}

function findBox(positions: Float32Array | Float64Array): { middle: Vector; halfSize: Vector } {
    const lower: Vector = [Infinity, Infinity, Infinity];
    const upper: Vector = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i < positions.length; ++i) {
        const k = i % 3;
        lower[k] = Math.min(lower[k], positions[i]);
        upper[k] = Math.max(upper[k], positions[i]);
    }
    const halfSize = lower.map((low, k) => 0.5 * upper[k] - 0.5 * low) as Vector;
    const middle = lower.map((low, k) => low + halfSize[k]) as Vector;
    return { middle, halfSize };
}

// The mesh, or what is wrong with it.
export function readMesh(reader: ByteReader): MeshData | string {
    const name = reader.text();
    const scalar = reader.u32();
    const vertexCount = reader.u32();
    const triangleCount = reader.u32();
    const vertexBytes = scalar === FLOAT32 ? 12 : 24;
    const known = scalar === FLOAT32 || scalar === FLOAT64;
    const size = vertexCount * vertexBytes + triangleCount * 12;
    if (reader.failed || !known || triangleCount === 0 || reader.left !== size) {
        return 'has not the size that its counts and its name tell';
    }
    const vertices = aligned(reader, vertexCount * vertexBytes);
    const exact = scalar === FLOAT32 ? new Float32Array(vertices) : new Float64Array(vertices);
    const triangles = new Uint32Array(aligned(reader, triangleCount * 12));
    if (!exact.every(Number.isFinite)) {
        return 'has a coordinate that is not finite';
    }
    if (!triangles.every((vertex) => vertex < vertexCount)) {
        return 'has a triangle with a vertex that is not there';
    }
    const { middle, halfSize } = findBox(exact);
    const positions = allocate(() => new Float32Array(exact.length));
    for (let i = 0; i < exact.length; ++i) {
        positions[i] = exact[i] - middle[i % 3];
    }
    return { name, middle, halfSize, positions, triangles };
}
