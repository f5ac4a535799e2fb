// What keys do. The help shows this list.
import type { Layers } from '../stage/types';
import type { App } from './app';
import { VIEWS } from './display';
import { COLOUR_MODES } from './state';

export interface KeyAction {
    readonly keys: readonly string[]; // of KeyboardEvent.key, the first for the help
    readonly shown: string;
    readonly what: string;
    run(event: KeyboardEvent): void;
}

export function keyActions(app: App, showHelp: () => void): KeyAction[] {
    const { player, store, stage, recording } = app;
    const frames = (event: KeyboardEvent) => (event.shiftKey ? 10 : 1);
    const layer = (key: string, name: keyof Layers, what: string): KeyAction => ({
        keys: [key],
        shown: key,
        what,
        run: () => store.set({ layers: { ...store.state.layers, [name]: !store.state.layers[name] } }),
    });
    const selectBy = (by: number) => () => {
        const { length } = recording.bodies;
        const { body } = store.state;
        store.set({ body: body === null ? (by > 0 ? 0 : length - 1) : (body + by + length) % length });
    };
    const follow = () => {
        const { body, followed } = store.state;
        store.set({ followed: followed === null ? body : null });
    };
    const nextColour = () => {
        const next = COLOUR_MODES.indexOf(store.state.colour) + 1;
        store.set({ colour: COLOUR_MODES[next % COLOUR_MODES.length]! });
    };
    const look = (key: string) => stage?.lookFrom(VIEWS[Number(key) - 1]!);
    return [
        { keys: [' '], shown: 'space', what: 'play, pause', run: () => player.toggle() },
        {
            keys: ['ArrowLeft'],
            shown: '←',
            what: 'one frame back (shift: ten)',
            run: (event) => player.stepBy(-frames(event)),
        },
        {
            keys: ['ArrowRight'],
            shown: '→',
            what: 'one frame forward (shift: ten)',
            run: (event) => player.stepBy(frames(event)),
        },
        { keys: ['Home'], shown: 'home', what: 'to the start', run: () => player.seek(0) },
        {
            keys: ['End'],
            shown: 'end',
            what: 'to the end',
            run: () => player.seek(store.state.frameCount - 1),
        },
        { keys: ['+', '='], shown: '+', what: 'faster', run: () => player.faster(1) },
        { keys: ['-', '−'], shown: '−', what: 'slower', run: () => player.faster(-1) },
        { keys: ['l'], shown: 'l', what: 'loop', run: () => store.set({ loop: !store.state.loop }) },
        { keys: ['c'], shown: 'c', what: 'next way to colour', run: nextColour },
        layer('p', 'contacts', 'contact points'),
        layer('n', 'normals', 'contact normals'),
        layer('b', 'boxes', 'bounding boxes'),
        layer('w', 'wireframe', 'wireframe'),
        layer('g', 'grid', 'grid'),
        { keys: [']'], shown: ']', what: 'select the next body', run: selectBy(1) },
        { keys: ['['], shown: '[', what: 'select the body before', run: selectBy(-1) },
        { keys: ['f'], shown: 'f', what: 'follow the selected body, or stop', run: follow },
        {
            keys: ['Escape'],
            shown: 'esc',
            what: 'deselect',
            run: () => store.set({ body: null, followed: null }),
        },
        {
            keys: ['1', '2', '3', '4'],
            shown: '1 – 4',
            what: `view: ${VIEWS.join(', ')}`,
            run: (event) => look(event.key),
        },
        { keys: ['?'], shown: '?', what: 'this help', run: showHelp },
    ];
}

// Keys that an element with the focus needs for itself.
function belongsTo(target: EventTarget | null, key: string): boolean {
    if (!(target instanceof HTMLElement)) {
        return false;
    }
    if (target instanceof HTMLInputElement && target.type !== 'range') {
        const types = target.type === 'radio' || target.type === 'checkbox';
        return types ? key === ' ' || key.startsWith('Arrow') : key !== 'Escape';
    }
    if (target instanceof HTMLSelectElement) {
        return true;
    }
    return target instanceof HTMLButtonElement && (key === ' ' || key === 'Enter');
}

export function listenToKeys(app: App, actions: readonly KeyAction[]): void {
    const press = (event: KeyboardEvent) => {
        const open = document.querySelector('dialog[open]');
        const modified = event.ctrlKey || event.metaKey || event.altKey;
        if (open || modified || event.defaultPrevented || belongsTo(event.target, event.key)) {
            return;
        }
        const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
        const action = actions.find((one) => one.keys.includes(key));
        if (action) {
            event.preventDefault();
            action.run(event);
        }
    };
    document.addEventListener('keydown', press, { signal: app.signal });
    leaveAfterPointer(app.signal);
}

// What was used by the pointer gives the focus back, so that space plays and arrows step afterwards.
function leaveAfterPointer(signal: AbortSignal): void {
    let pointer = false;
    const leave = (event: Event) => {
        const used = event.target instanceof Element ? event.target.closest('button, select') : null;
        if (pointer && used instanceof HTMLElement && (event.type === 'change') === used.matches('select')) {
            used.blur();
        }
    };
    document.addEventListener('pointerdown', () => (pointer = true), { signal, capture: true });
    document.addEventListener('keydown', () => (pointer = false), { signal, capture: true });
    document.addEventListener('click', leave, { signal });
    document.addEventListener('change', leave, { signal });
}
