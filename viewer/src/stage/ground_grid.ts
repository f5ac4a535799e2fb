// A grid on the ground, for scale where nothing else gives it: lines a round number of metres apart, y up. Where bodies are
// the ground, their shaders draw the lines upon them; else it is a plane of its own.
import {
    BufferAttribute,
    BufferGeometry,
    DoubleSide,
    GLSL3,
    Mesh,
    type Object3D,
    RawShaderMaterial,
    type Box3,
    Vector3,
} from 'three';
import { niceAbove } from './palette';
import { PRECISION_SHADER, type Uniforms } from './uniforms';

const LINES_ACROSS = 10;
const REACH = 6; // half the side of the grid, in sizes of the scene

export class GroundGrid {
    private readonly mesh: Mesh<BufferGeometry, RawShaderMaterial>;

    constructor(private readonly uniforms: Uniforms) {
        const geometry = new BufferGeometry();
        const corners = new Float32Array([-1, 0, -1, 1, 0, -1, 1, 0, 1, -1, 0, 1]);
        geometry.setAttribute('position', new BufferAttribute(corners, 3));
        geometry.setIndex([0, 2, 1, 0, 3, 2]);
        const material = new RawShaderMaterial({
            glslVersion: GLSL3,
            uniforms,
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

    get object(): Object3D {
        return this.mesh;
    }

    // onBodies: upon the bodies that stand still for ever.
    show(shown: boolean, onBodies: boolean): void {
        this.mesh.visible = shown && !onBodies;
        this.uniforms.gridOnBodies.value = shown && onBodies ? 1 : 0;
    }

    place(box: Box3): void {
        const size = box.getSize(new Vector3());
        const across = Math.max(size.x, size.z, 0.3 * size.y) || 1;
        box.getCenter(this.uniforms.gridMiddle.value).setY(box.min.y);
        this.uniforms.gridReach.value = REACH * across;
        this.uniforms.gridStep.value = niceAbove(across / LINES_ACROSS);
    }

    // From its middle to where the lines of the plane have faded away; 0: it is not there.
    get reach(): number {
        return this.mesh.visible ? this.uniforms.gridReach.value : 0;
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

// gridLine: how much of a pixel at this place, of x and z, lines cover.
export const GRID_SHADER = /* glsl */ `
uniform vec3 gridMiddle;
uniform vec3 lineColour;
uniform float gridReach;
uniform float gridStep;

// Lines of one pixel that are this far apart.
float gridLines(vec2 place, float apart) {
    vec2 at = place / apart;
    vec2 width = max(fwidth(at), vec2(1e-9));
    vec2 off = abs(fract(at - 0.5) - 0.5) / width;
    vec2 lit = (1.0 - smoothstep(0.3, 1.2, off)) * (1.0 - smoothstep(0.2, 0.6, width));
    return max(lit.x, lit.y);
}

float gridLine(vec2 place) {
    float fade = 1.0 - smoothstep(0.3, 1.0, distance(place, gridMiddle.xz) / gridReach);
    return 0.55 * fade * max(0.35 * gridLines(place, gridStep), 0.6 * gridLines(place, 5.0 * gridStep));
}
`;

const FRAGMENT = /* glsl */ `${PRECISION_SHADER}
${GRID_SHADER}
in vec2 place;
out vec4 pixel;

void main() {
    pixel = vec4(lineColour, gridLine(place));
}
`;
