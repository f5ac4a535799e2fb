// The shape of a soft body, vertex by vertex, as it is drawn: taken from the recording for the frame that is shown, or
// mixed from the two around it, with normals that are computed anew.
import type { MeshData, Recording } from '../recording/types';
import type { Level, Shape } from './levels';
import { isClosedOutwards, weld } from './surface';

interface KnownFrame {
    frame: number; // -1: none
    readonly places: Float32Array; // in the recording, three per vertex
}

export class SoftShape implements Shape {
    // One level: what changes all the time is not simplified.
    readonly list: Level[];
    readonly closed: boolean;
    readonly halfSize = new Float32Array(3); // of the box around it, as drawn
    private readonly level: { -readonly [key in keyof Level]: Level[key] };
    private readonly known: [KnownFrame, KnownFrame];

    constructor(
        private readonly recording: Recording,
        private readonly number: number, // among the soft bodies
        mesh: MeshData,
    ) {
        const size = mesh.positions.length;
        this.closed = isClosedOutwards(weld(mesh.positions, mesh.triangles));
        this.known = [
            { frame: -1, places: new Float32Array(size) },
            { frame: -1, places: new Float32Array(size) },
        ];
        this.level = {
            positions: mesh.positions.slice(),
            normals: new Float32Array(size),
            triangles: mesh.triangles,
            triangleCount: mesh.triangles.length / 3,
            version: 0,
        };
        this.list = [this.level];
        this.findNormals();
    }

    // Takes a frame from the recording, and keeps the other that is still needed. Frames should be loaded in order, of
    // all soft bodies each: that is how they are recorded.
    load(frame: number, other: number): void {
        const [one, two] = this.known;
        if (one.frame === frame || two.frame === frame) return;
        const free = one.frame === other ? two : one;
        this.recording.softPositions(free.places, frame, this.number);
        free.frame = frame;
    }

    // Both frames were loaded. between: from 0 (before) to 1 (behind). Positions are relative to the middle of the box.
    mix(before: number, behind: number, between: number): void {
        const a = this.placesOf(before);
        const b = between === 0 ? a : this.placesOf(behind);
        const boxA = this.recording.softBox(before, this.number);
        const boxB = between === 0 ? boxA : this.recording.softBox(behind, this.number);
        const { positions } = this.level;
        for (let k = 0; k < 3; ++k) {
            const middleA = 0.5 * (boxA[k] + boxA[3 + k]);
            const middleB = 0.5 * (boxB[k] + boxB[3 + k]);
            const halves = [0.5 * (boxA[3 + k] - boxA[k]), 0.5 * (boxB[3 + k] - boxB[k])];
            this.halfSize[k] = halves[0] + between * (halves[1] - halves[0]);
            for (let i = k; i < positions.length; i += 3) {
                const from = a[i] - middleA;
                positions[i] = between === 0 ? from : from + between * (b[i] - middleB - from);
            }
        }
        this.findNormals();
        ++this.level.version;
    }

    private placesOf(frame: number): Float32Array {
        const [one, two] = this.known;
        return one.frame === frame ? one.places : two.places;
    }

    // By area: the sum over the triangles around a vertex.
    private findNormals(): void {
        const { positions: p, normals, triangles } = this.level;
        normals.fill(0);
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
            const x = uy * vz - uz * vy;
            const y = uz * vx - ux * vz;
            const z = ux * vy - uy * vx;
            normals[a] += x;
            normals[a + 1] += y;
            normals[a + 2] += z;
            normals[b] += x;
            normals[b + 1] += y;
            normals[b + 2] += z;
            normals[c] += x;
            normals[c + 1] += y;
            normals[c + 2] += z;
        }
        for (let i = 0; i < normals.length; i += 3) {
            const length = Math.sqrt(normals[i] ** 2 + normals[i + 1] ** 2 + normals[i + 2] ** 2);
            if (!(length > 0)) continue;
            normals[i] /= length;
            normals[i + 1] /= length;
            normals[i + 2] /= length;
        }
    }
}
