// The force of contacts on bodies, and how it is shown: on a scale of decades.
import type { FrameContacts, Recording } from '../recording/types';

const DECADES = 4;

export class Forces {
    readonly perBody: Float32Array; // N, the sum over a body's contacts
    readonly shares: Float32Array; // from 0 to 1 on the scale
    // The upper end of the scale, a power of ten; it only rises, so that colours of frames can be compared.
    top = 1;
    private largest = 0;

    constructor(private readonly recording: Recording) {
        this.perBody = new Float32Array(recording.bodies.length);
        this.shares = new Float32Array(recording.bodies.length);
    }

    get bottom(): number {
        return this.top / 10 ** DECADES;
    }

    of(impulse: number): number {
        return Math.abs(impulse) / this.recording.step;
    }

    // Takes the contacts of the frame that is shown.
    set(contacts: FrameContacts): void {
        this.perBody.fill(0);
        for (let i = 0; i < contacts.count; ++i) {
            const force = this.of(contacts.impulses[i]);
            this.perBody[contacts.a[i]] += force;
            this.perBody[contacts.b[i]] += force;
        }
        this.recording.bodies.forEach((body, i) => {
            if (body.kind !== 'static') this.largest = Math.max(this.largest, this.perBody[i]);
        });
        if (this.largest > 0) this.top = 10 ** Math.ceil(Math.log10(this.largest) - 1e-9);
        for (let i = 0; i < this.shares.length; ++i) this.shares[i] = this.share(this.perBody[i]);
    }

    // Where a force is on the scale, from 0 to 1.
    share(force: number): number {
        if (!(force > 0)) return 0;
        return Math.min(Math.max(1 + Math.log10(force / this.top) / DECADES, 0), 1);
    }
}
