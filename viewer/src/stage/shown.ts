// A recording on the stage: everything that is made when it is opened and goes when the next one is.
import {
    Group,
    type InstancedBufferGeometry,
    Vector3,
    type PerspectiveCamera,
    type WebGLRenderer,
} from 'three';
import { type Highlights, type Recording, STATE_SIZE } from '../recording/types';
import type { BackgroundWork } from './background_work';
import { Bodies } from './bodies';
import { BodyTable } from './body_table';
import { BoxLines } from './box_lines';
import { ContactMarks } from './contact_marks';
import { type Choice, Detail } from './detail';
import { type Extent, extentOf, topSpeedOf } from './extent';
import { Forces } from './forces';
import { Highlighted } from './highlighted';
import { niceAbove } from './palette';
import { mixPose } from './pose_mix';
import type { PosedSurface } from './pick';
import { PoseTable } from './pose_table';
import { Shadow } from './shadow';
import { Shapes } from './shapes';
import type { ColourMode, Layers } from './types';
import type { Uniforms } from './uniforms';

const SEE_THROUGH = 0.28;

export class Shown {
    readonly group = new Group();
    readonly poseTable: PoseTable;
    readonly bodyTable: BodyTable;
    readonly shapes: Shapes;
    readonly bodies: Bodies;
    readonly marks: ContactMarks;
    readonly forces: Forces;
    readonly shadow: Shadow;
    readonly boxes: BoxLines;
    readonly positions: Float32Array; // three per body, as drawn
    readonly radii: Float32Array;
    extent: Extent;
    private readonly highlighted: Highlighted | null;
    private readonly detail: Detail;
    private readonly posed = new Float32Array(STATE_SIZE);
    private frame = 0;
    private softFrame = -1; // that soft bodies have the shape of
    private contactsFrame = -1;
    private measuredFrames = 0;

    constructor(
        readonly recording: Recording,
        highlights: Highlights | null,
        renderer: WebGLRenderer,
        private readonly uniforms: Uniforms,
        private readonly work: BackgroundWork,
        changed: () => void,
    ) {
        this.poseTable = new PoseTable(renderer, recording);
        this.bodyTable = new BodyTable(recording);
        this.radii = this.bodyTable.radii;
        this.positions = new Float32Array(3 * recording.bodies.length);
        this.forces = new Forces(recording);
        this.shapes = new Shapes(recording);
        this.bodies = new Bodies(
            recording,
            this.shapes,
            this.bodyTable.paint,
            uniforms,
            work,
            changed,
            highlights !== null,
        );
        this.detail = new Detail(recording.bodies, this.shapes, this.radii);
        this.boxes = new BoxLines(uniforms, this.bodyTable.paint);
        this.marks = new ContactMarks(uniforms);
        this.highlighted = highlights && new Highlighted(uniforms, recording, highlights);
        this.shadow = new Shadow(uniforms, recording, this.bodyTable.paint, this.shapes, renderer);
        this.group.add(this.bodies.group, this.boxes.lines, this.marks.group);
        if (this.highlighted) this.group.add(this.highlighted.mesh);
        this.extent = extentOf(recording, this.radii);
        uniforms.bodyTable.value = this.bodyTable.texture;
        uniforms.forceTable.value = this.bodyTable.forces;
        uniforms.poseTable.value = this.poseTable.texture;
        uniforms.poseTableWidth.value = this.poseTable.width;
        uniforms.opacity.value = highlights ? SEE_THROUGH : 1;
        this.grown();
    }

    // Bodies are see-through where triangles are pointed out.
    get seeThrough(): boolean {
        return this.highlighted !== null;
    }

    get hasStatic(): boolean {
        return this.recording.bodies.some((body) => body.kind === 'static');
    }

    // What stands still for ever is ground, and not walls around what moves.
    get hasGround(): boolean {
        const moves = this.recording.bodies.some((body) => body.kind !== 'static');
        return this.hasStatic && moves && !this.extent.walled;
    }

    // More frames are there. What is measured over the recording is measured again when it got much longer, and when all
    // of it is there: then the answer is true.
    grown(): boolean {
        const frames = this.recording.frameCount;
        this.poseTable.grow();
        this.work.add(this.poseTable.sendAll());
        const enough = this.recording.complete
            ? frames > this.measuredFrames
            : frames >= 1.5 * this.measuredFrames;
        if (frames === 0 || !enough) return false;
        this.measuredFrames = frames;
        this.extent = extentOf(this.recording, this.radii);
        this.uniforms.topSpeed.value = niceAbove(topSpeedOf(this.recording));
        this.marks.setBodyRadius(this.extent.bodyRadius);
        this.shadow.place(this.extent.box);
        return true;
    }

    show(frame: number): void {
        this.frame = Math.min(Math.max(frame, 0), Math.max(this.recording.frameCount - 1, 0));
    }

    private framesAround(): { before: number; behind: number; between: number; seconds: number } {
        const before = Math.floor(this.frame);
        const behind = Math.min(before + 1, this.recording.frameCount - 1);
        const numbers = this.recording.numbers;
        const seconds = (numbers[behind]?.time ?? 0) - (numbers[before]?.time ?? 0);
        return { before, behind, between: this.frame - before, seconds };
    }

    // A body's eight numbers as drawn; valid until the next call.
    pose(body: number): Float32Array {
        const { before, behind, between, seconds } = this.framesAround();
        const { recording, posed } = this;
        if (recording.frameCount === 0) return posed.fill(0);
        const [a, b] = [recording.states(before), recording.states(behind)];
        mixPose(posed, a, b, body, between, seconds, this.radii[body]);
        return posed;
    }

    place(body: number): Vector3 {
        const pose = this.pose(body);
        return new Vector3(pose[0], pose[1], pose[2]);
    }

    // Takes the frame over into uniforms and positions; false if there is none yet.
    setFrame(): boolean {
        if (this.recording.frameCount === 0 || this.recording.bodies.length === 0) return false;
        const { before, behind, between, seconds } = this.framesAround();
        this.uniforms.frames.value.set(...this.poseTable.place(before), ...this.poseTable.place(behind));
        this.uniforms.between.value = between;
        this.uniforms.secondsBetween.value = seconds;
        this.setSoft(before, behind, between);
        const [a, b] = [this.recording.states(before), this.recording.states(behind)];
        for (let body = 0; body < this.radii.length; ++body) {
            mixPose(this.posed, a, b, body, between, seconds, this.radii[body]);
            for (let axis = 0; axis < 3; ++axis) this.positions[3 * body + axis] = this.posed[axis];
        }
        this.highlighted?.show(Math.round(this.frame));
        return true;
    }

    // The shapes and boxes of soft bodies.
    private setSoft(before: number, behind: number, between: number): void {
        const { soft } = this.shapes;
        if (soft.length === 0 || this.softFrame === before + between) return;
        this.softFrame = before + between;
        for (const shape of soft) shape.load(before, between > 0 ? behind : -1);
        if (between > 0) for (const shape of soft) shape.load(behind, before);
        soft.forEach((shape, i) => {
            shape.mix(before, behind, between);
            this.bodyTable.setSize(this.recording.softBodies[i], shape.halfSize);
        });
    }

    // In the frame of the body, relative to the middle of its box.
    surface(body: number): PosedSurface {
        const { bodies, meshes } = this.recording;
        return bodies[body].kind === 'soft'
            ? this.shapes.all[this.shapes.of[body]].list[0]
            : meshes[bodies[body].mesh];
    }

    // Contacts and forces of the nearest whole frame, if anything shows them.
    setContacts(layers: Readonly<Layers>, mode: ColourMode): void {
        this.marks.show(layers.contacts, layers.normals);
        const frame = Math.round(this.frame);
        if (!layers.contacts && !layers.normals && mode !== 'force') return;
        if (frame === this.contactsFrame) return;
        const contacts = this.recording.contacts(frame);
        this.forces.set(contacts);
        this.bodyTable.setForces(this.forces.shares);
        this.marks.set(contacts, this.forces);
        this.contactsFrame = frame;
    }

    // Which bodies are drawn, and how finely.
    chooseDetail(camera: PerspectiveCamera, height: number, budget: number, quick: boolean): Choice {
        const choice = this.detail.choose(this.positions, camera, height, budget);
        this.bodies.clear(quick);
        this.detail.forEachList((shape, level, bodies) => this.bodies.set(shape, level, bodies));
        const { order, visible } = this.detail;
        this.boxes.set(order, visible);
        return choice;
    }

    // As it is drawn, once.
    geometryOf(body: number): InstancedBufferGeometry {
        return this.bodies.shape(this.shapes.of[body], this.levelOf(body));
    }

    levelOf(body: number): number {
        return Math.max(this.detail.level[body], 0);
    }

    get simplified(): boolean {
        return this.detail.level.some((level) => level > 0);
    }

    dispose(): void {
        for (const part of [this.poseTable, this.bodyTable, this.bodies, this.boxes, this.marks, this.shadow])
            part.dispose();
        this.highlighted?.dispose();
        this.group.removeFromParent();
    }
}
