// Puts the page together for a recording.
import type { Highlights, Recording } from '../recording/types';
import { createAnnouncer } from './announce';
import type { App } from './app';
import { createCharts } from './charts';
import { createClock, createControls } from './controls';
import { createDisplay } from './display';
import { element } from './dom';
import { keepHash, readHash, type Wish } from './hash';
import { createHelp } from './help';
import { createHighlightSummary } from './highlights';
import { keyActions, listenToKeys, type KeyAction } from './keys';
import { createFollowNote, createLegend, createQualityNote } from './legend';
import { createPanel } from './panel';
import { driveStage, makeStage, noPicture } from './picture';
import { Player } from './player';
import { DEFAULT_LAYERS, Store, type State } from './state';
import { createTimeline } from './timeline';
import { createTopbar } from './topbar';

// What is shown: bodies that a recording lacks cannot be selected.
function valid(wish: Wish, recording: Recording): Partial<State> {
    const state = { ...wish.state };
    for (const key of ['body', 'followed'] as const) {
        const body = state[key];
        if (body !== undefined && body !== null && body >= recording.bodies.length) {
            state[key] = null;
        }
    }
    return state;
}

function initialState(recording: Recording, live: boolean, wish: Wish): State {
    const { innerWidth, innerHeight } = window;
    const wide = innerWidth >= 1000 ? ['pairs', 'contacts', 'energy', 'time'] : ['contacts', 'energy'];
    return {
        frame: 0,
        frameCount: recording.frameCount,
        playing: false,
        speed: 1,
        loop: false,
        arrival: live ? 'live' : 'reading',
        atNewest: false,
        body: null,
        followed: null,
        colour: 'body',
        layers: DEFAULT_LAYERS,
        pointedFrame: null,
        charts: innerWidth >= 600 ? wide : ['contacts'],
        chartsOpen: innerWidth >= 600 && innerHeight >= 560,
        ...valid(wish, recording),
    };
}

// It plays by itself, unless the address or the reader's settings say otherwise, or nothing moves.
function beginsPlaying(app: App, wish: Wish): boolean {
    const still = app.recording.bodies.every((body) => body.kind === 'static');
    const calm = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    return wish.play ?? !(calm || still || app.highlights);
}

export interface Frame {
    readonly shell: HTMLElement; // of the page
    readonly picture: HTMLElement; // its middle
}

export function openWorkspace(
    { shell, picture }: Frame,
    recording: Recording,
    highlights: Highlights | null,
    live: boolean,
    signal: AbortSignal,
): App {
    const wish = readHash(location.hash);
    const store = new Store(initialState(recording, live, wish));
    const player = new Player(recording, store, highlights !== null, signal);
    const label = `Picture of ${recording.name}: bodies are selected by a click, or by [ and ]`;
    const canvas = element('canvas', { class: 'stage', 'aria-label': label, role: 'img' });
    picture.prepend(canvas);
    const made = makeStage(canvas);
    const stage = typeof made === 'string' ? null : made;
    const app: App = { recording, highlights, stage, store, player, signal };

    let actions: readonly KeyAction[] = [];
    const help = createHelp(() => actions);
    actions = keyActions(app, help.show);
    listenToKeys(app, actions);
    const display = createDisplay(app);
    shell.prepend(createTopbar(app, display, help.show));
    picture.append(
        display,
        element('div', { class: 'corner' }, createFollowNote(app), createLegend(app), createQualityNote(app)),
        element('div', { class: 'side' }, createHighlightSummary(app), createPanel(app)),
    );
    shell.append(createDock(app), createAnnouncer(app), help.root);
    if (typeof made === 'string') {
        canvas.replaceWith(noPicture(made));
    } else {
        driveStage(app, made, wish.state.layers !== undefined);
    }
    begin(app, wish);
    keepHash(store, signal);
    return app;
}

function createDock(app: App): HTMLElement {
    const player = element(
        'div',
        { class: 'player' },
        createControls(app),
        createTimeline(app),
        createClock(app),
    );
    const dock = element('footer', { class: 'dock' }, player, createCharts(app));
    // One picture has no timeline.
    app.store.subscribe(['frameCount'], ({ frameCount }) => (dock.hidden = frameCount < 2));
    return dock;
}

function begin(app: App, wish: Wish): void {
    const { player, store, recording, signal } = app;
    if (beginsPlaying(app, wish)) {
        player.play();
    }
    // A running simulation is joined where it is.
    const joined = store.state.arrival === 'live' && store.state.playing ? recording.frameCount - 1 : 0;
    player.seek(wish.frame ?? joined);
    const changed = () => {
        const next = readHash(location.hash);
        store.set(valid(next, recording));
        if (next.play !== null) {
            (next.play ? player.play : player.pause).call(player);
        }
        if (next.frame !== null) {
            player.seek(next.frame);
        }
    };
    window.addEventListener('hashchange', changed, { signal });
}
