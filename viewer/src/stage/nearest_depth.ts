// How near a box comes to the camera within the picture. Spheres around long things, such as the ground, reach behind the
// camera: a near plane that has to be before them is so near that what graphics units compute of triangles that cross
// it, in float32, is off by more than the size of small bodies.
import { Matrix4, type PerspectiveCamera, Quaternion, Vector3 } from 'three';

// Corners of the six sides of the box from -1 to 1, in order around each; bit k of a number: +1 along axis k.
const SIDES = [
    [0, 2, 6, 4],
    [1, 3, 7, 5],
    [0, 1, 5, 4],
    [2, 3, 7, 6],
    [0, 1, 3, 2],
    [4, 5, 7, 6],
];

type Polygon = readonly Vector3[];

export class NearestDepth {
    private readonly toCamera = new Matrix4();
    private readonly eye = new Vector3();
    private readonly corners = Array.from({ length: 8 }, () => new Vector3());

    // The depth of the nearest place of a box (its middle, rotation and half its sides) that is in the picture; Infinity if
    // none is, 0 if the camera is inside. The camera's matrices are up to date.
    of(camera: PerspectiveCamera, middle: Vector3, rotation: Quaternion, half: Vector3): number {
        this.toCamera.compose(middle, rotation, new Vector3(1, 1, 1));
        this.eye.copy(camera.position).applyMatrix4(this.toCamera.clone().invert());
        const { eye } = this;
        if (Math.abs(eye.x) < half.x && Math.abs(eye.y) < half.y && Math.abs(eye.z) < half.z) return 0;
        this.toCamera.premultiply(camera.matrixWorldInverse);
        this.corners.forEach((corner, i) => {
            corner.set(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
            corner.applyMatrix4(this.toCamera);
        });
        const up = Math.tan((camera.fov * Math.PI) / 360);
        const across = up * camera.aspect;
        let nearest = Infinity;
        for (const side of SIDES) {
            let polygon: Polygon = side.map((corner) => this.corners[corner]);
            // The camera looks along -z.
            polygon = cut(polygon, (p) => -p.z * across - p.x);
            polygon = cut(polygon, (p) => -p.z * across + p.x);
            polygon = cut(polygon, (p) => -p.z * up - p.y);
            polygon = cut(polygon, (p) => -p.z * up + p.y);
            for (const { z } of polygon) nearest = Math.min(nearest, -z);
        }
        return Math.max(nearest, 0);
    }
}

// The part of a polygon where a linear function is not negative.
function cut(polygon: Polygon, inside: (p: Vector3) => number): Polygon {
    const kept: Vector3[] = [];
    polygon.forEach((p, i) => {
        const q = polygon[(i + 1) % polygon.length];
        const [a, b] = [inside(p), inside(q)];
        if (a >= 0) kept.push(p);
        if (a >= 0 !== b >= 0) kept.push(p.clone().lerp(q, a / (a - b)));
    });
    return kept;
}
