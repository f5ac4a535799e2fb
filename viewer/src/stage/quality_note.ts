// What the picture leaves out, in words.
import type { Choice } from './detail';
import type { Shown } from './shown';

export function qualityNote(choice: Choice, shown: Shown, fewerPixels: boolean): string {
    const notes: string[] = [];
    const number = (value: number): string => value.toLocaleString('en');
    if (shown.simplified) {
        notes.push(
            `bodies simplified: ${number(choice.drawnTriangles)} of ${number(choice.allTriangles)} triangles drawn`,
        );
    }
    if (fewerPixels) notes.push('drawn with fewer pixels');
    const { marks } = shown;
    if (marks.visible && marks.drawn < marks.count) {
        notes.push(`${number(marks.drawn)} of ${number(marks.count)} contacts drawn`);
    }
    if (!shown.poseTable.holdsAll)
        notes.push('more frames than graphics memory is set aside for: they are sent as they are shown');
    return notes.join('; ');
}
