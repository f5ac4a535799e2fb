// Fewer triangles for the same look: edges are collapsed, the cheapest first.
// Based on: Garland and Heckbert, Surface Simplification Using Quadric Error Metrics, 1997.
// Deviation: no heap. Edges are sorted once per pass, and a pass collapses each vertex at most once and nothing much
// dearer than what is needed to reach the goal; passes repeat until it is reached.
import { QUADRIC_SIZE, addPlane, addQuadric, errorAt, leastError } from './quadric';
import { type Surface, fansOf, nextCorner } from './surface';
import type { Job } from './background_work';

// Edges with a triangle on one side only hold their place by planes that stand on them, weighted so.
const BORDER_WEIGHT = 10;
// A pass that gets less than this share of the way is stuck.
const LEAST_PROGRESS = 0.02;

// Simplifies to `goal` triangles or a little fewer, and calls `done`. Where collapsing would turn triangles over, it
// is refused at first; only a surface that cannot get smaller otherwise (crumbs, soups) has to put up with it.
export function* simplify(surface: Surface, goal: number, done: (surface: Surface) => void): Job {
    const work = new Simplification(surface);
    yield* work.addPlanes();
    let strict = true;
    while (work.triangleCount > goal) {
        const before = work.triangleCount;
        yield* work.pass(goal, strict);
        if (before - work.triangleCount > LEAST_PROGRESS * (before - goal)) continue;
        if (!strict) break;
        strict = false;
    }
    done(work.result());
}

class Simplification {
    private readonly positions: Float64Array;
    private readonly triangles: Uint32Array;
    private cornerCount: number;
    private readonly quadrics: Float64Array;
    private readonly point = new Float64Array(3);
    // Where a vertex went in this pass: itself if nowhere.
    private readonly target: Uint32Array;
    private readonly touched: Uint8Array;

    constructor(surface: Surface) {
        this.positions = surface.positions.slice();
        this.triangles = surface.triangles.slice();
        this.cornerCount = this.triangles.length;
        const vertexCount = this.positions.length / 3;
        this.quadrics = new Float64Array(vertexCount * QUADRIC_SIZE);
        this.target = new Uint32Array(vertexCount);
        this.touched = new Uint8Array(vertexCount);
    }

    get triangleCount(): number {
        return this.cornerCount / 3;
    }

    *addPlanes(): Job {
        const { triangles, quadrics, positions } = this;
        const { starts, corners } = fansOf(triangles, this.cornerCount, positions.length / 3);
        for (let t = 0; t < this.cornerCount; t += 3) {
            if ((t & 1023) < 3) yield;
            const normal = this.normalOf(triangles[t], triangles[t + 1], triangles[t + 2]);
            if (normal === null) continue;
            const [nx, ny, nz, area] = normal;
            for (let k = 0; k < 3; ++k) {
                const v = triangles[t + k];
                const at = 3 * v;
                const d = -(nx * positions[at] + ny * positions[at + 1] + nz * positions[at + 2]);
                addPlane(quadrics, v * QUADRIC_SIZE, nx, ny, nz, d, area);
                const w = triangles[t + ((k + 1) % 3)];
                let sides = 0;
                for (let i = starts[v]; i < starts[v + 1]; ++i) {
                    const next = nextCorner(corners[i]);
                    if (triangles[next] === w || triangles[nextCorner(next)] === w) ++sides;
                }
                if (sides === 1) this.addBorder(v, w, nx, ny, nz);
            }
        }
    }

    private addBorder(v: number, w: number, nx: number, ny: number, nz: number): void {
        const p = this.positions;
        const [ex, ey, ez] = [p[3 * w] - p[3 * v], p[3 * w + 1] - p[3 * v + 1], p[3 * w + 2] - p[3 * v + 2]];
        let [bx, by, bz] = [ey * nz - ez * ny, ez * nx - ex * nz, ex * ny - ey * nx];
        const length = Math.hypot(bx, by, bz);
        if (!(length > 0)) return;
        bx /= length;
        by /= length;
        bz /= length;
        const d = -(bx * p[3 * v] + by * p[3 * v + 1] + bz * p[3 * v + 2]);
        for (const end of [v, w]) {
            addPlane(this.quadrics, end * QUADRIC_SIZE, bx, by, bz, d, BORDER_WEIGHT * length * length);
        }
    }

    private normalOf(a: number, b: number, c: number): [number, number, number, number] | null {
        const p = this.positions;
        const [ux, uy, uz] = [p[3 * b] - p[3 * a], p[3 * b + 1] - p[3 * a + 1], p[3 * b + 2] - p[3 * a + 2]];
        const [vx, vy, vz] = [p[3 * c] - p[3 * a], p[3 * c + 1] - p[3 * a + 1], p[3 * c + 2] - p[3 * a + 2]];
        const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
        const length = Math.hypot(x, y, z);
        return length > 0 ? [x / length, y / length, z / length, length / 2] : null;
    }

    *pass(goal: number, strict: boolean): Job {
        const { triangles, target, touched } = this;
        const vertexCount = this.positions.length / 3;
        for (let v = 0; v < vertexCount; ++v) target[v] = v;
        touched.fill(0);
        const fans = fansOf(triangles, this.cornerCount, vertexCount);
        const edges = new Uint32Array(2 * this.cornerCount);
        const costs = new Float32Array(this.cornerCount);
        let edgeCount = 0;
        const seenFrom = new Int32Array(vertexCount).fill(-1);
        for (let v = 0; v < vertexCount; ++v) {
            if ((v & 511) === 511) yield;
            for (let i = fans.starts[v]; i < fans.starts[v + 1]; ++i) {
                let corner = fans.corners[i];
                for (let k = 0; k < 2; ++k) {
                    corner = nextCorner(corner);
                    const w = triangles[corner];
                    if (w <= v || seenFrom[w] === v) continue;
                    seenFrom[w] = v;
                    edges[2 * edgeCount] = v;
                    edges[2 * edgeCount + 1] = w;
                    costs[edgeCount++] = this.cheapestPoint(v, w);
                }
            }
        }
        yield;
        const order = sortedByCost(costs, edgeCount);
        yield;
        // A collapse takes about two triangles.
        const wanted = Math.ceil((this.triangleCount - goal) / 2);
        const dearest = costs[order[Math.min(wanted, edgeCount - 1)]] * 1.5;
        let removed = 0;
        for (let i = 0; i < edgeCount && removed < this.triangleCount - goal; ++i) {
            if ((i & 511) === 511) yield;
            const edge = order[i];
            if (costs[edge] > dearest && removed > 0) break;
            const [v, w] = [edges[2 * edge], edges[2 * edge + 1]];
            if (touched[v] || touched[w]) continue;
            this.cheapestPoint(v, w);
            if (strict && (this.turnsOver(fans, v, w) || this.turnsOver(fans, w, v))) continue;
            removed += this.collapse(fans, v, w);
        }
        this.dropCollapsed();
    }

    // The cost of making v and w one, and where: `point`.
    private cheapestPoint(v: number, w: number): number {
        const { positions: p, quadrics, point } = this;
        const sum = SUM;
        for (let i = 0; i < QUADRIC_SIZE; ++i) {
            sum[i] = quadrics[v * QUADRIC_SIZE + i] + quadrics[w * QUADRIC_SIZE + i];
        }
        const mx = (p[3 * v] + p[3 * w]) / 2;
        const my = (p[3 * v + 1] + p[3 * w + 1]) / 2;
        const mz = (p[3 * v + 2] + p[3 * w + 2]) / 2;
        const edge = Math.hypot(p[3 * v] - mx, p[3 * v + 1] - my, p[3 * v + 2] - mz);
        const found = leastError(sum, 0, point);
        // A point far off the edge is the meeting of nearly parallel planes: it would stick out as a spike.
        if (found && Math.hypot(point[0] - mx, point[1] - my, point[2] - mz) < 2 * edge) {
            return Math.max(errorAt(sum, 0, point[0], point[1], point[2]), 0);
        }
        let least = Infinity;
        for (const share of [0.5, 0, 1]) {
            const x = p[3 * v] + share * (p[3 * w] - p[3 * v]);
            const y = p[3 * v + 1] + share * (p[3 * w + 1] - p[3 * v + 1]);
            const z = p[3 * v + 2] + share * (p[3 * w + 2] - p[3 * v + 2]);
            const error = errorAt(sum, 0, x, y, z);
            if (error >= least) continue;
            least = error;
            point[0] = x;
            point[1] = y;
            point[2] = z;
        }
        return Math.max(least, 0);
    }

    // Whether a triangle around v that does not go away with the edge to w would be turned by 75 degrees or more if
    // v moved to `point`.
    private turnsOver(fans: { starts: Uint32Array; corners: Uint32Array }, v: number, w: number): boolean {
        const { triangles, target, positions: p, point } = this;
        for (let i = fans.starts[v]; i < fans.starts[v + 1]; ++i) {
            const next = nextCorner(fans.corners[i]);
            const b = target[triangles[next]];
            const c = target[triangles[nextCorner(next)]];
            if (b === w || c === w || b === c) continue;
            const old = turnedNormal(p, 3 * v, p, 3 * b, 3 * c, NORMAL_BEFORE);
            const now = turnedNormal(point, 0, p, 3 * b, 3 * c, NORMAL_AFTER);
            const dot =
                NORMAL_BEFORE[0] * NORMAL_AFTER[0] +
                NORMAL_BEFORE[1] * NORMAL_AFTER[1] +
                NORMAL_BEFORE[2] * NORMAL_AFTER[2];
            if (dot < 0.25 * old * now) return true;
        }
        return false;
    }

    // Returns the number of triangles that go with it.
    private collapse(fans: { starts: Uint32Array; corners: Uint32Array }, v: number, w: number): number {
        const { triangles, target } = this;
        let removed = 0;
        for (let i = fans.starts[v]; i < fans.starts[v + 1]; ++i) {
            const next = nextCorner(fans.corners[i]);
            if (target[triangles[next]] === w || target[triangles[nextCorner(next)]] === w) ++removed;
        }
        this.positions.set(this.point, 3 * w);
        addQuadric(this.quadrics, w * QUADRIC_SIZE, v * QUADRIC_SIZE);
        target[v] = w;
        this.touched[v] = this.touched[w] = 1;
        return removed;
    }

    private dropCollapsed(): void {
        const { triangles, target } = this;
        let kept = 0;
        for (let t = 0; t < this.cornerCount; t += 3) {
            const [a, b, c] = [target[triangles[t]], target[triangles[t + 1]], target[triangles[t + 2]]];
            if (a === b || b === c || c === a) continue;
            triangles[kept++] = a;
            triangles[kept++] = b;
            triangles[kept++] = c;
        }
        this.cornerCount = kept;
    }

    result(): Surface {
        const triangles = this.triangles.slice(0, this.cornerCount);
        const places = new Map<number, number>();
        for (let i = 0; i < triangles.length; ++i) {
            const v = triangles[i];
            if (!places.has(v)) places.set(v, places.size);
            triangles[i] = places.get(v)!;
        }
        const positions = new Float64Array(3 * places.size);
        for (const [from, to] of places)
            positions.set(this.positions.subarray(3 * from, 3 * from + 3), 3 * to);
        return { positions, triangles };
    }
}

const SUM = new Float64Array(QUADRIC_SIZE);
const NORMAL_BEFORE = new Float64Array(3);
const NORMAL_AFTER = new Float64Array(3);

// The area vector of the triangle (a, b, c), twice, into `out`; returns its length.
function turnedNormal(
    pa: Float64Array,
    a: number,
    p: Float64Array,
    b: number,
    c: number,
    out: Float64Array,
): number {
    const [ux, uy, uz] = [p[b] - pa[a], p[b + 1] - pa[a + 1], p[b + 2] - pa[a + 2]];
    const [vx, vy, vz] = [p[c] - pa[a], p[c + 1] - pa[a + 1], p[c + 2] - pa[a + 2]];
    out[0] = uy * vz - uz * vy;
    out[1] = uz * vx - ux * vz;
    out[2] = ux * vy - uy * vx;
    return Math.hypot(out[0], out[1], out[2]);
}

// Costs are not negative, so their bits as whole numbers are in the same order: edge numbers by cost, sorted as
// 64-bit numbers of cost and edge.
function sortedByCost(costs: Float32Array, count: number): Uint32Array {
    const bits = new Uint32Array(costs.buffer, costs.byteOffset, count);
    const keys = new Float64Array(count);
    // 2^21 edges fit beside 32 bits of cost in the 53 bits of a float64; beyond, the lowest bits of the cost go.
    const span = 2 ** Math.max(21, Math.ceil(Math.log2(Math.max(count, 2))));
    const drop = span / 2 ** 21;
    for (let i = 0; i < count; ++i) keys[i] = Math.floor(bits[i] / drop) * span + i;
    keys.sort();
    const order = new Uint32Array(count);
    for (let i = 0; i < count; ++i) order[i] = keys[i] % span;
    return order;
}
