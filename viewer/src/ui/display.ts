// The menu of display options: colours, layers, views, and a body by its name.
import type { ColourMode, Layers } from '../stage/types';
import type { App } from './app';
import { bodyName } from './app';
import { element } from './dom';
import { COLOUR_MODES, LAYER_NAMES } from './state';

export const COLOUR_LABELS: Record<ColourMode, string> = {
    body: 'body',
    speed: 'speed',
    sleep: 'awake or asleep',
    force: 'contact force',
};
const LAYER_LABELS: Record<keyof Layers, [label: string, key: string]> = {
    contacts: ['contact points', 'p'],
    normals: ['contact normals', 'n'],
    boxes: ['bounding boxes', 'b'],
    wireframe: ['wireframe', 'w'],
    grid: ['grid', 'g'],
};
export const VIEWS = ['start', 'front', 'right', 'top'] as const;

export function createDisplay(app: App): HTMLElement {
    return element(
        'div',
        {
            class: 'display card',
            id: 'display',
            role: 'group',
            'aria-label': 'Display options',
            hidden: true,
        },
        group('Colour by', ...COLOUR_MODES.map((mode) => colourChoice(app, mode))),
        group('Show', ...LAYER_NAMES.map((layer) => layerChoice(app, layer))),
        group('View from', views(app)),
        group('Select a body', finder(app)),
    );
}

function group(title: string, ...content: HTMLElement[]): HTMLElement {
    return element('fieldset', {}, element('legend', {}, title), ...content);
}

function colourChoice({ store }: App, mode: ColourMode): HTMLElement {
    const input = element('input', { type: 'radio', name: 'colour', value: mode });
    input.addEventListener('change', () => store.set({ colour: mode }));
    store.subscribe(['colour'], ({ colour }) => (input.checked = colour === mode));
    return element('label', {}, input, element('span', {}, COLOUR_LABELS[mode]));
}

function layerChoice({ store }: App, layer: keyof Layers): HTMLElement {
    const [label, key] = LAYER_LABELS[layer];
    const input = element('input', { type: 'checkbox', name: layer });
    input.addEventListener('change', () =>
        store.set({ layers: { ...store.state.layers, [layer]: input.checked } }),
    );
    store.subscribe(['layers'], ({ layers }) => (input.checked = layers[layer]));
    return element('label', {}, input, element('span', {}, label), element('kbd', {}, key));
}

function views({ stage }: App): HTMLElement {
    const row = element('div', { class: 'row' });
    for (const view of VIEWS) {
        const made = element('button', { type: 'button', class: 'chip' }, view);
        made.addEventListener('click', () => stage?.lookFrom(view));
        row.append(made);
    }
    return row;
}

// The body that a text means: its name, else its number, else the first whose name begins so.
function findBody({ recording }: App, text: string): number | null {
    const bodies = recording.bodies.map((_, body) => body);
    const exact = bodies.find((body) => bodyName(recording, body) === text);
    const number = /^\d+$/.test(text) && Number(text) < bodies.length ? Number(text) : undefined;
    const begins = bodies.find((body) =>
        bodyName(recording, body).toLowerCase().startsWith(text.toLowerCase()),
    );
    return exact ?? number ?? begins ?? null;
}

function finder(app: App): HTMLElement {
    const input = element('input', {
        type: 'search',
        class: 'finder',
        placeholder: 'name or number',
        'aria-label': 'Name or number of a body',
        enterkeyhint: 'go',
    });
    input.addEventListener('input', () => input.setCustomValidity(''));
    input.addEventListener('keydown', (event) => {
        if (event.key !== 'Enter' || input.value.trim() === '') {
            return;
        }
        const body = findBody(app, input.value.trim());
        input.setCustomValidity(body === null ? 'No body has this name or number.' : '');
        input.reportValidity();
        if (body !== null) {
            app.store.set({ body });
        }
    });
    return input;
}
