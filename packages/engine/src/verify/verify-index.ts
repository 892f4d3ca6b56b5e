/**
 * Verify: does the index equal its table?
 *
 * 1. The commit that is open is compared with the table's snapshot, row by row (compare.ts),
 *    or a sample of it (sample.ts).
 * 2. The index is checked against itself beside it (structures.ts); not for a sample.
 * 3. The answer counts what differs exactly and names the first keys of each kind.
 *
 * No lock is taken: what is committed meanwhile is not seen, and files of the open commit stay
 * readable although they are unlinked.
 */

import type {
  CallContext,
  Coordinates,
  VerifyRequest,
  VerifyResponse,
} from '@lakehouse-search/contract';
import { REQUEST_LIMITS } from '@lakehouse-search/contract/internal';
import type { SourceTable } from '@lakehouse-search/lake';
import type { OpenIndex } from '../open/open-index.ts';
import { coordinatesOf } from '../schema/keys/key.ts';
import { KEY_BUCKETS } from '../schema/sharding/key-buckets.ts';
import { checkpointFaults } from './checkpoint.ts';
import { type Comparison, compareRows } from './compare.ts';
import type { DeepFindings } from './deep.ts';
import { compareSample } from './sample.ts';
import { type ComparedSides, withSides } from './sides.ts';
import { checkHere, type StructureCheck } from './structures.ts';
import type { OpenModel } from './vectors.ts';

/** Compares documents with their rows indexed again (deep.ts), where the request asks for it. */
export type CompareDeep = (sides: ComparedSides) => Promise<DeepFindings>;

/** A response without its time, and the input of a repair. */
export interface Verified {
  readonly answer: Omit<VerifyResponse, 'took_ms'>;
  readonly sides: ComparedSides;
  readonly comparison: Comparison;
}

/**
 * Compares the whole index with its table and with itself. Throws source_changed, not_found,
 * source_invalid, limit_exceeded, interrupted.
 */
export async function verifyIndex(
  open: OpenIndex,
  table: SourceTable,
  request: VerifyRequest,
  work: CallContext,
  check: StructureCheck = checkHere,
  openModel?: OpenModel,
  deep?: CompareDeep,
): Promise<Verified> {
  const beside = new AbortController();
  const signals = work.signal === undefined ? [] : [work.signal];
  const signal = AbortSignal.any([beside.signal, ...signals]);
  return withSides(open, table, request, async ({ sides, faults }) => {
    const checked = check === checkHere ? null : check(open.snapshot, { signal });
    checked?.catch(() => {});
    try {
      const comparison = await compareRows(sides, work);
      const { snapshot } = open;
      const { commit } = snapshot;
      const vectors = (await comparison.vectors?.faults(commit, openModel, work.signal)) ?? [];
      const structures = await (checked ?? check(snapshot, work));
      const ends = checkpointFaults(snapshot, sides);
      const again = await deep?.(sides);
      const terms = again?.faults ?? [];
      const all = [...new Set([...faults, ...structures, ...ends, ...vectors, ...terms])];
      const answer = answerOf(open, sides, comparison, all);
      return { answer: { ...answer, ...deepPart(again) }, sides, comparison };
    } finally {
      beside.abort();
      // No thread outlives the call: the caller may close the engine, or end the process.
      await checked?.catch(() => {});
    }
  });
}

/**
 * Compares a sample of `count` documents and as many rows. Throws as `verifyIndex`.
 */
export async function verifySample(
  open: OpenIndex,
  table: SourceTable,
  request: VerifyRequest,
  count: number,
  work: CallContext,
  deep?: CompareDeep,
): Promise<Verified['answer']> {
  return withSides(open, table, request, async ({ sides, faults }) => {
    const comparison = await compareSample(sides, count, work);
    const again = await deep?.(sides);
    const all = [...faults, ...(again?.faults ?? [])];
    const answer = answerOf(open, sides, comparison, all, comparison.extraDocs);
    return { ...answer, ...deepPart(again), sampled: true };
  });
}

const deepPart = (found: DeepFindings | undefined) =>
  found === undefined ? {} : { deep_documents: found.documents };

function answerOf(
  { snapshot }: OpenIndex,
  sides: ComparedSides,
  comparison: Comparison,
  faults: readonly string[],
  extraDocs?: readonly number[],
): Verified['answer'] {
  const { missing, stale, extra, digests } = comparison;
  const drifted = missing.length + stale.length + extra;
  return {
    equal: drifted === 0 && faults.length === 0,
    snapshot: sides.set.snapshotId === null ? null : String(sides.set.snapshotId),
    index_generation: snapshot.generation,
    rows_compared: comparison.rows,
    ...(comparison.skipped === 0 ? {} : { skipped_rows: comparison.skipped }),
    doc_count: snapshot.liveDocs,
    missing: missing.length,
    extra,
    stale: stale.length,
    keys: keysOf(sides, comparison, extraDocs),
    digest: { index: digests.index.hex(), table: digests.table.hex() },
    buckets: KEY_BUCKETS,
    buckets_drifted: digests.index.differences(digests.table),
    faults,
  };
}

function keysOf(
  { docs, mapping }: ComparedSides,
  { missing, stale, unmatched }: Comparison,
  extraDocs: readonly number[] | undefined,
): VerifyResponse['keys'] {
  const shown = REQUEST_LIMITS.driftedKeysShown;
  const extra: number[] = extraDocs?.slice(0, shown) ?? [];
  if (extraDocs === undefined) {
    docs.forEachUnseen((doc) => {
      if (extra.length < shown) extra.push(doc);
    });
  }
  const coordinates = (key: Uint8Array): Coordinates => coordinatesOf(mapping.key, key);
  return {
    missing: missing.slice(0, shown).map((row) => coordinates(unmatched.key(row))),
    extra: extra.map((doc) => coordinates(docs.key(doc))),
    stale: stale.slice(0, shown).map(({ row }) => coordinates(unmatched.key(row))),
  };
}
