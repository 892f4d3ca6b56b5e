import type { Batch } from '@lakehouse-search/lake';
import { selectRows } from '@lakehouse-search/lake/internal';
import type { Mapping } from '../schema/mapping.ts';
import { shardTable } from '../schema/sharding/bucket-map.ts';
import { shardOfKey } from '../schema/sharding/key-buckets.ts';
import { encodeKeys } from './encode-keys.ts';

/**
 * The rows of a batch, whose first columns are the key, that belong to the shards which this copy
 * of the index holds. Throws source_invalid for a NULL in a key column.
 */
export function ownRows(mapping: Mapping, batch: Batch): Batch {
  const { only } = mapping.definition;
  if (only === undefined) return batch;
  const { bytes, offsets } = encodeKeys(mapping, batch);
  const table = shardTable(mapping.definition);
  const selection = new Int32Array(batch.rows);
  let count = 0;
  for (let row = 0; row < batch.rows; row++) {
    if (only.includes(shardOfKey(bytes, table, offsets[row], offsets[row + 1]))) {
      selection[count++] = row;
    }
  }
  return selectRows(batch, selection.subarray(0, count));
}
