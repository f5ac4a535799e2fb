// The stage: a recording drawn on a canvas (types.ts says what it can do).
import { Raycaster, Scene, Sphere, Vector2, WebGLRenderer } from 'three';
import type { Highlights, Recording } from '../recording/types';
import { makeBackdrop } from './backdrop';
import { BackgroundWork } from './background_work';
import { type Drawn, DrawLoop } from './draw_loop';
import { GroundGrid } from './ground_grid';
import { legendOf } from './legend';
import { Outline } from './outline';
import { Pace } from './pace';
import { DARK, LIGHT } from './palette';
import { castRay } from './pick';
import { Picture } from './picture';
import { probePose } from './probe';
import { probeVertices } from './probe_vertices';
import { qualityNote } from './quality_note';
import { Shown } from './shown';
import type { ColourMode, ColourScale, Layers, Quality, Stage } from './types';
import { makeUniforms, useColourMode, useScheme } from './uniforms';
import { type Direction, View } from './view';

// A body that is smaller than this on the screen is picked within this distance of its middle, in CSS pixels.
const PICK_PIXELS = 6;
const SETTLING_MS = 20;
// Looking at one body leaves room for what is around it.
const CLOSE_UP = 1.6;
const NOTHING: Drawn = { triangles: 0, limited: false, alone: false };

// Throws an Error, with a message for people, where there is no WebGL2.
export function createStage(canvas: HTMLCanvasElement): Stage {
    const context = canvas.getContext('webgl2', {
        alpha: false,
        antialias: false, // by Picture, where there is time for it
        stencil: true,
        powerPreference: 'high-performance',
    });
    if (context === null) {
        throw new Error(
            'This browser has no WebGL2, which drawing needs. Another browser, or switching on hardware acceleration in its settings, may help.',
        );
    }
    return new CanvasStage(canvas, context);
}

class CanvasStage implements Stage {
    private readonly renderer: WebGLRenderer;
    private readonly uniforms = makeUniforms();
    private readonly scene = new Scene();
    private readonly work = new BackgroundWork(() => this.loop.moving);
    private readonly pace = new Pace();
    private readonly view: View;
    private readonly picture: Picture;
    private readonly loop: DrawLoop;
    private readonly grid: GroundGrid;
    private readonly outline: Outline;
    private readonly darkScheme = window.matchMedia('(prefers-color-scheme: dark)');
    private readonly drawnListeners: (() => void)[] = [];
    private readonly finishedListeners: (() => void)[] = [];
    private readonly awaiting: (() => void)[] = []; // a picture
    private readonly waiting: (() => void)[] = []; // for the picture to settle
    private resting = false; // the last picture is as fine as it gets
    private shown: Shown | null = null;
    private mode: ColourMode = 'body';
    private shownLayers: Layers = {
        contacts: false,
        normals: false,
        boxes: false,
        wireframe: false,
        grid: true,
    };
    private selected: number | null = null;
    private followed: number | null = null;
    private lastQuality: Quality = { note: '', framesPerSecond: 0, drawnTriangles: 0, allTriangles: 0 };
    private turned = false; // somebody has set the camera since the recording was opened

    constructor(
        readonly canvas: HTMLCanvasElement,
        context: WebGL2RenderingContext,
    ) {
        this.renderer = new WebGLRenderer({ canvas, context });
        this.renderer.autoClear = false;
        this.view = new View(canvas, () => this.needsDrawing());
        this.view.controls.addEventListener('start', () => (this.turned = true));
        this.picture = new Picture(this.renderer);
        this.grid = new GroundGrid(this.uniforms);
        this.outline = new Outline(this.uniforms);
        this.scene.add(makeBackdrop(this.uniforms), this.grid.object, this.outline.group);
        this.loop = new DrawLoop(context, this.pace, {
            update: () => void this.view.controls.update(),
            draw: (triangles) => this.draw(triangles),
            still: (triangles, most) => this.drawStill(triangles, most),
            drawn: () => this.drawnListeners.forEach((listener) => listener()),
            finished: () => {
                this.finishedListeners.forEach((listener) => listener());
                this.awaiting.splice(0).forEach((resolve) => resolve());
            },
            rested: () => {
                this.resting = true;
                this.tellSettled();
            },
        });
        this.darkScheme.addEventListener('change', this.schemeChanged);
        canvas.addEventListener('webglcontextrestored', this.contextRestored);
        this.schemeChanged();
    }

    open(recording: Recording, highlights: Highlights | null): void {
        this.shown?.dispose();
        this.work.clear();
        this.select(null);
        this.follow(null);
        this.shown = new Shown(recording, highlights, this.renderer, this.uniforms, this.work, () =>
            this.needsDrawing(),
        );
        this.scene.add(this.shown.group);
        // Ground of its own makes a grid superfluous, until somebody asks for it; walls do not.
        this.setLayers({ ...this.shownLayers, grid: !this.shown.hasStatic || this.shown.extent.walled });
        this.turned = false;
        this.show(0);
        this.lookAtStart();
    }

    // The camera is set anew as more of the motion is known, until somebody else has set it.
    grown(): void {
        if (this.shown?.grown()) this.lookAtStart();
        this.needsDrawing();
    }

    private lookAtStart(): void {
        if (this.turned || !this.shown || this.shown.recording.frameCount === 0) return;
        this.look(this.shown.extent.places, 'start');
    }

    show(frame: number): void {
        this.shown?.show(frame);
        this.needsDrawing();
    }

    setColours(mode: ColourMode): void {
        this.mode = mode;
        useColourMode(this.uniforms, mode);
        this.needsDrawing();
    }

    colourScale(): ColourScale {
        const force = this.shown?.forces ?? { bottom: 1, top: 10 };
        this.shown?.setContacts(this.shownLayers, this.mode);
        return legendOf(this.mode, this.uniforms.topSpeed.value, force);
    }

    setLayers(layers: Readonly<Layers>): void {
        this.shownLayers = { ...layers };
        this.grid.show(layers.grid, this.shown?.hasGround ?? false);
        if (this.shown) this.shown.boxes.lines.visible = layers.boxes;
        this.shown?.bodies.setWireframe(layers.wireframe, this.scheme.wires);
        this.needsDrawing();
    }

    get layers(): Readonly<Layers> {
        return this.shownLayers;
    }

    select(body: number | null): void {
        this.selected = body;
        this.uniforms.selected.value = body ?? -1;
        this.needsDrawing();
    }

    follow(body: number | null): void {
        this.followed = body;
        if (body !== null) this.turned = true;
        this.view.follow(body === null || !this.shown ? null : this.shown.place(body));
        this.needsDrawing();
    }

    lookAtAll(): void {
        this.turned = true;
        this.look(this.shown?.extent.places, null);
    }

    lookAt(body: number): void {
        if (!this.shown) return;
        this.turned = true;
        this.look([new Sphere(this.shown.place(body), CLOSE_UP * this.shown.radii[body] || 1)], null);
    }

    lookFrom(direction: Direction): void {
        this.turned = true;
        this.look(this.shown?.extent.places, direction);
    }

    private look(places: readonly Sphere[] | undefined, direction: Direction | null): void {
        if (!places || !this.shown) return;
        this.fitToCanvas();
        this.view.setScene(this.shown.extent.box);
        this.grid.place(this.shown.extent.box);
        this.view.lookAt(places, direction);
        this.needsDrawing();
    }

    pick(x: number, y: number): number | null {
        if (!this.shown?.setFrame()) return null;
        this.view.camera.updateMatrixWorld();
        const { clientWidth, clientHeight } = this.canvas;
        const caster = new Raycaster();
        const place = new Vector2((2 * x) / clientWidth - 1, 1 - (2 * y) / clientHeight);
        caster.setFromCamera(place, this.view.camera);
        const hit = castRay(caster.ray, this.shown)?.body ?? null;
        const solid = hit !== null && this.shown.recording.bodies[hit].kind !== 'static';
        return solid ? hit : (this.smallBodyNear(x, y) ?? hit);
    }

    // Bodies of a few pixels are hard to hit: the nearest of them.
    private smallBodyNear(x: number, y: number): number | null {
        const { recording, radii } = this.shown!;
        const focal = this.canvas.clientHeight / 2 / Math.tan((this.view.camera.fov * Math.PI) / 360);
        let nearest = PICK_PIXELS;
        let found: number | null = null;
        for (let body = 0; body < radii.length; ++body) {
            if (recording.bodies[body].kind === 'static') continue;
            const distance = this.shown!.place(body).distanceTo(this.view.camera.position);
            if ((radii[body] / distance) * focal > PICK_PIXELS) continue;
            const at = this.onScreen(body);
            const off = at ? Math.hypot(at.x - x, at.y - y) : Infinity;
            if (off >= nearest) continue;
            nearest = off;
            found = body;
        }
        return found;
    }

    onScreen(body: number): { x: number; y: number } | null {
        if (!this.shown) return null;
        this.view.camera.updateMatrixWorld();
        const place = this.shown.place(body).applyMatrix4(this.view.camera.matrixWorldInverse);
        if (place.z >= 0) return null;
        place.applyMatrix4(this.view.camera.projectionMatrix);
        const { clientWidth, clientHeight } = this.canvas;
        return { x: ((place.x + 1) / 2) * clientWidth, y: ((1 - place.y) / 2) * clientHeight };
    }

    placeOf(body: number): ReturnType<Stage['placeOf']> {
        const pose = this.shown?.pose(body) ?? new Float32Array(8);
        return { position: [pose[0], pose[1], pose[2]], rotation: [pose[4], pose[5], pose[6], pose[7]] };
    }

    probe(body: number): Float32Array {
        this.shown?.setFrame();
        return probePose(this.renderer, this.uniforms, body);
    }

    probeVertices(body: number): Float32Array {
        if (!this.shown?.setFrame()) return new Float32Array();
        this.draw(this.pace.triangles); // so that the shape is there
        return probeVertices(this.renderer, this.uniforms, body, this.shown.geometryOf(body));
    }

    needsDrawing(): void {
        this.resting = false;
        this.loop.request();
    }

    finished(): Promise<void> {
        return new Promise((resolve) => this.awaiting.push(resolve));
    }

    made(): Promise<void> {
        return this.work.ended();
    }

    settled(): Promise<void> {
        return new Promise((resolve) => {
            this.waiting.push(resolve);
            this.loop.hurried = true;
            this.needsDrawing();
        });
    }

    private tellSettled(): void {
        if (!this.resting || this.waiting.length === 0) return;
        // What is made in the background may ask for another picture, or not.
        if (this.work.busy) {
            setTimeout(() => this.tellSettled(), SETTLING_MS);
            return;
        }
        this.loop.hurried = false;
        for (const resolve of this.waiting.splice(0)) resolve();
    }

    get quality(): Quality {
        return this.lastQuality;
    }

    onDrawn(listener: () => void): void {
        this.drawnListeners.push(listener);
    }

    onFinished(listener: () => void): void {
        this.finishedListeners.push(listener);
    }

    resize(): void {
        this.needsDrawing();
    }

    private fitToCanvas(): void {
        this.view.setAspect(Math.max(this.canvas.clientWidth, 1) / Math.max(this.canvas.clientHeight, 1));
    }

    private draw(triangles: number): Drawn {
        const { fine } = this.pace;
        const prepared = this.prepare(triangles, this.pace.pixelRatio, fine);
        if (!prepared || !fine) this.shown?.shadow.off();
        else prepared.shown.shadow.draw(this.renderer);
        this.picture.draw(this.scene, this.view.camera, prepared !== null && fine);
        return prepared?.drawn ?? NOTHING;
    }

    // A fine picture of what rests, in portions of about so many triangles.
    private *drawStill(triangles: number, most: () => number): Generator<void, Drawn, void> {
        const { picture, renderer, scene, view } = this;
        const prepared = this.prepare(triangles, this.pace.finestRatio, true);
        if (!prepared) return NOTHING;
        const { shown, drawn } = prepared;
        yield* shown.shadow.portions(renderer, most);
        picture.begin();
        // What is seen through others is drawn in one piece: the order matters.
        if (!shown.seeThrough) {
            for (const _ of shown.bodies.portions(most)) {
                picture.add(shown.bodies.group, view.camera);
                yield;
            }
        }
        picture.finish(scene, view.camera);
        return drawn;
    }

    // Sets up everything for a picture; null: there is nothing to draw yet.
    private prepare(triangles: number, ratio: number, fine: boolean): { shown: Shown; drawn: Drawn } | null {
        const { canvas, picture, shown, uniforms, view } = this;
        picture.setSize(canvas.clientWidth, canvas.clientHeight, ratio);
        this.fitToCanvas();
        uniforms.pictureSize.value.set(picture.width, picture.height);
        uniforms.pixelRatio.value = ratio;
        const visible = shown?.setFrame() ?? false;
        if (shown) shown.group.visible = visible;
        this.outline.set(null);
        if (!shown || !visible) return null;
        if (this.followed !== null) view.followTo(shown.place(this.followed));
        view.fitDepth(shown.positions, shown.radii, this.grid.reach);
        uniforms.viewDistance.value = view.scale;
        shown.setContacts(this.shownLayers, this.mode);
        const budget = this.shownLayers.wireframe ? triangles / 2 : triangles;
        const choice = shown.chooseDetail(view.camera, picture.height, budget, !fine);
        if (this.selected !== null) this.outline.set(shown.geometryOf(this.selected));
        this.lastQuality = {
            note: qualityNote(choice, shown, ratio < Math.min(window.devicePixelRatio, 1)),
            framesPerSecond: this.pace.framesPerSecond,
            drawnTriangles: choice.drawnTriangles,
            allTriangles: choice.allTriangles,
        };
        const limited = choice.wantedTriangles > choice.drawnTriangles;
        return { shown, drawn: { triangles: choice.drawnTriangles, limited, alone: !this.work.busy } };
    }

    private get scheme() {
        return this.darkScheme.matches ? DARK : LIGHT;
    }

    private readonly schemeChanged = (): void => {
        useScheme(this.uniforms, this.scheme);
        this.setLayers(this.shownLayers);
    };

    private readonly contextRestored = (): void => {
        this.shown?.poseTable.restore();
        this.needsDrawing();
    };

    dispose(): void {
        this.loop.stop();
        this.work.clear();
        this.darkScheme.removeEventListener('change', this.schemeChanged);
        this.canvas.removeEventListener('webglcontextrestored', this.contextRestored);
        for (const part of [this.shown, this.grid, this.outline, this.picture, this.view]) part?.dispose();
        this.renderer.dispose();
    }
}
