// Lists of contacts, sorted by pairs of bodies, as they are recorded: eight bytes each. A frame that follows another
// lists those of pairs that do not rest; the others are those of the frame before.
import { isUpperHalf } from './half';
import type { ByteReader } from './bytes';
import type { Rest } from './motions';

const CONTACT_BYTES = 8;
const NORMAL_MOST = 254;

export class ContactList {
    count = 0;
    // Per contact.
    a = new Uint32Array();
    b = new Uint32Array();
    where = new Uint32Array(); // ten bits each for x, y and z
    normals = new Uint8Array(); // two each
    impulses = new Uint16Array(); // upper halves

    // What is in it may be lost.
    makeRoom(count: number): void {
        if (count > this.a.length) {
            const size = Math.ceil(1.5 * count);
            this.a = new Uint32Array(size);
            this.b = new Uint32Array(size);
            this.where = new Uint32Array(size);
            this.normals = new Uint8Array(2 * size);
            this.impulses = new Uint16Array(size);
        }
    }
}

// Goes through the pairs of a list.
class PairReader {
    a = 0;
    b = -1;
    count = 0; // of its contacts, which come next

    constructor(
        private readonly reader: ByteReader,
        private readonly bodyCount: number,
    ) {}

    // False if what comes is no pair that can follow the last, or there are not as many contacts as it says.
    next(): boolean {
        const { reader } = this;
        const step = reader.varint();
        const a = this.a + step;
        const b = a + 1 + reader.varint();
        this.count = reader.varint();
        const sorted = step > 0 || b > this.b;
        this.a = a;
        this.b = b;
        const fits = this.count > 0 && this.count <= reader.left / CONTACT_BYTES;
        return !reader.failed && sorted && b < this.bodyCount && fits;
    }
}

function isContactAt(bytes: Uint8Array, at: number): boolean {
    return (
        bytes[at + 3] < 0x40 &&
        bytes[at + 4] <= NORMAL_MOST &&
        bytes[at + 5] <= NORMAL_MOST &&
        isUpperHalf(bytes[at + 6] | (bytes[at + 7] << 8))
    );
}

// Whether the bytes up to the reader's end are a list of contacts: all of a frame, or, with `rest`, of those pairs
// that do not rest.
export function isContactList(reader: ByteReader, bodyCount: number, rest: Rest | null): boolean {
    const pair = new PairReader(reader, bodyCount);
    while (reader.left > 0) {
        if (!pair.next() || rest?.isPair(pair.a, pair.b)) {
            return false;
        }
        for (let i = 0; i < pair.count; ++i) {
            if (!isContactAt(reader.bytes, reader.skip(CONTACT_BYTES))) {
                return false;
            }
        }
    }
    return true;
}

// Takes a list that isContactList found to be one, and, with `rest`, those of pairs that rest from `before`.
export function takeContacts(
    out: ContactList,
    reader: ByteReader,
    bodyCount: number,
    before: ContactList,
    rest: Rest | null,
): void {
    out.makeRoom(Math.floor(reader.left / CONTACT_BYTES) + (rest ? before.count : 0));
    out.count = 0;
    let old = 0;
    const keep = (a: number, b: number) => {
        for (; old < before.count && isBefore(before, old, a, b); ++old) {
            if (rest?.isPair(before.a[old], before.b[old])) {
                copyContact(out, before, old);
            }
        }
    };
    const pair = new PairReader(reader, bodyCount);
    while (reader.left > 0 && pair.next()) {
        keep(pair.a, pair.b);
        for (let i = 0; i < pair.count; ++i) {
            takeContact(out, reader, pair);
        }
    }
    keep(Infinity, Infinity);
}

function isBefore(list: ContactList, at: number, a: number, b: number): boolean {
    return list.a[at] < a || (list.a[at] === a && list.b[at] < b);
}

function copyContact(out: ContactList, from: ContactList, at: number): void {
    const to = out.count++;
    out.a[to] = from.a[at];
    out.b[to] = from.b[at];
    out.where[to] = from.where[at];
    out.normals[2 * to] = from.normals[2 * at];
    out.normals[2 * to + 1] = from.normals[2 * at + 1];
    out.impulses[to] = from.impulses[at];
}

function takeContact(out: ContactList, reader: ByteReader, pair: PairReader): void {
    const to = out.count++;
    out.a[to] = pair.a;
    out.b[to] = pair.b;
    out.where[to] = reader.u32();
    out.normals[2 * to] = reader.u8();
    out.normals[2 * to + 1] = reader.u8();
    out.impulses[to] = reader.u16();
}
