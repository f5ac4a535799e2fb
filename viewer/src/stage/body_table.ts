// What shaders know of a body beside its pose: a texture (RGBA32F) of half the size of its box, and the radius around
// the middle of the box; a texture (R32F) of the force on it in the frame that is shown, from 0 to 1 on the scale of
// the legend; and its paint, which goes with the lists of bodies (body_list.ts).
import { DataTexture, FloatType, NearestFilter, RGBAFormat, RedFormat } from 'three';
import type { BodyKind, Recording } from '../recording/types';
import { type Rgb, linearColour, bodyColour, NEUTRAL } from './palette';

export const BODY_TABLE_BITS = 10; // of the number of texels in a row
const WIDTH = 1 << BODY_TABLE_BITS;

const KIND_NUMBER: Record<BodyKind, number> = { static: 0, kinematic: 1, dynamic: 2, soft: 2 };

export class BodyTable {
    readonly texture: DataTexture;
    readonly forces: DataTexture;
    readonly radii: Float32Array;
    readonly paint: Uint32Array; // see packedPaint

    constructor(recording: Recording) {
        const bodies = recording.bodies;
        this.radii = new Float32Array(bodies.length);
        this.paint = new Uint32Array(bodies.length);
        this.texture = floatTexture(bodies.length, 4);
        this.forces = floatTexture(bodies.length, 1);
        const data = this.texture.image.data as Float32Array;
        // Where nothing moves, as in a view of meshes, the ground's grey for all would tell nothing.
        const anyMoves = bodies.some((body) => body.kind !== 'static');
        bodies.forEach((body, i) => {
            const half = recording.meshes[body.mesh].halfSize;
            this.radii[i] = Math.hypot(...half);
            const colour = body.kind === 'static' && anyMoves ? NEUTRAL : bodyColour(i);
            const kind = anyMoves ? KIND_NUMBER[body.kind] : KIND_NUMBER.dynamic;
            data.set([...half, this.radii[i]], 4 * i);
            this.paint[i] = packedPaint(colour, kind);
        });
        this.texture.needsUpdate = true;
    }

    // Of a soft body, whose box changes.
    setSize(body: number, half: Float32Array): void {
        this.radii[body] = Math.hypot(half[0], half[1], half[2]);
        const data = this.texture.image.data as Float32Array;
        data.set([half[0], half[1], half[2], this.radii[body]], 4 * body);
        this.texture.needsUpdate = true;
    }

    // Values from 0 to 1 per body.
    setForces(values: Float32Array): void {
        (this.forces.image.data as Float32Array).set(values);
        this.forces.needsUpdate = true;
    }

    dispose(): void {
        this.texture.dispose();
        this.forces.dispose();
    }
}

// A byte each: the roots of red, green and blue in linear light, and the kind.
function packedPaint(colour: Rgb, kind: number): number {
    const [r, g, b] = linearColour(colour).map((c) => Math.round(255 * Math.sqrt(c)));
    return (r | (g << 8) | (b << 16) | (kind << 24)) >>> 0;
}

function floatTexture(texels: number, channels: 1 | 4): DataTexture {
    const rows = Math.max(Math.ceil(texels / WIDTH), 1);
    const data = new Float32Array(WIDTH * rows * channels);
    const format = channels === 4 ? RGBAFormat : RedFormat;
    const texture = new DataTexture(data, WIDTH, rows, format, FloatType);
    texture.minFilter = texture.magFilter = NearestFilter;
    texture.needsUpdate = true;
    return texture;
}
