// `window.tandem`: the page from the console, and from tests.
//
//     await tandem.ready               // the page has read what came with it (live: shows the first frames)
//     tandem.recording.name            // recording/types.ts
//     tandem.stage.pick(100, 200)      // stage/types.ts; null where the browser cannot draw
//     tandem.frame                     // the frame that is shown
//     tandem.seek(120); tandem.play(); tandem.pause(); tandem.select(17)
//     tandem.charts()['energy.total']  // { values: one per frame as drawn, unit, zero: was taken off each value }
import type { Recording } from '../recording/types';
import type { Stage } from '../stage/types';
import type { App } from './app';
import { CHART_KINDS } from './series';
import { wholeFrame } from './state';

export interface ChartNumbers {
    readonly values: readonly number[]; // NaN: none
    readonly unit: string; // '' for counts
    readonly zero: number; // of energies, that is where potential energy is least
}

export interface TandemPage {
    readonly ready: Promise<void>;
    readonly recording: Recording | null;
    readonly stage: Stage | null;
    readonly frame: number;
    seek(frame: number): void;
    play(): void;
    pause(): void;
    select(body: number | null): void;
    charts(): Record<string, ChartNumbers>;
}

declare global {
    interface Window {
        tandem: TandemPage;
    }
}

export function exposePage(current: () => App | null, ready: Promise<void>): void {
    window.tandem = {
        ready,
        get recording() {
            return current()?.recording ?? null;
        },
        get stage() {
            return current()?.stage ?? null;
        },
        get frame() {
            const app = current();
            return app ? wholeFrame(app.store.state) : 0;
        },
        seek: (frame) => current()?.player.seek(frame),
        play: () => current()?.player.play(),
        pause: () => current()?.player.pause(),
        select: (body) => {
            const app = current();
            app?.store.set({ body: body !== null && app.recording.bodies[body] ? body : null });
        },
        charts: () => {
            const app = current();
            return app ? chartNumbers(app.recording) : {};
        },
    };
}

function chartNumbers(recording: Recording): Record<string, ChartNumbers> {
    const found: Record<string, ChartNumbers> = {};
    for (const kind of CHART_KINDS) {
        const { series, zero } = kind.data(recording);
        for (const { name, values } of series) {
            const shifted = kind.name === 'energy' && name !== 'kinetic';
            found[series.length > 1 ? `${kind.name}.${name}` : kind.name] = {
                values: [...values],
                unit: kind.unit,
                zero: shifted ? zero : 0,
            };
        }
    }
    return found;
}
