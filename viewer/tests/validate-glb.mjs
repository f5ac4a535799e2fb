// Asks the Khronos validator about .glb files: node validate-glb.mjs FILE...
// Prints what it finds, hints apart, and exits with 1 if there are errors or warnings in any of them.
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { validateBytes } from 'gltf-validator';

const severities = ['error', 'warning', 'information', 'hint'];

async function validate(path) {
    const report = await validateBytes(new Uint8Array(await readFile(path)), { uri: path, maxIssues: 20 });
    const { numErrors, numWarnings, numInfos, messages } = report.issues;
    for (const { severity, code, message, pointer } of messages) {
        if (severity < 3) {
            console.log(`${path}: ${severities[severity]} ${code} at ${pointer ?? 'the file'}: ${message}`);
        }
    }
    console.log(`${path}: ${numErrors} errors, ${numWarnings} warnings, ${numInfos} remarks`);
    return numErrors === 0 && numWarnings === 0;
}

const paths = process.argv.slice(2);
if (paths.length === 0) {
    console.error('validate-glb: expected the names of .glb files');
    process.exit(2);
}
let good = true;
for (const path of paths) {
    good = (await validate(path)) && good;
}
process.exit(good ? 0 : 1);
