// Writes the positions of soft bodies as docs/file-formats.md says, each block by a way that is drawn at random, so that
// a reader meets all of them.
import { f64, u8, varint } from './write_recording.mjs';
import { wholeFrom } from './random.mjs';

const BLOCK = 128;

class Bits {
    #bits = [];

    put(number, count) {
        for (let i = 0; i < count; ++i) this.#bits.push(Number((BigInt(number >>> 0) >> BigInt(i)) & 1n));
    }

    rice(number, k) {
        const unsigned = number >>> 0;
        const zeros = Math.floor(unsigned / 2 ** k);
        if (zeros >= 16) {
            this.put(0, 16);
            this.put(unsigned, 32);
            return;
        }
        this.put(0, zeros);
        this.put(1, 1);
        this.put(unsigned % 2 ** k, k);
    }

    get bytes() {
        const bytes = new Uint8Array(Math.ceil(this.#bits.length / 8));
        this.#bits.forEach((bit, i) => (bytes[i >> 3] |= bit << (i & 7)));
        return Buffer.from(bytes);
    }
}

const fold = (n) => (n >= 0 ? 2 * n : -2 * n - 1) >>> 0;

function expectation(order, [p1, p2, p3]) {
    return [0, p1, 2 * p1 - p2, 3 * p1 - 3 * p2 + p3][order] | 0;
}

// rest: folded. code and j: 0 to 15.
function putBlock(bits, rest, order, along, code, j) {
    bits.put(code | (order << 4) | (along << 6), 8);
    if (code === 15) return;
    if (code < 14) {
        rest.forEach((number) => bits.rice(number, code));
        return;
    }
    bits.put(j, 4);
    let next = 0;
    rest.forEach((number, i) => {
        if (number !== 0) {
            bits.rice(i - next, j);
            bits.rice(number - 1, 0);
            next = i + 1;
        }
    });
    if (next < rest.length) bits.rice(rest.length - next, j);
}

// numbers: per soft body and frame, either { at: [x, y, z, x, ...] } (int32) or { far: [x, y, z, ...] } (m).
export class SoftWriter {
    #history = []; // frames since the last key frame, the last one first: numbers by body
    constructor(random) {
        this.random = random;
    }

    list(soft, key) {
        const history = key ? [] : this.#history;
        const parts = [];
        let next = 0;
        soft.forEach((body, i) => {
            const before = history[0]?.[i];
            const same = before && !body.far && !before.far && before.at.every((n, v) => n === body.at[v]);
            if (same) return;
            parts.push(varint(2 * (i - next) + (body.far ? 1 : 0)));
            parts.push(body.far ? f64(...body.far) : this.#blocks(body.at, history, i));
            next = i + 1;
        });
        const kept = soft.map((body) => (body.far ? { far: true, at: body.far.map(() => 0) } : body));
        this.#history = [kept, ...history].slice(0, 3);
        return parts.length > 0 ? Buffer.concat(parts) : u8();
    }

    #blocks(at, history, body) {
        const bits = new Bits();
        const vertices = at.length / 3;
        const past = (back, v, k) =>
            history.length === 0 ? 0 : history[Math.min(back, history.length - 1)][body].at[3 * v + k];
        for (let first = 0; first < vertices; first += BLOCK) {
            const count = Math.min(BLOCK, vertices - first);
            for (let k = 0; k < 3; ++k) {
                const order = history.length === 0 ? 0 : wholeFrom(this.random, 0, 3);
                const along = wholeFrom(this.random, 0, 2);
                const d = (v) =>
                    v < 0
                        ? 0
                        : (at[3 * v + k] -
                              expectation(order, [past(0, v, k), past(1, v, k), past(2, v, k)])) |
                          0;
                const rest = Array.from({ length: count }, (_, i) => {
                    const v = first + i;
                    const trend = [0, d(v - 1), 2 * d(v - 1) - d(v - 2)][along];
                    return fold((d(v) - trend) | 0);
                });
                const zero = rest.every((number) => number === 0);
                const code = zero && this.random() < 0.7 ? 15 : wholeFrom(this.random, 0, 14);
                putBlock(bits, rest, order, along, code, wholeFrom(this.random, 0, 13));
            }
        }
        return bits.bytes;
    }
}
