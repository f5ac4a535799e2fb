// Numbers of which three digits do: the upper half of a float32. Not negative, and finite.
const HALF_MOST = 0x7f7f;

const bits = new Uint32Array(1);
const single = new Float32Array(bits.buffer);

export function isUpperHalf(half: number): boolean {
    return half <= HALF_MOST;
}

export function fromUpperHalf(half: number): number {
    bits[0] = half << 16;
    return single[0];
}
