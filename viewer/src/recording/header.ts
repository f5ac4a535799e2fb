// The header of a recording: INFO, SCEN, a MESH per mesh, BODY, in this order.
import { ByteReader } from './bytes';
import { readMesh } from './mesh';
import type { BodyData, BodyKind, MeshData, Vector } from './types';
import type { Chunk } from './chunks';

export interface Header {
    readonly name: string;
    readonly writer: string;
    readonly step: number; // s
    readonly sceneText: string;
    readonly origin: Vector;
    readonly unit: number; // m, of the grid that positions are on
    readonly meshes: readonly MeshData[];
    readonly bodies: readonly BodyData[];
}

const KINDS: readonly BodyKind[] = ['static', 'kinematic', 'dynamic'];
const BODY_LEAST_BYTES = 1 + 4 + 8 + 1; // without a name
const UNIT_LEAST = 2 ** -1022; // below, float64 loses digits

// Says what is wrong with the chunk at hand.
export class HeaderError extends Error {}

interface Info {
    readonly step: number;
    readonly origin: Vector;
    readonly unit: number;
    readonly meshCount: number;
    readonly bodyCount: number;
    readonly writer: string;
    readonly name: string;
}

function readInfo(reader: ByteReader): Info {
    const info = {
        step: reader.f64(),
        origin: [reader.f64(), reader.f64(), reader.f64()] as Vector,
        unit: reader.f64(),
        meshCount: reader.u32(),
        bodyCount: reader.u32(),
        writer: reader.text(),
        name: reader.text(),
    };
    if (reader.failed || reader.left > 0) {
        throw new HeaderError('has not the size that its counts and texts tell');
    }
    const sizes = [info.step, info.unit];
    if (![...sizes, ...info.origin].every(Number.isFinite) || info.step <= 0 || info.unit < UNIT_LEAST) {
        throw new HeaderError('has a step or a grid that is not positive and finite');
    }
    return info;
}

function readScene(reader: ByteReader): string {
    const text = reader.text();
    if (reader.failed || reader.left > 0) {
        throw new HeaderError('has not the size of its text');
    }
    return text;
}

function readBodies(reader: ByteReader, count: number, meshCount: number): BodyData[] {
    if (count > reader.left / BODY_LEAST_BYTES) {
        throw new HeaderError('has less room than its bodies need');
    }
    const bodies: BodyData[] = [];
    for (let i = 0; i < count; ++i) {
        const kind = KINDS[reader.u8()];
        const mesh = reader.u32();
        const name = reader.text();
        if (reader.failed || kind === undefined || mesh >= meshCount) {
            throw new HeaderError(`has a body (${i}) of no known kind, without its mesh or its name`);
        }
        bodies.push({ name, kind, mesh });
    }
    if (reader.left > 0) {
        throw new HeaderError('goes on behind its last body');
    }
    return bodies;
}

// Takes the chunks of a header one by one.
export class HeaderReader {
    header: Header | null = null; // once it is whole
    private info: Info | null = null;
    private sceneText: string | null = null;
    private readonly meshes: MeshData[] = [];

    // The kind of the chunk that must come next, for people: the meshes are counted.
    get expected(): string {
        return this.nextKind === 'MESH' ? `MESH (mesh ${this.meshes.length})` : this.nextKind;
    }

    private get nextKind(): string {
        if (!this.info) {
            return 'INFO';
        }
        if (this.sceneText === null) {
            return 'SCEN';
        }
        return this.meshes.length < this.info.meshCount ? 'MESH' : 'BODY';
    }

    // Throws a HeaderError that goes on from "the chunk KIND at byte N".
    take(chunk: Chunk): void {
        if (!chunk.intact) {
            throw new HeaderError('is damaged: its checksum is wrong');
        }
        if (chunk.kind !== this.nextKind) {
            throw new HeaderError('is missing: a chunk of another kind is there');
        }
        const reader = new ByteReader(chunk.bytes, chunk.begin, chunk.end);
        if (!this.info) {
            this.info = readInfo(reader);
        } else if (this.sceneText === null) {
            this.sceneText = readScene(reader);
        } else if (this.meshes.length < this.info.meshCount) {
            const mesh = readMesh(reader);
            if (typeof mesh === 'string') {
                throw new HeaderError(mesh);
            }
            this.meshes.push(mesh);
        } else {
            const bodies = readBodies(reader, this.info.bodyCount, this.info.meshCount);
            const { name, writer, step, origin, unit } = this.info;
            const { sceneText, meshes } = this;
            this.header = { name, writer, step, origin, unit, sceneText, meshes, bodies };
        }
    }
}
