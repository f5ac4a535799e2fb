// Levels of detail of a mesh: the whole of it, then a quarter of the triangles each time, down to about ten.
import type { MeshData, Vector } from '../recording/types';
import type { Job } from './background_work';
import { simplify } from './simplify';
import { type DrawnSurface, type Surface, isClosedOutwards, splitAtCreases, weld } from './surface';

export interface Level extends DrawnSurface {
    readonly triangleCount: number;
    readonly version: number; // rises when its vertices move, as those of soft bodies do
}

// From fine to coarse; the first is the mesh itself.
export interface Shape {
    readonly list: readonly Level[];
    readonly closed: boolean; // its inside is never seen
}

const CREASE_DEGREES = 40;
// What a coarse level has left of a round body are facets at large angles: they stay round this way.
const COARSE_CREASE_DEGREES = 75;
// Vertices of the coarsest, seen from far, are not split at all: there are a third as many to compute.
const SPLIT_TRIANGLES = 200;
const SMOOTH_DEGREES = 180;
const RATIO = 4;
// Of the coarsest level: for crowds that move, where each body has a few pixels.
const LEAST_TRIANGLES = 10;

export class Levels implements Shape {
    // From fine to coarse; the first is the mesh itself. Until simplification is done, the last is the box of the
    // mesh, so that there is something that can be drawn in time.
    readonly list: Level[] = [];
    readonly closed: boolean;
    private surface: Surface;

    constructor(mesh: MeshData) {
        this.surface = weld(mesh.positions, mesh.triangles);
        this.closed = isClosedOutwards(this.surface);
        for (const _ of splitAtCreases(this.surface, CREASE_DEGREES, (drawn) =>
            this.list.push(levelOf(drawn)),
        ));
        if (!this.canBeCoarser) return;
        const box = boxSurface(mesh.halfSize);
        for (const _ of splitAtCreases(box, CREASE_DEGREES, (drawn) => this.list.push(levelOf(drawn))));
    }

    private get canBeCoarser(): boolean {
        return this.surface.triangles.length / 3 >= 2 * LEAST_TRIANGLES;
    }

    private goal(): number {
        return Math.max(Math.floor(this.surface.triangles.length / 3 / RATIO), LEAST_TRIANGLES);
    }

    *simplified(changed: () => void): Job {
        while (this.canBeCoarser) {
            const before = this.surface.triangles.length;
            yield* simplify(this.surface, this.goal(), (surface) => (this.surface = surface));
            // A level that saves little is not worth its memory, and what follows would not save more: then the box
            // stays the coarsest.
            if (this.surface.triangles.length > 0.6 * before) return;
            let level: Level | undefined;
            const coarsest = this.surface.triangles.length / 3 < SPLIT_TRIANGLES;
            const crease = coarsest ? SMOOTH_DEGREES : COARSE_CREASE_DEGREES;
            yield* splitAtCreases(this.surface, crease, (drawn) => (level = levelOf(drawn)));
            this.list.splice(-1, 0, level!);
            changed();
        }
        // The mesh itself, and a box: nothing to take away.
        if (this.list.length < 3) return;
        this.list.pop();
        changed();
    }
}

function levelOf(drawn: DrawnSurface): Level {
    return { ...drawn, triangleCount: drawn.triangles.length / 3, version: 0 };
}

function boxSurface(half: Vector): Surface {
    const positions = new Float64Array(24);
    for (let corner = 0; corner < 8; ++corner) {
        for (let axis = 0; axis < 3; ++axis)
            positions[3 * corner + axis] = corner & (1 << axis) ? half[axis] : -half[axis];
    }
    const triangles = [
        [0, 4, 6, 0, 6, 2],
        [1, 3, 7, 1, 7, 5],
        [0, 1, 5, 0, 5, 4],
        [2, 6, 7, 2, 7, 3],
        [0, 2, 3, 0, 3, 1],
        [4, 5, 7, 4, 7, 6],
    ];
    return { positions, triangles: Uint32Array.from(triangles.flat()) };
}
