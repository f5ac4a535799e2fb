// Which level of detail each body is drawn at: by its size in the picture, as fine as the triangles that can be drawn
// in time allow; and which bodies are not in the picture at all.
import { Frustum, Matrix4, type PerspectiveCamera, Sphere } from 'three';
import type { BodyData } from '../recording/types';
import type { Shapes } from './shapes';

// A finer level is not worth drawing where triangles are smaller than about this, in square pixels.
const LEAST_TRIANGLE_PIXELS = 2;
// Levels of a shape: each has a quarter of the triangles of the one before.
const MOST_LEVELS = 16;

export interface Choice {
    drawnTriangles: number;
    allTriangles: number; // of the bodies in the picture
    wantedTriangles: number; // that would be drawn if there were no limit
    culled: number;
}

export class Detail {
    // Level by body, -1: outside the picture.
    readonly level: Int8Array;
    // Square pixels that the body's sphere covers.
    private readonly pixels: Float32Array;
    // The bodies in the picture from near to far, so that what is hidden is not drawn in vain: `visible` of them.
    readonly order: Uint32Array;
    visible = 0;
    private least = 0; // triangles of the bodies in the picture, each at its coarsest
    private readonly keys: Float64Array;
    // Those bodies again, grouped by shape and level, and where each group ends.
    private readonly grouped: Uint32Array;
    private readonly ends: Uint32Array;
    private readonly frustum = new Frustum();
    private readonly matrix = new Matrix4();
    private readonly sphere = new Sphere();

    constructor(
        private readonly bodies: readonly BodyData[],
        private readonly shapes: Shapes,
        private readonly radii: Float32Array,
    ) {
        this.level = new Int8Array(bodies.length);
        this.pixels = new Float32Array(bodies.length);
        this.order = new Uint32Array(bodies.length);
        this.keys = new Float64Array(bodies.length);
        this.grouped = new Uint32Array(bodies.length);
        this.ends = new Uint32Array(shapes.all.length * MOST_LEVELS + 1);
    }

    // positions: three per body. height: of the picture in pixels.
    choose(positions: Float32Array, camera: PerspectiveCamera, height: number, budget: number): Choice {
        this.measure(positions, camera, height);
        this.sortByDistance();
        let perPixel = 1 / LEAST_TRIANGLE_PIXELS;
        const wanted = this.assign(perPixel);
        let drawn = wanted;
        for (let i = 0; drawn > Math.max(budget, this.least) && i < 24; ++i) {
            // Levels are apart by factors of four: halving finds the limit closely enough.
            perPixel /= 1.5;
            drawn = this.assign(perPixel);
        }
        let all = 0;
        for (const shape of this.shapes.of) all += this.shapes.all[shape].list[0].triangleCount;
        return {
            drawnTriangles: drawn,
            allTriangles: all,
            wantedTriangles: wanted,
            culled: this.bodies.length - this.visible,
        };
    }

    private measure(positions: Float32Array, camera: PerspectiveCamera, height: number): void {
        this.matrix.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
        this.frustum.setFromProjectionMatrix(this.matrix);
        const focal = height / 2 / Math.tan((camera.fov * Math.PI) / 360);
        const eye = camera.position;
        this.visible = 0;
        this.least = 0;
        for (let i = 0; i < this.bodies.length; ++i) {
            this.sphere.center.set(positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]);
            this.sphere.radius = this.radii[i];
            if (!this.frustum.intersectsSphere(this.sphere)) {
                this.level[i] = -1;
                continue;
            }
            this.level[i] = 0;
            const { list } = this.shapes.all[this.shapes.of[i]];
            this.least += list[list.length - 1].triangleCount;
            const distance = Math.max(this.sphere.center.distanceTo(eye), this.radii[i]);
            const radius = (this.radii[i] / distance) * focal;
            this.pixels[i] = Math.PI * radius * radius;
            // Steps of distance, a share of it each, keep the order of neighbours as it is while little moves.
            this.keys[this.visible++] = Math.round(32 * Math.log2(distance) + 2 ** 15) * 2 ** 32 + i;
        }
    }

    private sortByDistance(): void {
        this.keys.subarray(0, this.visible).sort();
        for (let i = 0; i < this.visible; ++i) this.order[i] = this.keys[i] % 2 ** 32;
    }

    // The coarsest level that has the triangles wanted per pixel, for each body; returns the sum of triangles.
    private assign(perPixel: number): number {
        let sum = 0;
        for (let i = 0; i < this.bodies.length; ++i) {
            if (this.level[i] < 0) continue;
            const list = this.shapes.all[this.shapes.of[i]].list;
            const wanted = this.pixels[i] * perPixel;
            let level = list.length - 1;
            while (level > 0 && list[level].triangleCount < wanted) --level;
            this.level[i] = level;
            sum += list[level].triangleCount;
        }
        return sum;
    }

    // What was chosen: the bodies of each shape and level, from near to far.
    forEachList(call: (shape: number, level: number, bodies: Uint32Array) => void): void {
        const { ends, grouped, level, order, shapes, visible } = this;
        ends.fill(0);
        const group = (body: number): number => shapes.of[body] * MOST_LEVELS + level[body];
        for (let i = 0; i < visible; ++i) ++ends[group(order[i]) + 1];
        for (let i = 1; i < ends.length; ++i) ends[i] += ends[i - 1];
        // Starts, which become ends as the groups are filled.
        for (let i = 0; i < visible; ++i) grouped[ends[group(order[i])]++] = order[i];
        for (let i = 0, start = 0; i < ends.length - 1; start = ends[i++]) {
            if (ends[i] === start) continue;
            call(Math.floor(i / MOST_LEVELS), i % MOST_LEVELS, grouped.subarray(start, ends[i]));
        }
    }
}
