// What the colours of bodies mean.
import { ASLEEP, AWAKE, NEUTRAL, SCALE, cssColour } from './palette';
import type { ColourMode, ColourScale } from './types';

export function legendOf(
    mode: ColourMode,
    topSpeed: number,
    force: { bottom: number; top: number },
): ColourScale {
    switch (mode) {
        case 'body':
            return { title: 'body', unit: '', stops: [] };
        case 'speed':
            return { title: 'speed', unit: 'm/s', stops: scaleStops((at) => at * topSpeed) };
        case 'force':
            return {
                title: 'contact force',
                unit: 'N',
                stops: scaleStops((at) => force.bottom * (force.top / force.bottom) ** at),
            };
        case 'sleep':
            return {
                title: 'sleep',
                unit: '',
                stops: [
                    { at: 0, colour: cssColour(AWAKE), label: 'awake' },
                    { at: 0.5, colour: cssColour(ASLEEP), label: 'asleep' },
                    { at: 1, colour: cssColour(NEUTRAL), label: 'static' },
                ],
            };
    }
}

function scaleStops(valueAt: (at: number) => number): ColourScale['stops'] {
    return SCALE.map((colour, i) => {
        const at = i / (SCALE.length - 1);
        return { at, colour: cssColour(colour), value: Number(valueAt(at).toPrecision(6)) };
    });
}
