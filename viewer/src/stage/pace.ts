// How much can be drawn in time. Measured, not guessed: the time from handing a picture to the graphics unit until it
// is done tells how many triangles and pixels the next one may have.
import type { Drawn } from './draw_loop';

const SLOW_MS = 45;
const LONGEST_INTERVAL_MS = 500;
const TOO_SLOW_MS = 90;
const GOOD_MS = 30;
const FAST_MS = 20;
const LEAST_TRIANGLES = 20_000;
const MOST_TRIANGLES = 40_000_000;
const MAX_PIXEL_RATIO = 2;
const LEAST_PIXEL_RATIO = 0.6;
const FINE_BARRED = 300; // pictures
// So many pictures in a row have to be too slow, with nothing else to do beside them, before they get fewer pixels:
// making room for another size takes longer than a picture, and a single slow one has other reasons.
const TOO_SLOW_PICTURES = 3;
// What a finer picture of a resting scene may take.
const STILL_MS = 1500;
const STILL_FACTOR = 3;

// What the first pictures may have: where there is time for more, that is found out within a few pictures; where there is
// not, the first one would already be too slow.
const FIRST_TRIANGLES = 22_000;

export class Pace {
    triangles = FIRST_TRIANGLES;
    // Share of the screen's pixels along each axis.
    sharpness = 1;
    framesPerSecond = 0;
    private lastDraw = 0;

    // Whether a moving scene gets smooth edges and shadows: they are tried where there is a lot of time left.
    fine = false;
    private fineBarred = 0; // pictures until it is tried again

    // Drawn pixels per CSS pixel: of a resting scene, and of a moving one.
    get finestRatio(): number {
        return Math.min(window.devicePixelRatio || 1, MAX_PIXEL_RATIO);
    }

    get pixelRatio(): number {
        return this.finestRatio * this.sharpness;
    }

    private cost = 0;
    private tooSlow = 0; // pictures in a row

    // A picture of a moving scene was drawn.
    drew(ms: number, { triangles, limited, alone }: Drawn): void {
        this.cost = this.cost === 0 ? ms : 0.6 * this.cost + 0.4 * ms;
        if (this.fineBarred > 0) --this.fineBarred;
        this.tooSlow = alone && ms > TOO_SLOW_MS ? this.tooSlow + 1 : 0;
        if (ms > SLOW_MS) this.slower(ms, triangles);
        else if (this.cost < FAST_MS && ms < FAST_MS) this.faster(limited);
    }

    private slower(ms: number, triangles: number): void {
        if (this.fine) {
            this.fine = false;
            this.fineBarred = FINE_BARRED;
        } else if (this.pixelRatio > 1.01) {
            this.sharpness = Math.max(1 / this.finestRatio, this.sharpness / 2);
        } else if (this.triangles > LEAST_TRIANGLES) {
            const share = Math.max(GOOD_MS / ms, 0.4);
            this.triangles = Math.max(Math.min(this.triangles, triangles) * share, LEAST_TRIANGLES);
        } else if (this.tooSlow >= TOO_SLOW_PICTURES && this.pixelRatio > LEAST_PIXEL_RATIO) {
            this.sharpness = Math.max(this.sharpness * 0.8, LEAST_PIXEL_RATIO / this.finestRatio);
            this.tooSlow = 0;
        }
        this.cost = 0;
    }

    private faster(limited: boolean): void {
        if (limited && this.triangles < MOST_TRIANGLES) {
            this.triangles *= this.cost < FAST_MS / 3 ? 1.6 : 1.15;
        } else if (this.sharpness < 1 && this.cost < FAST_MS / 3) {
            this.sharpness = Math.min(this.sharpness * 1.25, 1);
        } else if (!this.fine && this.fineBarred === 0 && this.cost < FAST_MS / 3) {
            this.fine = true;
        }
    }

    // Called as each picture of a moving scene begins.
    began(now: number): void {
        const interval = now - this.lastDraw;
        this.lastDraw = now;
        // A longer one was a pause.
        if (interval <= 0 || interval > LONGEST_INTERVAL_MS) return;
        const rate = 1000 / interval;
        this.framesPerSecond = this.framesPerSecond === 0 ? rate : 0.85 * this.framesPerSecond + 0.15 * rate;
    }

    // The triangles of the first picture of a resting scene.
    get firstStill(): number {
        return this.triangles * STILL_FACTOR;
    }

    // The triangles of the next finer picture of a resting scene, after one with so many that took so long; null if it
    // would take too long.
    finer(triangles: number, ms: number): number | null {
        return ms < STILL_MS / STILL_FACTOR ? triangles * STILL_FACTOR : null;
    }
}
