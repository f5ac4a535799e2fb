// Long work in small slices, so that the page stays alive: a job is a generator that yields where it may pause, and
// 'breathe' where it must: what it handed to the graphics unit takes time there that is not seen here. Such a job rests
// while things move on the screen.
export type Job = Generator<void | 'breathe', void, void>;

// Milliseconds of work between two chances for the browser to draw and to listen.
const SLICE_MS = 10;
const BREATH_MS = 16;
// While things move on the screen: less, and with time between for those who draw, who may need all processors.
const MOVING_SLICE_MS = 5;
const MOVING_PAUSE_MS = 12;
const REST_MS = 100;

export class BackgroundWork {
    private readonly jobs: Job[] = [];
    private readonly waiting: (() => void)[] = []; // for the end of all jobs
    private timer: ReturnType<typeof setTimeout> | null = null;

    constructor(private readonly moving: () => boolean) {}

    add(job: Job): void {
        this.jobs.push(job);
        this.timer ??= setTimeout(this.slice, 0);
    }

    get busy(): boolean {
        return this.jobs.length > 0;
    }

    // Waits until nothing is left to do.
    ended(): Promise<void> {
        return new Promise((resolve) => {
            this.waiting.push(resolve);
            if (!this.busy) this.tellEnded();
        });
    }

    clear(): void {
        this.jobs.length = 0;
        this.tellEnded();
        if (this.timer !== null) clearTimeout(this.timer);
        this.timer = null;
    }

    private readonly slice = (): void => {
        const moving = this.moving();
        const until = performance.now() + (moving ? MOVING_SLICE_MS : SLICE_MS);
        let pause = moving ? MOVING_PAUSE_MS : 0;
        let breathes = false;
        while (this.jobs.length > 0 && !breathes && performance.now() < until) {
            const { done, value } = this.jobs[0].next();
            if (done) this.jobs.shift();
            breathes = value === 'breathe';
        }
        if (breathes) pause = moving ? REST_MS : BREATH_MS;
        this.timer = this.jobs.length > 0 ? setTimeout(this.slice, pause) : null;
        if (!this.busy) this.tellEnded();
    };

    private tellEnded(): void {
        for (const resolve of this.waiting.splice(0)) resolve();
    }
}
