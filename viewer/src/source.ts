// Where the bytes of a recording come from: out of the page itself, from the program that serves it while the
// simulation still runs, or from a file that the user gives. For each there is a Source:
//
//     const source = openSource() ?? ...;          // null: the page came without a recording
//     const reader = createReader();               // recording/reader.ts
//     try {
//         for await (const piece of source.pieces({ signal, onTrouble })) {
//             reader.push(piece);                  // reader.recording is there once its header is whole
//             showProgress(reader.bytesRead, source.size);
//         }
//     } catch (error) {                            // a SourceError: its message is for people
//         ...
//     }
//     reader.end();                                // what came until then is still shown
//
// Between pieces the page gets time to draw, a few dozen times per second. `tandem view` puts the data in place of
// the marker that index.html has for it, as one of
//
//     <script id="tandem-data" type="application/octet-stream" data-name="cows.rec"
//             data-encoding="gzip-base64">(the recording, gzipped, in base64 without line breaks)</script>
//     <script id="tandem-data" type="application/octet-stream" data-name="cows.rec" data-live="recording"></script>
//
// and beside it, if triangles are to be pointed out,
//
//     <script id="tandem-highlights" type="application/json">(Highlights of recording/types.ts)</script>
import { embeddedPieces, embeddedSize } from './sources/embedded';
import { filePieces } from './sources/file';
import { livePieces } from './sources/live';
import { SourceError } from './sources/error';
import type { Highlights } from './recording/types';

export { SourceError };

export interface PieceOptions {
    // Ends the pieces early, without an error.
    readonly signal?: AbortSignal;
    // Live only: a sentence on why no bytes come at the moment ("" once they come again). Reading goes on by itself.
    readonly onTrouble?: (message: string) => void;
}

export interface Source {
    readonly name: string; // of the recording's file
    readonly live: boolean; // it may still grow
    readonly size: number | null; // bytes of the whole recording; null: nobody knows yet
    // The bytes, in order. To be called once. Throws a SourceError where no more can be had though there should be.
    pieces(options?: PieceOptions): AsyncIterable<Uint8Array>;
}

// The recording that came with the page; null if none did. Throws a SourceError if it is not what is said above.
export function openSource(page: Document = document): Source | null {
    const element = page.getElementById('tandem-data');
    if (!element) {
        return null;
    }
    const name = element.dataset['name'] ?? 'recording';
    const live = element.dataset['live'];
    if (live !== undefined) {
        const address = new URL(live, page.baseURI);
        return { name, live: true, size: null, pieces: (options = {}) => livePieces(address, options) };
    }
    const encoding = element.dataset['encoding'];
    if (encoding !== 'gzip-base64') {
        throw new SourceError(
            `The recording inside this page is encoded as "${encoding ?? ''}", which this page cannot read: ` +
                'expected "gzip-base64".',
        );
    }
    const text = (element.textContent ?? '').trim();
    return {
        name,
        live: false,
        size: embeddedSize(text),
        pieces: (options = {}) => embeddedPieces(text, options),
    };
}

// A file that was chosen or dropped on the page.
export function openFile(file: File): Source {
    return {
        name: file.name,
        live: false,
        size: file.size,
        pieces: (options = {}) => filePieces(file, options),
    };
}

// The triangles to point out that came with the page; null if none did.
export function readHighlights(page: Document = document): Highlights | null {
    const element = page.getElementById('tandem-highlights');
    if (!element) {
        return null;
    }
    let value: unknown;
    try {
        value = JSON.parse(element.textContent ?? '');
    } catch (error) {
        throw new SourceError(`The highlighted triangles inside this page are no JSON: ${String(error)}.`);
    }
    if (!isHighlights(value)) {
        throw new SourceError(
            'The highlighted triangles inside this page are damaged: expected {"title": text, "frames": ' +
                '[[[triangles of a body], ...], ...]}.',
        );
    }
    return value;
}

function isHighlights(value: unknown): value is Highlights {
    const { title, frames } = (value ?? {}) as { title?: unknown; frames?: unknown };
    const isTriangle = (number: unknown) => Number.isInteger(number) && (number as number) >= 0;
    const isArrayOf = (list: unknown, test: (item: unknown) => boolean) =>
        Array.isArray(list) && list.every(test);
    return (
        typeof title === 'string' &&
        isArrayOf(frames, (bodies) => isArrayOf(bodies, (triangles) => isArrayOf(triangles, isTriangle)))
    );
}
