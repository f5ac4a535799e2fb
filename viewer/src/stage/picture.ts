// Where the picture goes: straight to the canvas, or first to a target with several samples per pixel, for smooth
// edges where there is time for it.
import {
    GLSL3,
    Mesh,
    NearestFilter,
    type Object3D,
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

    // CSS pixels, and drawn pixels per CSS pixel.
    setSize(cssWidth: number, cssHeight: number, ratio: number): void {
        this.width = Math.max(Math.round(cssWidth * ratio), 1);
        this.height = Math.max(Math.round(cssHeight * ratio), 1);
    }

    // Setting the size of the canvas clears it, so it is set only if it changed, when the picture is there.
    private fitCanvas(): void {
        const { width, height } = this.renderer.domElement;
        if (width === this.width && height === this.height) return;
        this.renderer.setSize(this.width, this.height, false);
    }

    draw(scene: Scene, camera: Camera, smoothEdges: boolean): void {
        const renderer = this.renderer;
        if (smoothEdges) {
            this.begin();
            this.finish(scene, camera);
            return;
        }
        this.fitCanvas();
        renderer.setRenderTarget(null);
        renderer.clear();
        renderer.render(scene, camera);
    }

    // A picture with smooth edges may be drawn in parts, solid things first. The canvas shows it when it is finished.
    begin(): void {
        this.target.setSize(this.width, this.height);
        this.renderer.setRenderTarget(this.target);
        this.renderer.clear();
        this.renderer.setRenderTarget(null);
    }

    add(part: Object3D, camera: Camera): void {
        this.renderer.setRenderTarget(this.target);
        this.renderer.render(part, camera);
        this.renderer.setRenderTarget(null);
    }

    finish(scene: Scene, camera: Camera): void {
        this.add(scene, camera);
        this.fitCanvas();
        this.renderer.render(this.copy, this.flat);
    }

    dispose(): void {
        this.target.dispose();
        this.material.dispose();
        this.copy.geometry.dispose();
    }
}
