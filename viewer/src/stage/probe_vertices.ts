// Where the graphics unit puts the vertices of a body: a picture with a pixel for each, drawn by the same shader code as
// bodies and read back. For tests.
import {
    FloatType,
    GLSL3,
    type InstancedBufferGeometry,
    NearestFilter,
    OrthographicCamera,
    Points,
    RawShaderMaterial,
    RGBAFormat,
    WebGLRenderTarget,
    type WebGLRenderer,
} from 'three';
import { POSE_SHADER } from './pose_mix';
import { PRECISION_SHADER, type Uniforms } from './uniforms';

const WIDTH = 256;

// Three numbers per vertex of the shape that is drawn, in the recording.
export function probeVertices(
    renderer: WebGLRenderer,
    uniforms: Uniforms,
    body: number,
    shape: InstancedBufferGeometry,
): Float32Array {
    const count = shape.getAttribute('position').count;
    const height = Math.ceil(count / WIDTH);
    const target = new WebGLRenderTarget(WIDTH, height, {
        type: FloatType,
        format: RGBAFormat,
        minFilter: NearestFilter,
        magFilter: NearestFilter,
        depthBuffer: false,
    });
    const material = new RawShaderMaterial({
        glslVersion: GLSL3,
        uniforms: { ...uniforms, probed: { value: body }, rows: { value: height } },
        vertexShader: VERTEX,
        fragmentShader: FRAGMENT,
        depthTest: false,
        depthWrite: false,
    });
    const geometry = shape.clone();
    geometry.setIndex(null);
    geometry.setAttribute('position', shape.getAttribute('position'));
    geometry.instanceCount = 1;
    const points = new Points(geometry, material);
    points.frustumCulled = false;
    const values = new Float32Array(4 * WIDTH * height);
    renderer.setRenderTarget(target);
    renderer.clear();
    renderer.render(points, new OrthographicCamera());
    renderer.readRenderTargetPixels(target, 0, 0, WIDTH, height, values);
    renderer.setRenderTarget(null);
    material.dispose();
    target.dispose();
    return Float32Array.from({ length: 3 * count }, (_, i) => values[4 * Math.floor(i / 3) + (i % 3)]);
}

const VERTEX = /* glsl */ `${PRECISION_SHADER}
${POSE_SHADER}
uniform int probed;
uniform int rows;
in vec3 position;
flat out vec3 place;

void main() {
    Pose pose = poseOf(probed);
    place = pose.position + turned(position, pose.rotation);
    vec2 pixel = vec2(gl_VertexID % ${WIDTH}, gl_VertexID / ${WIDTH}) + 0.5;
    gl_Position = vec4(2.0 * pixel / vec2(${WIDTH}, rows) - 1.0, 0.0, 1.0);
    gl_PointSize = 1.0;
}
`;

const FRAGMENT = /* glsl */ `${PRECISION_SHADER}
flat in vec3 place;
out vec4 pixel;

void main() {
    pixel = vec4(place, 1.0);
}
`;
