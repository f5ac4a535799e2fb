// Makes a module that Node can import from one of the page's sources.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'vite';

const viewer = fileURLToPath(new URL('../..', import.meta.url));

// `source` is relative to the folder viewer/.
export async function importSource(source) {
    const folder = mkdtempSync(join(tmpdir(), 'tandem-viewer-'));
    try {
        await build({
            root: viewer,
            configFile: false,
            logLevel: 'error',
            build: {
                outDir: folder,
                minify: false,
                target: 'es2022',
                lib: { entry: join(viewer, source), formats: ['es'], fileName: () => 'module.mjs' },
            },
        });
        return await import(pathToFileURL(join(folder, 'module.mjs')).href);
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}
