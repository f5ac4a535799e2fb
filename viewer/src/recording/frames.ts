// The frames of a recording. States are decoded when they come, contacts when they are asked for: until then their
// bytes are kept.
import { ByteReader } from './bytes';
import { ContactList, isContactList, takeContacts } from './contacts';
import { ContactPlaces } from './contact_places';
import { allocate } from './memory';
import { Rest, takeMotions } from './motions';
import { addToHash, HASH_START, takeNumbers, takeTimes } from './numbers';
import { Poses } from './poses';
import { SoftFrames } from './soft_frames';
import { STATE_SIZE } from './types';
import type { Chunk } from './chunks';
import type { Header } from './header';
import type { GrowingNumbers } from './numbers';
import type { BodyKind, FrameContacts, FrameNumbers, Problem, Recording } from './types';

// States are stored in blocks, so that nothing is moved when frames come.
const BLOCK_FRAMES = 64;
const BLOCK_BYTES = 8 << 20; // a little more if a frame needs it

// What a recording needs to know about the reader of its bytes.
export interface Progress {
    readonly problem: Problem | null;
}

export class Frames implements Recording {
    complete = false;
    private readonly recorded: GrowingNumbers[] = [];
    private readonly views: Float32Array[] = []; // the states, by frame
    private readonly contactBytes: Uint8Array[] = [];
    private readonly keys: number[] = []; // the last key frame up to each
    private hash = HASH_START;

    private readonly kinds: readonly BodyKind[];
    private readonly poses: Poses;
    private readonly rest: Rest;
    private readonly blockFrames: number;
    private block = new Float32Array();
    private blockUsed = 0;

    // The contacts of the frame that was asked for last.
    private readonly places: ContactPlaces;
    readonly softBodies: readonly number[];
    private readonly soft: SoftFrames;
    private listedFrame = -1;
    private list = new ContactList();
    private spareList = new ContactList();

    constructor(
        private readonly header: Header,
        private readonly progress: Progress,
    ) {
        this.kinds = header.bodies.map((body) => body.kind);
        this.poses = new Poses(header);
        this.rest = new Rest(this.kinds);
        this.places = new ContactPlaces(header);
        this.softBodies = header.bodies.flatMap(({ kind }, body) => (kind === 'soft' ? [body] : []));
        this.soft = new SoftFrames(header);
        const frameBytes = Math.max(1, this.stateSize * Float32Array.BYTES_PER_ELEMENT);
        this.blockFrames = Math.min(BLOCK_FRAMES, Math.max(1, Math.floor(BLOCK_BYTES / frameBytes)));
    }

    get name(): string {
        return this.header.name;
    }
    get writer(): string {
        return this.header.writer;
    }
    get step(): number {
        return this.header.step;
    }
    get sceneText(): string {
        return this.header.sceneText;
    }
    get origin(): Header['origin'] {
        return this.header.origin;
    }
    get meshes(): Header['meshes'] {
        return this.header.meshes;
    }
    get bodies(): Header['bodies'] {
        return this.header.bodies;
    }
    get frameCount(): number {
        return this.views.length;
    }
    get numbers(): readonly FrameNumbers[] {
        return this.recorded;
    }
    get problem(): Problem | null {
        return this.progress.problem;
    }

    states(frame: number): Float32Array {
        this.checkFrame(frame);
        return this.views[frame];
    }

    contacts(frame: number): FrameContacts {
        this.checkFrame(frame);
        const key = this.keys[frame];
        const goesOn = this.listedFrame >= key && this.listedFrame <= frame;
        for (let next = goesOn ? this.listedFrame + 1 : key; next <= frame; ++next) {
            this.listContacts(next);
        }
        return this.places.place(this.list, this.views[frame], (soft) => this.soft.box(frame, soft));
    }

    softBox(frame: number, soft: number): Float64Array {
        this.checkFrame(frame);
        return this.soft.box(frame, soft);
    }

    softPositions(out: Float32Array, frame: number, soft: number): void {
        this.checkFrame(frame);
        this.soft.positions(out, frame, soft);
    }

    private checkFrame(frame: number): void {
        if (!(frame in this.views)) {
            throw new RangeError(`there is no frame ${frame}: the recording has ${this.frameCount}`);
        }
    }

    private listContacts(frame: number): void {
        const reader = new ByteReader(this.contactBytes[frame]);
        const follows = this.keys[frame] !== frame;
        const rest = follows ? this.rest.between(this.views[frame - 1], this.views[frame]) : null;
        takeContacts(this.spareList, reader, this.kinds.length, this.list, rest);
        [this.list, this.spareList] = [this.spareList, this.list];
        this.listedFrame = frame;
    }

    // -----------------------------------------------------------------------------------------------------
    // Taking chunks. Each returns what is wrong with it, as it goes on from "frame 12"; null if nothing is, and only
    // then anything is added.

    takeFrame(chunk: Chunk): string | null {
        const key = chunk.kind === 'KEYF';
        const frame = this.frameCount;
        if (!key && frame === 0) {
            return 'tells what changed, though there is no frame before it';
        }
        const reader = new ByteReader(chunk.bytes, chunk.begin, chunk.end);
        const number = reader.u64();
        const numbers = takeNumbers(reader);
        const poseBytes = reader.u32();
        const motionBytes = reader.u32();
        const softBytes = this.header.version >= 3 ? reader.u32() : 0;
        if (reader.failed || poseBytes + motionBytes + softBytes > reader.left) {
            return 'has not the size that its lists need';
        }
        if (number !== frame || (frame > 0 && numbers.steps <= this.recorded[frame - 1].steps)) {
            return `is not the next: it says that it is frame ${number} after ${numbers.steps} steps`;
        }
        const states = this.takeStates(reader, key, poseBytes, motionBytes, softBytes);
        if (typeof states === 'string') {
            return states;
        }
        const contactsBegin = reader.at;
        const rest = key ? null : this.rest.between(this.views[frame - 1], states);
        if (!isContactList(reader, this.kinds.length, rest)) {
            this.soft.drop();
            return 'has contacts that make no sense';
        }
        const contactBytes = allocate(() => chunk.bytes.slice(contactsBegin, chunk.end));
        this.contactBytes.push(contactBytes);
        this.keys.push(key ? frame : this.keys[frame - 1]);
        this.hash = addToHash(this.hash, numbers.hash);
        this.recorded.push(numbers);
        this.views.push(states);
        return null;
    }

    private takeStates(
        reader: ByteReader,
        key: boolean,
        poseBytes: number,
        motionBytes: number,
        softBytes: number,
    ): Float32Array | string {
        const before = this.views[this.frameCount - 1];
        const resting = !key && poseBytes + motionBytes + softBytes === 0;
        if (resting && this.soft.count === 0) {
            return before; // nothing changed: one copy will do
        }
        const states = this.newStates();
        if (!key) {
            states.set(before);
        }
        const end = reader.end;
        reader.end = reader.at + poseBytes;
        if (!this.poses.take(reader, key, states)) {
            return 'has poses that make no sense';
        }
        reader.end = reader.at + motionBytes;
        if (!takeMotions(reader, this.kinds, key, states)) {
            return 'has motions that make no sense';
        }
        reader.end = reader.at + softBytes;
        const boxes = this.soft.take(reader, key);
        if (!boxes) {
            return 'has positions of soft bodies that make no sense';
        }
        reader.end = end;
        if (resting) {
            return before;
        }
        this.putSoft(states, boxes);
        this.blockUsed += this.stateSize;
        return states;
    }

    private putSoft(states: Float32Array, boxes: Float64Array): void {
        this.softBodies.forEach((body, soft) => {
            const at = body * STATE_SIZE;
            for (let k = 0; k < 3; ++k) {
                states[at + k] = 0.5 * boxes[6 * soft + k] + 0.5 * boxes[6 * soft + 3 + k];
            }
            states.set([0, 0, 0, 1], at + 4);
        });
    }

    private get stateSize(): number {
        return this.header.bodies.length * STATE_SIZE;
    }

    // Behind those of the frames that were taken.
    private newStates(): Float32Array {
        if (this.blockUsed + this.stateSize > this.block.length) {
            this.block = allocate(() => new Float32Array(this.blockFrames * this.stateSize));
            this.blockUsed = 0;
        }
        return this.block.subarray(this.blockUsed, this.blockUsed + this.stateSize);
    }

    takeTimes(chunk: Chunk): string | null {
        const last = this.frameCount - 1;
        const reader = new ByteReader(chunk.bytes, chunk.begin, chunk.end);
        const number = reader.u64();
        const times = takeTimes(reader);
        if (last < 0 || number !== last || !times || this.recorded[last].times) {
            return 'makes no sense';
        }
        this.recorded[last].times = times;
        return null;
    }

    takeEnd(chunk: Chunk): string | null {
        const reader = new ByteReader(chunk.bytes, chunk.begin, chunk.end);
        const frames = reader.u64();
        const hash = reader.bits64();
        if (reader.failed || reader.left > 0 || frames !== this.frameCount || hash !== this.hash) {
            return `is not that of these ${this.frameCount} frames`;
        }
        this.complete = true;
        return null;
    }
}
