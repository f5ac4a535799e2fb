// The box of each body in the picture, as lines: one instanced draw, by the poses of the bodies.
import { GLSL3, type InstancedBufferGeometry, LineSegments, RawShaderMaterial, Vector4 } from 'three';
import { BODY_LIST_SHADER, BodyList } from './body_list';
import { PLAIN_FRAGMENT_SHADER } from './body_shader';
import { BOX } from './palette';
import { POSE_SHADER } from './pose_mix';
import { PRECISION_SHADER, type Uniforms } from './uniforms';

export class BoxLines {
    readonly lines: LineSegments<InstancedBufferGeometry, RawShaderMaterial>;
    private readonly list: BodyList;

    constructor(uniforms: Uniforms, paint: Uint32Array) {
        const positions = boxEdges();
        const indices = Uint32Array.from({ length: positions.length / 3 }, (_, i) => i);
        this.list = new BodyList({ positions, indices }, 2, paint);
        const material = new RawShaderMaterial({
            glslVersion: GLSL3,
            uniforms: { ...uniforms, ...this.list.uniforms, plainColour: { value: new Vector4(...BOX, 1) } },
            vertexShader: VERTEX,
            fragmentShader: PLAIN_FRAGMENT_SHADER,
        });
        this.lines = new LineSegments(this.list.geometry, material);
        this.lines.frustumCulled = false;
        this.lines.renderOrder = 4;
    }

    set(bodies: Uint32Array, count: number): void {
        this.list.set(bodies, count);
    }

    dispose(): void {
        this.list.dispose();
        this.lines.material.dispose();
    }
}

// The twelve edges of the box from -1 to 1, two corners each.
function boxEdges(): Float32Array {
    const corners: number[] = [];
    for (let axis = 0; axis < 3; ++axis) {
        for (let i = 0; i < 4; ++i) {
            for (const end of [-1, 1]) {
                const corner = [0, 0, 0];
                corner[axis] = end;
                corner[(axis + 1) % 3] = i & 1 ? 1 : -1;
                corner[(axis + 2) % 3] = i & 2 ? 1 : -1;
                corners.push(...corner);
            }
        }
    }
    return Float32Array.from(corners);
}

const VERTEX = /* glsl */ `${PRECISION_SHADER}
${POSE_SHADER}
${BODY_LIST_SHADER}
uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
in vec3 position;

void main() {
    int number = listedBody().number;
    gl_Position = NOWHERE;
    if (number < 0) return;
    Pose pose = poseOf(number);
    vec3 corner = position * bodySize(number).xyz;
    gl_Position = projectionMatrix * viewMatrix * vec4(pose.position + turned(corner, pose.rotation), 1.0);
}
`;
