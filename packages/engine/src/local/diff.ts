import type { CallContext, DiffRequest, DiffResponse, DiffSide } from '@lakehouse-search/contract';
import { checkDiffRequest, checkSearchRequest } from '@lakehouse-search/contract';
import type { SourceTable } from '@lakehouse-search/lake';
import { Deadline } from '../base/deadline.ts';
import { compareSides, type SearchedSide } from '../diff/compare-sides.ts';
import { type FoundSide, findSide } from '../diff/find-side.ts';
import { type RowSide, rowStates, tableHas } from '../diff/row-states.ts';
import type { KnownIndex } from '../open/open-index.ts';
import { type LocalContext, UNKNOWN_LAG } from '../search/context.ts';
import { rowsOfTable } from '../search/fetch/table-rows.ts';
import { localShards } from '../shard/local-shard.ts';
import { fromSource } from '../source/source-errors.ts';
import { mappingOver } from '../sync/build-generation.ts';
import { buildScratch } from '../sync/scratch-index.ts';
import { accessible } from './caller.ts';
import type { LocalIndexes } from './local-indexes.ts';
import { holdPit } from './point-in-time.ts';
import { openTableOf, timed } from './write-index.ts';

const PAGE = 10;

/** Compares the hits of one search at two moments. Throws as `findSide` and a search do. */
export async function diffLocal(
  indexes: LocalIndexes,
  value: DiffRequest,
  call: CallContext,
): Promise<DiffResponse> {
  const { from, to = 'now', limit = PAGE, plan = false, index, ...match } = checkDiffRequest(value);
  const known = accessible(indexes, index, call);
  const search = checkSearchRequest({ ...match, limit, fields: [] });
  return timed(async () => {
    const table = await openTableOf(known, call.signal);
    const open: OpenSide[] = [];
    try {
      const places = placesOf(indexes, known, table);
      for (const name of [from, to]) {
        open.push(await openSide(indexes, known, table, findSide(places, name), plan, call));
      }
      const [a, b] = open;
      const answer = { index: known.registered.name, notes: notesOf(table, open) };
      if (plan) return { ...answer, from: a.side, to: b.side, same: 0, hits: [] };
      const rows = { from: rowSide(a), to: rowSide(b) };
      const compared = await compareSides({
        ...{ search, from: searched(a), to: searched(b) },
        rows: (keys) => rowStates(table, mappingOver(known.definition, table), rows, keys),
      });
      const { totals, same, hits } = compared;
      const sides = {
        from: { ...a.side, total: totals.from },
        to: { ...b.side, total: totals.to },
      };
      return { ...answer, ...sides, same, hits };
    } finally {
      for (const { close } of open) close();
      await table.close();
    }
  });
}

/** A side that is open, or, in a plan, only described. */
interface OpenSide {
  readonly side: DiffSide;
  readonly snapshotId: bigint | null;
  readonly context: (() => LocalContext) | null;
  readonly close: () => void;
}

function placesOf(indexes: LocalIndexes, known: KnownIndex, table: SourceTable) {
  const { registry, openDirectory, clock } = indexes;
  return {
    ...{ registry, openDirectory, known, table },
    now: clock.now(),
    hold: () => indexes.hold(known),
    holdPit: (pitId: string) => holdPit(indexes, known, pitId),
  };
}

async function openSide(
  indexes: LocalIndexes,
  known: KnownIndex,
  table: SourceTable,
  found: FoundSide,
  plan: boolean,
  call: CallContext,
): Promise<OpenSide> {
  if (found.kind === 'built') return builtSide(indexes, known, table, found.snapshotId, plan, call);
  const { snapshot, mapping } = found.open;
  const { checkpoint, commit, generation, liveDocs } = snapshot;
  const id = checkpoint?.snapshot_id ?? null;
  const side: DiffSide = {
    kind: found.kind,
    snapshot: id,
    generation,
    definition_version: commit.definition_version,
    rows: liveDocs,
  };
  const context = contextOf(indexes, known, table, { snapshot, mapping }, call);
  return {
    side,
    snapshotId: id === null ? null : BigInt(id),
    context,
    close: () => snapshot.release(),
  };
}

/** An index of a snapshot in a temporary folder; in a plan only its cost. */
async function builtSide(
  indexes: LocalIndexes,
  known: KnownIndex,
  table: SourceTable,
  snapshotId: bigint,
  plan: boolean,
  call: CallContext,
): Promise<OpenSide> {
  const { definition, registered } = known;
  const mapping = mappingOver(definition, table);
  const { files } = await fromSource(() => table.files(snapshotId));
  const rows = files.reduce((sum, { data }) => sum + data.recordCount, 0);
  const texts = mapping.fields.filter(({ plan: { vector } }) => vector?.model).length * rows;
  const side: DiffSide = {
    kind: 'built',
    snapshot: String(snapshotId),
    definition_version: registered.version,
    rows,
    bytes: files.reduce((sum, { data }) => sum + data.fileSize, 0),
    texts,
  };
  if (plan) return { side, snapshotId, context: null, close: () => {} };
  const { openEmbedder } = indexes;
  const { signal, progress } = call;
  const built = await buildScratch({
    ...{ mapping, table, snapshotId, openEmbedder, signal, progress },
    baseDir: registered.baseDir,
  });
  const { snapshot, buildMs, close } = built;
  const context = contextOf(indexes, known, table, { snapshot, mapping }, call);
  return {
    side: { ...side, rows: snapshot.liveDocs, build_ms: buildMs },
    snapshotId,
    context,
    close,
  };
}

function contextOf(
  indexes: LocalIndexes,
  { registered }: KnownIndex,
  table: SourceTable,
  { snapshot, mapping }: Pick<LocalContext, 'snapshot' | 'mapping'>,
  { signal }: CallContext,
): () => LocalContext {
  return () => ({
    mapping,
    snapshot,
    shards: localShards(snapshot, mapping),
    tenant: undefined,
    deadline: Deadline.of({ ...(signal && { signal }) }, indexes.clock),
    openModel: (model, checksum) => indexes.models.open(model, registered.baseDir, checksum),
    readRows: rowsOfTable(async () => table, mapping, undefined),
    lag: async () => UNKNOWN_LAG,
    hasReached: async () => false,
  });
}

const searched = ({ side, context }: OpenSide): SearchedSide => {
  return { context: context!, definitionVersion: side.definition_version };
};

const rowSide = ({ context, snapshotId }: OpenSide): RowSide => {
  return { index: context!().snapshot, snapshotId };
};

function notesOf(table: SourceTable, sides: readonly OpenSide[]): readonly string[] {
  return sides.flatMap(({ snapshotId }) => {
    if (tableHas(table, snapshotId)) return [];
    const message = `the table has snapshot ${snapshotId} no more: changed columns are not known`;
    return [message];
  });
}
