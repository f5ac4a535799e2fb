// The charts under the timeline: which are shown is chosen by the row of buttons above them.
import type { App } from './app';
import { hasNumbers } from './app';
import { Chart } from './chart';
import { element, setText, throttled } from './dom';
import { icon } from './icons';
import { CHART_KINDS } from './series';

export function createCharts(app: App): HTMLElement {
    const { store, recording } = app;
    const grid = element('div', { class: 'charts-grid', id: 'charts' });
    const root = element('section', { class: 'charts', 'aria-label': 'Charts' }, chooser(app), grid);
    let charts: Chart[] = [];

    store.subscribe(['charts', 'chartsOpen'], (state) => {
        grid.hidden = !state.chartsOpen;
        const kinds = CHART_KINDS.filter((kind) => state.chartsOpen && state.charts.includes(kind.name));
        charts = kinds.map((kind) => charts.find((chart) => chart.kind === kind) ?? new Chart(kind, app));
        grid.replaceChildren(...charts.map((chart) => chart.root));
        charts.forEach((chart) => chart.update());
    });
    const update = throttled(200, () => {
        root.hidden = !hasNumbers(recording);
        charts.forEach((chart) => chart.update());
    });
    store.subscribe(['frameCount', 'arrival'], update);
    store.subscribe(['frame', 'pointedFrame'], (state) => charts.forEach((chart) => chart.follow(state)));
    const redraw = () => charts.forEach((chart) => chart.draw());
    window
        .matchMedia('(prefers-color-scheme: dark)')
        .addEventListener('change', redraw, { signal: app.signal });
    return root;
}

function chooser({ store }: App): HTMLElement {
    const word = element('span');
    const open = element('button', { type: 'button', class: 'charts-open', 'aria-controls': 'charts' });
    open.addEventListener('click', () => store.set({ chartsOpen: !store.state.chartsOpen }));
    store.subscribe(['chartsOpen'], ({ chartsOpen }) => {
        open.replaceChildren(icon(chartsOpen ? 'down' : 'up'), word);
        setText(word, 'Charts');
        open.setAttribute('aria-expanded', String(chartsOpen));
    });
    const names = element('div', { class: 'chips', role: 'group', 'aria-label': 'Charts that are shown' });
    for (const kind of CHART_KINDS) {
        const chip = element('button', { type: 'button', class: 'chip', title: kind.about }, kind.title);
        chip.addEventListener('click', () => {
            const { charts, chartsOpen } = store.state;
            const others = charts.filter((name) => name !== kind.name);
            const remove = chartsOpen && others.length < charts.length;
            store.set({ charts: remove ? others : [...others, kind.name], chartsOpen: true });
        });
        store.subscribe(['charts', 'chartsOpen'], ({ charts, chartsOpen }) =>
            chip.setAttribute('aria-pressed', String(chartsOpen && charts.includes(kind.name))),
        );
        names.append(chip);
    }
    return element('div', { class: 'charts-bar' }, open, names);
}
