// The overlay that lists keys and gestures.
import { button, element } from './dom';
import { icon } from './icons';
import type { KeyAction } from './keys';

const GESTURES: readonly [string, string][] = [
    ['drag', 'turn (one finger)'],
    ['right drag', 'move (two fingers)'],
    ['wheel', 'nearer, farther (pinch)'],
    ['click', 'select a body'],
];

export function createHelp(actions: () => readonly KeyAction[]): { root: HTMLDialogElement; show(): void } {
    const root = element('dialog', { class: 'help card', 'aria-labelledby': 'help-title' });
    const show = () => {
        if (root.childElementCount === 0) {
            fill(root, actions());
        }
        root.showModal();
    };
    // A click beside it closes it.
    root.addEventListener('click', (event) => event.target === root && root.close());
    return { root, show };
}

function fill(root: HTMLDialogElement, actions: readonly KeyAction[]): void {
    const close = button('Close', icon('close'), () => root.close(), { class: 'plain' });
    const keys: [string, string][] = actions.map((action) => [action.shown, action.what]);
    root.append(
        element(
            'div',
            { class: 'help-content' },
            element('header', {}, element('h2', { id: 'help-title' }, 'Keys and gestures'), close),
            element('div', { class: 'help-columns' }, table(GESTURES), table(keys)),
        ),
    );
}

function table(rows: readonly (readonly [string, string])[]): HTMLElement {
    const cells = rows.flatMap(([key, what]) => [
        element('dt', {}, element('kbd', {}, key)),
        element('dd', {}, what),
    ]);
    return element('dl', {}, ...cells);
}
