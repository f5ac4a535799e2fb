// Whom a body touches in a frame, and how hard.
import type { Recording } from '../recording/types';

export interface Partner {
    readonly body: number;
    readonly contacts: number;
    readonly force: number; // N
}

export interface BodyContacts {
    readonly contacts: number;
    readonly force: number; // N, the sum of magnitudes
    readonly partners: readonly Partner[]; // the strongest first
}

export function contactsOf(recording: Recording, frame: number, body: number): BodyContacts {
    const { count, a, b, impulses } = recording.contacts(frame);
    const found = new Map<number, { contacts: number; impulse: number }>();
    for (let contact = 0; contact < count; contact++) {
        const first = a[contact]!;
        const second = b[contact]!;
        if (first !== body && second !== body) {
            continue;
        }
        const other = first === body ? second : first;
        const sum = found.get(other) ?? { contacts: 0, impulse: 0 };
        sum.contacts++;
        sum.impulse += Math.abs(impulses[contact]!);
        found.set(other, sum);
    }
    const perStep = recording.step > 0 ? 1 / recording.step : 0;
    const partners = [...found]
        .map(([other, sum]) => ({ body: other, contacts: sum.contacts, force: sum.impulse * perStep }))
        .sort((one, two) => two.force - one.force || one.body - two.body);
    return {
        contacts: partners.reduce((sum, partner) => sum + partner.contacts, 0),
        force: partners.reduce((sum, partner) => sum + partner.force, 0),
        partners,
    };
}
