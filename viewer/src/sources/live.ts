// A recording that a simulation still writes: GET ADDRESS?from=OFFSET answers with the bytes that there are from
// OFFSET on, and with "X-Tandem-Done: 1" once the end mark is among them.
import { SourceError } from './error';
import { sleep, streamPieces, withPauses } from './pause';
import type { PieceOptions } from '../source';

const POLL_MS = 250;
const RETRY_LEAST_MS = 500;
const RETRY_MOST_MS = 8000;

// The server was there and said no: asking again would not help.
class Refused extends SourceError {}

async function ask(address: URL, offset: number, signal: AbortSignal | undefined): Promise<Response> {
    const request = new URL(address);
    request.searchParams.set('from', String(offset));
    const response = await fetch(request, { cache: 'no-store', ...(signal ? { signal } : {}) });
    if (!response.ok) {
        throw new Refused(
            `The server of this page no longer gives the recording from byte ${offset} on ` +
                `(${response.status} ${response.statusText}). If the simulation was begun again, reload the page.`,
        );
    }
    return response;
}

function tellTrouble(error: unknown, offset: number, waitMs: number): string {
    return (
        `The server of this page does not answer (${error instanceof Error ? error.message : String(error)}). ` +
        `What came until now, ${offset.toLocaleString('en')} bytes, is shown; ` +
        `asked again in ${(waitMs / 1000).toLocaleString('en')} s.`
    );
}

export async function* livePieces(address: URL, options: PieceOptions): AsyncGenerator<Uint8Array> {
    const { signal, onTrouble } = options;
    let offset = 0;
    let retryMs = RETRY_LEAST_MS;
    let inTrouble = false;
    while (!signal?.aborted) {
        let waitMs = POLL_MS;
        try {
            const response = await ask(address, offset, signal);
            if (inTrouble) {
                inTrouble = false;
                onTrouble?.('');
            }
            retryMs = RETRY_LEAST_MS;
            if (response.body) {
                for await (const piece of withPauses(streamPieces(response.body), signal)) {
                    offset += piece.length;
                    yield piece;
                }
            }
            if (response.headers.get('X-Tandem-Done') === '1') {
                return;
            }
        } catch (error) {
            if (error instanceof Refused) {
                throw error;
            }
            if (signal?.aborted) {
                return;
            }
            waitMs = retryMs;
            retryMs = Math.min(2 * retryMs, RETRY_MOST_MS);
            inTrouble = true;
            onTrouble?.(tellTrouble(error, offset, waitMs));
        }
        await sleep(waitMs, signal);
    }
}
