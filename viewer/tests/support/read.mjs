// Reads all of a recording, in pieces of the sizes that `pieceSize` gives (all at once without it).
export function readAll(createReader, bytes, pieceSize = () => bytes.length) {
    const reader = createReader();
    for (let at = 0; at < bytes.length; ) {
        const size = Math.min(pieceSize(), bytes.length - at);
        reader.push(bytes.subarray(at, at + size));
        at += size;
    }
    reader.end();
    return reader;
}

// The frames, as values that can be compared.
export function framesOf(recording) {
    return Array.from({ length: recording?.frameCount ?? 0 }, (_, f) => {
        const contacts = Object.entries(recording.contacts(f)).map(([name, list]) =>
            typeof list === 'number' ? list : [name, ...list],
        );
        return { states: [...recording.states(f)], numbers: { ...recording.numbers[f] }, contacts };
    });
}

// All that a reader knows, as values that can be compared.
export function snapshot({ recording, problem, bytesRead }) {
    const { name, writer, step, sceneText, origin, meshes, bodies, complete } = recording ?? {};
    const header = { name, writer, step, sceneText, origin, meshes, bodies };
    return { header, frames: framesOf(recording), complete, problem, bytesRead };
}
