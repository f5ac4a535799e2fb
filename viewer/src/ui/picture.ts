// The canvas, and what the state means for the stage that draws on it.
import { createStage } from '../stage/stage';
import type { Stage } from '../stage/types';
import type { App } from './app';
import { element } from './dom';

const TAP = 6; // px that a finger or mouse may move and still mean a click

// The stage, or why there is none: the message says what the browser lacks and what may help.
export function makeStage(canvas: HTMLCanvasElement): Stage | string {
    try {
        return createStage(canvas);
    } catch (error) {
        return error instanceof Error ? error.message : String(error);
    }
}

export function noPicture(reason: string): HTMLElement {
    return element(
        'div',
        { class: 'no-picture', role: 'alert' },
        element('h2', {}, 'No picture'),
        element('p', {}, reason),
        element(
            'p',
            {},
            'The charts, and the numbers of bodies (choose one under “Display”, or by [ and ]), work without it.',
        ),
    );
}

// `layersGiven`: by the address; else the stage knows what suits the recording.
export function driveStage(app: App, stage: Stage, layersGiven: boolean): void {
    const { store, player } = app;
    stage.open(app.recording, app.highlights);
    if (!layersGiven) {
        store.set({ layers: { ...stage.layers } });
    }
    store.subscribe(['colour'], ({ colour }) => stage.setColours(colour));
    store.subscribe(['layers'], ({ layers }) => stage.setLayers(layers));
    store.subscribe(['body'], ({ body }) => stage.select(body));
    store.subscribe(['followed'], ({ followed }) => stage.follow(followed));
    store.subscribe(['frameCount'], () => stage.grown());
    store.subscribe(['frame'], () => stage.show(player.shownFrame));
    new ResizeObserver(() => stage.resize()).observe(stage.canvas);
    selectByClick(app, stage);
    app.signal.addEventListener('abort', () => stage.dispose());
}

function selectByClick({ store }: App, stage: Stage): void {
    const { canvas } = stage;
    let start: { x: number; y: number; id: number } | null = null;
    canvas.addEventListener('pointerdown', (event) => {
        // A second finger turns the tap into a gesture.
        const first = event.isPrimary && event.button === 0;
        start = first ? { x: event.clientX, y: event.clientY, id: event.pointerId } : null;
    });
    canvas.addEventListener('pointerup', (event) => {
        if (!start || start.id !== event.pointerId) {
            return;
        }
        const moved = Math.hypot(event.clientX - start.x, event.clientY - start.y);
        start = null;
        if (moved <= TAP) {
            const box = canvas.getBoundingClientRect();
            store.set({ body: stage.pick(event.clientX - box.left, event.clientY - box.top) });
        }
    });
}
