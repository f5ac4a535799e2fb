// What the components of an open recording share.
import type { Highlights, Recording } from '../recording/types';
import type { Stage } from '../stage/types';
import type { Player } from './player';
import type { Store } from './state';

export interface App {
    readonly recording: Recording;
    readonly highlights: Highlights | null;
    readonly stage: Stage | null; // null: this browser cannot draw
    readonly store: Store;
    readonly player: Player;
    readonly signal: AbortSignal; // another recording is opened: listeners outside the page's elements end
}

export function bodyName(recording: Recording, body: number): string {
    return recording.bodies[body]?.name || `body ${body}`;
}

export function trianglesOf(recording: Recording, body: number): number {
    return recording.meshes[recording.bodies[body]!.mesh]!.triangles.length / 3;
}

// Whether anything was simulated: meshes that are only shown, in one pose or several, have no numbers. They are static.
export function hasNumbers(recording: Recording): boolean {
    const last = recording.numbers[recording.frameCount - 1];
    const moves = recording.bodies.some((body) => body.kind !== 'static');
    return moves && last !== undefined && last.steps > 0;
}
