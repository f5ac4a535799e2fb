// The sun's shadow: bodies that move, at a coarse level, seen from the sun.
import {
    type Box3,
    DepthTexture,
    type InstancedBufferGeometry,
    LessEqualCompare,
    LinearFilter,
    Mesh,
    OrthographicCamera,
    type RawShaderMaterial,
    Scene,
    UnsignedIntType,
    Vector3,
    WebGLRenderTarget,
    type WebGLRenderer,
} from 'three';
import type { Recording } from '../recording/types';
import { plainMaterial } from './bodies';
import { BodyList, listPortions } from './body_list';
import type { Level } from './levels';
import type { Shapes } from './shapes';
import type { Uniforms } from './uniforms';

const SIZE = 1024;
const STRENGTH = 0.8;
const MOST_TRIANGLES = 120_000;

interface Caster {
    readonly level: Level;
    readonly list: BodyList;
    readonly mesh: Mesh<InstancedBufferGeometry, RawShaderMaterial>;
}

export class Shadow {
    private readonly scene = new Scene();
    private readonly camera = new OrthographicCamera();
    private readonly target: WebGLRenderTarget;
    private readonly casters: (Caster | null)[];
    private readonly bodies: Uint32Array[]; // that cast a shadow, by shape

    constructor(
        private readonly uniforms: Uniforms,
        recording: Recording,
        private readonly paint: Uint32Array,
        private readonly shapes: Shapes,
        renderer: WebGLRenderer,
    ) {
        this.target = new WebGLRenderTarget(SIZE, SIZE);
        const depth = new DepthTexture(SIZE, SIZE, UnsignedIntType);
        depth.compareFunction = LessEqualCompare;
        depth.minFilter = depth.magFilter = LinearFilter;
        this.target.depthTexture = depth;
        renderer.initRenderTarget(this.target);
        const bodies = shapes.all.map(() => [] as number[]);
        recording.bodies.forEach((body, i) => body.kind === 'static' || bodies[shapes.of[i]].push(i));
        this.bodies = bodies.map((list) => Uint32Array.from(list));
        this.casters = bodies.map(() => null);
        uniforms.shadowMap.value = depth;
        uniforms.shadowStrength.value = 0;
    }

    // The sun sees this box, always the same, so that shadows do not shimmer.
    place(box: Box3): void {
        const middle = box.getCenter(new Vector3());
        const radius = (box.getSize(new Vector3()).length() / 2) * 1.05;
        const sun = this.uniforms.sunDirection.value;
        this.camera.position.copy(middle).addScaledVector(sun, 2 * radius);
        this.camera.lookAt(middle);
        this.camera.left = this.camera.bottom = -radius;
        this.camera.right = this.camera.top = radius;
        this.camera.near = 0.5 * radius;
        this.camera.far = 4 * radius;
        this.camera.updateProjectionMatrix();
        this.camera.updateMatrixWorld();
        this.uniforms.shadowTexel.value = (2 * radius) / SIZE;
        this.uniforms.shadowMatrix.value
            .makeScale(0.5, 0.5, 0.5)
            .setPosition(0.5, 0.5, 0.5)
            .multiply(this.camera.projectionMatrix)
            .multiply(this.camera.matrixWorldInverse);
    }

    draw(renderer: WebGLRenderer): void {
        for (const _ of this.portions(renderer, () => Infinity));
    }

    // In portions of about so many triangles.
    *portions(renderer: WebGLRenderer, most: () => number): Generator<void, void, void> {
        const number = this.levelNumber();
        this.bodies.forEach((bodies, shape) => bodies.length > 0 && this.useLevel(shape, number));
        const casters = this.casters.filter((caster) => caster !== null);
        for (const { mesh } of casters) mesh.visible = false;
        renderer.setRenderTarget(this.target);
        renderer.clear();
        for (const _ of listPortions(casters, most)) {
            renderer.setRenderTarget(this.target);
            renderer.render(this.scene, this.camera);
            renderer.setRenderTarget(null);
            yield;
        }
        renderer.setRenderTarget(null);
        this.uniforms.shadowStrength.value = STRENGTH;
    }

    off(): void {
        this.uniforms.shadowStrength.value = 0;
    }

    // The finest level at which all together are few enough.
    private levelNumber(): number {
        const most = Math.max(...this.shapes.all.map((shape) => shape.list.length));
        for (let number = 0; number < most - 1; ++number) {
            const triangles = this.bodies.reduce(
                (sum, bodies, shape) =>
                    bodies.length === 0 ? sum : sum + bodies.length * this.level(shape, number).triangleCount,
                0,
            );
            if (triangles <= MOST_TRIANGLES) return number;
        }
        return most - 1;
    }

    private level(shape: number, number: number): Level {
        const all = this.shapes.all[shape].list;
        return all[Math.min(number, all.length - 1)];
    }

    private useLevel(shape: number, number: number): void {
        const level = this.level(shape, number);
        if (this.casters[shape]?.level !== level) this.makeCaster(shape, level);
        this.casters[shape]!.list.reshape(level.positions, level.normals, level.version);
    }

    private makeCaster(shape: number, level: Level): void {
        this.remove(this.casters[shape]);
        const pattern = { positions: level.positions, indices: level.triangles };
        const list = new BodyList(pattern, 3, this.paint, this.bodies[shape].length);
        list.set(this.bodies[shape], this.bodies[shape].length);
        const material = plainMaterial(this.uniforms, list, [0, 0, 0], 1);
        material.colorWrite = false;
        const caster = { level, list, mesh: new Mesh(list.geometry, material) };
        caster.mesh.frustumCulled = false;
        this.scene.add(caster.mesh);
        this.casters[shape] = caster;
    }

    private remove(caster: Caster | null): void {
        caster?.mesh.removeFromParent();
        caster?.mesh.material.dispose();
        caster?.list.dispose();
    }

    dispose(): void {
        for (const caster of this.casters) this.remove(caster);
        this.target.depthTexture?.dispose();
        this.target.dispose();
        this.uniforms.shadowMap.value = null;
    }
}
