// What the colours of bodies mean.
import type { ColourScale } from '../stage/types';
import type { App } from './app';
import { bodyName } from './app';
import { element, setText, throttled } from './dom';
import { quantity } from './format';
import { icon } from './icons';

export function createLegend({ store, stage }: App): HTMLElement {
    const root = element('section', { class: 'legend card', 'aria-label': 'Legend', hidden: true });
    if (!stage) {
        return root;
    }
    let shown = '';
    const update = () => {
        const scale = stage.colourScale();
        const text = JSON.stringify(scale);
        if (text !== shown) {
            shown = text;
            root.hidden = store.state.colour === 'body' || scale.stops.length === 0;
            root.replaceChildren(...content(scale));
        }
    };
    // Once the stage, which is told of it in the same round, has taken it over.
    store.subscribe(['colour'], () => queueMicrotask(update));
    const later = throttled(500, update);
    store.subscribe(['frameCount'], later);
    stage.onDrawn(later);
    return root;
}

function content(scale: ColourScale): HTMLElement[] {
    const title = element('h2', {}, scale.title);
    const labelled = scale.stops.filter((stop) => stop.label !== undefined);
    if (labelled.length > 0) {
        const states = labelled.map((stop) => {
            const swatch = element('i', { class: 'swatch', style: `background: ${stop.colour}` });
            return element('li', {}, swatch, ` ${stop.label}`);
        });
        return [title, element('ul', {}, ...states)];
    }
    const colours = scale.stops.map((stop) => `${stop.colour} ${(100 * stop.at).toFixed(1)}%`);
    const strip = element('div', {
        class: 'strip',
        style: `background: linear-gradient(to right, ${colours.join(', ')})`,
    });
    return [title, strip, ends(scale)];
}

function ends({ stops, unit }: ColourScale): HTMLElement {
    const known = stops.filter((stop) => stop.value !== undefined);
    const places =
        known.length > 2 ? [0, known.length >> 1, known.length - 1] : known.map((_, place) => place);
    // The label in the middle only where it stands in the middle.
    const chosen = places.filter((place) => [0, 0.5, 1].includes(known[place]!.at));
    const labels = chosen.map((place) => element('span', {}, quantity(known[place]!.value!, unit)));
    return element('div', { class: 'ends' }, ...labels);
}

// Whom the camera goes with, and a way to stop it.
export function createFollowNote({ store, recording }: App): HTMLElement {
    const root = element('button', { type: 'button', class: 'following card', title: 'Stop following (f)' });
    root.addEventListener('click', () => store.set({ followed: null }));
    store.subscribe(['followed', 'body'], ({ followed, body }) => {
        // The panel of the selected body tells it too.
        root.hidden = followed === null || followed === body;
        const name = followed === null ? '' : bodyName(recording, followed);
        root.replaceChildren(`following ${name}`, icon('close'));
    });
    return root;
}

// What the picture leaves out, and how fast it is while it plays: bottom left.
export function createQualityNote({ stage, store }: App): HTMLElement {
    const root = element('p', { class: 'quality' });
    const update = () => {
        const { note, framesPerSecond } = stage!.quality;
        const rate =
            store.state.playing && framesPerSecond >= 1 ? `${Math.round(framesPerSecond)} frames/s` : '';
        setText(root, [note, rate].filter((part) => part !== '').join(' · '));
    };
    stage?.onDrawn(throttled(500, update));
    return root;
}
