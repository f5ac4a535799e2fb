// What the page shows at the moment. Components read it, change it by `set`, and are told of changes.
import type { ColourMode, Layers } from '../stage/types';

export const SPEEDS = [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8] as const;
export const COLOUR_MODES: readonly ColourMode[] = ['body', 'speed', 'sleep', 'force'];
export const LAYER_NAMES: readonly (keyof Layers)[] = ['contacts', 'normals', 'boxes', 'wireframe', 'grid'];

// Of the bytes: still coming, coming as long as a simulation runs, or all there.
export type Arrival = 'reading' | 'live' | 'done';

export interface State {
    frame: number; // between two frames while playing
    frameCount: number;
    playing: boolean;
    speed: number; // 1: real time
    loop: boolean;
    arrival: Arrival;
    atNewest: boolean; // live: goes along with the newest frame
    body: number | null; // selected
    followed: number | null;
    colour: ColourMode;
    layers: Readonly<Layers>;
    pointedFrame: number | null; // under the pointer, in a chart
    charts: readonly string[]; // shown, by name
    chartsOpen: boolean;
}

type Key = keyof State;
type Listener = (state: Readonly<State>) => void;

export const DEFAULT_LAYERS: Readonly<Layers> = {
    contacts: false,
    normals: false,
    boxes: false,
    wireframe: false,
    grid: true,
};

export class Store {
    private readonly listeners: { keys: readonly Key[]; call: Listener }[] = [];
    private current: State;

    constructor(initial: State) {
        this.current = initial;
    }

    get state(): Readonly<State> {
        return this.current;
    }

    set(change: Partial<State>): void {
        const before = this.current;
        const keys = (Object.keys(change) as Key[]).filter((key) => change[key] !== before[key]);
        if (keys.length === 0) {
            return;
        }
        this.current = { ...before, ...change };
        for (const listener of this.listeners) {
            if (listener.keys.some((key) => keys.includes(key))) {
                listener.call(this.current);
            }
        }
    }

    // Calls at once, and whenever one of the keys has changed.
    subscribe(keys: readonly Key[], call: Listener): void {
        this.listeners.push({ keys, call });
        call(this.current);
    }
}

// The frame whose numbers are shown while the picture is between two.
export function wholeFrame(state: Readonly<State>): number {
    return Math.round(state.frame);
}
