// The bar at the top: what is shown, and the way to the display options and the help.
import type { App } from './app';
import { trianglesOf } from './app';
import { button, element, setText } from './dom';
import { plural } from './format';
import { icon } from './icons';

export function createTopbar(app: App, display: HTMLElement, showHelp: () => void): HTMLElement {
    const name = app.recording.name || 'recording';
    return element(
        'header',
        { class: 'topbar' },
        element('h1', { title: name }, name),
        liveBadge(app),
        facts(app),
        displayButton(app, display),
        button('Keys and help (?)', '?', showHelp, { class: 'plain' }),
    );
}

function facts({ recording, store }: App): HTMLElement {
    const triangles = recording.bodies.reduce((sum, _, body) => sum + trianglesOf(recording, body), 0);
    const frames = element('span');
    store.subscribe(['frameCount'], ({ frameCount }) => setText(frames, plural(frameCount, 'frame')));
    return element(
        'p',
        { class: 'facts' },
        element('span', {}, plural(recording.bodies.length, 'body', 'bodies')),
        element('span', { title: 'of all bodies together' }, plural(triangles, 'triangle')),
        frames,
        element('span', { title: 'what wrote the recording' }, `tandem ${recording.writer}`),
    );
}

// Shown while the simulation runs; brings one back to its newest frame.
function liveBadge({ store, player }: App): HTMLElement {
    const badge = element('button', { type: 'button', class: 'live' });
    badge.addEventListener('click', () => {
        player.play();
        player.seek(store.state.frameCount - 1);
    });
    store.subscribe(['arrival', 'atNewest'], ({ arrival, atNewest }) => {
        badge.hidden = arrival !== 'live';
        badge.classList.toggle('on', atNewest);
        setText(badge, atNewest ? 'live' : 'go live');
        badge.title = atNewest
            ? 'Goes along with the newest frame'
            : 'Go to the newest frame and along with it';
    });
    return badge;
}

function displayButton({ signal }: App, display: HTMLElement): HTMLElement {
    const open = element(
        'button',
        { type: 'button', class: 'plain', 'aria-expanded': 'false', 'aria-controls': display.id },
        icon('sliders'),
        element('span', {}, 'Display'),
    );
    const show = (shown: boolean) => {
        display.hidden = !shown;
        open.setAttribute('aria-expanded', String(shown));
    };
    open.addEventListener('click', () => show(display.hidden));
    display.addEventListener('keydown', (event) => {
        if (event.key === 'Escape') {
            event.stopPropagation();
            show(false);
            open.focus();
        }
    });
    const outside = (event: PointerEvent) => {
        const target = event.target as Node;
        if (!display.contains(target) && !open.contains(target)) {
            show(false);
        }
    };
    document.addEventListener('pointerdown', outside, { signal });
    return open;
}
