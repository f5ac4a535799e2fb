// A surface as it is drawn: vertices with normals that are smooth except at creases.
import type { Vector } from '../recording/types';

// Vertices of equal position are one: what simplification and normals work on.
export interface Surface {
    readonly positions: Float64Array; // three per vertex
    readonly triangles: Uint32Array; // three per triangle, none with two equal corners
}

export interface DrawnSurface {
    readonly positions: Float32Array;
    readonly normals: Float32Array;
    readonly triangles: Uint32Array;
}

// Joins vertices that are at exactly the same place and drops triangles without area by index.
export function weld(positions: Float32Array, triangles: Uint32Array): Surface {
    const vertexCount = positions.length / 3;
    const size = 1 << (32 - Math.clz32(Math.max(vertexCount, 4) * 2));
    const table = new Int32Array(size).fill(-1);
    const bits = new Int32Array(positions.buffer, positions.byteOffset, positions.length);
    const joined = new Uint32Array(vertexCount);
    const kept = new Float64Array(positions.length);
    const firsts = new Uint32Array(vertexCount);
    let count = 0;
    for (let v = 0; v < vertexCount; ++v) {
        const at = 3 * v;
        let slot = hashOf(bits[at], bits[at + 1], bits[at + 2]) & (size - 1);
        while (table[slot] >= 0 && !samePlace(positions, 3 * firsts[table[slot]], at))
            slot = (slot + 1) & (size - 1);
        if (table[slot] < 0) {
            table[slot] = count;
            firsts[count] = v;
            for (let axis = 0; axis < 3; ++axis) kept[3 * count + axis] = positions[at + axis];
            ++count;
        }
        joined[v] = table[slot];
    }
    const corners = new Uint32Array(triangles.length);
    let used = 0;
    for (let t = 0; t < triangles.length; t += 3) {
        const a = joined[triangles[t]];
        const b = joined[triangles[t + 1]];
        const c = joined[triangles[t + 2]];
        if (a === b || b === c || c === a) continue;
        corners[used++] = a;
        corners[used++] = b;
        corners[used++] = c;
    }
    return { positions: kept.slice(0, 3 * count), triangles: corners.slice(0, used) };
}

function hashOf(x: number, y: number, z: number): number {
    const h = Math.imul(x, 73856093) ^ Math.imul(y, 19349663) ^ Math.imul(z, 83492791);
    return (h ^ (h >>> 15)) >>> 0;
}

function samePlace(positions: Float32Array, i: number, j: number): boolean {
    return (
        positions[i] === positions[j] &&
        positions[i + 1] === positions[j + 1] &&
        positions[i + 2] === positions[j + 2]
    );
}

// The triangles around each vertex: those of vertex v are `corners[starts[v]] .. corners[starts[v + 1] - 1]`, each
// given by the index of the triangle's corner that is v.
export interface Fans {
    readonly starts: Uint32Array;
    readonly corners: Uint32Array;
}

export function fansOf(triangles: Uint32Array, cornerCount: number, vertexCount: number): Fans {
    const starts = new Uint32Array(vertexCount + 1);
    for (let i = 0; i < cornerCount; ++i) ++starts[triangles[i] + 1];
    for (let v = 0; v < vertexCount; ++v) starts[v + 1] += starts[v];
    const next = starts.slice(0, vertexCount);
    const corners = new Uint32Array(cornerCount);
    for (let i = 0; i < cornerCount; ++i) corners[next[triangles[i]]++] = i;
    return { starts, corners };
}

// Whether every edge has exactly one triangle on each side and the triangles look outwards: then the back of no
// triangle is ever seen from outside.
export function isClosedOutwards(surface: Surface): boolean {
    const { positions, triangles } = surface;
    const { starts, corners } = fansOf(triangles, triangles.length, positions.length / 3);
    let volume = 0;
    for (let t = 0; t < triangles.length; t += 3) {
        volume += sixVolumes(positions, triangles[t], triangles[t + 1], triangles[t + 2]);
        for (let k = 0; k < 3; ++k) {
            const from = triangles[t + k];
            const to = triangles[t + ((k + 1) % 3)];
            let along = 0;
            let against = 0;
            for (let i = starts[from]; i < starts[from + 1]; ++i) {
                if (triangles[nextCorner(corners[i])] === to) ++along;
                if (triangles[nextCorner(nextCorner(corners[i]))] === to) ++against;
            }
            if (along !== 1 || against !== 1) return false;
        }
    }
    return volume > 0;
}

export function nextCorner(corner: number): number {
    return corner % 3 === 2 ? corner - 2 : corner + 1;
}

function sixVolumes(p: Float64Array, a: number, b: number, c: number): number {
    const [i, j, k] = [3 * a, 3 * b, 3 * c];
    return (
        p[i] * (p[j + 1] * p[k + 2] - p[j + 2] * p[k + 1]) +
        p[i + 1] * (p[j + 2] * p[k] - p[j] * p[k + 2]) +
        p[i + 2] * (p[j] * p[k + 1] - p[j + 1] * p[k])
    );
}

// Twice the area vector of a triangle.
function areaVector(p: Float64Array, a: number, b: number, c: number, out: Float64Array, at: number): void {
    const ux = p[3 * b] - p[3 * a];
    const uy = p[3 * b + 1] - p[3 * a + 1];
    const uz = p[3 * b + 2] - p[3 * a + 2];
    const vx = p[3 * c] - p[3 * a];
    const vy = p[3 * c + 1] - p[3 * a + 1];
    const vz = p[3 * c + 2] - p[3 * a + 2];
    out[at] = uy * vz - uz * vy;
    out[at + 1] = uz * vx - ux * vz;
    out[at + 2] = ux * vy - uy * vx;
}

// Splits vertices where triangles meet at more than the crease angle: the normal of a corner is the mean, by area, of
// those triangles around its vertex that are within that angle of its own triangle.
export function* splitAtCreases(
    surface: Surface,
    creaseDegrees: number,
    done: (drawn: DrawnSurface) => void,
): Generator<void, void, void> {
    const { positions, triangles } = surface;
    const vertexCount = positions.length / 3;
    const areas = new Float64Array(triangles.length);
    for (let t = 0; t < triangles.length; t += 3) {
        areaVector(positions, triangles[t], triangles[t + 1], triangles[t + 2], areas, t);
    }
    const { starts, corners } = fansOf(triangles, triangles.length, vertexCount);
    const places: number[] = [];
    const normals: number[] = [];
    const split = new Uint32Array(triangles.length);
    const leastCosine = Math.cos((creaseDegrees * Math.PI) / 180);
    for (let v = 0; v < vertexCount; ++v) {
        if ((v & 255) === 255) yield;
        const firstOfVertex = places.length / 3;
        for (let i = starts[v]; i < starts[v + 1]; ++i) {
            const normal = cornerNormal(areas, corners, starts[v], starts[v + 1], corners[i], leastCosine);
            let vertex = firstOfVertex;
            while (vertex < places.length / 3 && !sameNormal(normals, vertex, normal)) ++vertex;
            if (vertex === places.length / 3) {
                places.push(positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]);
                normals.push(...normal);
            }
            split[corners[i]] = vertex;
        }
    }
    done({ positions: Float32Array.from(places), normals: Float32Array.from(normals), triangles: split });
}

function cornerNormal(
    areas: Float64Array,
    corners: Uint32Array,
    begin: number,
    end: number,
    corner: number,
    leastCosine: number,
): Vector {
    const own = corner - (corner % 3);
    const ownLength = Math.hypot(areas[own], areas[own + 1], areas[own + 2]);
    let [x, y, z] = [0, 0, 0];
    for (let i = begin; i < end; ++i) {
        const t = corners[i] - (corners[i] % 3);
        const length = Math.hypot(areas[t], areas[t + 1], areas[t + 2]);
        const dot = areas[t] * areas[own] + areas[t + 1] * areas[own + 1] + areas[t + 2] * areas[own + 2];
        if (t !== own && dot < leastCosine * length * ownLength) continue;
        x += areas[t];
        y += areas[t + 1];
        z += areas[t + 2];
    }
    const length = Math.hypot(x, y, z);
    return length > 0 ? [x / length, y / length, z / length] : [0, 1, 0];
}

function sameNormal(normals: readonly number[], vertex: number, normal: Vector): boolean {
    const at = 3 * vertex;
    return normals[at] * normal[0] + normals[at + 1] * normal[1] + normals[at + 2] * normal[2] > 0.9999;
}
