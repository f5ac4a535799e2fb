// The pose of a body between two frames: the same arithmetic for the shaders and for questions of the page.
//
// Positions are mixed linearly, rotations spherically along the shorter way. A body that jumps (it was put somewhere
// else, and did not get there by moving) is drawn where the nearer frame has it.
import { STATE_SIZE } from '../recording/types';
import { BODY_TABLE_BITS } from './body_table';

// A way is a jump if it is longer than JUMP_SPEEDS times what the speeds explain, and one radius of the body (the
// speed is that of the centre of mass, which turns about the middle of the box).
const JUMP_SPEEDS = 4;
// Below this angle (its cosine) between rotations the spherical mix divides by nearly nothing: linear is the same.
const NEAR_COSINE = 0.9995;

// Of `body` in the states a and b, `between` from 0 (a) to 1 (b), `seconds` from a to b, into `out` (8 numbers).
export function mixPose(
    out: Float32Array,
    a: Float32Array,
    b: Float32Array,
    body: number,
    between: number,
    seconds: number,
    radius: number,
): void {
    const at = body * STATE_SIZE;
    if (between === 0) {
        for (let i = 0; i < STATE_SIZE; ++i) out[i] = a[at + i];
        return;
    }
    const way = Math.hypot(b[at] - a[at], b[at + 1] - a[at + 1], b[at + 2] - a[at + 2]);
    const speed = Math.max(a[at + 3], b[at + 3], 0);
    let t = between;
    if (way > JUMP_SPEEDS * speed * seconds + radius) t = between < 0.5 ? 0 : 1;
    const nearer = t < 0.5 ? a : b;
    const asleep = nearer[at + 3] < 0;
    for (let i = 0; i < 3; ++i) out[i] = a[at + i] + (b[at + i] - a[at + i]) * t;
    out[3] = asleep ? nearer[at + 3] : Math.max(a[at + 3], 0) * (1 - t) + Math.max(b[at + 3], 0) * t;
    mixRotation(out, a, b, at + 4, t);
}

function mixRotation(out: Float32Array, a: Float32Array, b: Float32Array, at: number, t: number): void {
    let cosine = 0;
    for (let i = 0; i < 4; ++i) cosine += a[at + i] * b[at + i];
    const sign = cosine < 0 ? -1 : 1;
    cosine = Math.abs(cosine);
    let [wa, wb] = [1 - t, t];
    if (cosine < NEAR_COSINE) {
        const angle = Math.acos(cosine);
        wa = Math.sin((1 - t) * angle) / Math.sin(angle);
        wb = Math.sin(t * angle) / Math.sin(angle);
    }
    let length = 0;
    for (let i = 0; i < 4; ++i) {
        out[4 + i] = wa * a[at + i] + wb * sign * b[at + i];
        length += out[4 + i] * out[4 + i];
    }
    for (let i = 0; i < 4; ++i) out[4 + i] /= Math.sqrt(length);
}

// poseTable: see pose_table.ts; bodyTable: see body_table.ts.
export const POSE_SHADER = /* glsl */ `
uniform sampler2D poseTable;
uniform sampler2D bodyTable;
uniform int poseTableWidth;
uniform ivec4 frames; // column and row of the first texel of the frame before, and of that behind
uniform float between; // from 0 to 1
uniform float secondsBetween;

struct Pose { vec3 position; float speed; vec4 rotation; };

Pose poseIn(ivec2 first, int body) {
    int column = first.x + 2 * body;
    // Exact, as numbers are below 2^24, and faster than dividing whole numbers.
    int row = int((float(column) + 0.5) / float(poseTableWidth));
    ivec2 at = ivec2(column - row * poseTableWidth, first.y + row);
    vec4 linear = texelFetch(poseTable, at, 0);
    return Pose(linear.xyz, linear.w, texelFetch(poseTable, at + ivec2(1, 0), 0));
}

ivec2 bodyTexel(int body) {
    return ivec2(body & ${(1 << BODY_TABLE_BITS) - 1}, body >> ${BODY_TABLE_BITS});
}

// Half the size of the body's box, and the radius around its middle.
vec4 bodySize(int body) {
    return texelFetch(bodyTable, bodyTexel(body), 0);
}

vec4 mixRotation(vec4 a, vec4 b, float t) {
    float cosine = dot(a, b);
    if (cosine < 0.0) b = -b;
    cosine = abs(cosine);
    vec2 weights = vec2(1.0 - t, t);
    if (cosine < ${NEAR_COSINE}) {
        float angle = acos(cosine);
        weights = sin(weights * angle) / sin(angle);
    }
    return normalize(weights.x * a + weights.y * b);
}

Pose mixedPose(Pose a, int body) {
    Pose b = poseIn(frames.zw, body);
    float radius = bodySize(body).w;
    float speed = max(max(a.speed, b.speed), 0.0);
    float t = between;
    if (distance(a.position, b.position) > ${JUMP_SPEEDS.toFixed(1)} * speed * secondsBetween + radius) {
        t = between < 0.5 ? 0.0 : 1.0;
    }
    float nearer = t < 0.5 ? a.speed : b.speed;
    float mixed = nearer < 0.0 ? nearer : mix(max(a.speed, 0.0), max(b.speed, 0.0), t);
    return Pose(mix(a.position, b.position, t), mixed, mixRotation(a.rotation, b.rotation, t));
}

// Software renderers go through both sides of an if, with the results of one masked, but leave a loop that has no
// round: this is a condition for what costs much.
#define ONLY_IF(condition) for (int round = 0; round < ((condition) ? 1 : 0); ++round)

Pose poseOf(int body) {
    Pose pose = poseIn(frames.xy, body);
    ONLY_IF(between > 0.0) pose = mixedPose(pose, body);
    return pose;
}

vec3 turned(vec3 v, vec4 q) {
    return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}
`;
