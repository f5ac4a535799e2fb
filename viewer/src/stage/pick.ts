// The body under the pointer: a ray against the spheres of all bodies, then, from near to far, against the triangles
// of their whole meshes. Exact whatever level of detail is drawn.
import type { Ray } from 'three';

export interface PosedSurface {
    readonly positions: Float32Array; // relative to the middle
    readonly triangles: Uint32Array;
}

export interface PosedBodies {
    readonly positions: Float32Array; // three per body, as drawn
    readonly radii: Float32Array;
    pose(body: number): Float32Array; // eight numbers, as drawn
    surface(body: number): PosedSurface; // the whole of it
}

export interface Hit {
    readonly body: number;
    readonly distance: number;
}

export function castRay(ray: Ray, scene: PosedBodies): Hit | null {
    const candidates: { body: number; enters: number }[] = [];
    for (let body = 0; body < scene.radii.length; ++body) {
        const enters = sphereEntry(ray, scene.positions, 3 * body, scene.radii[body]);
        if (enters !== null) candidates.push({ body, enters });
    }
    candidates.sort((a, b) => a.enters - b.enters);
    let best: Hit | null = null;
    for (const { body, enters } of candidates) {
        if (best !== null && enters > best.distance) break;
        const distance = nearestTriangle(ray, scene.pose(body), scene.surface(body));
        if (distance < (best?.distance ?? Infinity)) best = { body, distance };
    }
    return best;
}

// How far along the ray the sphere begins (0 from inside), null if it is missed.
function sphereEntry(ray: Ray, positions: Float32Array, at: number, radius: number): number | null {
    const { origin: o, direction: d } = ray;
    const [x, y, z] = [positions[at] - o.x, positions[at + 1] - o.y, positions[at + 2] - o.z];
    const along = x * d.x + y * d.y + z * d.z;
    const offSquared = x * x + y * y + z * z - along * along;
    const room = radius * radius - offSquared;
    if (!(room >= 0)) return null;
    const half = Math.sqrt(room);
    return along + half < 0 ? null : Math.max(along - half, 0);
}

// In the frame of the mesh. Möller and Trumbore, both sides of triangles.
function nearestTriangle(ray: Ray, pose: Float32Array, surface: PosedSurface): number {
    const o = ray.origin;
    const [ox, oy, oz] = turnedBack(pose, o.x - pose[0], o.y - pose[1], o.z - pose[2]);
    const [dx, dy, dz] = turnedBack(pose, ray.direction.x, ray.direction.y, ray.direction.z);
    const { positions: p, triangles } = surface;
    let nearest = Infinity;
    for (let t = 0; t < triangles.length; t += 3) {
        const a = 3 * triangles[t];
        const b = 3 * triangles[t + 1];
        const c = 3 * triangles[t + 2];
        const ux = p[b] - p[a];
        const uy = p[b + 1] - p[a + 1];
        const uz = p[b + 2] - p[a + 2];
        const vx = p[c] - p[a];
        const vy = p[c + 1] - p[a + 1];
        const vz = p[c + 2] - p[a + 2];
        const qx = dy * vz - dz * vy;
        const qy = dz * vx - dx * vz;
        const qz = dx * vy - dy * vx;
        const determinant = ux * qx + uy * qy + uz * qz;
        if (determinant === 0) continue;
        const sx = ox - p[a];
        const sy = oy - p[a + 1];
        const sz = oz - p[a + 2];
        const s = (sx * qx + sy * qy + sz * qz) / determinant;
        if (s < 0 || s > 1) continue;
        const rx = sy * uz - sz * uy;
        const ry = sz * ux - sx * uz;
        const rz = sx * uy - sy * ux;
        const r = (dx * rx + dy * ry + dz * rz) / determinant;
        if (r < 0 || s + r > 1) continue;
        const distance = (vx * rx + vy * ry + vz * rz) / determinant;
        if (distance > 0 && distance < nearest) nearest = distance;
    }
    return nearest;
}

function turnedBack(pose: Float32Array, x: number, y: number, z: number): [number, number, number] {
    const [qx, qy, qz, w] = [-pose[4], -pose[5], -pose[6], pose[7]];
    const cx = qy * z - qz * y + w * x;
    const cy = qz * x - qx * z + w * y;
    const cz = qx * y - qy * x + w * z;
    return [x + 2 * (qy * cz - qz * cy), y + 2 * (qz * cx - qx * cz), z + 2 * (qx * cy - qy * cx)];
}
