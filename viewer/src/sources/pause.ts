// Time for the page itself, while a recording is read.
const BUSY_LEAST_MS = 25; // so long reading may keep the page from drawing,
const BUSY_MOST_MS = 250;
const BUSY_SHARE = 4; // or so many times longer than drawing took: where that is slow, reading must not wait for it

// Goes on in a task of its own, behind what the page has to do. Not with a timer: those of a page in the
// background fire once per second.
function nextTask(): Promise<void> {
    return new Promise((resolve) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => {
            port1.close();
            resolve();
        };
        port2.postMessage(null);
    });
}

// The same pieces, with a rest for the page whenever it was kept busy for long.
export async function* withPauses(
    pieces: AsyncIterable<Uint8Array>,
    signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
    let begin = performance.now();
    let busyMs = BUSY_LEAST_MS;
    for await (const piece of pieces) {
        const now = performance.now();
        if (now - begin > busyMs) {
            await nextTask();
            begin = performance.now();
            busyMs = Math.min(Math.max(BUSY_SHARE * (begin - now), BUSY_LEAST_MS), BUSY_MOST_MS);
        }
        if (signal?.aborted) {
            return;
        }
        yield piece;
    }
}

// Waits, or less long if `signal` says so.
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
        const wake = () => {
            clearTimeout(timer);
            signal?.removeEventListener('abort', wake);
            resolve();
        };
        const timer = setTimeout(wake, ms);
        signal?.addEventListener('abort', wake);
    });
}

// The pieces of a stream, for browsers whose streams are not iterable by themselves.
export async function* streamPieces(
    stream: ReadableStream<Uint8Array<ArrayBufferLike>>,
): AsyncGenerator<Uint8Array> {
    const reader = stream.getReader();
    try {
        for (;;) {
            const { done, value } = await reader.read();
            if (done) {
                return;
            }
            yield value;
        }
    } finally {
        // Whoever stops listening early wants no more of it; a stream that failed has nothing to cancel.
        await reader.cancel().catch(() => undefined);
    }
}
