// When to draw: only if something changed, and not while two pictures are still being made (one, so that the next can
// be prepared meanwhile; the first ones of a motion, which take longer than others, one by one). A scene that rests for
// a moment is drawn again, finer each time, in portions: whoever begins to move something waits for one portion, not for
// a picture that takes long.
import type { Pace } from './pace';

const REST_MS = 300;
const POLL_MS = 2;
const MOST_PENDING = 2;
const FIRST_PICTURES = 3;
// What a portion of a resting scene should take.
const PORTION_MS = 30;
const LEAST_PORTION = 2_000; // triangles
// So long after a picture began, things are taken to be moving.
const MOVING_MS = 150;

// A picture that the graphics unit works at.
interface Pending {
    readonly fence: WebGLSync | null;
    readonly start: number;
    readonly done: (ms: number) => void;
}

export interface Drawn {
    readonly triangles: number;
    readonly limited: boolean; // more triangles were wanted than were allowed
    readonly alone: boolean; // nothing else was being made in the background
}

export interface Drawing {
    // Lets the camera settle; asks for another picture if it moved.
    update(): void;
    // triangles: how many may be drawn.
    draw(triangles: number): Drawn;
    // Nothing moves, time may be taken for a fine picture: each step draws a portion of about so many triangles. It may
    // be left at any step; then the canvas keeps the picture before.
    still(triangles: number, most: () => number): Generator<void, Drawn, void>;
    // A picture was handed over; one was finished.
    drawn(): void;
    finished(): void;
    // The picture of a resting scene is as fine as it gets.
    rested(): void;
}

export class DrawLoop {
    private changed = false;
    private frameAsked = 0;
    private readonly pending: Pending[] = [];
    private lastDone = 0;
    private pollTimer: ReturnType<typeof setTimeout> | undefined;
    private restTimer: ReturnType<typeof setTimeout> | undefined;
    private stopped = false;
    private lastMoved = -Infinity;
    private inMotion = 0; // pictures since things began to move
    hurried = false; // somebody waits for the picture of a resting scene
    private portion = 0; // triangles that take about PORTION_MS; 0: nobody knows yet

    constructor(
        private readonly gl: WebGL2RenderingContext,
        private readonly pace: Pace,
        private readonly drawing: Drawing,
    ) {}

    request(): void {
        this.changed = true;
        this.ask();
    }

    // Whether pictures of something that moves are being drawn.
    get moving(): boolean {
        return performance.now() - this.lastMoved < MOVING_MS;
    }

    private ask(): void {
        if (this.frameAsked === 0 && !this.stopped) this.frameAsked = requestAnimationFrame(this.tick);
    }

    private readonly tick = (now: number): void => {
        this.frameAsked = 0;
        const most = this.moving && this.inMotion > FIRST_PICTURES ? MOST_PENDING : 1;
        if (this.pending.length >= most) return; // asked for again once a picture is done
        this.drawing.update();
        if (!this.changed) return;
        this.changed = false;
        clearTimeout(this.restTimer);
        this.pace.began(now);
        this.inMotion = this.moving ? this.inMotion + 1 : 1;
        this.lastMoved = performance.now();
        this.draw(
            () => this.drawing.draw(this.pace.triangles),
            (ms, drawn) => {
                this.pace.drew(ms, drawn);
                clearTimeout(this.restTimer);
                const rest = this.hurried ? POLL_MS : REST_MS;
                this.restTimer = setTimeout(() => this.drawStill(this.pace.firstStill), rest);
            },
        );
    };

    // Each picture tells whether a finer one is affordable.
    private drawStill(triangles: number): void {
        if (this.portion === 0) this.portion = Math.max(this.pace.triangles / 2, LEAST_PORTION);
        this.drawPortion(
            this.drawing.still(triangles, () => this.portion),
            0,
            (ms, drawn) => {
                const finer = drawn.limited ? this.pace.finer(triangles, ms) : null;
                // A newer picture is on its way.
                if (this.changed || this.pending.length > 0) return;
                if (finer === null) this.drawing.rested();
                else this.restTimer = setTimeout(() => this.drawStill(finer), POLL_MS);
            },
        );
    }

    // The next portion, and those behind it, as long as nothing changes. spent: milliseconds on those before.
    private drawPortion(
        portions: Generator<void, Drawn, void>,
        spent: number,
        done: (ms: number, drawn: Drawn) => void,
    ): void {
        if (this.changed || this.pending.length > 0 || this.stopped) return;
        this.draw(
            () => portions.next(),
            (ms, step) => {
                const wanted = this.portion * Math.min(Math.max(PORTION_MS / Math.max(ms, 1), 0.25), 1.5);
                this.portion = Math.max(wanted, LEAST_PORTION);
                if (step.done) done(spent + ms, step.value);
                else this.restTimer = setTimeout(() => this.drawPortion(portions, spent + ms, done), 0);
            },
        );
    }

    private draw<T>(submit: () => T, done: (ms: number, submitted: T) => void): void {
        const start = performance.now();
        const submitted = submit();
        const fence = this.gl.fenceSync(this.gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
        this.gl.flush();
        this.pending.push({ fence, start, done: (ms) => done(ms, submitted) });
        this.drawing.drawn();
        if (this.pending.length === 1) this.poll();
    }

    // A picture is done when the fence behind it is. Its time does not count that of the picture before.
    private poll(): void {
        this.pollTimer = setTimeout(() => {
            if (this.stopped) return;
            const { fence, start, done } = this.pending[0];
            if (!this.isDone(fence)) return this.poll();
            this.gl.deleteSync(fence);
            this.pending.shift();
            const now = performance.now();
            const ms = now - Math.max(start, this.lastDone);
            this.lastDone = now;
            done(ms);
            this.drawing.finished();
            if (this.pending.length > 0) this.poll();
            if (this.changed) this.ask();
        }, POLL_MS);
    }

    private isDone(fence: WebGLSync | null): boolean {
        const gl = this.gl;
        return fence === null || gl.isContextLost() || gl.clientWaitSync(fence, 0, 0) !== gl.TIMEOUT_EXPIRED;
    }

    stop(): void {
        this.stopped = true;
        cancelAnimationFrame(this.frameAsked);
        clearTimeout(this.pollTimer);
        clearTimeout(this.restTimer);
    }
}
