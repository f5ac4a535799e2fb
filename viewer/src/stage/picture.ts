// Where the picture goes: straight to the canvas, or first to a target with several samples per pixel, for smooth
// edges where there is time for it.
import {
    GLSL3,
    Mesh,
    NearestFilter,
    OrthographicCamera,
    RawShaderMaterial,
    WebGLRenderTarget,
    type Camera,
    type Scene,
    type WebGLRenderer,
} from 'three';
import { coveringTriangle } from './backdrop';
import { PRECISION_SHADER } from './uniforms';

const SAMPLES = 4;

export class Picture {
    width = 1;
    height = 1;
    private readonly target: WebGLRenderTarget;
    private readonly copy: Mesh;
    private readonly material: RawShaderMaterial;
    private readonly flat = new OrthographicCamera();

    constructor(private readonly renderer: WebGLRenderer) {
        this.target = new WebGLRenderTarget(1, 1, {
            samples: SAMPLES,
            stencilBuffer: true,
            minFilter: NearestFilter,
            magFilter: NearestFilter,
        });
        this.material = new RawShaderMaterial({
            glslVersion: GLSL3,
            uniforms: { drawn: { value: this.target.texture } },
            vertexShader: `in vec3 position; void main() { gl_Position = vec4(position, 1.0); }`,
            fragmentShader: `${PRECISION_SHADER} uniform sampler2D drawn; out vec4 pixel;
                void main() { pixel = vec4(texelFetch(drawn, ivec2(gl_FragCoord.xy), 0).rgb, 1.0); }`,
            depthTest: false,
            depthWrite: false,
        });
        this.copy = new Mesh(coveringTriangle(), this.material);
        this.copy.frustumCulled = false;
    }

    // CSS pixels, and drawn pixels per CSS pixel. Setting a size clears the canvas, so it is set only if it changed.
    setSize(cssWidth: number, cssHeight: number, ratio: number): void {
        const width = Math.max(Math.round(cssWidth * ratio), 1);
        const height = Math.max(Math.round(cssHeight * ratio), 1);
        if (width === this.width && height === this.height) return;
        this.width = width;
        this.height = height;
        this.renderer.setSize(width, height, false);
    }

    draw(scene: Scene, camera: Camera, smoothEdges: boolean): void {
        const renderer = this.renderer;
        if (!smoothEdges) {
            renderer.setRenderTarget(null);
            renderer.clear();
            renderer.render(scene, camera);
            return;
        }
        this.target.setSize(this.width, this.height);
        renderer.setRenderTarget(this.target);
        renderer.clear();
        renderer.render(scene, camera);
        renderer.setRenderTarget(null);
        renderer.render(this.copy, this.flat);
    }

    dispose(): void {
        this.target.dispose();
        this.material.dispose();
        this.copy.geometry.dispose();
    }
}
