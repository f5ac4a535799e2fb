// What a pose of a recording means, by other formulas than the page's: rotations as matrices.
const TURN_MOST = 131071;

export function quaternionOf({ rotation, largest }) {
    const smaller = rotation.map((steps) => (steps / TURN_MOST) * Math.SQRT1_2);
    const rest = 1 - smaller.reduce((sum, x) => sum + x * x, 0);
    smaller.splice(largest, 0, Math.sqrt(Math.max(0, rest)));
    return smaller; // x, y, z, w
}

export function rotate([x, y, z, w], [px, py, pz]) {
    return [
        (1 - 2 * (y * y + z * z)) * px + 2 * (x * y - w * z) * py + 2 * (x * z + w * y) * pz,
        2 * (x * y + w * z) * px + (1 - 2 * (x * x + z * z)) * py + 2 * (y * z - w * x) * pz,
        2 * (x * z - w * y) * px + 2 * (y * z + w * x) * py + (1 - 2 * (x * x + y * y)) * pz,
    ];
}

export function boxOf(positions) {
    const lower = [Infinity, Infinity, Infinity];
    const upper = [-Infinity, -Infinity, -Infinity];
    positions.forEach((x, i) => {
        lower[i % 3] = Math.min(lower[i % 3], x);
        upper[i % 3] = Math.max(upper[i % 3], x);
    });
    const sides = upper.map((x, k) => x - lower[k]);
    return { lower, upper, middle: lower.map((x, k) => (x + upper[k]) / 2), diagonal: Math.hypot(...sides) };
}

// In the recording: relative to its origin.
export function placeOf(pose, point, { origin, unit }) {
    const turned = rotate(quaternionOf(pose), point);
    return turned.map((x, k) => (pose.far ? pose.far[k] - origin[k] : pose.position[k] * unit) + x);
}

export function normalOf([first, second]) {
    const u = first / 127 - 1;
    const v = second / 127 - 1;
    const z = 1 - Math.abs(u) - Math.abs(v);
    const fold = Math.max(0, -z);
    const x = u - Math.sign(u || 1) * fold;
    const y = v - Math.sign(v || 1) * fold;
    const length = Math.hypot(x, y, z);
    return [x / length, y / length, z / length];
}

export function halfToNumber(half) {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt16LE(half, 2);
    return bytes.readFloatLE(0);
}
