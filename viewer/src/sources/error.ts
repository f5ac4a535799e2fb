// No more bytes can be had, though there should be: the message is a sentence for people.
export class SourceError extends Error {
    override readonly name = 'SourceError';
}
