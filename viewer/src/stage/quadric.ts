// Quadrics: how far, squared and weighted by area, a point is from a set of planes.
// Based on: Garland and Heckbert, Surface Simplification Using Quadric Error Metrics, 1997.
//
// Ten numbers each: xx, xy, xz, yy, yz, zz, x, y, z, 1 of the symmetric form.
export const QUADRIC_SIZE = 10;

// Adds the plane n.p + d = 0 (n of unit length), with a weight.
export function addPlane(
    q: Float64Array,
    at: number,
    nx: number,
    ny: number,
    nz: number,
    d: number,
    weight: number,
): void {
    q[at] += weight * nx * nx;
    q[at + 1] += weight * nx * ny;
    q[at + 2] += weight * nx * nz;
    q[at + 3] += weight * ny * ny;
    q[at + 4] += weight * ny * nz;
    q[at + 5] += weight * nz * nz;
    q[at + 6] += weight * nx * d;
    q[at + 7] += weight * ny * d;
    q[at + 8] += weight * nz * d;
    q[at + 9] += weight * d * d;
}

export function addQuadric(q: Float64Array, to: number, from: number): void {
    for (let i = 0; i < QUADRIC_SIZE; ++i) q[to + i] += q[from + i];
}

export function errorAt(q: Float64Array, at: number, x: number, y: number, z: number): number {
    return (
        q[at] * x * x +
        q[at + 3] * y * y +
        q[at + 5] * z * z +
        2 * (q[at + 1] * x * y + q[at + 2] * x * z + q[at + 4] * y * z) +
        2 * (q[at + 6] * x + q[at + 7] * y + q[at + 8] * z) +
        q[at + 9]
    );
}

// The point of least error, into `out`. False where it is not determined well: flat and straight places.
export function leastError(q: Float64Array, at: number, out: Float64Array): boolean {
    const [xx, xy, xz] = [q[at], q[at + 1], q[at + 2]];
    const [yy, yz, zz] = [q[at + 3], q[at + 4], q[at + 5]];
    const cx = yy * zz - yz * yz;
    const cy = xz * yz - xy * zz;
    const cz = xy * yz - xz * yy;
    const determinant = xx * cx + xy * cy + xz * cz;
    const trace = xx + yy + zz;
    if (!(Math.abs(determinant) > 1e-4 * trace * trace * trace)) return false;
    const [bx, by, bz] = [-q[at + 6], -q[at + 7], -q[at + 8]];
    out[0] = (cx * bx + cy * by + cz * bz) / determinant;
    out[1] = (cy * bx + (xx * zz - xz * xz) * by + (xy * xz - xx * yz) * bz) / determinant;
    out[2] = (cz * bx + (xy * xz - xx * yz) * by + (xx * yy - xy * xy) * bz) / determinant;
    return true;
}
