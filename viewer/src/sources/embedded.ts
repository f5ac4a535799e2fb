// A recording inside the page: gzipped, in base64.
import { SourceError } from './error';
import { streamPieces, withPauses } from './pause';
import type { PieceOptions } from '../source';

const LETTERS_PER_PIECE = 1 << 18; // of base64; a multiple of 4, so that each piece stands alone

// Newer than the types that TypeScript comes with.
type Base64Decoder = { fromBase64?: (text: string) => Uint8Array };

function decodeBase64(text: string): Uint8Array {
    const { fromBase64 } = Uint8Array as Base64Decoder;
    if (fromBase64) {
        return fromBase64.call(Uint8Array, text);
    }
    const letters = atob(text);
    const bytes = new Uint8Array(letters.length);
    for (let i = 0; i < bytes.length; ++i) {
        bytes[i] = letters.charCodeAt(i);
    }
    return bytes;
}

// Gzip ends with the size of what is in it, modulo 2^32, as a little-endian number.
export function embeddedSize(text: string): number | null {
    try {
        const end = decodeBase64(text.slice(-12)); // seven bytes at least: an ending may be two short
        return end.length < 4
            ? null
            : new DataView(end.buffer, end.byteOffset + end.length - 4).getUint32(0, true);
    } catch {
        return null; // it is damaged: embeddedPieces will tell
    }
}

export async function* embeddedPieces(text: string, options: PieceOptions): AsyncGenerator<Uint8Array> {
    let at = 0;
    const packed = new ReadableStream<BufferSource>({
        pull(controller) {
            if (at >= text.length) {
                controller.close();
                return;
            }
            controller.enqueue(decodeBase64(text.slice(at, at + LETTERS_PER_PIECE)) as BufferSource);
            at += LETTERS_PER_PIECE;
        },
    });
    const unpacked = packed.pipeThrough(new DecompressionStream('gzip'));
    try {
        yield* withPauses(streamPieces(unpacked), options.signal);
    } catch (error) {
        throw new SourceError(
            `The recording inside this page is damaged near byte ${at} of ${text.length} ` +
                `(as base64): ${String(error)}. The frames before that place are shown.`,
        );
    }
}
