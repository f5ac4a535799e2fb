// A draw of many bodies: the list of their numbers and paint in a texture (RG32UI), and a shape that is there several times over, so that
// one instance draws several bodies. Software renderers, and some graphics units, are slow at many small instances.
import {
    BufferAttribute,
    DataTexture,
    DynamicDrawUsage,
    InstancedBufferGeometry,
    NearestFilter,
    type Object3D,
    RGIntegerFormat,
    UnsignedIntType,
} from 'three';

const BITS = 8; // of the number of texels in a row
const WIDTH = 1 << BITS;
// Elements (triangles or lines) that an instance should have at least, and the most copies for it.
const INSTANCE_ELEMENTS = 1500;
const MOST_COPIES = 128;

export interface Pattern {
    readonly positions: Float32Array; // three per vertex
    readonly normals?: Float32Array;
    readonly indices: Uint32Array;
}

export class BodyList {
    readonly geometry: InstancedBufferGeometry;
    readonly uniforms: {
        bodyList: { value: DataTexture };
        listCount: { value: number };
        listCopies: { value: number };
        listFirst: { value: number };
    };
    readonly instanceElements: number;
    private readonly numbers: Uint32Array;
    private version = 0;

    // perElement: corners of an element, 3 or 2. paint: of all bodies, see body_table.ts. capacity: the most bodies.
    constructor(
        shape: Pattern,
        perElement: 2 | 3,
        private readonly paint: Uint32Array,
        capacity: number = paint.length,
    ) {
        const rows = Math.max(Math.ceil(capacity / WIDTH), 1);
        this.numbers = new Uint32Array(2 * WIDTH * rows);
        const texture = new DataTexture(this.numbers, WIDTH, rows, RGIntegerFormat, UnsignedIntType);
        texture.internalFormat = 'RG32UI';
        texture.minFilter = texture.magFilter = NearestFilter;
        const elements = Math.max(shape.indices.length / perElement, 1);
        const copies = Math.min(Math.ceil(INSTANCE_ELEMENTS / elements), MOST_COPIES, Math.max(capacity, 1));
        this.geometry = repeated(shape, copies);
        this.uniforms = {
            bodyList: { value: texture },
            listCount: { value: 0 },
            listCopies: { value: copies },
            listFirst: { value: 0 },
        };
        this.instanceElements = elements * copies;
        texture.needsUpdate = true;
        this.geometry.instanceCount = 0;
    }

    get count(): number {
        return this.uniforms.listCount.value;
    }

    // The vertices of a shape that is there once have moved: takes them over, if it has not yet.
    reshape(positions: Float32Array, normals: Float32Array, version: number): void {
        if (version === this.version) return;
        this.version = version;
        for (const [name, values] of [
            ['position', positions],
            ['normal', normals],
        ] as const) {
            const attribute = this.geometry.getAttribute(name) as BufferAttribute | undefined;
            if (!attribute) continue;
            attribute.usage = DynamicDrawUsage;
            attribute.array.set(values);
            attribute.needsUpdate = true;
        }
    }

    get instances(): number {
        return Math.ceil(this.count / this.uniforms.listCopies.value);
    }

    // Only these instances are drawn, until the list is set again.
    setRange(first: number, count: number): void {
        this.uniforms.listFirst.value = first;
        this.geometry.instanceCount = count;
    }

    // Takes the list over; sends it only if it changed.
    set(bodies: Uint32Array, count: number): void {
        this.take(bodies, count);
        this.setRange(0, this.instances);
    }

    private take(bodies: Uint32Array, count: number): void {
        let same = count === this.count;
        for (let i = 0; same && i < count; ++i) same = this.numbers[2 * i] === bodies[i];
        if (same) return;
        for (let i = 0; i < count; ++i) {
            this.numbers[2 * i] = bodies[i];
            this.numbers[2 * i + 1] = this.paint[bodies[i]];
        }
        this.uniforms.listCount.value = count;
        this.uniforms.bodyList.value.needsUpdate = true;
    }

    dispose(): void {
        this.uniforms.bodyList.value.dispose();
        this.geometry.dispose();
    }
}

// Goes through draws that are not visible in portions of about so many elements: at each step one portion is.
export function* listPortions(
    draws: readonly { readonly list: BodyList; readonly mesh: Object3D }[],
    most: () => number,
): Generator<void, void, void> {
    const hide = () => draws.forEach(({ mesh }) => (mesh.visible = false));
    let left = most();
    for (const { list, mesh } of draws) {
        const { instances, instanceElements } = list;
        for (let first = 0; first < instances; ) {
            const count = Math.min(Math.max(Math.floor(left / instanceElements), 1), instances - first);
            list.setRange(first, count);
            mesh.visible = true;
            first += count;
            left -= count * instanceElements;
            if (first === instances && left > 0) break;
            yield;
            hide();
            left = most();
        }
    }
    if (draws.some(({ mesh }) => mesh.visible)) yield;
    hide();
}

function repeated(shape: Pattern, copies: number): InstancedBufferGeometry {
    const vertices = shape.positions.length / 3;
    const positions = new Float32Array(copies * shape.positions.length);
    const normals = new Float32Array(copies * (shape.normals?.length ?? 0));
    const indices = new Uint32Array(copies * shape.indices.length);
    const numbers = new Uint8Array(copies * vertices);
    for (let copy = 0; copy < copies; ++copy) {
        positions.set(shape.positions, copy * shape.positions.length);
        if (shape.normals) normals.set(shape.normals, copy * shape.normals.length);
        numbers.fill(copy, copy * vertices, (copy + 1) * vertices);
        const at = copy * shape.indices.length;
        for (let i = 0; i < shape.indices.length; ++i) indices[at + i] = shape.indices[i] + copy * vertices;
    }
    const geometry = new InstancedBufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(positions, 3));
    if (shape.normals) geometry.setAttribute('normal', new BufferAttribute(normals, 3));
    geometry.setAttribute('copy', new BufferAttribute(numbers, 1));
    geometry.setIndex(new BufferAttribute(indices, 1));
    return geometry;
}

// The body a vertex belongs to; -1 for those of the last instance that have none. paint: linear light, and the kind.
export const BODY_LIST_SHADER = /* glsl */ `
uniform highp usampler2D bodyList;
uniform int listCount;
uniform int listCopies;
uniform int listFirst;
in float copy;

struct Listed { int number; vec4 paint; };

Listed listedBody() {
    int at = (listFirst + gl_InstanceID) * listCopies + int(copy + 0.5);
    uvec2 entry = texelFetch(bodyList, ivec2(at & ${WIDTH - 1}, at >> ${BITS}), 0).rg;
    vec3 root = vec3(entry.g & 255u, (entry.g >> 8) & 255u, (entry.g >> 16) & 255u) / 255.0;
    return Listed(at < listCount ? int(entry.r) : -1, vec4(root * root, entry.g >> 24));
}

// Where nothing is drawn.
const vec4 NOWHERE = vec4(2.0, 2.0, 2.0, 1.0);
`;
