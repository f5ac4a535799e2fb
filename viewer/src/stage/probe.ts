// What the graphics unit makes of a body's pose: a picture of two pixels, its position with speed and its rotation,
// drawn by the same shader code as bodies and read back. For tests.
import {
    FloatType,
    GLSL3,
    Mesh,
    NearestFilter,
    OrthographicCamera,
    RawShaderMaterial,
    RGBAFormat,
} from 'three';
import { WebGLRenderTarget, type WebGLRenderer } from 'three';
import { coveringTriangle } from './backdrop';
import { POSE_SHADER } from './pose_mix';
import { PRECISION_SHADER, type Uniforms } from './uniforms';

export function probePose(renderer: WebGLRenderer, uniforms: Uniforms, body: number): Float32Array {
    if (!renderer.extensions.has('EXT_color_buffer_float')) {
        throw new Error('this graphics unit cannot draw numbers: EXT_color_buffer_float is missing');
    }
    const target = new WebGLRenderTarget(2, 1, {
        type: FloatType,
        format: RGBAFormat,
        minFilter: NearestFilter,
        magFilter: NearestFilter,
        depthBuffer: false,
    });
    const material = new RawShaderMaterial({
        glslVersion: GLSL3,
        uniforms: { ...uniforms, probed: { value: body } },
        vertexShader: VERTEX,
        fragmentShader: FRAGMENT,
        depthTest: false,
        depthWrite: false,
    });
    const mesh = new Mesh(coveringTriangle(), material);
    mesh.frustumCulled = false;
    const values = new Float32Array(8);
    renderer.setRenderTarget(target);
    renderer.render(mesh, new OrthographicCamera());
    renderer.readRenderTargetPixels(target, 0, 0, 2, 1, values);
    renderer.setRenderTarget(null);
    mesh.geometry.dispose();
    material.dispose();
    target.dispose();
    return values;
}

const VERTEX = /* glsl */ `${PRECISION_SHADER}
${POSE_SHADER}
uniform int probed;
in vec3 position;
flat out vec4 linear;
flat out vec4 rotation;

void main() {
    Pose pose = poseOf(probed);
    linear = vec4(pose.position, pose.speed);
    rotation = pose.rotation;
    gl_Position = vec4(position.xy, 0.0, 1.0);
}
`;

const FRAGMENT = /* glsl */ `${PRECISION_SHADER}
flat in vec4 linear;
flat in vec4 rotation;
out vec4 pixel;

void main() {
    pixel = gl_FragCoord.x < 1.0 ? linear : rotation;
}
`;
