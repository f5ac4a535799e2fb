// The poses of a recording in one texture (RGBA32F), from which the vertex shaders read them by body and frame: what
// paper 004, section 3 does with its Linear and Rotational textures. Showing another frame sets a uniform.
//
// A frame is a run of two texels per body (Recording.states as it is): several side by side in a row of the texture
// if they fit, or as many whole rows as one needs. A place of the texture for a frame is a slot. Frames are sent when
// they are shown first, and in the background. If a recording has more frames than there is room for, frame f is in
// slot f modulo the number of slots, and a frame that was displaced is sent again when it is shown.
import { ExternalTexture, type WebGLRenderer } from 'three';
import type { Recording } from '../recording/types';
import type { Job } from './background_work';

const BUDGET_BYTES = 256 * 2 ** 20;
const TEXEL_BYTES = 16;
// What is sent in the background at a time: little, for a picture that is asked for meanwhile is drawn behind it.
const SEND_BYTES = 2 ** 21;

export class PoseTable {
    readonly texture = new ExternalTexture();
    width = 1;
    private framesPerRow = 1;
    private rowsPerFrame = 1;
    private maxSlots = 1;
    private slots = 0;
    private held: Int32Array = new Int32Array(0); // frame by slot, -1: none
    private rowTexels = 1; // of one frame, in its last row
    private readonly gl: WebGL2RenderingContext;

    constructor(
        private readonly renderer: WebGLRenderer,
        private readonly recording: Recording,
    ) {
        this.gl = renderer.getContext() as WebGL2RenderingContext;
        const maxSize = this.gl.getParameter(this.gl.MAX_TEXTURE_SIZE) as number;
        const texels = Math.max(2 * recording.bodies.length, 2);
        this.framesPerRow = Math.max(Math.floor(maxSize / texels), 1);
        // A frame's poses never start at an odd column, so that both texels of a body are in one row.
        this.width = this.framesPerRow > 1 ? this.framesPerRow * texels : Math.min(texels, maxSize & ~1);
        this.rowsPerFrame = Math.ceil(texels / this.width);
        this.rowTexels = texels - (this.rowsPerFrame - 1) * this.width;
        const maxRows = Math.min(maxSize, Math.floor(BUDGET_BYTES / (this.width * TEXEL_BYTES)));
        this.maxSlots = Math.max(Math.floor(maxRows / this.rowsPerFrame), 2) * this.framesPerRow;
        if (2 * this.rowsPerFrame > maxSize) {
            throw new Error(`${recording.bodies.length} bodies are more than this graphics unit can hold`);
        }
        this.grow();
    }

    // Whether all frames have a place of their own.
    get holdsAll(): boolean {
        return this.recording.frameCount <= this.maxSlots;
    }

    // Makes room for the frames there are. What was sent is sent again when it is needed: the recording keeps it.
    grow(): void {
        const wanted = Math.min(Math.max(this.recording.frameCount, 2), this.maxSlots);
        if (wanted <= this.slots) return;
        const slots = this.slots === 0 ? wanted : Math.min(Math.max(wanted, 2 * this.slots), this.maxSlots);
        const rows = Math.ceil(slots / this.framesPerRow) * this.rowsPerFrame;
        const gl = this.gl;
        if (this.texture.sourceTexture) gl.deleteTexture(this.texture.sourceTexture as WebGLTexture);
        this.texture.sourceTexture = gl.createTexture();
        this.bind();
        gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32F, this.width, rows);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
        this.slots = slots;
        this.held = new Int32Array(slots).fill(-1);
    }

    // Column and row of a frame's first texel. Sends it if it is not there.
    place(frame: number): [number, number] {
        const slot = frame % this.slots;
        const column = (slot % this.framesPerRow) * this.rowTexels;
        const row = Math.floor(slot / this.framesPerRow) * this.rowsPerFrame;
        if (this.held[slot] !== frame) this.send(frame, column, row);
        this.held[slot] = frame;
        return [column, row];
    }

    // Sends what is not there yet.
    *sendAll(): Job {
        const atOnce = Math.ceil(SEND_BYTES / (2 * this.recording.bodies.length * TEXEL_BYTES + 1));
        let sent = 0;
        for (let frame = 0; frame < Math.min(this.recording.frameCount, this.slots); ++frame) {
            if (this.held[frame] >= 0) continue;
            this.place(frame);
            yield ++sent % atOnce === 0 ? 'breathe' : undefined;
        }
    }

    private bind(): void {
        this.renderer.state.bindTexture(this.gl.TEXTURE_2D, this.texture.sourceTexture as WebGLTexture);
    }

    private send(frame: number, column: number, row: number): void {
        const gl = this.gl;
        const states = this.recording.states(frame);
        if (states.length === 0) return;
        this.bind();
        gl.pixelStorei(gl.UNPACK_FLIP_Y_WEBGL, false);
        gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
        gl.pixelStorei(gl.UNPACK_ALIGNMENT, 4);
        const whole = this.rowsPerFrame - 1;
        if (whole > 0) {
            const part = states.subarray(0, 4 * whole * this.width);
            gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, row, this.width, whole, gl.RGBA, gl.FLOAT, part);
        }
        const last = states.subarray(4 * whole * this.width);
        gl.texSubImage2D(gl.TEXTURE_2D, 0, column, row + whole, this.rowTexels, 1, gl.RGBA, gl.FLOAT, last);
    }

    // After the graphics context was lost: all over again.
    restore(): void {
        this.texture.sourceTexture = null;
        this.slots = 0;
        this.grow();
    }

    dispose(): void {
        if (this.texture.sourceTexture) this.gl.deleteTexture(this.texture.sourceTexture as WebGLTexture);
        this.texture.sourceTexture = null;
        this.texture.dispose();
    }
}
