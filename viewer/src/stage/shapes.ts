// What bodies look like: a shape per mesh, which its bodies share, and behind them one per soft body.
import type { Recording } from '../recording/types';
import { Levels, type Shape } from './levels';
import { SoftShape } from './soft_shape';

// Of a mesh that only soft bodies have.
const NO_SHAPE: Shape = { list: [], closed: false };

export class Shapes {
    readonly all: readonly Shape[];
    readonly of: Uint32Array; // the shape of each body
    readonly soft: readonly SoftShape[];
    readonly levels: readonly Levels[]; // those that are still to be simplified

    constructor(recording: Recording) {
        const { bodies, meshes, softBodies } = recording;
        const used = new Set(bodies.flatMap(({ kind, mesh }) => (kind === 'soft' ? [] : [mesh])));
        const rigid = meshes.map((mesh, i) => (used.has(i) ? new Levels(mesh) : NO_SHAPE));
        this.levels = rigid.filter((shape) => shape instanceof Levels);
        this.soft = softBodies.map((body, i) => new SoftShape(recording, i, meshes[bodies[body].mesh]));
        this.all = [...rigid, ...this.soft];
        this.of = Uint32Array.from(bodies, ({ mesh }) => mesh);
        softBodies.forEach((body, i) => (this.of[body] = meshes.length + i));
    }
}
