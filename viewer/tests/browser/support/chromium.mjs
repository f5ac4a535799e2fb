// Where Chromium is, by CHROMIUM or its usual names; and how it draws without a graphics unit.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

function canRun(path) {
    try {
        accessSync(path, constants.X_OK);
        return true;
    } catch {
        return false;
    }
}

// Null if there is none.
export function findChromium() {
    if (process.env.CHROMIUM) {
        return canRun(process.env.CHROMIUM) ? process.env.CHROMIUM : null;
    }
    const folders = (process.env.PATH ?? '').split(delimiter).concat('/usr/bin');
    const paths = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
    return paths.find(canRun) ?? null;
}

export const SOFTWARE_RENDERING = [
    '--headless=new',
    '--use-angle=swiftshader',
    '--enable-unsafe-swiftshader',
    '--ignore-gpu-blocklist',
];
