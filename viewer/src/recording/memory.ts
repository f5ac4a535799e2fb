// Arrays that may be larger than what the browser has left, or allows.
export class MemoryError extends Error {}

// What `make` makes; throws a MemoryError where there is no room for it.
export function allocate<T>(make: () => T): T {
    try {
        return make();
    } catch (error) {
        if (error instanceof RangeError) {
            throw new MemoryError(error.message);
        }
        throw error;
    }
}
