// Where the page gets the bytes of a recording from: out of itself, from a file, from a server.
import assert from 'node:assert/strict';
import { File } from 'node:buffer';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { importSource } from './support/bundle.mjs';
import { randomFrom } from './support/random.mjs';

const { openFile, openSource, readHighlights, SourceError } = await importSource('src/source.ts');

const random = randomFrom(4);
const bytes = Buffer.from(Array.from({ length: 1234567 }, () => Math.floor(random() * 40)));

// What is used of a document: its elements by id.
function page(elements, baseURI = 'file:///page.html') {
    return { baseURI, getElementById: (id) => elements[id] ?? null };
}
const embedded = (textContent, encoding = 'gzip-base64') =>
    page({ 'tandem-data': { dataset: { name: 'cows.rec', encoding }, textContent } });

async function collect(source, options) {
    const pieces = [];
    for await (const piece of source.pieces(options)) {
        pieces.push(Buffer.from(piece));
    }
    return Buffer.concat(pieces);
}

test('a page without a recording', () => {
    assert.equal(openSource(page({})), null);
    assert.equal(readHighlights(page({})), null);
});

test('a recording inside the page', async () => {
    for (const size of [0, 1, 2, 3, 1000, bytes.length]) {
        const packed = gzipSync(bytes.subarray(0, size)).toString('base64');
        const source = openSource(embedded(`\n  ${packed}\n`));
        assert.equal(source.name, 'cows.rec');
        assert.equal(source.live, false);
        assert.equal(source.size, size);
        assert.deepEqual(await collect(source), bytes.subarray(0, size));
    }
});

test('a recording inside the page, where the browser decodes base64 itself', async () => {
    const own = Uint8Array.fromBase64;
    let calls = 0;
    Uint8Array.fromBase64 = (text) => (++calls, new Uint8Array(Buffer.from(text, 'base64')));
    try {
        const source = openSource(embedded(gzipSync(bytes).toString('base64')));
        assert.deepEqual(await collect(source), bytes);
        assert.ok(calls > 1);
    } finally {
        if (own) {
            Uint8Array.fromBase64 = own;
        } else {
            delete Uint8Array.fromBase64;
        }
    }
});

test('a recording inside the page that is damaged: what comes before is given', async () => {
    const packed = gzipSync(bytes).toString('base64');
    const middle = packed.length / 2;
    const damaged = [
        packed.slice(0, middle),
        packed.slice(0, middle) + '!!!!' + packed.slice(middle + 4),
        'no gzip!',
        '',
    ];
    for (const text of damaged) {
        const pieces = [];
        await assert.rejects(async () => {
            for await (const piece of openSource(embedded(text)).pieces()) {
                pieces.push(Buffer.from(piece));
            }
        }, (error) => error instanceof SourceError && /inside this page is damaged/.test(error.message)); // prettier-ignore
        const got = Buffer.concat(pieces);
        assert.deepEqual(got, bytes.subarray(0, got.length));
    }
    assert.throws(() => openSource(embedded('', 'rot13')), /encoded as "rot13"/);
});

test('a file', async () => {
    const source = openFile(new File([bytes], 'dropped.rec'));
    assert.equal(source.name, 'dropped.rec');
    assert.equal(source.size, bytes.length);
    assert.deepEqual(await collect(source), bytes);
});

test('pieces end when they are told to', async () => {
    const aborter = new AbortController();
    let count = 0;
    const source = openSource(embedded(gzipSync(bytes).toString('base64')));
    for await (const piece of source.pieces({ signal: aborter.signal })) {
        count += piece.length;
        aborter.abort();
    }
    assert.ok(count > 0 && count < bytes.length);
});

// ---------------------------------------------------------------------------------------------------------
// Live

// A server that answers requests as `answer(from, response)` says; gives a live source for it.
async function serve(answer) {
    const server = createServer((request, response) => {
        const url = new URL(request.url, 'http://localhost');
        assert.equal(url.pathname, '/recording');
        answer(Number(url.searchParams.get('from')), response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const base = `http://127.0.0.1:${server.address().port}/`;
    const element = { dataset: { name: 'live.rec', live: 'recording' }, textContent: '' };
    const close = () => {
        server.closeAllConnections();
        server.close();
    };
    return { source: openSource(page({ 'tandem-data': element }, base)), close };
}

test('a recording that grows', async () => {
    const sizes = [100, 100, 500000, bytes.length];
    const asked = [];
    const { source, close } = await serve((from, response) => {
        const size = sizes[asked.length];
        asked.push(from);
        response.setHeader('X-Tandem-Done', size === bytes.length ? '1' : '0');
        response.end(bytes.subarray(from, size));
    });
    assert.equal(source.live, true);
    assert.equal(source.size, null);
    assert.deepEqual(await collect(source), bytes);
    assert.deepEqual(asked, [0, 100, 100, 500000]);
    close();
});

test('a server that is gone for a while', async () => {
    let requests = 0;
    const { source, close } = await serve((from, response) => {
        ++requests;
        if (requests === 2) {
            response.destroy();
        } else if (requests === 3) {
            // Breaks off in the middle of its answer.
            response.writeHead(200, { 'Content-Length': 1000 });
            response.write(bytes.subarray(from, from + 300), () => response.destroy());
        } else {
            response.setHeader('X-Tandem-Done', requests > 3 ? '1' : '0');
            response.end(bytes.subarray(from, requests > 3 ? 2000 : 500));
        }
    });
    const told = [];
    const got = await collect(source, { onTrouble: (message) => told.push(message) });
    assert.deepEqual(got, bytes.subarray(0, 2000));
    assert.match(told[0], /does not answer .*500 bytes, is shown; asked again in 0.5 s/);
    assert.equal(told.at(-1), '');
    close();
});

test('a server that says no', async () => {
    const { source, close } = await serve((from, response) => {
        response.statusCode = from === 0 ? 200 : 416;
        response.end(from === 0 ? bytes.subarray(0, 10) : 'no');
    });
    await assert.rejects(collect(source), /from byte 10 on \(416 .*reload the page/);
    close();
});

test('a live recording that is no longer wanted', async () => {
    const { source, close } = await serve((from, response) => response.end(from === 0 ? bytes : undefined));
    const aborter = new AbortController();
    setTimeout(() => aborter.abort(), 400);
    assert.deepEqual(await collect(source, { signal: aborter.signal }), bytes);
    close();
});

test('highlights', () => {
    const read = (textContent) => readHighlights(page({ 'tandem-highlights': { textContent } }));
    const good = { title: 'intersecting triangles', frames: [[[1, 2], []], []] };
    assert.deepEqual(read(JSON.stringify(good)), good);
    assert.throws(() => read('{'), SourceError);
    for (const bad of [
        null,
        1,
        {},
        { title: 'x' },
        { ...good, frames: [[1]] },
        { ...good, frames: [[[-1]]] },
    ]) {
        assert.throws(() => read(JSON.stringify(bad)), /highlighted triangles .* damaged/);
    }
});
