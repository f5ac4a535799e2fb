// How fast bodies are, and which of them sleep.
import { fromUpperHalf, isUpperHalf } from './half';
import { ASLEEP, STATE_SIZE } from './types';
import type { ByteReader } from './bytes';
import type { BodyKind } from './types';

const SLEEPS = 0x8000;
export const SPEED_AT = 3; // in a state

function isMotionOf(kind: BodyKind, motion: number): boolean {
    switch (kind) {
        case 'static':
            return motion === 0;
        case 'kinematic':
            return isUpperHalf(motion);
        case 'dynamic':
        case 'soft':
            return motion === SLEEPS || isUpperHalf(motion);
    }
}

// Takes the list of a frame and puts the motions that are in it into `states`, which holds those of the frame
// before. Returns whether it is one.
export function takeMotions(
    reader: ByteReader,
    kinds: readonly BodyKind[],
    key: boolean,
    states: Float32Array,
): boolean {
    if (key) {
        for (let at = SPEED_AT; at < states.length; at += STATE_SIZE) {
            states[at] = 0;
        }
    }
    let next = 0;
    while (reader.left > 0) {
        const body = next + reader.varint();
        const motion = reader.u16();
        if (reader.failed || body >= kinds.length || !isMotionOf(kinds[body], motion)) {
            return false;
        }
        states[body * STATE_SIZE + SPEED_AT] = motion === SLEEPS ? ASLEEP : fromUpperHalf(motion);
        next = body + 1;
    }
    return true;
}

// Tells which pairs of bodies rest from one frame to the next: of which neither moves, nor did before. A body moves
// if it is dynamic or soft and does not sleep.
export class Rest {
    private readonly maySleep: Uint8Array;
    private before: Float32Array = new Float32Array();
    private now: Float32Array = new Float32Array();

    constructor(kinds: readonly BodyKind[]) {
        this.maySleep = Uint8Array.from(kinds, (kind) => (kind === 'dynamic' || kind === 'soft' ? 1 : 0));
    }

    between(before: Float32Array, now: Float32Array): this {
        this.before = before;
        this.now = now;
        return this;
    }

    isPair(a: number, b: number): boolean {
        return !this.moves(a) && !this.moves(b);
    }

    private moves(body: number): boolean {
        const at = body * STATE_SIZE + SPEED_AT;
        return this.maySleep[body] === 1 && (this.before[at] !== ASLEEP || this.now[at] !== ASLEEP);
    }
}
