// Tells screen readers what changed, in a sentence; not every frame.
import type { App } from './app';
import { bodyName } from './app';
import { speedName } from './controls';
import { COLOUR_LABELS } from './display';
import { element, setText } from './dom';
import { LAYER_NAMES, wholeFrame } from './state';

export function createAnnouncer({ store, recording }: App): HTMLElement {
    const root = element('div', { class: 'unseen', role: 'status', 'aria-live': 'polite' });
    const say = (sentence: string) => setText(root, sentence);
    store.subscribe(['playing'], (state) =>
        say(state.playing ? 'Playing' : `Paused at frame ${wholeFrame(state)}`),
    );
    store.subscribe(['colour'], ({ colour }) => say(`Colour by ${COLOUR_LABELS[colour]}`));
    store.subscribe(['speed'], ({ speed }) => say(`Speed ${speedName(speed)}`));
    store.subscribe(['layers'], ({ layers }) => {
        const shown = LAYER_NAMES.filter((name) => layers[name]);
        say(`Shown: ${shown.join(', ') || 'bodies only'}`);
    });
    store.subscribe(['body'], ({ body }) =>
        say(body === null ? 'No body selected' : `Selected ${bodyName(recording, body)}`),
    );
    store.subscribe(['followed'], ({ followed }) =>
        say(followed === null ? 'Following no body' : `Following ${bodyName(recording, followed)}`),
    );
    say('');
    return root;
}
