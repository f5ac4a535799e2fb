// Numbers for people: three or four digits, thin gaps between thousands, units with a prefix.

const GAP = '\u202f'; // narrow, and no line breaks there
const MINUS = '\u2212';
export const NOTHING = '\u2013';

export interface Prefix {
    readonly factor: number;
    readonly sign: string;
}

const PREFIXES: readonly Prefix[] = [
    { factor: 1e12, sign: 'T' },
    { factor: 1e9, sign: 'G' },
    { factor: 1e6, sign: 'M' },
    { factor: 1e3, sign: 'k' },
    { factor: 1, sign: '' },
    { factor: 1e-3, sign: 'm' },
    { factor: 1e-6, sign: 'µ' },
    { factor: 1e-9, sign: 'n' },
    { factor: 1e-12, sign: 'p' },
];
const MOST_PLACES = 3;
const ONE: Prefix = { factor: 1, sign: '' };

// The prefix that leaves one to three digits before the point. Counts (no unit) get none below ten thousand.
export function prefixFor(value: number, unit: string): Prefix {
    const size = Math.abs(value);
    if (!Number.isFinite(size) || size === 0 || (unit === '' && size < 1e4)) {
        return ONE;
    }
    return PREFIXES.find((prefix) => size >= prefix.factor * 0.9995) ?? PREFIXES[PREFIXES.length - 1]!;
}

function grouped(digits: string): string {
    const [whole, fraction] = digits.split('.');
    const parts = whole!.length > 4 ? whole!.replace(/\B(?=(\d{3})+$)/g, GAP) : whole!;
    return fraction === undefined ? parts : `${parts}.${fraction}`;
}

function signed(value: number, digits: string): string {
    return (value < 0 && Number(digits) !== 0 ? MINUS : '') + grouped(digits);
}

// A whole number, in full.
export function count(value: number): string {
    return Number.isFinite(value) ? signed(value, Math.abs(Math.round(value)).toString()) : NOTHING;
}

// With so many digits after the point.
export function decimals(value: number, places: number): string {
    return Number.isFinite(value) ? signed(value, Math.abs(value).toFixed(places)) : NOTHING;
}

// Three digits, or all those before the point; no exponent.
export function short(value: number): string {
    const size = Number(Math.abs(value).toPrecision(3)); // 9.996 has the places of 10
    if (size === 0 || size >= 100 || !Number.isFinite(size)) {
        return decimals(value, 0);
    }
    return decimals(value, Math.min(2 - Math.floor(Math.log10(size)), MOST_PLACES));
}

// In the unit of a chart's scale, counts in full: 4.21, 0.003, 12 345.
export function inScale(value: number, factor: number, unit: string): string {
    if (unit === '' || !Number.isFinite(value)) {
        return count(value);
    }
    const scaled = value / factor;
    return Math.abs(scaled) < 0.1 ? decimals(scaled, 3) : short(scaled);
}

// A number with its unit: 12.3 mm, 4.56 kJ. Counts: 120, 9999, 15.1 M.
export function quantity(value: number, unit: string): string {
    if (!Number.isFinite(value)) {
        return NOTHING;
    }
    const prefix = prefixFor(value, unit);
    const scaled = value / prefix.factor;
    const digits = unit === '' && prefix.sign === '' ? count(scaled) : short(scaled);
    const behind = prefix.sign + unit;
    return behind === '' ? digits : `${digits}${GAP}${behind}`;
}

// With places enough to tell one frame from the next.
export function seconds(time: number, step: number): string {
    const places = step > 0 ? Math.min(Math.max(1 - Math.floor(Math.log10(step)), 1), 6) : 2;
    return `${decimals(time, places)}${GAP}s`;
}

export function bytes(size: number): string {
    return size < 1e6 ? `${count(size / 1e3)}${GAP}kB` : `${short(size / 1e6)}${GAP}MB`;
}

export function plural(number: number, one: string, many = `${one}s`): string {
    return `${quantity(number, '')} ${number === 1 ? one : many}`;
}
