// Long work in small slices, so that the page stays alive: a job is a generator that yields where it may pause.
export type Job = Generator<void, void, void>;

// Milliseconds of work between two chances for the browser to draw and to listen.
const SLICE_MS = 10;

export class BackgroundWork {
    private readonly jobs: Job[] = [];
    private timer: ReturnType<typeof setTimeout> | null = null;

    add(job: Job): void {
        this.jobs.push(job);
        this.timer ??= setTimeout(this.slice, 0);
    }

    get busy(): boolean {
        return this.jobs.length > 0;
    }

    clear(): void {
        this.jobs.length = 0;
        if (this.timer !== null) clearTimeout(this.timer);
        this.timer = null;
    }

    private readonly slice = (): void => {
        const until = performance.now() + SLICE_MS;
        while (this.jobs.length > 0 && performance.now() < until) {
            if (this.jobs[0].next().done) this.jobs.shift();
        }
        this.timer = this.jobs.length > 0 ? setTimeout(this.slice, 0) : null;
    };
}
