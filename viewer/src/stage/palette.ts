// Colours: of bodies, of scales, and of the two colour schemes.
export type Rgb = readonly [number, number, number]; // sRGB, 0 to 1

// Seven stops from dark blue to yellow: lightness rises evenly, so that the order is seen without the legend, also by
// people who see few colours.
export const SCALE: readonly Rgb[] = [
    [0.27, 0.13, 0.45],
    [0.24, 0.29, 0.56],
    [0.18, 0.43, 0.56],
    [0.13, 0.57, 0.55],
    [0.2, 0.7, 0.45],
    [0.53, 0.82, 0.28],
    [0.98, 0.9, 0.2],
];

export const NEUTRAL: Rgb = [0.62, 0.63, 0.65];
export const AWAKE: Rgb = [0.95, 0.6, 0.2];
export const ASLEEP: Rgb = [0.3, 0.5, 0.78];
export const SIGNAL: Rgb = [0.95, 0.12, 0.25];
export const SELECTED: Rgb = [1.0, 0.55, 0.05];
export const CONTACT: Rgb = [0.9, 0.1, 0.45];
export const BOX: Rgb = [0.1, 0.55, 0.85];

export interface Scheme {
    readonly top: Rgb; // of the picture's background
    readonly bottom: Rgb;
    readonly lines: Rgb; // of the grid
    readonly wires: Rgb;
    readonly exposure: number;
    readonly ground: number; // brightness of static bodies
}

export const LIGHT: Scheme = {
    top: [0.8, 0.85, 0.9],
    bottom: [0.96, 0.96, 0.95],
    lines: [0.2, 0.24, 0.3],
    wires: [0.05, 0.07, 0.1],
    exposure: 1.0,
    ground: 1.0,
};
export const DARK: Scheme = {
    top: [0.09, 0.1, 0.13],
    bottom: [0.19, 0.2, 0.23],
    lines: [0.75, 0.8, 0.88],
    wires: [0.02, 0.03, 0.05],
    exposure: 0.92,
    ground: 0.3,
};

const GOLDEN = 0.618033988749895;

// Hues a golden section apart: neighbours in number differ, and no hue comes twice. Lightness and strength vary a
// little, so that equal-looking hues still differ.
export function bodyColour(body: number): Rgb {
    const hue = (0.08 + body * GOLDEN) % 1;
    const lightness = 0.7 + 0.08 * Math.sin(body * 2.4);
    const strength = 0.115 + 0.02 * Math.cos(body * 1.7);
    return fromOklch(lightness, strength, hue);
}

// Oklab: equal steps look equal (Ottosson, 2020).
function fromOklch(lightness: number, strength: number, hue: number): Rgb {
    const a = strength * Math.cos(2 * Math.PI * hue);
    const b = strength * Math.sin(2 * Math.PI * hue);
    const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
    const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
    const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
    return [
        toSrgb(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
        toSrgb(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
        toSrgb(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
    ];
}

function toSrgb(linear: number): number {
    const x = Math.min(Math.max(linear, 0), 1);
    return x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055;
}

export function linearColour(colour: Rgb): [number, number, number] {
    return colour.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)) as [
        number,
        number,
        number,
    ];
}

export function cssColour(colour: Rgb): string {
    return `rgb(${colour.map((c) => Math.round(255 * c)).join(', ')})`;
}

// The next of 1, 2, 5 times a power of ten that is not below the value.
export function niceAbove(value: number): number {
    if (!(value > 0) || !Number.isFinite(value)) return 1;
    const power = 10 ** Math.floor(Math.log10(value));
    const factor = [1, 2, 5, 10].find((f) => f * power >= value * (1 - 1e-9)) ?? 10;
    return Number((factor * power).toPrecision(1));
}
