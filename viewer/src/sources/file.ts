// A recording in a file of the user.
import { SourceError } from './error';
import { streamPieces, withPauses } from './pause';
import type { PieceOptions } from '../source';

export async function* filePieces(file: File, options: PieceOptions): AsyncGenerator<Uint8Array> {
    try {
        yield* withPauses(streamPieces(file.stream()), options.signal);
    } catch (error) {
        throw new SourceError(`${file.name} cannot be read any further: ${String(error)}.`);
    }
}
