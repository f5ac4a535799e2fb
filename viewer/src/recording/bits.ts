// Takes numbers of some bits from the bytes of a reader: from the lowest bit of a byte on, numbers with their lowest
// bit first; and Rice numbers, which are short where they are small. Zeros follow a failure of the reader.
import type { ByteReader } from './bytes';

const RICE_ESCAPE = 16; // zeros; the number follows in 32 bits
export const RICE_PARAMETERS = 14; // 0 to 13

export class BitReader {
    private held = 0; // `count` bits that were taken from the bytes, 31 at most
    private count = 0;

    constructor(private readonly reader: ByteReader) {}

    // 24 at most, as many as there are.
    private hold(wanted: number): void {
        const { reader } = this;
        while (this.count < wanted && reader.at < reader.end) {
            this.held |= reader.bytes[reader.at++] << this.count;
            this.count += 8;
        }
    }

    private drop(count: number): void {
        this.held >>>= count;
        this.count -= count;
    }

    // 16 at most.
    take(count: number): number {
        if (this.count < count) this.hold(count);
        if (this.count < count) this.reader.failed = true;
        if (this.reader.failed) return 0;
        const number = this.held & ((1 << count) - 1);
        this.drop(count);
        return number;
    }

    // As an int32: the lower 32 bits are what counts.
    rice(parameter: number): number {
        if (this.count < RICE_ESCAPE) this.hold(RICE_ESCAPE);
        // The lowest bit that is set, 32 if none is.
        const zeros = this.held === 0 ? 32 : 31 - Math.clz32(this.held & -this.held);
        if (zeros >= RICE_ESCAPE && this.count >= RICE_ESCAPE) {
            this.drop(RICE_ESCAPE);
            const low = this.take(16);
            return low | (this.take(16) << 16);
        }
        if (zeros >= this.count) {
            this.reader.failed = true;
            return 0;
        }
        this.drop(zeros + 1);
        return (zeros << parameter) | this.take(parameter);
    }

    // Behind the last number: gives back the bytes that were not begun. False if what is left of the last one is not
    // zero, or anything failed.
    finish(): boolean {
        this.reader.at -= this.count >> 3;
        const rest = this.held & ((1 << (this.count & 7)) - 1);
        this.held = 0;
        this.count = 0;
        return !this.reader.failed && rest === 0;
    }
}
