import type { KeysRequest, KeysResponse } from '@lakehouse-search/contract';
import { mapInTurns, ownTurn } from '../../base/turns.ts';
import { coordinatesOfTexts, encodeKey, idOf, textsOfCoordinates } from '../../schema/keys/key.ts';
import { shardTable } from '../../schema/sharding/bucket-map.ts';
import { shardOfKey } from '../../schema/sharding/key-buckets.ts';
import type { KeyedDoc } from '../../shard/shard.ts';
import { millisSince, type SearchContext } from '../context.ts';
import { FanOut } from '../fan-out.ts';
import { newerRows } from './newer-rows.ts';
import type { RequestedRow } from './rows.ts';

/**
 * Rows of the table by key, in the order of the request; keys that the table does not have are in
 * `missing`. Keys that the index knows are read at their locator. For the callers of a tenant only
 * keys of its own documents are read at all: a key of another tenant is missing as an absent one
 * is.
 *
 * Throws invalid_argument (not a key of this index, unknown column), limit_exceeded, and what the
 * table throws.
 */
export async function getKeys(context: SearchContext, request: KeysRequest): Promise<KeysResponse> {
  const started = performance.now();
  const { mapping } = context;
  const texts = await mapInTurns(request.keys, (key) => textsOfCoordinates(mapping.key, key));
  const cost = { bytes: 0, requests: 0 };
  const fan = new FanOut(context.shards);
  const requested = await requestedRows(context, fan, texts);
  const readable = requested.filter((row) => row !== null);
  const found = await context.readRows(readable, request.columns, cost, request.as_of);
  const newer = request.as_of === undefined ? newerRows(context, found) : () => false;
  const byRow = new Map(
    readable.map((row, i) => [row, { fields: found.rows[i] ?? null, isNewer: newer(i) }]),
  );
  const missing: KeysResponse['missing'][number][] = [];
  const rows: KeysResponse['rows'][number][] = [];
  await mapInTurns(requested, (row, i) => {
    const key = coordinatesOfTexts(mapping.key, texts[i]);
    const { fields, isNewer } = (row === null ? undefined : byRow.get(row)) ?? ABSENT;
    if (fields === null) missing.push({ ...key, coordinates: key, ...idOf(key) });
    else
      rows.push({
        key,
        coordinates: key,
        ...idOf(key),
        fields,
        ...(isNewer ? { newer: true } : {}),
      });
  });
  return {
    rows,
    missing,
    ...(fan.failed === 0 ? {} : { failed_shards: fan.failed }),
    snapshot: found.snapshot,
    index_generation: context.snapshot.generation,
    ...(await context.lag('now')),
    took_ms: millisSince(started, context.tenant),
    // Pages of data files hold rows of all tenants: their bytes are not those of one tenant.
    ...(context.tenant === undefined ? { bytes_read: cost.bytes } : {}),
  };
}

/** Keys that shards look up in one request. */
const TURN_KEYS = 2500;

const ABSENT = { fields: null, isNewer: false };

/**
 * What is read for each key; null: nothing, the caller may not know whether there is such a row.
 */
async function requestedRows(
  { tenant, mapping }: SearchContext,
  fan: FanOut,
  texts: readonly (readonly string[])[],
): Promise<readonly (RequestedRow | null)[]> {
  const table = shardTable({ ...mapping.definition, shards: fan.shards.length });
  const answers: (KeyedDoc | null | undefined)[] = [];
  for (let from = 0; from < texts.length; from += TURN_KEYS) {
    if (texts.length > TURN_KEYS) await ownTurn();
    const found = await fan.askOwners(
      texts.slice(from, from + TURN_KEYS).map((own) => encodeKey(own, mapping.key.numbers)),
      (key) => shardOfKey(key, table),
      (shard, keys) => shard.keys(tenant === undefined ? { keys } : { keys, tenant }),
    );
    answers.push(...found);
  }
  return texts.map((own, i): RequestedRow | null => {
    const found = answers[i] ?? null;
    if (found !== null) return { texts: own, locator: found.locator };
    return tenant === undefined ? { texts: own, locator: null } : null;
  });
}
