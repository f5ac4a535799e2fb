// The bodies in the picture: one draw per mesh and level of detail, each with the list of its bodies.
import {
    BufferAttribute,
    DoubleSide,
    FrontSide,
    GLSL3,
    Group,
    InstancedBufferGeometry,
    Mesh,
    RawShaderMaterial,
    Vector4,
} from 'three';
import type { Recording } from '../recording/types';
import type { BackgroundWork } from './background_work';
import { BodyList, listPortions } from './body_list';
import {
    BODY_FRAGMENT_SHADER,
    BODY_VERTEX_SHADER,
    DEPTH_VERTEX_SHADER,
    PLAIN_FRAGMENT_SHADER,
} from './body_shader';
import type { Level } from './levels';
import type { Rgb } from './palette';
import type { Shapes } from './shapes';
import type { Uniforms } from './uniforms';

const WIRE_OPACITY = 0.45;

// Draws the bodies of a list in one colour.
export function plainMaterial(
    uniforms: Uniforms,
    list: BodyList,
    colour: Rgb,
    opacity: number,
): RawShaderMaterial {
    return new RawShaderMaterial({
        glslVersion: GLSL3,
        uniforms: { ...uniforms, ...list.uniforms, plainColour: { value: new Vector4(...colour, opacity) } },
        vertexShader: DEPTH_VERTEX_SHADER,
        fragmentShader: PLAIN_FRAGMENT_SHADER,
        transparent: opacity < 1,
    });
}

interface Batch {
    readonly list: BodyList;
    readonly solid: Mesh<InstancedBufferGeometry, RawShaderMaterial>;
    readonly fine: RawShaderMaterial;
    readonly quick: RawShaderMaterial; // light by vertex
    readonly wires: Mesh<InstancedBufferGeometry, RawShaderMaterial>;
    readonly single: InstancedBufferGeometry; // the shape once, for the outline
}

export class Bodies {
    readonly group = new Group();
    private readonly batches = new Map<Level, Batch>();
    private readonly users: Uint32Array; // bodies by shape
    private readonly onlyStatic: boolean[]; // by shape
    private quick = false;
    private wireframe = false;
    private wireColour: Rgb = [0, 0, 0];

    constructor(
        recording: Recording,
        private readonly shapes: Shapes,
        private readonly paint: Uint32Array, // by body
        private readonly uniforms: Uniforms,
        work: BackgroundWork,
        levelsChanged: () => void,
        private readonly seeThrough: boolean,
    ) {
        this.users = new Uint32Array(shapes.all.length);
        this.onlyStatic = shapes.all.map(() => true);
        recording.bodies.forEach(({ kind }, body) => {
            ++this.users[shapes.of[body]];
            if (kind !== 'static') this.onlyStatic[shapes.of[body]] = false;
        });
        for (const levels of shapes.levels) work.add(levels.simplified(levelsChanged));
    }

    // Nothing is drawn until it is set again. quick: with less care for light.
    clear(quick: boolean): void {
        this.quick = quick;
        for (const { solid, wires } of this.batches.values()) solid.visible = wires.visible = false;
    }

    // What to draw: of a shape, at a level, these bodies.
    set(shape: number, level: number, bodies: Uint32Array): void {
        const batch = this.batch(shape, level);
        const { positions, normals, version } = this.shapes.all[shape].list[level];
        batch.list.reshape(positions, normals, version);
        batch.list.set(bodies, bodies.length);
        batch.solid.visible = true;
        batch.solid.material = this.quick ? batch.quick : batch.fine;
        batch.wires.visible = this.wireframe;
    }

    // What was set, in portions of about so many triangles: at each step only one portion is drawn. At the end no
    // solid body is: they are all in the picture.
    *portions(most: () => number): Generator<void, void, void> {
        const drawn = [...this.batches.values()].filter(({ solid }) => solid.visible);
        for (const { solid, wires } of drawn) solid.visible = wires.visible = false;
        yield* listPortions(
            drawn.map(({ list, solid }) => ({ list, mesh: solid })),
            most,
        );
        for (const { list, wires } of drawn) {
            list.setRange(0, list.instances);
            wires.visible = this.wireframe;
        }
    }

    setWireframe(on: boolean, colour: Rgb): void {
        this.wireframe = on;
        this.wireColour = colour;
        for (const { wires } of this.batches.values()) {
            (wires.material.uniforms.plainColour.value as Vector4).set(...colour, WIRE_OPACITY);
        }
    }

    // A shape at a level, once.
    shape(shape: number, level: number): InstancedBufferGeometry {
        return this.batch(shape, level).single;
    }

    private batch(number: number, level: number): Batch {
        const shape = this.shapes.all[number];
        const data = shape.list[level];
        const there = this.batches.get(data);
        if (there) return there;
        const pattern = { positions: data.positions, normals: data.normals, indices: data.triangles };
        const list = new BodyList(pattern, 3, this.paint, this.users[number]);
        const fine = this.solidMaterial(list, shape.closed, {});
        const quick = this.solidMaterial(list, shape.closed, {
            LIGHT_BY_VERTEX: 1,
            ...(this.onlyStatic[number] && { FADES: 1 }),
            ...(!shape.closed && { TWO_SIDED: 1 }),
        });
        const solid = new Mesh(list.geometry, fine);
        const wires = new Mesh(
            list.geometry,
            plainMaterial(this.uniforms, list, this.wireColour, WIRE_OPACITY),
        );
        wires.material.wireframe = true;
        wires.material.depthWrite = false;
        wires.renderOrder = 2;
        for (const object of [solid, wires]) {
            object.frustumCulled = false;
            object.matrixAutoUpdate = false;
            this.group.add(object);
        }
        const single = new InstancedBufferGeometry();
        // What is there once in the list is shared: of a soft body it moves.
        const once = list.uniforms.listCopies.value === 1;
        const positions = once ? list.geometry.getAttribute('position') : null;
        single.setAttribute('position', positions ?? new BufferAttribute(data.positions, 3));
        single.setIndex(once ? list.geometry.getIndex() : new BufferAttribute(data.triangles, 1));
        const batch = { list, solid, fine, quick, wires, single };
        this.batches.set(data, batch);
        return batch;
    }

    private solidMaterial(
        list: BodyList,
        closed: boolean,
        defines: Record<string, number>,
    ): RawShaderMaterial {
        return new RawShaderMaterial({
            glslVersion: GLSL3,
            defines,
            uniforms: { ...this.uniforms, ...list.uniforms },
            vertexShader: BODY_VERTEX_SHADER,
            fragmentShader: BODY_FRAGMENT_SHADER,
            // See-through bodies show their inside, open ones their back.
            side: closed && !this.seeThrough ? FrontSide : DoubleSide,
            transparent: this.seeThrough,
            depthWrite: !this.seeThrough,
            // Room for wires and highlighted triangles on the surface.
            polygonOffset: true,
            polygonOffsetFactor: 1,
            polygonOffsetUnits: 1,
        });
    }

    dispose(): void {
        for (const { list, fine, quick, wires, single } of this.batches.values()) {
            list.dispose();
            single.dispose();
            fine.dispose();
            quick.dispose();
            wires.material.dispose();
        }
        this.group.removeFromParent();
    }
}
