// The signs on buttons: paths in a square of 16 units, drawn in the colour of the text.
const PATHS = {
    play: 'M4 2.5v11l9.5-5.5z',
    pause: 'M4 3h3v10H4zM9 3h3v10H9z',
    back: 'M10.5 3v10L4 8zM11.5 3H13v10h-1.5z',
    forward: 'M5.5 3v10L12 8zM3 3h1.5v10H3z',
    start: 'M3 3h1.8v10H3zM13 3v10L5.5 8z',
    end: 'M11.2 3H13v10h-1.8zM3 3v10l7.5-5z',
    loop: 'M4.5 3.5h6a3.5 3.5 0 0 1 3.4 4.3h-1.6a2 2 0 0 0-1.8-2.8h-6v2.2L1.2 4.3l3.3-3zM11.5 12.5h-6A3.5 3.5 0 0 1 2.1 8.2h1.6A2 2 0 0 0 5.5 11h6V8.8l3.3 2.9-3.3 3z',
    close: 'm4.2 3.1 3.8 3.8 3.8-3.8 1.1 1.1L9.1 8l3.8 3.8-1.1 1.1L8 9.1l-3.8 3.8-1.1-1.1L6.9 8 3.1 4.2z',
    down: 'm3.1 5.2 4.9 4.9 4.9-4.9 1.1 1.1-6 6-6-6z',
    up: 'm3.1 10.8 4.9-4.9 4.9 4.9 1.1-1.1-6-6-6 6z',
    sliders:
        'M2 4h6.2a2 2 0 0 1 3.6 0H14v1.5h-2.2a2 2 0 0 1-3.6 0H2zM2 10.5h2.2a2 2 0 0 1 3.6 0H14V12H7.8a2 2 0 0 1-3.6 0H2z',
} as const;

export type Icon = keyof typeof PATHS;

const SVG = 'http://www.w3.org/2000/svg';

export function icon(name: Icon): SVGSVGElement {
    const svg = document.createElementNS(SVG, 'svg');
    svg.setAttribute('viewBox', '0 0 16 16');
    svg.setAttribute('aria-hidden', 'true');
    svg.setAttribute('class', 'icon');
    const path = document.createElementNS(SVG, 'path');
    path.setAttribute('d', PATHS[name]);
    svg.append(path);
    return svg;
}
