// One self-contained file: dist/index.html, with the program and the style inside.
import { defineConfig } from 'vite';
import { viteSingleFile } from 'vite-plugin-singlefile';

export default defineConfig({
    base: './',
    plugins: [viteSingleFile({ removeViteModuleLoader: true })],
    build: { target: 'es2022', assetsInlineLimit: Number.MAX_SAFE_INTEGER, modulePreload: false },
});
