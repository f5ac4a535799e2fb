// From many frames to few pixel columns, so that no peak is lost.

export interface Column {
    readonly low: number;
    readonly high: number;
}

// The frames [first, last) that fall into a column.
export function framesOf(column: number, columns: number, frames: number): [first: number, last: number] {
    return [Math.floor((column * frames) / columns), Math.floor(((column + 1) * frames) / columns)];
}

// Least and greatest value of each column; null where there is none. There are more frames than columns.
export function lowAndHigh(values: Float64Array, columns: number): (Column | null)[] {
    return Array.from({ length: columns }, (_, column) => {
        const [first, last] = framesOf(column, columns, values.length);
        let low = Infinity;
        let high = -Infinity;
        for (let frame = first; frame < last; frame++) {
            const value = values[frame]!;
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
        return low <= high ? { low, high } : null;
    });
}

// Of each column, the frame where the sum of all series is greatest: the stack that is drawn for it.
export function highestFrames(series: readonly Float64Array[], columns: number): number[] {
    const frames = series[0]?.length ?? 0;
    const sum = (frame: number) => series.reduce((total, values) => total + (values[frame] || 0), 0);
    return Array.from({ length: columns }, (_, column) => {
        const [first, last] = framesOf(column, columns, frames);
        let best = first;
        for (let frame = first + 1; frame < last; frame++) {
            best = sum(frame) > sum(best) ? frame : best;
        }
        return best;
    });
}

// The greatest value that is drawn.
export function highest(series: readonly Float64Array[], stacked: boolean): number {
    let high = 0;
    for (let frame = 0; frame < (series[0]?.length ?? 0); frame++) {
        let sum = 0;
        for (const values of series) {
            const value = values[frame]! || 0;
            sum = stacked ? sum + value : Math.max(sum, value);
        }
        high = Math.max(high, sum);
    }
    return high;
}
