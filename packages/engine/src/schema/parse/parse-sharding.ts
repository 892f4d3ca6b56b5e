import { LIMITS } from '../../base/limits.ts';
import type { Definition } from '../definition.ts';
import { type BucketMap, storedMap, tableOfMap } from '../sharding/bucket-map.ts';
import { KEY_BUCKETS } from '../sharding/key-buckets.ts';
import { readList, readMap, readText, readWhole } from './tree-reading.ts';
import type { Report, Tree } from './yaml-tree.ts';

/** How an index is divided into shards, and which of them this copy of it holds. */
export function parseSharding(
  tree: Tree | undefined,
  report: Report,
): Pick<Definition, 'shards' | 'map' | 'only'> {
  const map = tree && readMap(tree, 'sharding', ['shards', 'buckets', 'map', 'only'], report);
  if (map?.buckets) {
    readWhole(map.buckets, 'sharding.buckets', KEY_BUCKETS, KEY_BUCKETS, report);
  }
  const shards =
    (map?.shards && readWhole(map.shards, 'sharding.shards', 1, LIMITS.shards, report)) ?? 1;
  const buckets = map?.map && readBucketMap(map.map, shards, report);
  const only = map?.only && readOnly(map.only, shards, report);
  return {
    ...(shards === 1 ? {} : { shards }),
    ...(buckets === undefined ? {} : { map: buckets }),
    ...(only === undefined || only.length === shards ? {} : { only }),
  };
}

function readBucketMap(tree: Tree, shards: number, report: Report): BucketMap | undefined {
  const items = readList(tree, 'sharding.map', report);
  if (items === undefined) return undefined;
  const texts = items.map((item, i) => readText(item, `sharding.map[${i}]`, report));
  if (texts.includes(undefined)) return undefined;
  if (texts.length !== shards) {
    report.error(tree.at, `sharding.map has ${texts.length} shards, sharding.shards is ${shards}`);
    return undefined;
  }
  const table = tableOfMap(texts.filter((text) => text !== undefined));
  if (typeof table !== 'string') return storedMap(table, shards);
  report.error(tree.at, `sharding.map: ${table}`);
  return undefined;
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
