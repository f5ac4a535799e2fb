// The page without a recording: how to make one, and a place to open one.
import { element } from './dom';

const COMMANDS = [
    'tandem simulate scene.json -o fall.rec',
    'tandem view fall.rec -o fall.html',
    'tandem view fall.rec --serve',
];

export function createLanding(openFile: (file: File) => void): HTMLElement {
    const input = element('input', { type: 'file', accept: '.rec', class: 'unseen', id: 'file' });
    input.addEventListener('change', () => {
        const file = input.files?.[0];
        if (file) {
            openFile(file);
        }
    });
    return element(
        'section',
        { class: 'landing card' },
        element('h1', {}, 'tandem'),
        element('p', {}, 'This page plays a recording of a simulation. Drop one here, or choose it:'),
        element('p', {}, input, element('label', { for: 'file', class: 'file' }, 'Choose a .rec file')),
        element('p', {}, 'To make a recording, then a page that holds it, or to watch while it is written:'),
        element('pre', {}, COMMANDS.join('\n')),
    );
}

// A recording dropped anywhere on the page opens.
export function acceptDrops(openFile: (file: File) => void): void {
    document.addEventListener('dragover', (event) => {
        event.preventDefault();
        document.body.classList.add('dropping');
    });
    document.addEventListener('dragleave', (event) => {
        if (!event.relatedTarget) {
            document.body.classList.remove('dropping');
        }
    });
    document.addEventListener('drop', (event) => {
        event.preventDefault();
        document.body.classList.remove('dropping');
        const file = event.dataTransfer?.files[0];
        if (file) {
            openFile(file);
        }
    });
}
