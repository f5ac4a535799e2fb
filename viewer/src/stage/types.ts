// What is drawn, as the user interface sees it: it tells the stage what to show, and asks what is where.
import type { Highlights, Recording, Vector } from '../recording/types';

export type ColourMode = 'body' | 'speed' | 'sleep' | 'force';

// What the colours of bodies mean, for the legend.
export interface ColourScale {
    readonly title: string; // 'speed', 'm/s' goes to `unit`
    readonly unit: string;
    // From low to high; `at` from 0 to 1, `value` in the unit. Of 'sleep': one entry per state, with a label.
    readonly stops: readonly {
        readonly at: number;
        readonly colour: string;
        readonly value?: number;
        readonly label?: string;
    }[];
}

// What the picture leaves out to keep up, in words for people ("" if nothing), and how fast it is.
export interface Quality {
    readonly note: string; // e.g. 'far bodies simplified: 412,000 of 15,000,000 triangles drawn'
    readonly framesPerSecond: number;
    readonly drawnTriangles: number;
    readonly allTriangles: number;
}

export interface Layers {
    contacts: boolean;
    normals: boolean;
    boxes: boolean;
    wireframe: boolean;
    grid: boolean;
}

export interface Stage {
    readonly canvas: HTMLCanvasElement;
    // Shows a recording from its first frame, the camera set so that all of it is seen.
    open(recording: Recording, highlights: Highlights | null): void;
    // More frames of it have arrived.
    grown(): void;
    // A whole frame, or between two of them, which are then mixed (positions linear, rotations spherical), unless a
    // body jumps (its way is longer than its speed explains by far).
    show(frame: number): void;
    setColours(mode: ColourMode): void;
    colourScale(): ColourScale;
    setLayers(layers: Readonly<Layers>): void;
    readonly layers: Readonly<Layers>;
    select(body: number | null): void; // drawn with an outline
    follow(body: number | null): void; // the camera goes with it
    lookAtAll(): void;
    lookAt(body: number): void;
    lookFrom(direction: 'front' | 'right' | 'top' | 'start'): void;
    // The body at a place of the canvas (CSS pixels from its left upper corner), or null.
    pick(x: number, y: number): number | null;
    // Where the middle of a body is on the canvas (CSS pixels), null if behind the camera; and in the recording.
    onScreen(body: number): { x: number; y: number } | null;
    placeOf(body: number): { position: Vector; rotation: [number, number, number, number] };
    // The eight numbers of a body's state (Recording.states) as the vertex shaders compute them for the frame that is
    // shown, read back from the graphics unit: for tests.
    probe(body: number): Float32Array;
    // Likewise, where the vertices of a body are, three numbers each, at the level of detail that is drawn: of a soft
    // body all of them.
    probeVertices(body: number): Float32Array;
    // Draws at the next animation frame, if anything changed.
    needsDrawing(): void;
    readonly quality: Quality;
    // Calls back when a picture, or a portion of one, was handed to the graphics unit, and when that is done with it.
    onDrawn(listener: () => void): void;
    onFinished(listener: () => void): void;
    // Waits until the graphics unit is done with a picture, or a portion of one.
    finished(): Promise<void>;
    // Waits until nothing is left to be made in the background: then pictures are as fast as they get.
    made(): Promise<void>;
    // Draws, and waits until nothing moves, the picture is as fine as it gets, and nothing is left to be made for it.
    settled(): Promise<void>;
    resize(): void;
    dispose(): void;
}
