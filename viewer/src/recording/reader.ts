// Reads a recording from bytes that come in pieces of any size: the start of the file, the header, the frames, the
// end mark. Every chunk is checked by its sum. The first part that is damaged or makes no sense ends the recording
// before it; nothing that is wrong throws.
import { ChunkAssembler } from './chunks';
import { Frames } from './frames';
import { HeaderError, HeaderReader, OLDEST_VERSION, VERSION } from './header';
import { allocate, MemoryError } from './memory';
import type { Chunk } from './chunks';
import type { Problem, Recording, RecordingReader } from './types';

// The first byte is no text and the line ends are of both kinds, so that a transfer that takes the file for text
// shows at once.
const MAGIC = [0x89, 0x54, 0x4e, 0x44, 0x4d, 0x0d, 0x0a, 0x1a];
const START_BYTES = MAGIC.length + 4;

const CUT = 'is not whole: the file ends within it, or its size is damaged';

export function createReader(): RecordingReader {
    return new Reader();
}

function grouped(number: number): string {
    return number.toLocaleString('en');
}

class Reader implements RecordingReader {
    bytesRead = 0;
    private readonly start = new Uint8Array(START_BYTES);
    private startSize = 0;
    private readonly chunks = new ChunkAssembler(START_BYTES);
    private readonly header = new HeaderReader();
    private frames: Frames | null = null;
    private trouble: { what: string; offset: number } | null = null;

    get recording(): Recording | null {
        return this.frames;
    }

    get problem(): Problem | null {
        return this.trouble && { ...this.trouble, lostBytes: this.bytesRead - this.trouble.offset };
    }

    push(bytes: Uint8Array): void {
        this.bytesRead += bytes.length;
        // Of no class derived from Uint8Array: the methods of Node's are not the same.
        const rest = this.takeStart(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
        if (this.trouble || rest.length === 0) {
            return;
        }
        if (!this.frames?.complete) {
            this.pushChunks(rest);
        }
        if (this.frames?.complete && this.bytesRead > this.chunks.nextOffset) {
            this.stop(
                this.chunks.nextOffset,
                'The file goes on behind its end mark. The recording is shown whole.',
            );
        }
    }

    end(): void {
        if (this.trouble || this.frames?.complete) {
            return;
        }
        const { nextOffset, nextBytes } = this.chunks;
        if (this.startSize < START_BYTES) {
            this.stopAtStart(
                this.startSize === 0
                    ? 'The file is empty: expected a recording.'
                    : `The file ends within its first ${START_BYTES} bytes: expected a recording.`,
            );
        } else if (!this.frames) {
            this.stopInHeader(nextOffset, nextBytes > 0 ? CUT : 'is missing: the file ends before it');
        } else if (nextBytes > 0) {
            this.stopAtFrame(nextOffset, this.chunks.nextKind ?? 'FRAM', CUT);
        } else {
            this.stop(
                nextOffset,
                `The end mark is missing: the simulation was stopped, or is still running. ${this.tellShown()}`,
            );
        }
    }

    // Returns what is behind the magic number and the version.
    private takeStart(bytes: Uint8Array): Uint8Array {
        if (this.startSize === START_BYTES) {
            return bytes;
        }
        const more = Math.min(START_BYTES - this.startSize, bytes.length);
        this.start.set(bytes.subarray(0, more), this.startSize);
        this.startSize += more;
        if (MAGIC.some((byte, i) => i < this.startSize && byte !== this.start[i])) {
            this.stopAtStart("This is no recording: expected a file that 'tandem simulate' wrote.");
        } else if (this.startSize === START_BYTES) {
            const version = new DataView(this.start.buffer).getUint32(MAGIC.length, true);
            this.header.version = version;
            if (version < OLDEST_VERSION || version > VERSION) {
                this.stopAtStart(
                    `This is a recording of version ${version}, and this page reads versions ${OLDEST_VERSION} ` +
                        `to ${VERSION}: expected one that the same version of 'tandem simulate' wrote.`,
                );
            }
        }
        return bytes.subarray(more);
    }

    private pushChunks(bytes: Uint8Array): void {
        try {
            this.chunks.push(bytes, (chunk) => {
                if (this.frames) {
                    this.takeFrameChunk(this.frames, chunk);
                } else {
                    this.takeHeaderChunk(chunk);
                }
                return !this.trouble && !this.frames?.complete;
            });
        } catch (error) {
            if (!(error instanceof MemoryError)) {
                throw error;
            }
            const full = `does not fit into the memory of this page (${error.message})`;
            const { nextOffset } = this.chunks;
            if (this.frames) {
                this.stopAtFrame(nextOffset, 'FRAM', full);
            } else {
                this.stopInHeader(nextOffset, full);
            }
        }
    }

    private takeHeaderChunk(chunk: Chunk): void {
        try {
            this.header.take(chunk);
        } catch (error) {
            if (!(error instanceof HeaderError)) {
                throw error;
            }
            this.stopInHeader(chunk.offset, error.message);
            return;
        }
        if (this.header.header) {
            const { header } = this.header;
            this.frames = allocate(() => new Frames(header, this));
        }
    }

    private takeFrameChunk(frames: Frames, chunk: Chunk): void {
        const wrong = chunk.intact
            ? this.takeIntactChunk(frames, chunk)
            : 'is damaged: its checksum is wrong';
        if (wrong) {
            this.stopAtFrame(chunk.offset, chunk.kind, wrong);
        }
    }

    private takeIntactChunk(frames: Frames, chunk: Chunk): string | null {
        switch (chunk.kind) {
            case 'KEYF':
            case 'FRAM':
                return frames.takeFrame(chunk);
            case 'TIME':
                return frames.takeTimes(chunk);
            case 'END.':
                return frames.takeEnd(chunk);
            default:
                return `is of no kind that a recording of version ${this.header.version} has`;
        }
    }

    // -----------------------------------------------------------------------------------------------------
    // Sentences: which part, where, what is wrong with it, and what is shown.

    private stop(offset: number, what: string): void {
        this.trouble = { what, offset };
    }

    private stopAtStart(what: string): void {
        this.stop(0, `${what} Nothing can be shown.`);
    }

    private stopInHeader(offset: number, what: string): void {
        const part = `The chunk ${this.header.expected} at byte ${grouped(offset)}`;
        this.stop(offset, `${part} ${what}. Without it nothing can be shown.`);
    }

    private stopAtFrame(offset: number, kind: string, what: string): void {
        this.stop(offset, `${this.tellPart(kind)} at byte ${grouped(offset)} ${what}. ${this.tellShown()}`);
    }

    private tellPart(kind: string): string {
        const count = this.frames?.frameCount ?? 0;
        switch (kind) {
            case 'KEYF':
            case 'FRAM':
                return `Frame ${grouped(count)}`;
            case 'TIME':
                return `The chunk TIME behind frame ${grouped(count - 1)}`;
            case 'END.':
                return 'The end mark';
            default:
                return count > 0 ? `What follows frame ${grouped(count - 1)}` : 'What should be frame 0';
        }
    }

    private tellShown(): string {
        const count = this.frames?.frameCount ?? 0;
        switch (count) {
            case 0:
                return 'Nothing can be shown.';
            case 1:
                return 'Only the start, frame 0, is shown.';
            default:
                return `The ${grouped(count)} frames before it are shown.`;
        }
    }
}
