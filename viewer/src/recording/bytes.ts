// Takes little-endian numbers, texts and varints from bytes that end. The first failure is remembered and zeros
// follow, so that a row of takes is followed by one check.
const VARINT_MOST_BYTES = 8;
const texts = new TextDecoder();

export class ByteReader {
    failed = false; // more was asked for than there is, or it was no number
    private readonly view: DataView;

    constructor(
        readonly bytes: Uint8Array,
        public at = 0,
        public end = bytes.length,
    ) {
        this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }

    get left(): number {
        return this.end - this.at;
    }

    // Steps over `size` bytes and returns where they begin, or -1.
    skip(size: number): number {
        if (this.failed || this.end - this.at < size) {
            this.failed = true;
            return -1;
        }
        const begin = this.at;
        this.at += size;
        return begin;
    }

    u8(): number {
        const at = this.skip(1);
        return at < 0 ? 0 : this.bytes[at];
    }

    u16(): number {
        const at = this.skip(2);
        return at < 0 ? 0 : this.bytes[at] | (this.bytes[at + 1] << 8);
    }

    u32(): number {
        const at = this.skip(4);
        return at < 0 ? 0 : this.view.getUint32(at, true);
    }

    // Exact below 2^53.
    u64(): number {
        const at = this.skip(8);
        return at < 0 ? 0 : this.view.getUint32(at, true) + this.view.getUint32(at + 4, true) * 2 ** 32;
    }

    bits64(): bigint {
        const at = this.skip(8);
        return at < 0 ? 0n : this.view.getBigUint64(at, true);
    }

    f32(): number {
        const at = this.skip(4);
        return at < 0 ? 0 : this.view.getFloat32(at, true);
    }

    f64(): number {
        const at = this.skip(8);
        return at < 0 ? 0 : this.view.getFloat64(at, true);
    }

    // Fails where there is no text of that length that ends with its only zero.
    text(): string {
        const length = this.u64();
        const end = this.at + length;
        if (this.failed || length >= this.left || this.bytes.indexOf(0, this.at) !== end) {
            this.failed = true;
            return '';
        }
        const text = texts.decode(this.bytes.subarray(this.at, end));
        this.at = end + 1;
        return text;
    }

    // Exact below 2^53; what is more is no number that a writer puts, and is out of range wherever it is used.
    varint(): number {
        const { bytes, end } = this;
        let at = this.at;
        if (at < end && bytes[at] < 0x80) {
            this.at = at + 1;
            return bytes[at];
        }
        let number = 0;
        let scale = 1;
        for (let i = 0; i < VARINT_MOST_BYTES && at < end; ++i) {
            const byte = bytes[at++];
            number += (byte & 0x7f) * scale;
            if (byte < 0x80) {
                this.at = at;
                return number;
            }
            scale *= 128;
        }
        this.failed = true;
        return 0;
    }

    signed(): number {
        const number = this.varint();
        return number % 2 === 0 ? number / 2 : -(number + 1) / 2;
    }
}
