/**
 * Maps of buckets: which shard has which of the 1,024 buckets, where these are not the equal ranges
 * of `shardOfBucket`. A map has one text per shard with its buckets as ascending ranges:
 *
 *   ['0-340,1000', '341-682', '683-999,1001-1023']
 *
 * A map that says the same as equal ranges is never stored: two indexes that spread their keys in
 * the same way have the same definition.
 */
import { KEY_BUCKETS, ONE_SHARD, type ShardTable, shardOfBucket } from './key-buckets.ts';

/** The buckets of each shard, by ordinal. */
export type BucketMap = readonly string[];

/** How keys are spread over shards. */
export interface BucketSpread {
  /** Number of shards. Absent: 1. */
  readonly shards?: number | undefined;
  /** Absent: equal ranges. */
  readonly map?: BucketMap | undefined;
}

/** Whether keys are spread in the same way. */
export const sameSpread = (a: BucketSpread, b: BucketSpread): boolean =>
  (a.shards ?? 1) === (b.shards ?? 1) && String(a.map) === String(b.map);

const RANGE = /^(\d{1,4})(?:-(\d{1,4}))?$/;
const equalRanges = new Map<number, ShardTable>();
const mapped = new WeakMap<BucketMap, ShardTable>();

/** The shard of each bucket. Throws a RangeError for a map that `tableOfMap` refuses. */
export function shardTable({ shards = 1, map }: BucketSpread): ShardTable {
  if (shards === 1) return ONE_SHARD;
  const known = map === undefined ? equalRanges.get(shards) : mapped.get(map);
  if (known !== undefined) return known;
  const table = map === undefined ? equalTable(shards) : tableOfMap(map);
  if (typeof table === 'string') throw new RangeError(table);
  if (map === undefined) equalRanges.set(shards, table);
  else mapped.set(map, table);
  return table;
}

function equalTable(shards: number): ShardTable {
  return Uint16Array.from({ length: KEY_BUCKETS }, (_, bucket) => shardOfBucket(bucket, shards));
}

/** The table of a map, or a sentence about what is wrong with the map. */
export function tableOfMap(map: BucketMap): ShardTable | string {
  const table = new Uint16Array(KEY_BUCKETS);
  const seen = new Uint8Array(KEY_BUCKETS);
  for (const [shard, text] of map.entries()) {
    for (const range of text.split(',')) {
      const found = RANGE.exec(range.trim());
      const from = Number(found?.[1] ?? Number.NaN);
      const to = Number(found?.[2] ?? from);
      if (!(from <= to && to < KEY_BUCKETS)) return `"${range}" is no range of buckets (0-1023)`;
      for (let bucket = from; bucket <= to; bucket++) {
        if (seen[bucket] === 1) return `bucket ${bucket} is listed twice`;
        seen[bucket] = 1;
        table[bucket] = shard;
      }
    }
  }
  const missing = seen.indexOf(0);
  return missing < 0 ? table : `bucket ${missing} has no shard`;
}

/** The map of a table with every shard's buckets as ranges. */
export function mapOfTable(table: ShardTable, shards: number): BucketMap {
  const ranges = Array.from({ length: shards }, (): string[] => []);
  for (let from = 0, to = 1; from < KEY_BUCKETS; from = to, to++) {
    while (to < KEY_BUCKETS && table[to] === table[from]) to++;
    ranges[table[from]].push(to - from === 1 ? `${from}` : `${from}-${to - 1}`);
  }
  return ranges.map((own) => own.join(','));
}

/** The map as definitions keep it: undefined if it says the same as equal ranges. */
export function storedMap(table: ShardTable, shards: number): BucketMap | undefined {
  const equal = shardTable({ shards });
  return table.every((shard, bucket) => shard === equal[bucket])
    ? undefined
    : mapOfTable(table, shards);
}
