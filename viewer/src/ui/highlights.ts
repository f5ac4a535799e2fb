// How many triangles are pointed out, body by body.
import type { Highlights } from '../recording/types';
import type { App } from './app';
import { bodyName, trianglesOf } from './app';
import { element, setText } from './dom';
import { count, plural } from './format';
import { wholeFrame } from './state';

export function highlightedOf(highlights: Highlights, frame: number, body: number): number {
    return highlights.frames[frame]?.[body]?.length ?? 0;
}

const SHOWN_BODIES = 12;

export function createHighlightSummary(app: App): HTMLElement {
    const { recording, highlights, store } = app;
    const list = element('ul');
    const rest = element('p', { class: 'quiet' });
    const root = element('section', { class: 'highlights card', 'aria-label': 'Highlighted triangles' });
    if (!highlights) {
        root.hidden = true;
        return root;
    }
    root.append(element('h2', {}, highlights.title), list, rest);
    let shownFrame = -1;
    store.subscribe(['frame'], (state) => {
        const frame = wholeFrame(state);
        if (frame === shownFrame) {
            return;
        }
        shownFrame = frame;
        const bodies = recording.bodies.map((_, body) => body);
        const found = bodies.filter((body) => highlightedOf(highlights, frame, body) > 0);
        const rows = found.slice(0, SHOWN_BODIES).map((body) => {
            const link = element('button', { type: 'button', class: 'link' }, bodyName(recording, body));
            link.addEventListener('click', () => store.set({ body }));
            const some = count(highlightedOf(highlights, frame, body));
            const all = count(trianglesOf(recording, body));
            return element('li', {}, link, element('span', {}, `${some} of ${all}`));
        });
        list.replaceChildren(...rows);
        const hidden = found.length - rows.length;
        setText(
            rest,
            found.length === 0
                ? 'none'
                : hidden > 0
                  ? `and of ${plural(hidden, 'more body', 'more bodies')}`
                  : '',
        );
    });
    return root;
}
