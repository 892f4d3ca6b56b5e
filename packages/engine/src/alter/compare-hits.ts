/** How two lists of hits differ. */
import type { Coordinates, RehearsedQuery } from '@lakehouse-search/contract';
import { keyText } from '@lakehouse-search/contract/internal';

type Compared = Pick<RehearsedQuery, 'overlap' | 'entered' | 'left' | 'moved'>;

/** The difference of two lists of keys, best first. */
export function compareHits(from: readonly Coordinates[], to: readonly Coordinates[]): Compared {
  const [before, after] = [rankOf(from), rankOf(to)];
  const common = [...before.keys()].filter((key) => after.has(key));
  const moves = common.map((key) => Math.abs((before.get(key) ?? 0) - (after.get(key) ?? 0)));
  const longer = Math.max(before.size, after.size);
  return {
    overlap: longer === 0 ? 1 : common.length / longer,
    entered: to.filter((key) => !before.has(keyText(key))),
    left: from.filter((key) => !after.has(keyText(key))),
    moved: moves.length === 0 ? 0 : moves.reduce((sum, move) => sum + move, 0) / moves.length,
  };
}

const rankOf = (keys: readonly Coordinates[]) =>
  new Map(keys.map((key, rank) => [keyText(key), rank]));
