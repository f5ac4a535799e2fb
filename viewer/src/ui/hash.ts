// The state in the address, so that a link shows what one sees:
// #frame=120&colour=speed&layers=contacts,boxes&body=17&follow=17&speed=0.5&loop=1&charts=energy,time&play=0
// charts=none: closed; layers=none: no layer.
import type { Layers } from '../stage/types';
import { atRest } from './dom';
import { CHART_KINDS } from './series';
import { COLOUR_MODES, LAYER_NAMES, SPEEDS, wholeFrame, type State, type Store } from './state';

export interface Wish {
    readonly state: Partial<State>;
    readonly frame: number | null;
    readonly play: boolean | null;
}

function wholeNumber(text: string | null): number | null {
    return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

function list(text: string): string[] {
    return text.split(',').filter((part) => part !== '');
}

// Takes what it understands; the rest is left as it is.
export function readHash(hash: string): Wish {
    const wishes = new URLSearchParams(hash.replace(/^#/, ''));
    const state: Partial<State> = {};
    const colour = COLOUR_MODES.find((mode) => mode === wishes.get('colour'));
    if (colour) {
        state.colour = colour;
    }
    const layers = wishes.get('layers');
    if (layers !== null) {
        const named = list(layers);
        const chosen = LAYER_NAMES.map((name) => [name, named.includes(name)] as const);
        state.layers = Object.fromEntries(chosen) as unknown as Layers;
    }
    const charts = wishes.get('charts');
    if (charts !== null) {
        const named = list(charts);
        const known = CHART_KINDS.map((kind) => kind.name).filter((name) => named.includes(name));
        state.chartsOpen = known.length > 0;
        if (known.length > 0) {
            state.charts = known;
        }
    }
    const speed = SPEEDS.find((one) => one === Number(wishes.get('speed')));
    if (speed) {
        state.speed = speed;
    }
    if (wishes.has('loop')) {
        state.loop = wishes.get('loop') === '1';
    }
    if (wishes.has('body')) {
        state.body = wholeNumber(wishes.get('body'));
    }
    if (wishes.has('follow')) {
        state.followed = wholeNumber(wishes.get('follow'));
    }
    const play = wishes.get('play');
    return { state, frame: wholeNumber(wishes.get('frame')), play: play === null ? null : play !== '0' };
}

export function writeHash(state: Readonly<State>): string {
    const layers = LAYER_NAMES.filter((name) => state.layers[name]).join(',') || 'none';
    const parts = [`frame=${wholeFrame(state)}`, `colour=${state.colour}`, `layers=${layers}`];
    if (state.body !== null) {
        parts.push(`body=${state.body}`);
    }
    if (state.followed !== null) {
        parts.push(`follow=${state.followed}`);
    }
    if (state.speed !== 1) {
        parts.push(`speed=${state.speed}`);
    }
    if (state.loop) {
        parts.push('loop=1');
    }
    parts.push(`charts=${(state.chartsOpen && state.charts.join(',')) || 'none'}`);
    parts.push(`play=${state.playing ? 1 : 0}`);
    return `#${parts.join('&')}`;
}

// Not while frames go by: browsers refuse more than a few changes of the address per second, and for each of them they
// draw their own window and the symbol of the page anew, which takes as long as a picture where there is no graphics unit.
const REST_MS = 500;

export function keepHash(store: Store, signal: AbortSignal): void {
    const write = () => {
        const hash = writeHash(store.state);
        if (!signal.aborted && hash !== location.hash) {
            history.replaceState(history.state, '', hash);
        }
    };
    store.subscribe(['frame'], atRest(REST_MS, write));
    store.subscribe(
        ['colour', 'layers', 'body', 'followed', 'speed', 'loop', 'charts', 'chartsOpen', 'playing'],
        atRest(REST_MS, write),
    );
}
