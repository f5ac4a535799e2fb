// The scale at the side of a chart: from zero to a round number, with a few steps between.
import { decimals, prefixFor } from './format';

export interface Scale {
    readonly high: number;
    readonly factor: number; // of the unit below
    readonly unit: string; // with its prefix, the same for all labels; '' for counts, which have it in the label
    readonly ticks: readonly { readonly value: number; readonly label: string }[];
}

const ROUND = [1, 2, 2.5, 5, 10];

// Steps between labels: two to four, of a round size.
function roundStep(high: number, whole: boolean): number {
    const rough = high / 4;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = power * ROUND.find((round) => round * power >= rough * 0.999999)!;
    return whole ? Math.max(Math.ceil(step), 1) : step;
}

// Below this there is no prefix, and nothing to see.
const LEAST = 1e-12;

export function scaleFor(highest: number, unit: string): Scale {
    const high = highest >= LEAST ? highest : 1;
    const prefix = prefixFor(high, unit);
    const step = roundStep(high / prefix.factor, unit === '' && prefix.factor === 1);
    const steps = Math.ceil(high / prefix.factor / step - 1e-9);
    const places = Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) + (isQuarter(step) ? 1 : 0);
    return {
        high: steps * step * prefix.factor,
        factor: unit === '' ? 1 : prefix.factor,
        unit: unit === '' ? '' : prefix.sign + unit,
        ticks: Array.from({ length: steps + 1 }, (_, index) => ({
            value: index * step * prefix.factor,
            label: decimals(index * step, places) + (unit === '' && index > 0 ? prefix.sign : ''),
        })),
    };
}

// 2.5 times a power of ten below ten: it has one digit more than its power tells.
function isQuarter(step: number): boolean {
    const mantissa = step / 10 ** Math.floor(Math.log10(step) + 1e-9);
    return step < 10 && Math.abs(mantissa - 2.5) < 1e-6;
}
