// Blocks of a coordinate of up to 128 vertices in a row, as differences from what the last frames and the vertices
// before let expect. The same arithmetic as src/io/record_block.c: modulo 2^32, in int32.
import { RICE_PARAMETERS, type BitReader } from './bits';
import type { ByteReader } from './bytes';

export const BLOCK_VERTICES = 128;
const SPARSE = 14;
const ZERO = 15;
const VERTEX_ORDERS = 3;

const rest = new Int32Array(BLOCK_VERTICES); // signs folded

function unfold(number: number): number {
    return (number >>> 1) ^ -(number & 1);
}

// A coordinate of all vertices in the last frame, the one before and the one before that.
export type History = readonly [Int32Array, Int32Array, Int32Array];

function predict(history: History, order: number, vertex: number): number {
    const [p1, p2, p3] = history;
    switch (order) {
        case 0:
            return 0;
        case 1:
            return p1[vertex];
        case 2:
            return (2 * p1[vertex] - p2[vertex]) | 0;
        default:
            return (3 * p1[vertex] - 3 * p2[vertex] + p3[vertex]) | 0;
    }
}

function takeSparse(bits: BitReader, reader: ByteReader, count: number): boolean {
    const parameter = bits.take(4);
    if (parameter >= RICE_PARAMETERS) {
        return false;
    }
    rest.fill(0, 0, count);
    for (let next = 0; next < count; ) {
        const gap = bits.rice(parameter) >>> 0;
        if (reader.failed || gap > count - next) {
            return false;
        }
        next += gap;
        if (next < count) {
            rest[next] = bits.rice(0) + 1;
            if (rest[next++] === 0) {
                return false; // beyond 32 bits
            }
        }
    }
    return true;
}

// Takes the block of the vertices from `first` on into `values`. History is null in a key frame: all is expected to be 0.
// Returns whether it is one.
export function takeBlock(
    bits: BitReader,
    reader: ByteReader,
    values: Int32Array,
    history: History | null,
    first: number,
    count: number,
): boolean {
    const head = bits.take(8);
    const code = head & 15;
    const along = head >> 6;
    const order = history ? (head >> 4) & 3 : 0;
    if (along >= VERTEX_ORDERS) {
        return false;
    }
    if (code === SPARSE) {
        if (!takeSparse(bits, reader, count)) {
            return false;
        }
    } else if (code === ZERO) {
        rest.fill(0, 0, count);
    } else {
        for (let i = 0; i < count; ++i) rest[i] = bits.rice(code);
    }
    if (reader.failed) {
        return false;
    }
    const expected = history ?? [values, values, values]; // of order 0, which reads nothing
    const difference = (vertex: number) =>
        vertex < 0 ? 0 : (values[vertex] - predict(expected, order, vertex)) | 0;
    let before = difference(first - 1);
    let second = difference(first - 2);
    for (let i = 0; i < count; ++i) {
        const trend = along === 0 ? 0 : along === 1 ? before : 2 * before - second;
        const now = (unfold(rest[i]) + trend) | 0;
        values[first + i] = (now + predict(expected, order, first + i)) | 0;
        second = before;
        before = now;
    }
    return true;
}
