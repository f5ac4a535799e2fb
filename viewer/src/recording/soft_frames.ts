// The positions of soft bodies by frame. Their bytes are kept, and decoded when they are asked for: frames one after the
// other are cheap, a jump goes on from the last key frame or checkpoint before it.
import { ByteReader } from './bytes';
import { allocate } from './memory';
import { SoftBodies, type Checkpoint } from './soft';
import type { Header } from './header';

// Frames from one checkpoint to the next, and what all of them may take: beyond, there are key frames only.
const CHECKPOINT_FRAMES = 8;
const CHECKPOINT_BYTES = 96 << 20;

export class SoftFrames {
    private readonly bytes: Uint8Array[] = []; // by frame
    private readonly keys: number[] = []; // the last key frame up to each
    private readonly boxes: Float64Array[] = []; // six numbers per soft body
    private readonly checkpoints: Checkpoint[] = []; // by frame
    private checkpointBytes = 0;
    private readonly arriving: SoftBodies;
    private readonly asked: SoftBodies;
    private askedFrame = -1;

    constructor(header: Header) {
        this.arriving = new SoftBodies(header);
        this.asked = new SoftBodies(header);
    }

    get count(): number {
        return this.arriving.count;
    }

    // Takes the list of the next frame, up to the reader's end; if it is one, returns the boxes around the bodies: the
    // lower and the upper corner of each, in the world less the origin.
    take(reader: ByteReader, key: boolean): Float64Array | null {
        const frame = this.bytes.length;
        const begin = reader.at;
        if (!this.arriving.take(reader, key)) {
            return null;
        }
        const boxes = allocate(() => new Float64Array(6 * this.count));
        for (let soft = 0; soft < this.count; ++soft) this.arriving.box(soft, boxes, 6 * soft);
        this.bytes.push(allocate(() => reader.bytes.slice(begin, reader.end)));
        this.keys.push(key ? frame : this.keys[frame - 1]);
        this.boxes.push(boxes);
        this.keepCheckpoint(frame);
        return boxes;
    }

    // The last frame that was taken turned out to be none.
    drop(): void {
        const frame = this.bytes.length - 1;
        for (const list of [this.bytes, this.keys, this.boxes]) list.pop();
        if (this.checkpoints.at(-1)?.frame === frame) this.checkpoints.pop();
    }

    private keepCheckpoint(frame: number): void {
        const since = frame - this.keys[frame];
        if (this.count === 0 || since === 0 || since % CHECKPOINT_FRAMES !== 0) return;
        if (this.checkpointBytes > CHECKPOINT_BYTES) return;
        const checkpoint = this.arriving.checkpoint(frame);
        if (!checkpoint) return;
        this.checkpoints.push(checkpoint);
        this.checkpointBytes += checkpoint.bytes;
    }

    box(frame: number, soft: number): Float64Array {
        return this.boxes[frame].subarray(6 * soft, 6 * soft + 6);
    }

    positions(out: Float32Array, frame: number, soft: number): void {
        this.goTo(frame);
        this.asked.positions(soft, out);
    }

    private goTo(frame: number): void {
        const key = this.keys[frame];
        let last = this.checkpoints.length - 1;
        while (last >= 0 && this.checkpoints[last].frame > frame) --last;
        const checkpoint = this.checkpoints[last];
        const start = Math.max(key, checkpoint?.frame ?? 0);
        let next = this.askedFrame + 1;
        if (this.askedFrame < start || this.askedFrame > frame) {
            if (checkpoint && checkpoint.frame > key) {
                this.asked.goTo(checkpoint);
                next = checkpoint.frame + 1;
            } else {
                next = key;
            }
        }
        for (; next <= frame; ++next) {
            this.asked.take(new ByteReader(this.bytes[next]), this.keys[next] === next);
        }
        this.askedFrame = frame;
    }
}
