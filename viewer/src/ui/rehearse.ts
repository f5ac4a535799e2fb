// Shows another frame for a moment, and the one before again, until that is as fast as it gets. What a browser draws a
// change of the frame with (the picture, the timeline's knob, the cursors of charts, the clock) it makes when that is first
// drawn, which takes a tenth of a second where there is no graphics unit: nobody should wait for it who begins to scrub.
import type { App } from './app';
import type { State } from './state';

const STEADY_PICTURES = 4; // so many in a row that took hardly longer than the fastest
const STEADY = 1.5;
const STEADY_MS = 10; // or no longer than that beyond it: a screen shows 60 pictures per second
const MOST_MS = 1000;
const PATIENCE_MS = 200; // a page in the background draws nothing

// Waits for the picture that was asked for; returns how long that took.
async function drawn({ stage }: App): Promise<number> {
    const begin = performance.now();
    const patience = new Promise<void>((resolve) => setTimeout(resolve, PATIENCE_MS));
    await Promise.race([stage?.finished() ?? nextPicture(), patience]);
    return performance.now() - begin;
}

function nextPicture(): Promise<void> {
    return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())));
}

// Whoever moves the frame meanwhile is left in peace; where it plays, nothing needs to be done. least: milliseconds.
export async function rehearse(app: App, least = 0): Promise<void> {
    const { store } = app;
    const { frame, playing } = store.state;
    const other = frame > 0 ? frame - 1 : 1;
    const begin = performance.now();
    const untouched = (state: Readonly<State>) => state.frame === shown && !state.playing;
    let shown = frame;
    let fastest = Infinity;
    let steady = 0;
    while (!playing && untouched(store.state)) {
        const spent = performance.now() - begin;
        const enough = spent > MOST_MS || (spent > least && steady >= STEADY_PICTURES);
        if (enough && shown === frame) {
            return;
        }
        shown = shown === frame ? other : frame;
        store.set({ frame: shown });
        const ms = await drawn(app);
        fastest = Math.min(fastest, ms);
        steady = ms < Math.max(STEADY * fastest, fastest + STEADY_MS) ? steady + 1 : 0;
    }
}
