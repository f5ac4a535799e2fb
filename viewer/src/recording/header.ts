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
    readonly version: number; // of the recording
}

export const VERSION = 3;
export const OLDEST_VERSION = 2; // that is read: it has no soft bodies

const KINDS: readonly BodyKind[] = ['static', 'kinematic', 'dynamic', 'soft'];
const KINDS_OF_2 = KINDS.slice(0, 3);
const BODY_LEAST_BYTES = 1 + 4 + 8 + 1; // without a name
const UNIT_LEAST = 2 ** -1022; // below, float64 loses digits
// Of soft bodies.
const SOFT_UNIT_LEAST = 2 ** -900;
const SOFT_UNIT_MOST = 2 ** 900;

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

function readInfo(reader: ByteReader, version: number): Info {
    const info = {
        step: reader.f64(),
        origin: [reader.f64(), reader.f64(), reader.f64()] as Vector,
        unit: reader.f64(),
        meshCount: reader.u32(),
        bodyCount: reader.u32(),
        writer: reader.text(),
        name: reader.text(),
    };
    // A bit of the version that flipped must not make one of the other: it stands here again, guarded.
    if (version >= 3 && reader.u32() !== version && !reader.failed) {
        throw new HeaderError('is not of the version that the file begins with');
    }
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

function readBodies(reader: ByteReader, count: number, meshCount: number, version: number): BodyData[] {
    const kinds = version >= 3 ? KINDS : KINDS_OF_2;
    if (count > reader.left / BODY_LEAST_BYTES) {
        throw new HeaderError('has less room than its bodies need');
    }
    const bodies: BodyData[] = [];
    for (let i = 0; i < count; ++i) {
        const kind = kinds[reader.u8()];
        const mesh = reader.u32();
        const name = reader.text();
        if (reader.failed || kind === undefined || mesh >= meshCount) {
            throw new HeaderError(`has a body (${i}) of no known kind, without its mesh or its name`);
        }
        const unit = kind === 'soft' ? reader.f64() : 0;
        if (kind === 'soft' && !(unit >= SOFT_UNIT_LEAST && unit <= SOFT_UNIT_MOST)) {
            throw new HeaderError(`has a soft body (${i}) whose unit is not positive and finite`);
        }
        bodies.push({ name, kind, mesh, unit });
    }
    if (reader.left > 0) {
        throw new HeaderError('goes on behind its last body');
    }
    return bodies;
}

// Takes the chunks of a header one by one.
export class HeaderReader {
    header: Header | null = null; // once it is whole
    version = VERSION; // of the recording, as its first bytes say
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
            this.info = readInfo(reader, this.version);
        } else if (this.sceneText === null) {
            this.sceneText = readScene(reader);
        } else if (this.meshes.length < this.info.meshCount) {
            const mesh = readMesh(reader);
            if (typeof mesh === 'string') {
                throw new HeaderError(mesh);
            }
            this.meshes.push(mesh);
        } else {
            const { version, sceneText, meshes } = this;
            const bodies = readBodies(reader, this.info.bodyCount, this.info.meshCount, version);
            const { name, writer, step, origin, unit } = this.info;
            this.header = { name, writer, step, origin, unit, sceneText, meshes, bodies, version };
        }
    }
}
