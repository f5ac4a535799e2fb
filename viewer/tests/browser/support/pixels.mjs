// Pictures of the page as numbers: a reader of the PNG files that browsers make (8 bits, red, green, blue and maybe
// opacity, not interlaced).
import assert from 'node:assert/strict';
import { inflateSync } from 'node:zlib';

function paeth(left, above, corner) {
    const a = Math.abs(above - corner);
    const b = Math.abs(left - corner);
    const c = Math.abs(left + above - 2 * corner);
    return a <= b && a <= c ? left : b <= c ? above : corner;
}

// By number: what a byte is told relative to.
const PREDICTIONS = [
    null,
    (left) => left,
    (_, above) => above,
    (left, above) => (left + above) >> 1,
    (left, above, corner) => paeth(left, above, corner),
];

function chunksOf(file) {
    const chunks = { data: [] };
    for (let at = 8; at < file.length; ) {
        const size = file.readUInt32BE(at);
        const kind = file.toString('latin1', at + 4, at + 8);
        const content = file.subarray(at + 8, at + 8 + size);
        if (kind === 'IHDR') {
            chunks.header = content;
        } else if (kind === 'IDAT') {
            chunks.data.push(content);
        }
        at += size + 12;
    }
    return chunks;
}

export class Picture {
    constructor(file) {
        const { header, data } = chunksOf(file);
        this.width = header.readUInt32BE(0);
        this.height = header.readUInt32BE(4);
        assert.ok(
            header[8] === 8 && [2, 6].includes(header[9]) && header[12] === 0,
            'a kind of PNG not known here',
        );
        this.parts = header[9] === 2 ? 3 : 4;
        this.rows = this.unfilter(inflateSync(Buffer.concat(data)));
    }

    // Each row begins with how its bytes were predicted.
    unfilter(bytes) {
        const length = this.width * this.parts;
        const rows = [];
        let above = new Uint8Array(length);
        for (let y = 0; y < this.height; ++y) {
            const start = y * (length + 1);
            const row = Uint8Array.from(bytes.subarray(start + 1, start + 1 + length));
            const predict = PREDICTIONS[bytes[start]];
            for (let i = 0; predict && i < length; ++i) {
                const first = i < this.parts;
                row[i] += predict(
                    first ? 0 : row[i - this.parts],
                    above[i],
                    first ? 0 : above[i - this.parts],
                );
            }
            rows.push(row);
            above = row;
        }
        return rows;
    }

    at(x, y) {
        const [column, row] = [Math.round(x), Math.round(y)];
        const inside = column >= 0 && row >= 0 && column < this.width && row < this.height;
        assert.ok(inside, `(${x}, ${y}) is in the picture of ${this.width} x ${this.height}`);
        return [...this.rows[row].subarray(column * this.parts, column * this.parts + 3)];
    }

    // The share of pixels that differ from another picture's by more than a trace.
    differenceFrom(other, trace = 12) {
        assert.deepEqual([this.width, this.height], [other.width, other.height]);
        let differing = 0;
        this.rows.forEach((row, y) => {
            const others = other.rows[y];
            const apart = (i) => Math.abs(row[i] - others[i]) > trace;
            for (let i = 0; i < row.length; i += this.parts) {
                differing += apart(i) || apart(i + 1) || apart(i + 2) ? 1 : 0;
            }
        });
        return differing / (this.width * this.height);
    }

    // Calls back with the place and colour of each pixel.
    forEach(call) {
        for (let y = 0; y < this.height; ++y) {
            for (let x = 0; x < this.width; ++x) {
                const at = x * this.parts;
                call(x, y, this.rows[y][at], this.rows[y][at + 1], this.rows[y][at + 2]);
            }
        }
    }
}

// What is on the canvas and what lies over it, in CSS pixels from the canvas's corner.
export async function pictureOf(page) {
    const clip = await page.locator('canvas.stage').boundingBox();
    return new Picture(await page.screenshot({ clip }));
}

// ---------------------------------------------------------------------------------------------------------
// Colours and shapes

// How far a colour is from grey: 0 to 1.
export function strength([red, green, blue]) {
    const high = Math.max(red, green, blue);
    return high === 0 ? 0 : (high - Math.min(red, green, blue)) / high;
}

// Degrees.
export function hue([red, green, blue]) {
    const angle = Math.atan2(Math.sqrt(3) * (green - blue), 2 * red - green - blue);
    return ((angle * 180) / Math.PI + 360) % 360;
}

export const hueApart = (one, two) => Math.abs(((one - two + 540) % 360) - 180);

// The connected parts of a picture whose pixels are of a kind, those of some size: the middle of each part's box,
// its size in pixels, its mean colour, and the direction it is long in (radians, from x to y, which goes down).
export function shapesOf(picture, isOfKind, leastSize = 60) {
    const { width, height } = picture;
    const kind = new Uint8Array(width * height);
    picture.forEach((x, y, ...colour) => (kind[y * width + x] = isOfKind(colour) ? 1 : 0));
    const shapes = [];
    for (let start = 0; start < kind.length; ++start) {
        if (kind[start] === 1) {
            const pixels = flood(kind, width, start);
            if (pixels.length >= leastSize) {
                shapes.push(measure(pixels, picture));
            }
        }
    }
    return shapes;
}

function flood(kind, width, start) {
    const pixels = [start];
    kind[start] = 2;
    for (let i = 0; i < pixels.length; ++i) {
        const x = pixels[i] % width;
        const near = [pixels[i] - width, pixels[i] + width];
        near.push(...(x > 0 ? [pixels[i] - 1] : []), ...(x < width - 1 ? [pixels[i] + 1] : []));
        for (const next of near) {
            if (kind[next] === 1) {
                kind[next] = 2;
                pixels.push(next);
            }
        }
    }
    return pixels;
}

function measure(pixels, picture) {
    const places = pixels.map((pixel) => [pixel % picture.width, Math.floor(pixel / picture.width)]);
    const mean = (of) => places.reduce((sum, place) => sum + of(place), 0) / places.length;
    const [middleX, middleY] = [mean(([x]) => x), mean(([, y]) => y)];
    const xx = mean(([x]) => (x - middleX) ** 2);
    const yy = mean(([, y]) => (y - middleY) ** 2);
    const xy = mean(([x, y]) => (x - middleX) * (y - middleY));
    const bounds = (axis) => {
        const all = places.map((place) => place[axis]);
        return all.reduce(([low, high], one) => [Math.min(low, one), Math.max(high, one)], [Infinity, 0]);
    };
    const colour = [0, 1, 2].map((part) => mean(([x, y]) => picture.at(x, y)[part]));
    // Pixels are half a pixel to the right and below of their numbers.
    const [x, y] = [0, 1].map((axis) => (bounds(axis)[0] + bounds(axis)[1] + 1) / 2);
    return { x, y, size: pixels.length, colour, angle: Math.atan2(2 * xy, xx - yy) / 2 };
}
