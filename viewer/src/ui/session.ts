// Reads a recording and shows it, from the first bytes on.
import { createReader } from '../recording/reader';
import type { Highlights, Recording, RecordingReader } from '../recording/types';
import { SourceError, type Source } from '../source';
import type { App } from './app';
import { Banners, Progress } from './banner';
import { element } from './dom';
import { bytes } from './format';
import { createLanding } from './landing';
import { rehearse } from './rehearse';
import { openWorkspace } from './workspace';

// Behind the last frame: so long charts and notes may take to follow.
const REHEARSAL_MS = 300;

export class Session {
    app: App | null = null;
    readonly banners = new Banners();
    private readonly progress = new Progress();
    private readonly picture = element('main', { class: 'picture' }, this.progress.root);
    private readonly shell = element('div', { class: 'shell' }, this.banners.root, this.picture);
    private readonly ending = new AbortController();
    private shownFrames = 0;
    private rehearsed = false;
    private markOpened: () => void = () => {};
    // Something is shown, or never will be.
    readonly opened = new Promise<void>((resolve) => (this.markOpened = resolve));

    constructor(
        host: HTMLElement,
        private readonly openFile: (file: File) => void,
    ) {
        host.replaceChildren(this.shell);
    }

    close(): void {
        this.ending.abort();
    }

    // How to make a recording, or to open one.
    showLanding(): void {
        this.picture.append(createLanding(this.openFile));
    }

    // Ends when all bytes are read, and moving through them is as fast as it gets. What cannot be read is told, what can
    // be is shown.
    async run(source: Source, highlights: Highlights | null): Promise<void> {
        const reader = createReader();
        const { signal } = this.ending;
        const onTrouble = (message: string) => this.banners.set('source', 'warning', message);
        this.showProgress(reader, source);
        let failure = '';
        try {
            for await (const piece of source.pieces({ signal, onTrouble })) {
                reader.push(piece);
                this.show(reader.recording, highlights, source);
                this.showProgress(reader, source);
                if (reader.problem) {
                    break;
                }
                await this.rehearseOnce(source);
            }
        } catch (error) {
            if (!(error instanceof SourceError)) {
                this.banners.set('page', 'error', `A fault of this page: ${String(error)}`);
                throw error;
            }
            failure = error.message;
        }
        if (signal.aborted) {
            return;
        }
        reader.end();
        this.show(reader.recording, highlights, source);
        this.finish(failure || (reader.problem?.what ?? ''));
        await this.prepare();
    }

    private show(recording: Recording | null, highlights: Highlights | null, source: Source): void {
        if (!recording || recording.frameCount === this.shownFrames) {
            return;
        }
        this.shownFrames = recording.frameCount;
        if (this.app) {
            this.app.player.grown();
            return;
        }
        document.title = `${recording.name || source.name} – tandem`;
        const frame = { shell: this.shell, picture: this.picture };
        this.app = openWorkspace(frame, recording, highlights, source.live, this.ending.signal);
        this.markOpened();
    }

    // With more of the recording to come: of a short one nobody notices.
    private async rehearseOnce(source: Source): Promise<void> {
        if (this.app && !this.rehearsed && this.shownFrames > 1 && !source.live) {
            this.rehearsed = true;
            await rehearse(this.app);
        }
    }

    // What there was too little time for while a long recording was read. Where it plays, that happens beside it.
    private async prepare(): Promise<void> {
        if (this.app && this.rehearsed && !this.app.store.state.playing) {
            await this.app.stage?.made();
            await rehearse(this.app, REHEARSAL_MS);
        }
    }

    private showProgress(reader: RecordingReader, source: Source): void {
        const read = bytes(reader.bytesRead);
        if (source.live) {
            if (this.app) {
                this.progress.done();
            } else {
                this.progress.set(null, 'waiting for the first frame of the simulation');
            }
        } else if (source.size) {
            const part = Math.min(reader.bytesRead / source.size, 1);
            this.progress.set(part, `reading ${source.name}: ${read} of ${bytes(source.size)}`);
        } else {
            this.progress.set(null, `reading ${source.name}: ${read}`);
        }
    }

    // The sentence tells what could not be read, if anything.
    private finish(problem: string): void {
        this.progress.done();
        this.markOpened();
        this.app?.player.finished();
        if (this.app) {
            this.banners.set('recording', 'warning', problem);
        } else {
            const nothing = 'The recording holds no frame: there is nothing to show.';
            this.banners.set('recording', 'error', problem || nothing);
            this.showLanding();
        }
    }
}
