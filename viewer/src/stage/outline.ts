// The outline of the selected body, seen also through others: the body's shape, shifted by a few pixels in eight
// directions, where the shape itself is not.
import {
    AlwaysStencilFunc,
    BufferAttribute,
    DoubleSide,
    GLSL3,
    Group,
    InstancedBufferGeometry,
    KeepStencilOp,
    Mesh,
    NotEqualStencilFunc,
    RawShaderMaterial,
    ReplaceStencilOp,
    Vector4,
} from 'three';
import { PLAIN_FRAGMENT_SHADER } from './body_shader';
import { SELECTED } from './palette';
import { POSE_SHADER } from './pose_mix';
import { PRECISION_SHADER, type Uniforms } from './uniforms';

const DIRECTIONS = 8;
const RIM_PIXELS = 2.2; // CSS pixels

export class Outline {
    readonly group = new Group();
    private readonly shape: Mesh<InstancedBufferGeometry, RawShaderMaterial>;
    private readonly rim: Mesh<InstancedBufferGeometry, RawShaderMaterial>;

    constructor(uniforms: Uniforms) {
        this.shape = new Mesh(new InstancedBufferGeometry(), outlineMaterial(uniforms, 0));
        this.rim = new Mesh(new InstancedBufferGeometry(), outlineMaterial(uniforms, RIM_PIXELS));
        this.shape.material.colorWrite = false;
        this.shape.material.stencilFunc = AlwaysStencilFunc;
        this.shape.material.stencilZPass = ReplaceStencilOp;
        this.rim.material.stencilFunc = NotEqualStencilFunc;
        this.rim.material.stencilZPass = KeepStencilOp;
        this.shape.renderOrder = 8;
        this.rim.renderOrder = 9;
        this.group.add(this.shape, this.rim);
        for (const mesh of [this.shape, this.rim]) mesh.frustumCulled = false;
        this.group.visible = false;
    }

    // Of a body drawn with this geometry; null: no outline.
    set(geometry: InstancedBufferGeometry | null): void {
        this.group.visible = geometry !== null;
        if (geometry === null) return;
        for (const [mesh, copies] of [
            [this.shape, 1],
            [this.rim, DIRECTIONS],
        ] as const) {
            // The vertices are shared with the picture of the body; only the number of instances is its own.
            mesh.geometry.setAttribute('position', geometry.getAttribute('position') as BufferAttribute);
            mesh.geometry.setIndex(geometry.getIndex());
            mesh.geometry.instanceCount = copies;
        }
    }

    dispose(): void {
        for (const mesh of [this.shape, this.rim]) {
            mesh.geometry.dispose();
            mesh.material.dispose();
        }
    }
}

function outlineMaterial(uniforms: Uniforms, pixels: number): RawShaderMaterial {
    return new RawShaderMaterial({
        glslVersion: GLSL3,
        uniforms: {
            ...uniforms,
            plainColour: { value: new Vector4(...SELECTED, 1) },
            rimPixels: { value: pixels },
        },
        vertexShader: VERTEX,
        fragmentShader: PLAIN_FRAGMENT_SHADER,
        side: DoubleSide,
        depthTest: false,
        depthWrite: false,
        stencilWrite: true,
        stencilRef: 1,
        // Behind everything solid in the order of drawing.
        transparent: true,
    });
}

const VERTEX = /* glsl */ `${PRECISION_SHADER}
${POSE_SHADER}
uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
uniform vec2 pictureSize;
uniform float pixelRatio;
uniform float rimPixels;
uniform int selected;
in vec3 position;

void main() {
    Pose pose = poseOf(selected);
    vec3 world = pose.position + turned(position, pose.rotation);
    vec4 clip = projectionMatrix * viewMatrix * vec4(world, 1.0);
    float angle = float(gl_InstanceID) * ${((2 * Math.PI) / DIRECTIONS).toFixed(6)};
    clip.xy += vec2(cos(angle), sin(angle)) * rimPixels * pixelRatio * 2.0 / pictureSize * clip.w;
    gl_Position = clip;
}
`;
