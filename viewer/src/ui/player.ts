// Moves the frame on with the clock, by the times that the recording tells; seeks and steps.
import type { Recording } from '../recording/types';
import { SPEEDS, wholeFrame, type Store } from './state';

const LONGEST_TICK = 0.25; // s: after a pause of the browser, the film does not jump
const STILL_DURATION = 1; // s per frame, where frames have no time of their own

export class Player {
    private last = 0;
    private ticking = false;
    // A frame that was asked for before it was there.
    private wanted: number | null = null;

    constructor(
        private readonly recording: Recording,
        private readonly store: Store,
        // Shows whole frames only: what is pointed out in one frame does not belong between two.
        private readonly whole: boolean,
        private readonly signal: AbortSignal,
    ) {}

    private get end(): number {
        return Math.max(this.store.state.frameCount - 1, 0);
    }

    play(): void {
        const { state } = this.store;
        if (this.end === 0 && state.arrival === 'done') {
            return;
        }
        const atEnd = state.frame >= this.end;
        const again = atEnd && state.arrival === 'done';
        this.store.set({
            playing: true,
            frame: again ? 0 : state.frame,
            atNewest: atEnd && state.arrival === 'live',
        });
        this.last = performance.now();
        if (!this.ticking) {
            this.ticking = true;
            requestAnimationFrame((now) => this.tick(now));
        }
    }

    pause(): void {
        this.store.set({ playing: false, atNewest: false, frame: wholeFrame(this.store.state) });
    }

    toggle(): void {
        if (this.store.state.playing) {
            this.pause();
        } else {
            this.play();
        }
    }

    // Goes on playing from there, if it does.
    seek(frame: number): void {
        const { arrival, playing } = this.store.state;
        const target = Math.max(Math.round(frame), 0);
        this.wanted = target > this.end && arrival !== 'done' ? target : null;
        const shown = Math.min(target, this.end);
        this.store.set({ frame: shown, atNewest: arrival === 'live' && playing && shown === this.end });
    }

    stepBy(frames: number): void {
        const from = wholeFrame(this.store.state);
        this.store.set({ playing: false, atNewest: false });
        this.seek(Math.min(from + frames, this.end));
    }

    faster(by: number): void {
        const now = SPEEDS.findIndex((speed) => speed >= this.store.state.speed);
        const next = Math.min(Math.max((now < 0 ? SPEEDS.length - 1 : now) + by, 0), SPEEDS.length - 1);
        this.store.set({ speed: SPEEDS[next]! });
    }

    // More frames are there.
    grown(): void {
        this.store.set({ frameCount: this.recording.frameCount });
        if (this.wanted !== null) {
            this.seek(this.wanted);
        } else if (this.store.state.atNewest) {
            this.store.set({ frame: this.end });
        }
    }

    // No more frames will come.
    finished(): void {
        this.wanted = null;
        this.store.set({ arrival: 'done', atNewest: false });
    }

    private duration(frame: number): number {
        const { numbers } = this.recording;
        const from = Math.min(Math.floor(frame), this.end - 1);
        const time = numbers[from + 1]!.time - numbers[from]!.time;
        return time > 0 ? time : STILL_DURATION;
    }

    private tick(now: number): void {
        const { state } = this.store;
        if (!state.playing || this.signal.aborted) {
            this.ticking = false;
            return;
        }
        requestAnimationFrame((next) => this.tick(next));
        const passed = Math.min(Math.max((now - this.last) / 1000, 0), LONGEST_TICK) * state.speed;
        this.last = now;
        if (this.wanted === null) {
            this.advance(passed);
        }
    }

    // Where the film is `passed` seconds later.
    private later(from: number, passed: number): number {
        let frame = from;
        let rest = passed;
        while (frame < this.end) {
            const duration = this.duration(frame);
            const next = Math.floor(frame) + 1;
            const left = (next - frame) * duration;
            if (rest < left) {
                return frame + rest / duration;
            }
            rest -= left;
            frame = next;
        }
        return this.end;
    }

    private advance(passed: number): void {
        const { state } = this.store;
        const frame = this.later(state.frame, passed);
        if (frame < this.end || state.arrival === 'reading') {
            this.store.set({ frame });
        } else if (state.arrival === 'live') {
            this.store.set({ frame, atNewest: true });
        } else if (state.loop) {
            // The last frame is shown before the first.
            this.store.set({ frame: state.frame < this.end ? frame : 0 });
        } else {
            this.store.set({ frame, playing: false });
        }
    }

    // What the picture shows.
    get shownFrame(): number {
        return this.whole ? wholeFrame(this.store.state) : this.store.state.frame;
    }
}
