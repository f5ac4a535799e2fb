// What a frame tells beside its states, and how long its step took.
import type { ByteReader } from './bytes';
import type { FrameNumbers, StepTimes } from './types';

// Times follow in a chunk of their own.
export type GrowingNumbers = { -readonly [key in keyof FrameNumbers]: FrameNumbers[key] };

// What follows the number of the frame.
export function takeNumbers(reader: ByteReader): GrowingNumbers {
    return {
        steps: reader.u64(),
        hash: reader.bits64(),
        time: reader.f64(),
        kineticEnergy: reader.f64(),
        potentialEnergy: reader.f64(),
        penetration: reader.f64(),
        residual: reader.f64(),
        awake: reader.u32(),
        islands: reader.u32(),
        passes: reader.u32(),
        colours: reader.u32(),
        broadPairs: reader.u64(),
        collidingPairs: reader.u64(),
        faces: reader.u64(),
        regions: reader.u64(),
        contacts: reader.u64(),
        stoppedBodies: reader.u64(),
        times: null,
    };
}

// What follows the number of the frame, up to the end; null if these are no times.
export function takeTimes(reader: ByteReader): StepTimes | null {
    const times = {
        total: reader.f32(),
        broad: reader.f32(),
        traversal: reader.f32(),
        contacts: reader.f32(),
        solver: reader.f32(),
        copy: reader.f32(),
        kernel: reader.f32(),
    };
    const valid = Object.values(times).every((ms) => Number.isFinite(ms) && ms >= 0);
    return valid && !reader.failed && reader.left === 0 ? times : null;
}

// FNV-1a, 64 bits: the hash of a recording is over those of its frames, eight bytes each.
export const HASH_START = 0xcbf29ce484222325n;
const HASH_PRIME = 0x100000001b3n;

export function addToHash(hash: bigint, number: bigint): bigint {
    for (let shift = 0n; shift < 64n; shift += 8n) {
        hash = BigInt.asUintN(64, (hash ^ ((number >> shift) & 0xffn)) * HASH_PRIME);
    }
    return hash;
}
