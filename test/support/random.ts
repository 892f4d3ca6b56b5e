/** Numbers in [0, 1) from a seed, the same ones every time (mulberry32). */
export function seededNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Whole numbers from 0 to `below` - 1 from a seed, the same ones every time. */
export function seededBelow(seed: number): (below: number) => number {
  const next = seededNumbers(seed);
  return (below) => Math.floor(next() * below);
}
