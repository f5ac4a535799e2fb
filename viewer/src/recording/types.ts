// What a recording holds, once it is read: docs/file-formats.md, "Recordings", has the bytes.
//
// Lengths in metres, times in seconds unless a name says otherwise. Positions are relative to the recording's
// origin, so that float32 is enough for drawing however far from zero the scene was set up.

export type Vector = [number, number, number];

export interface MeshData {
    readonly name: string;
    // The middle of the mesh's box in its own frame, and the box relative to it.
    readonly middle: Vector;
    readonly halfSize: Vector;
    // Three per vertex, relative to the middle; three indices per triangle.
    readonly positions: Float32Array;
    readonly triangles: Uint32Array;
}

export type BodyKind = 'static' | 'kinematic' | 'dynamic' | 'soft';

export interface BodyData {
    readonly name: string;
    readonly kind: BodyKind;
    readonly mesh: number; // of a soft body: its shape at rest, which tells its triangles
    readonly unit: number; // m, of the grid that a soft body's positions are on; 0 of others
}

// Eight numbers per body and frame: where the middle of its mesh's box is (x, y, z), its speed in m/s (asleep: -1),
// and its rotation (x, y, z, w). Of a soft body: the middle of the box around its vertices, not turned.
export const STATE_SIZE = 8;
export const ASLEEP = -1;

// What a frame tells beside its states: of the step that led to it.
export interface FrameNumbers {
    readonly steps: number;
    readonly hash: bigint;
    readonly time: number;
    readonly kineticEnergy: number; // J
    readonly potentialEnergy: number;
    readonly penetration: number; // m
    readonly residual: number; // m/s
    readonly awake: number;
    readonly islands: number;
    readonly passes: number;
    readonly colours: number;
    readonly broadPairs: number;
    readonly collidingPairs: number;
    readonly faces: number;
    readonly regions: number;
    readonly contacts: number;
    readonly stoppedBodies: number;
    readonly times: StepTimes | null; // null: not recorded
}

// Milliseconds.
export interface StepTimes {
    readonly total: number;
    readonly broad: number;
    readonly traversal: number;
    readonly contacts: number;
    readonly solver: number;
    readonly copy: number;
    readonly kernel: number;
}

// The contacts of a frame, sorted by (a, b).
export interface FrameContacts {
    readonly count: number;
    readonly a: Uint32Array; // bodies
    readonly b: Uint32Array;
    readonly points: Float32Array; // three each
    readonly normals: Float32Array; // three each, from a to b
    readonly impulses: Float32Array; // N s over the step
}

// Where reading ended before the end mark, and why.
export interface Problem {
    readonly what: string; // a sentence for people: which part is unreadable, and what is shown instead
    readonly offset: number; // of the part in the file, bytes
    readonly lostBytes: number;
}

// Grows while bytes arrive; frames that are there do not change.
export interface Recording {
    readonly name: string; // of the scene
    readonly writer: string; // version of tandem that wrote it
    readonly step: number; // s
    readonly sceneText: string;
    readonly origin: Vector;
    readonly meshes: readonly MeshData[];
    readonly bodies: readonly BodyData[];
    readonly frameCount: number;
    readonly numbers: readonly FrameNumbers[]; // by frame
    // STATE_SIZE numbers per body; a view that stays valid.
    states(frame: number): Float32Array;
    // Made when it is asked for; valid until the next call. Frames one after the other are cheap, a jump costs
    // up to 64 frames.
    contacts(frame: number): FrameContacts;
    readonly softBodies: readonly number[]; // those bodies that are soft
    // Of the soft body with this place among them: the lower and the upper corner of the box around its vertices, and
    // where they are, three numbers each, into `out`. Made when it is asked for; frames one after the other are cheap.
    softBox(frame: number, soft: number): Float64Array;
    softPositions(out: Float32Array, frame: number, soft: number): void;
    readonly complete: boolean; // its end mark was read
    readonly problem: Problem | null;
}

// Takes the bytes of a recording as they come.
export interface RecordingReader {
    push(bytes: Uint8Array): void;
    // No more bytes will come: what is not whole by now is a problem.
    end(): void;
    // Null until the header is whole, or if it never will be (then `problem` tells).
    readonly recording: Recording | null;
    readonly problem: Problem | null;
    readonly bytesRead: number;
}

// Triangles to be pointed out: the answers of `tandem collide` and `tandem self`.
export interface Highlights {
    // By frame, then by body: the numbers of its triangles. A frame without an entry has none.
    readonly frames: readonly (readonly (readonly number[])[])[];
    readonly title: string; // what they are, for the legend: "intersecting triangles"
}
