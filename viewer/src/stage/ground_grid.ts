// A grid on the ground, for scale where nothing else gives it: lines a round number of metres apart, y up.
import {
    BufferAttribute,
    BufferGeometry,
    DoubleSide,
    GLSL3,
    Mesh,
    RawShaderMaterial,
    type Box3,
    Vector3,
} from 'three';
import { niceAbove } from './palette';
import { PRECISION_SHADER, type Uniforms } from './uniforms';

const LINES_ACROSS = 10;
const REACH = 6; // half the side of the grid, in sizes of the scene

export class GroundGrid {
    readonly mesh: Mesh<BufferGeometry, RawShaderMaterial>;
    private readonly own = {
        gridMiddle: { value: new Vector3() },
        gridReach: { value: 1 },
        gridStep: { value: 1 },
    };

    constructor(uniforms: Uniforms) {
        const geometry = new BufferGeometry();
        const corners = new Float32Array([-1, 0, -1, 1, 0, -1, 1, 0, 1, -1, 0, 1]);
        geometry.setAttribute('position', new BufferAttribute(corners, 3));
        geometry.setIndex([0, 2, 1, 0, 3, 2]);
        const material = new RawShaderMaterial({
            glslVersion: GLSL3,
            uniforms: { ...uniforms, ...this.own },
            vertexShader: VERTEX,
            fragmentShader: FRAGMENT,
            transparent: true,
            depthWrite: false,
            side: DoubleSide,
        });
        this.mesh = new Mesh(geometry, material);
        this.mesh.frustumCulled = false;
        this.mesh.renderOrder = 3;
    }

    place(box: Box3): void {
        const size = box.getSize(new Vector3());
        const across = Math.max(size.x, size.z, 0.3 * size.y) || 1;
        box.getCenter(this.own.gridMiddle.value).setY(box.min.y);
        this.own.gridReach.value = REACH * across;
        this.own.gridStep.value = niceAbove(across / LINES_ACROSS);
    }

    // From its middle to where its lines have faded away.
    get reach(): number {
        return this.own.gridReach.value;
    }

    dispose(): void {
        this.mesh.geometry.dispose();
        this.mesh.material.dispose();
    }
}

const VERTEX = /* glsl */ `${PRECISION_SHADER}
uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
uniform vec3 gridMiddle;
uniform float gridReach;
in vec3 position;
out vec2 place;

void main() {
    vec3 world = gridMiddle + gridReach * position;
    place = world.xz;
    gl_Position = projectionMatrix * viewMatrix * vec4(world, 1.0);
}
`;

const FRAGMENT = /* glsl */ `${PRECISION_SHADER}
uniform vec3 gridMiddle;
uniform vec3 lineColour;
uniform float gridReach;
uniform float gridStep;
in vec2 place;
out vec4 pixel;

// How much of a pixel lines of one pixel cover that are this far apart.
float lines(float apart) {
    vec2 at = place / apart;
    vec2 width = fwidth(at);
    vec2 off = abs(fract(at - 0.5) - 0.5) / width;
    vec2 lit = (1.0 - smoothstep(0.3, 1.2, off)) * (1.0 - smoothstep(0.2, 0.6, width));
    return max(lit.x, lit.y);
}

void main() {
    float fade = 1.0 - smoothstep(0.3, 1.0, distance(place, gridMiddle.xz) / gridReach);
    float line = max(0.35 * lines(gridStep), 0.6 * lines(5.0 * gridStep));
    pixel = vec4(lineColour, 0.55 * line * fade);
}
`;
