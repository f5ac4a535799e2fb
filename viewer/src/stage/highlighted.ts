// Triangles that are pointed out, in a signal colour: those of the frame that is shown.
import { BufferAttribute, BufferGeometry, DoubleSide, GLSL3, Mesh, RawShaderMaterial, Vector3 } from 'three';
import type { Highlights, Recording } from '../recording/types';
import { SIGNAL } from './palette';
import { POSE_SHADER } from './pose_mix';
import { PRECISION_SHADER, type Uniforms } from './uniforms';

export class Highlighted {
    readonly mesh: Mesh<BufferGeometry, RawShaderMaterial>;
    private frame = -1;

    constructor(
        uniforms: Uniforms,
        private readonly recording: Recording,
        private readonly highlights: Highlights,
    ) {
        const material = new RawShaderMaterial({
            glslVersion: GLSL3,
            uniforms: { ...uniforms, signal: { value: new Vector3(...SIGNAL) } },
            vertexShader: VERTEX,
            fragmentShader: FRAGMENT,
            side: DoubleSide,
            // Nearer than the bodies' own triangles at the same place.
            polygonOffset: true,
            polygonOffsetFactor: -1,
            polygonOffsetUnits: -1,
        });
        this.mesh = new Mesh(new BufferGeometry(), material);
        this.mesh.frustumCulled = false;
    }

    show(frame: number): void {
        if (frame === this.frame) return;
        this.frame = frame;
        const perBody = this.highlights.frames[frame] ?? [];
        const places: number[] = [];
        const bodies: number[] = [];
        perBody.slice(0, this.recording.bodies.length).forEach((numbers, body) => {
            const { positions, triangles } = this.recording.meshes[this.recording.bodies[body].mesh];
            for (const number of numbers) {
                if (3 * number + 2 >= triangles.length) continue;
                for (let k = 0; k < 3; ++k) {
                    const v = 3 * triangles[3 * number + k];
                    places.push(positions[v], positions[v + 1], positions[v + 2]);
                    bodies.push(body);
                }
            }
        });
        this.mesh.geometry.dispose();
        this.mesh.geometry = new BufferGeometry();
        this.mesh.geometry.setAttribute('position', new BufferAttribute(Float32Array.from(places), 3));
        this.mesh.geometry.setAttribute('body', new BufferAttribute(Uint32Array.from(bodies), 1));
        this.mesh.visible = bodies.length > 0;
    }

    dispose(): void {
        this.mesh.geometry.dispose();
        this.mesh.material.dispose();
        this.mesh.removeFromParent();
    }
}

const VERTEX = /* glsl */ `${PRECISION_SHADER}
${POSE_SHADER}
uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
in vec3 position;
in uint body;
out vec3 worldPosition;

void main() {
    Pose pose = poseOf(int(body));
    worldPosition = pose.position + turned(position, pose.rotation);
    gl_Position = projectionMatrix * viewMatrix * vec4(worldPosition, 1.0);
}
`;

const FRAGMENT = /* glsl */ `${PRECISION_SHADER}
uniform vec3 signal;
uniform vec3 cameraPosition;
in vec3 worldPosition;
out vec4 pixel;

void main() {
    vec3 normal = normalize(cross(dFdx(worldPosition), dFdy(worldPosition)));
    float facing = abs(dot(normal, normalize(cameraPosition - worldPosition)));
    pixel = vec4(signal * (0.65 + 0.35 * facing), 1.0);
}
`;
