// The background: a quiet gradient, drawn where nothing else is.
import { BufferAttribute, BufferGeometry, GLSL3, Mesh, RawShaderMaterial } from 'three';
import { BACKGROUND_SHADER, PRECISION_SHADER, type Uniforms } from './uniforms';

// One triangle that covers the picture, at the far plane.
export function coveringTriangle(): BufferGeometry {
    const geometry = new BufferGeometry();
    const corners = new Float32Array([-1, -1, 1, 3, -1, 1, -1, 3, 1]);
    return geometry.setAttribute('position', new BufferAttribute(corners, 3));
}

export function makeBackdrop(uniforms: Uniforms): Mesh {
    const material = new RawShaderMaterial({
        glslVersion: GLSL3,
        uniforms,
        vertexShader: `in vec3 position; void main() { gl_Position = vec4(position, 1.0); }`,
        fragmentShader: `${PRECISION_SHADER}${BACKGROUND_SHADER}
            out vec4 pixel; void main() { pixel = vec4(background(), 1.0); }`,
        depthWrite: false,
    });
    const backdrop = new Mesh(coveringTriangle(), material);
    backdrop.frustumCulled = false;
    // Behind all solid bodies (so that only what they leave is filled), before everything see-through.
    backdrop.renderOrder = 1;
    return backdrop;
}
