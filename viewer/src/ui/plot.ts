// Draws the lines or layers of a chart on a canvas.
import { highestFrames, lowAndHigh } from './sampling';
import type { Scale } from './scale';

// Where values go, in CSS pixels of the canvas.
export interface Area {
    readonly left: number;
    readonly top: number;
    readonly width: number;
    readonly height: number;
}

export interface Look {
    readonly colours: readonly string[]; // by series
    readonly grid: string;
    readonly text: string;
    readonly font: string;
}

// Centre of a frame: the first at the left edge, the last at the right.
export function xOf(frame: number, frames: number, area: Area): number {
    return area.left + (frames > 1 ? (frame / (frames - 1)) * area.width : 0);
}

function yOf(value: number, scale: Scale, area: Area): number {
    return area.top + area.height * (1 - value / scale.high);
}

export function drawScale(context: CanvasRenderingContext2D, scale: Scale, area: Area, look: Look): void {
    context.font = look.font;
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    context.lineWidth = 1;
    // Labels that would touch are left out, from the bottom up.
    const apart = (area.height / (scale.ticks.length - 1)) | 0;
    const every = Math.max(1, Math.ceil(13 / Math.max(apart, 1)));
    scale.ticks.forEach((tick, index) => {
        if (index % every !== 0) {
            return;
        }
        const y = Math.round(yOf(tick.value, scale, area)) + 0.5;
        context.strokeStyle = look.grid;
        context.beginPath();
        context.moveTo(area.left, y);
        context.lineTo(area.left + area.width, y);
        context.stroke();
        context.fillStyle = look.text;
        context.fillText(tick.label, area.left - 5, y);
    });
}

export function drawLines(
    context: CanvasRenderingContext2D,
    series: readonly Float64Array[],
    scale: Scale,
    area: Area,
    look: Look,
): void {
    context.lineWidth = 1.5;
    context.lineJoin = 'round';
    series.forEach((values, index) => {
        context.strokeStyle = look.colours[index]!;
        context.beginPath();
        if (values.length <= area.width) {
            traceFrames(context, values, scale, area);
        } else {
            traceColumns(context, values, scale, area);
        }
        context.stroke();
    });
}

function traceFrames(
    context: CanvasRenderingContext2D,
    values: Float64Array,
    scale: Scale,
    area: Area,
): void {
    let drawing = false;
    values.forEach((value, frame) => {
        if (Number.isNaN(value)) {
            drawing = false;
            return;
        }
        const x = xOf(frame, values.length, area);
        const y = yOf(value, scale, area);
        if (drawing) {
            context.lineTo(x, y);
        } else {
            context.moveTo(x, y);
        }
        drawing = true;
    });
}

function traceColumns(
    context: CanvasRenderingContext2D,
    values: Float64Array,
    scale: Scale,
    area: Area,
): void {
    const columns = Math.max(Math.floor(area.width), 1);
    let drawing = false;
    lowAndHigh(values, columns).forEach((column, index) => {
        if (!column) {
            drawing = false;
            return;
        }
        const x = area.left + index + 0.5;
        if (drawing) {
            context.lineTo(x, yOf(column.low, scale, area));
        } else {
            context.moveTo(x, yOf(column.low, scale, area));
        }
        context.lineTo(x, yOf(column.high, scale, area));
        drawing = true;
    });
}

// Layers one upon the other, the first at the bottom.
export function drawStack(
    context: CanvasRenderingContext2D,
    series: readonly Float64Array[],
    scale: Scale,
    area: Area,
    look: Look,
): void {
    const frames = series[0]?.length ?? 0;
    const chosen =
        frames <= area.width
            ? Array.from({ length: frames }, (_, frame) => frame)
            : highestFrames(series, Math.max(Math.floor(area.width), 1));
    const known = chosen.filter((frame) => !Number.isNaN(series[0]![frame]!));
    const below = known.map(() => 0);
    series.forEach((values, index) => {
        context.fillStyle = look.colours[index]!;
        context.beginPath();
        const above = known.map((frame, place) => below[place]! + values[frame]!);
        known.forEach((frame, place) =>
            context.lineTo(xOf(frame, frames, area), yOf(above[place]!, scale, area)),
        );
        for (let place = known.length - 1; place >= 0; place--) {
            context.lineTo(xOf(known[place]!, frames, area), yOf(below[place]!, scale, area));
        }
        context.closePath();
        context.fill();
        above.forEach((value, place) => (below[place] = value));
    });
}
