// Shows another frame for a moment, while a long recording is still read. What a browser draws a change of the frame
// with (the timeline's knob, the cursors of charts, the clock) it makes when that is first drawn, which takes a tenth of
// a second where there is no graphics unit: nobody should wait for it who begins to scrub.
import type { App } from './app';

const PATIENCE_MS = 200; // a page in the background draws nothing

function twoPictures(): Promise<void> {
    return new Promise((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
        setTimeout(resolve, PATIENCE_MS);
    });
}

// Whoever moves the frame meanwhile is left in peace; where it plays, nothing needs to be done.
export async function rehearse({ store }: App): Promise<void> {
    const { frame, playing, arrival } = store.state;
    if (playing || arrival !== 'reading') {
        return;
    }
    const other = frame > 0 ? frame - 1 : 1;
    store.set({ frame: other });
    await twoPictures();
    if (store.state.frame === other && !store.state.playing) {
        store.set({ frame });
        await twoPictures();
    }
}
