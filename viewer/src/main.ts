// Opens the recording that came with the page, or one that is dropped on it.
import './style.css';
import { openFile, openSource, readHighlights, type Source } from './source';
import type { Highlights } from './recording/types';
import { acceptDrops } from './ui/landing';
import { Session } from './ui/session';
import { exposePage } from './ui/testing';

const host = document.getElementById('app')!;
let session = new Session(host, openDropped);

function openDropped(file: File): void {
    session.close();
    session = new Session(host, openDropped);
    void session.run(openFile(file), null);
}

// What is damaged in the page itself is told like all else.
async function openOwn(): Promise<void> {
    let source: Source | null = null;
    let highlights: Highlights | null = null;
    try {
        source = openSource();
        highlights = readHighlights();
    } catch (error) {
        session.banners.set('page', 'error', error instanceof Error ? error.message : String(error));
    }
    if (source) {
        // A simulation may run for long: its page is ready when it shows something.
        const reading = session.run(source, highlights);
        await (source.live ? Promise.race([session.opened, reading]) : reading);
    } else {
        session.showLanding();
    }
}

acceptDrops(openDropped);
exposePage(() => session.app, openOwn());
