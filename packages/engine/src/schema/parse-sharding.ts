import { LIMITS } from '../base/limits.ts';
import type { Definition } from './definition.ts';
import { KEY_BUCKETS } from './key-buckets.ts';
import { readList, readMap, readWhole } from './tree-reading.ts';
import type { Report, Tree } from './yaml-tree.ts';

/** How an index is divided into shards, and which of them this copy of it holds. */
export function parseSharding(
  tree: Tree | undefined,
  report: Report,
): Pick<Definition, 'shards' | 'only'> {
  const map = tree && readMap(tree, 'sharding', ['shards', 'buckets', 'only'], report);
  if (map?.buckets) {
    readWhole(map.buckets, 'sharding.buckets', KEY_BUCKETS, KEY_BUCKETS, report);
  }
  const shards =
    (map?.shards && readWhole(map.shards, 'sharding.shards', 1, LIMITS.shards, report)) ?? 1;
  const only = map?.only && readOnly(map.only, shards, report);
  return {
    ...(shards === 1 ? {} : { shards }),
    ...(only === undefined || only.length === shards ? {} : { only }),
  };
}

function readOnly(tree: Tree, shards: number, report: Report): readonly number[] | undefined {
  const items = readList(tree, 'sharding.only', report);
  if (items === undefined) return undefined;
  if (items.length === 0) report.error(tree.at, 'sharding.only must name a shard');
  const ordinals = items.map((item, i) =>
    readWhole(item, `sharding.only[${i}]`, 0, shards - 1, report),
  );
  return [...new Set(ordinals.filter((ordinal) => ordinal !== undefined))].sort((a, b) => a - b);
}
