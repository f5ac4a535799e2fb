// The charts there are, and their numbers: one per frame, in the unit that is given.
import type { FrameNumbers, Recording } from '../recording/types';

export interface Series {
    readonly name: string;
    // NaN: there is none. Frame 0 has none: no step led to it.
    readonly values: Float64Array;
}

export interface ChartData {
    readonly series: readonly Series[];
    readonly missing: string; // why there is nothing to draw; "" if there is
    readonly zero: number; // what was taken off every value of `shifted` series
}

export interface ChartKind {
    readonly name: string;
    readonly title: string;
    readonly unit: string; // '' for counts
    readonly stacked: boolean;
    readonly about: string; // a sentence
    data(recording: Recording): ChartData;
}

type Column = readonly [name: string, value: (numbers: FrameNumbers) => number];

function column(recording: Recording, value: (numbers: FrameNumbers) => number): Float64Array {
    return Float64Array.from({ length: recording.frameCount }, (_, frame) => {
        const numbers = recording.numbers[frame]!;
        return numbers.steps > 0 ? value(numbers) : NaN;
    });
}

function plain(
    name: string,
    title: string,
    unit: string,
    about: string,
    columns: readonly Column[],
): ChartKind {
    const data = (recording: Recording): ChartData => ({
        series: columns.map(([label, value]) => ({ name: label, values: column(recording, value) })),
        missing: '',
        zero: 0,
    });
    return { name, title, unit, stacked: false, about, data };
}

// Where potential energy is zero is a matter of taste: here, where it is least.
function energy(recording: Recording): ChartData {
    const kinetic = column(recording, (numbers) => numbers.kineticEnergy);
    const potential = column(recording, (numbers) => numbers.potentialEnergy);
    const least = potential.reduce((low, value) => (value < low ? value : low), Infinity);
    const zero = Number.isFinite(least) ? least : 0;
    const above = potential.map((value) => value - zero);
    const total = above.map((value, frame) => value + kinetic[frame]!);
    return {
        series: [
            { name: 'kinetic', values: kinetic },
            { name: 'potential', values: above },
            { name: 'total', values: total },
        ],
        missing: '',
        zero,
    };
}

const STAGES = ['broad', 'traversal', 'contacts', 'solver'] as const;

function stageTimes(recording: Recording): ChartData {
    const known = recording.numbers.some((numbers) => numbers.times !== null);
    const series = STAGES.map((stage) => ({
        name: stage,
        values: column(recording, ({ times }) => (times ? times[stage] / 1e3 : NaN)),
    }));
    const other = column(recording, ({ times }) => {
        const named = times ? STAGES.reduce((sum, stage) => sum + times[stage], 0) : 0;
        return times ? Math.max(times.total - named, 0) / 1e3 : NaN;
    });
    return {
        series: [...series, { name: 'other', values: other }],
        missing: known ? '' : 'not recorded: simulate --times',
        zero: 0,
    };
}

export const CHART_KINDS: readonly ChartKind[] = [
    plain('pairs', 'Pairs', '', 'Pairs of bodies whose boxes overlap, and those of them that collide', [
        ['broad', (numbers) => numbers.broadPairs],
        ['colliding', (numbers) => numbers.collidingPairs],
    ]),
    plain('faces', 'Faces', '', 'Pairs of triangles that intersect', [['faces', (numbers) => numbers.faces]]),
    plain('contacts', 'Contacts', '', 'Contacts that the solver was given', [
        ['contacts', (numbers) => numbers.contacts],
    ]),
    {
        name: 'energy',
        title: 'Energy',
        unit: 'J',
        stacked: false,
        about: 'Kinetic and potential energy; potential energy is zero where it is least',
        data: energy,
    },
    {
        name: 'time',
        title: 'Time per step',
        unit: 's',
        stacked: true,
        about: 'What the stages of a step took, one upon the other',
        data: stageTimes,
    },
    plain('awake', 'Awake', '', 'Bodies that are awake', [['awake', (numbers) => numbers.awake]]),
    plain('penetration', 'Penetration', 'm', 'How deep the deepest contact reaches', [
        ['deepest', (numbers) => numbers.penetration],
    ]),
];
