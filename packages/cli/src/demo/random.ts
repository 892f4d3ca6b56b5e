/**
 * A deterministic source of choices: the same seed gives the same table on every machine
 * (mulberry32).
 */
export interface Random {
  /** An integer in [0, n). */
  below(n: number): number;
  /** One of the values. */
  pick<T>(values: readonly T[]): T;
  /** True with this chance. */
  chance(share: number): boolean;
}

/** Random figures from a seed: the same ones each time. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (n: number) => Math.floor(next() * n);
  return Object.freeze({
    below,
    pick: <T>(values: readonly T[]) => values[below(values.length)],
    chance: (share: number) => next() < share,
  });
}
