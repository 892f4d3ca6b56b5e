const M = 2n ** 32n;

/**
 * The two lanes of 32 bits that docs/format.md makes of words of 32 bits, in big integers: the
 * oracle of the product's hashes.
 */
export function lanesOf(
  words: readonly bigint[],
  seeds: readonly [low: bigint, high: bigint],
): readonly [low: bigint, high: bigint] {
  const lane = (high: boolean) =>
    finish(words.reduce((h, word) => mix(h, word, high), seeds[high ? 1 : 0]));
  return [lane(false), lane(true)];
}

const rotate = (x: bigint, n: bigint) => ((x << n) | (x >> (32n - n))) % M;

function mix(h: bigint, word: bigint, high: boolean): bigint {
  const [c1, c2] = high ? [0x239b961bn, 0xab0e9789n] : [0xcc9e2d51n, 0x1b873593n];
  const k = (rotate((word * c1) % M, high ? 16n : 15n) * c2) % M;
  return (rotate(h ^ k, high ? 17n : 13n) * 5n + (high ? 0x561ccd1bn : 0xe6546b64n)) % M;
}

function finish(x: bigint): bigint {
  let h = ((x ^ (x >> 16n)) * 0x85ebca6bn) % M;
  h = ((h ^ (h >> 13n)) * 0xc2b2ae35n) % M;
  return h ^ (h >> 16n);
}
