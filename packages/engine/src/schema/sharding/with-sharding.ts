import { LhsError } from '@lakehouse-search/contract';
import type { Definition } from '../definition.ts';
import { yaml } from '../parse/bounded-yaml.ts';
import { mapOfTable, shardTable } from './bucket-map.ts';
import { balancedTable } from './bucket-plan.ts';
import type { ShardTable } from './key-buckets.ts';

/**
 * A definition (YAML) with this number of shards and these buckets, all else as it is. `only`: the
 * shards that are held, if not all.
 */
export function withSharding(
  text: string,
  shards: number,
  table: ShardTable,
  only?: readonly number[],
): string {
  const document = yaml().parseDocument(text, { uniqueKeys: false });
  document.setIn(['sharding', 'shards'], shards);
  if (only === undefined) document.deleteIn(['sharding', 'only']);
  if (shards === 1) document.deleteIn(['sharding', 'map']);
  else document.setIn(['sharding', 'map'], mapOfTable(table, shards));
  return document.toString();
}

/**
 * A new definition (YAML) that says nothing about buckets keeps those of the definition in force;
 * for another number of shards, as few as possible move. `next`: the new definition, parsed. One
 * with `sharding.map` or `sharding.only` says all itself and stays as it is.
 */
export function carrySharding(
  text: string,
  next: Pick<Definition, 'shards'>,
  now: Pick<Definition, 'shards' | 'map'>,
): string {
  const { shards = 1 } = next;
  const isSame = shards === (now.shards ?? 1);
  if (shards === 1 || (isSame && now.map === undefined)) return text;
  const document = yaml().parseDocument(text, { uniqueKeys: false });
  if (document.hasIn(['sharding', 'map']) || document.hasIn(['sharding', 'only'])) return text;
  const table = shardTable(now);
  return withSharding(text, shards, isSame ? table : balancedTable(table, shards));
}

/** The buckets with one of them in another shard. Throws invalid_argument. */
export function withBucketIn(
  now: Pick<Definition, 'shards' | 'map'>,
  bucket: number,
  shard: number,
): ShardTable {
  const { shards = 1 } = now;
  if (shard >= shards) {
    const message = `"shard" is ${shard}; the index has shards 0 to ${shards - 1}`;
    throw new LhsError('invalid_argument', message);
  }
  const table = Uint16Array.from(shardTable(now));
  const from = table[bucket];
  table[bucket] = shard;
  if (table.includes(from)) return table;
  const message = `bucket ${bucket} is the last one of shard ${from}`;
  throw new LhsError('invalid_argument', message, { hint: 'reshard to fewer shards instead' });
}
