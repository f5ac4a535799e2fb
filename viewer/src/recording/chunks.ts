// The chunks that a recording is made of, put together from bytes that come in pieces:
//
//     kind  size  payload  sum
//     4     8     size     4    bytes
//
// The sum is the CRC-32 of kind, size and payload, so that a flipped bit anywhere in the chunk shows.
import { crc32 } from './crc32';
import { allocate } from './memory';

export const CHUNK_HEAD_BYTES = 12;
export const CHUNK_EXTRA_BYTES = 16;

export interface Chunk {
    readonly kind: string; // four letters
    readonly offset: number; // in the file
    readonly intact: boolean; // its sum is that of its bytes
    // Where its payload is. The bytes are the assembler's, or the piece that was pushed: to be copied if kept.
    readonly bytes: Uint8Array;
    readonly begin: number;
    readonly end: number;
}

function readU32(bytes: Uint8Array, at: number): number {
    return (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0;
}

// The size of the chunk at `at`, all of it; of its head as long as that is not there.
function wantedBytes(bytes: Uint8Array, at: number, end: number): number {
    return end - at < CHUNK_HEAD_BYTES
        ? CHUNK_HEAD_BYTES
        : readU32(bytes, at + 4) + readU32(bytes, at + 8) * 2 ** 32 + CHUNK_EXTRA_BYTES;
}

function chunkAt(bytes: Uint8Array, at: number, size: number, offset: number): Chunk {
    const end = at + size - 4;
    return {
        kind: String.fromCharCode(bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]),
        offset,
        intact: crc32(bytes, at, end) === readU32(bytes, end),
        bytes,
        begin: at + CHUNK_HEAD_BYTES,
        end,
    };
}

export class ChunkAssembler {
    // The beginning of a chunk of which the rest has not come yet. It grows with what there is, not with what the
    // chunk says it will be.
    private waiting = new Uint8Array(1024);
    private waitingSize = 0;

    constructor(private offset: number) {}

    // Where the next chunk begins in the file, and how much of it is there.
    get nextOffset(): number {
        return this.offset;
    }
    get nextBytes(): number {
        return this.waitingSize;
    }
    // As far as it is there, and its head is.
    get nextKind(): string | null {
        return this.waitingSize < 4 ? null : String.fromCharCode(...this.waiting.subarray(0, 4));
    }

    // Gives every chunk that became whole to `take`, until that returns false.
    push(piece: Uint8Array, take: (chunk: Chunk) => boolean): void {
        let at = 0;
        while (this.waitingSize > 0) {
            const wanted = wantedBytes(this.waiting, 0, this.waitingSize);
            if (wanted === this.waitingSize) {
                const chunk = chunkAt(this.waiting, 0, wanted, this.offset);
                const goOn = take(chunk);
                this.waitingSize = 0;
                this.offset += wanted;
                if (!goOn) {
                    return;
                }
            } else if (at < piece.length) {
                const more = Math.min(wanted - this.waitingSize, piece.length - at);
                this.keep(piece, at, at + more);
                at += more;
            } else {
                return;
            }
        }
        for (;;) {
            const wanted = wantedBytes(piece, at, piece.length);
            if (wanted > piece.length - at) {
                this.keep(piece, at, piece.length);
                return;
            }
            const chunk = chunkAt(piece, at, wanted, this.offset);
            const goOn = take(chunk);
            at += wanted;
            this.offset += wanted;
            if (!goOn) {
                return;
            }
        }
    }

    private keep(piece: Uint8Array, begin: number, end: number): void {
        const size = this.waitingSize + end - begin;
        if (size > this.waiting.length) {
            const larger = allocate(() => new Uint8Array(2 * size));
            larger.set(this.waiting.subarray(0, this.waitingSize));
            this.waiting = larger;
        }
        this.waiting.set(piece.subarray(begin, end), this.waitingSize);
        this.waitingSize = size;
    }
}
