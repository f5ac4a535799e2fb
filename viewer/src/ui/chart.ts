// One chart: a line of names and numbers of the frame, and the picture below it, where a click or drag seeks.
import type { App } from './app';
import { element, setText } from './dom';
import { inScale, quantity, seconds } from './format';
import { drawLines, drawScale, drawStack, xOf, type Area, type Look } from './plot';
import { highest } from './sampling';
import { scaleFor, type Scale } from './scale';
import { wholeFrame, type State } from './state';
import type { ChartData, ChartKind } from './series';

const LEFT = 38; // px, for the labels of the scale
const RIGHT = 8;
const TOP = 8;
const BOTTOM = 8;

export class Chart {
    readonly root: HTMLElement;
    private data: ChartData;
    private scale: Scale;
    // Kept from the last drawing: to ask for sizes while playing would lay the page out again for every frame.
    private area: Area = { left: LEFT, top: TOP, width: 0, height: 0 };
    private readonly title: HTMLElement;
    private readonly unit: HTMLElement;
    private readonly values: HTMLElement[] = [];
    private readonly canvas = element('canvas', { role: 'img' });
    private readonly cursor = element('div', { class: 'chart-cursor' });
    private readonly pointer = element('div', { class: 'chart-pointer', hidden: true });
    private readonly pointerText = element('span');
    private readonly empty = element('p', { class: 'chart-empty' });

    constructor(
        readonly kind: ChartKind,
        private readonly app: App,
    ) {
        this.data = kind.data(app.recording);
        this.scale = scaleFor(0, kind.unit);
        this.unit = element('span', { class: 'chart-unit' });
        this.title = element('h3', { title: kind.about }, kind.title, ' ', this.unit);
        const legend = element('div', { class: 'chart-values' });
        this.data.series.forEach((series, index) => {
            const value = element('b');
            const swatch = element('i', { class: 'swatch', style: `background: var(--series-${index + 1})` });
            // A single line needs no name beside the chart's own.
            const name = this.data.series.length > 1 ? [swatch, ` ${series.name} `] : [];
            legend.append(element('span', {}, ...name, value));
            this.values.push(value);
        });
        this.pointer.append(this.pointerText);
        const plot = element(
            'div',
            { class: 'chart-plot' },
            this.canvas,
            this.cursor,
            this.pointer,
            this.empty,
        );
        this.root = element('section', { class: 'chart' }, element('header', {}, this.title, legend), plot);
        this.takePointer(plot);
        new ResizeObserver(() => this.draw()).observe(plot);
    }

    // More frames are there.
    update(): void {
        this.data = this.kind.data(this.app.recording);
        this.draw();
    }

    // Moves the cursor and writes the numbers.
    follow(state: Readonly<State>): void {
        const frame = state.pointedFrame ?? wholeFrame(state);
        this.data.series.forEach((series, index) =>
            setText(
                this.values[index]!,
                inScale(series.values[frame] ?? NaN, this.scale.factor, this.kind.unit),
            ),
        );
        this.place(this.cursor, state.frame, state.frameCount);
        this.pointer.hidden = state.pointedFrame === null;
        if (state.pointedFrame !== null) {
            const { numbers, step } = this.app.recording;
            const time = numbers[state.pointedFrame]?.time ?? 0;
            setText(this.pointerText, `${state.pointedFrame} · ${seconds(time, step)}`);
            this.place(this.pointer, state.pointedFrame, state.frameCount);
            this.pointer.classList.toggle('on-left', state.pointedFrame > state.frameCount / 2);
        }
    }

    draw(): void {
        const { clientWidth, clientHeight } = this.canvas;
        const area = {
            left: LEFT,
            top: TOP,
            width: clientWidth - LEFT - RIGHT,
            height: clientHeight - TOP - BOTTOM,
        };
        if (area.width <= 0 || area.height <= 0) {
            return;
        }
        this.area = area;
        const ratio = window.devicePixelRatio || 1;
        this.canvas.width = Math.round(clientWidth * ratio);
        this.canvas.height = Math.round(clientHeight * ratio);
        const context = this.canvas.getContext('2d')!;
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.clearRect(0, 0, clientWidth, clientHeight);
        setText(this.empty, this.data.missing);
        this.root.classList.toggle('without-data', this.data.missing !== '');
        const series = this.data.series.map((one) => one.values);
        const high = highest(series, this.kind.stacked);
        this.scale = scaleFor(high, this.kind.unit);
        setText(this.unit, this.data.missing === '' ? this.scale.unit : '');
        const reach = this.data.missing || `up to ${quantity(high, this.kind.unit)}`;
        this.canvas.setAttribute('aria-label', `${this.kind.about}: ${reach}`);
        if (this.data.missing === '') {
            const look = this.look();
            drawScale(context, this.scale, area, look);
            (this.kind.stacked ? drawStack : drawLines)(context, series, this.scale, area, look);
        }
        this.follow(this.app.store.state);
    }

    private look(): Look {
        const style = getComputedStyle(this.root);
        const colour = (name: string) => style.getPropertyValue(name).trim();
        return {
            colours: this.data.series.map((_, index) => colour(`--series-${index + 1}`)),
            grid: colour('--line'),
            text: colour('--quiet'),
            font: `11px ${style.fontFamily}`,
        };
    }

    private place(line: HTMLElement, frame: number, frames: number): void {
        line.style.transform = `translateX(${xOf(frame, frames, this.area)}px)`;
    }

    private frameAt(event: PointerEvent): number {
        const area = this.area;
        const part = (event.clientX - this.canvas.getBoundingClientRect().left - area.left) / area.width;
        const last = this.app.store.state.frameCount - 1;
        return Math.round(Math.min(Math.max(part, 0), 1) * last);
    }

    private takePointer(plot: HTMLElement): void {
        const { store, player } = this.app;
        plot.addEventListener('pointerdown', (event) => {
            plot.setPointerCapture(event.pointerId);
            player.seek(this.frameAt(event));
        });
        plot.addEventListener('pointermove', (event) => {
            store.set({ pointedFrame: this.frameAt(event) });
            if (event.buttons & 1) {
                player.seek(this.frameAt(event));
            }
        });
        const leave = () => store.set({ pointedFrame: null });
        plot.addEventListener('pointerleave', leave);
        plot.addEventListener('pointercancel', leave);
    }
}
