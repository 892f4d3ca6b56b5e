import { type CallContext, type DiffSide, LhsError } from '@lakehouse-search/contract';
import type { SourceTable } from '@lakehouse-search/lake';
import { Deadline } from '../../base/time/deadline.ts';
import {
  type FoundSide,
  findSide,
  type OtherIndex,
  type SidePlaces,
} from '../../diff/find-side.ts';
import { identityParts } from '../../index/commits/source-identity.ts';
import type { KnownIndex, OpenIndex } from '../../open/open-index.ts';
import { type LocalContext, UNKNOWN_LAG } from '../../search/context.ts';
import { rowsOfTable } from '../../search/fetch/table-rows.ts';
import { localShards } from '../../shard/local-shard.ts';
import { fromSource } from '../../source/source-errors.ts';
import { mappingOver } from '../../sync/build/build-generation.ts';
import { buildScratch } from '../../sync/build/scratch-index.ts';
import { accessible } from '../caller.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { holdPit } from './point-in-time.ts';

/** A side of a diff that is open, or, in a plan, only described. */
export interface OpenSide {
  readonly side: DiffSide;
  readonly snapshotId: bigint | null;
  /** null: it would have to be built. */
  readonly open: Pick<OpenIndex, 'snapshot' | 'mapping'> | null;
  readonly close: () => void;
}

/** The index and the table that sides are looked for in. */
export interface SideSource {
  readonly indexes: LocalIndexes;
  readonly known: KnownIndex;
  readonly table: SourceTable;
}

/** Where the sides of an index may be. */
export function sidePlaces({ indexes, known, table }: SideSource, call: CallContext): SidePlaces {
  const { registry, openDirectory, clock } = indexes;
  return {
    ...{ registry, openDirectory, known, table },
    now: clock.now(),
    hold: () => indexes.hold(known),
    holdPit: (pitId: string) => holdPit(indexes, known, pitId, call),
    holdIndex: (name: string) => holdIndex({ indexes, known, table }, name, call),
  };
}

function holdIndex(
  { indexes, known, table }: SideSource,
  name: string,
  call: CallContext,
): OtherIndex {
  const other = accessible(indexes, name, call);
  const open = indexes.hold(other);
  const { checkpoint } = open.snapshot;
  const index = other.registered.name;
  if (checkpoint === null || identityParts(checkpoint.table_uuid).uuid === table.uuid) {
    return { kind: 'index', index, open };
  }
  open.snapshot.release();
  const message = `index "${index}" is of another table than "${known.registered.name}"`;
  throw new LhsError('invalid_argument', message);
}

/**
 * Opens a side by its name; a side that no commit on disk shows is built in a temporary folder
 * unless it is only planned. Throws unsupported for another index, and as `findSide` and a build.
 */
export async function openNamedSide(
  source: SideSource,
  name: string,
  plan: boolean,
  call: CallContext,
): Promise<OpenSide> {
  const found = findSide(sidePlaces(source, call), name);
  if (found.kind !== 'index') return openSide(source, found, plan, call);
  found.open.snapshot.release();
  throw new LhsError('unsupported', 'a cluster compares moments of one index, not two indexes');
}

/** Opens a side that was found. */
export async function openSide(
  source: SideSource,
  found: FoundSide,
  plan: boolean,
  call: CallContext,
): Promise<OpenSide> {
  if (found.kind === 'built') return builtSide(source, found.snapshotId, plan, call);
  const { snapshot, mapping } = found.open;
  const { checkpoint, commit, generation, liveDocs } = snapshot;
  const index = found.kind === 'index' ? { index: found.index } : {};
  const id = checkpoint?.snapshot_id ?? null;
  const side: DiffSide = {
    kind: found.kind,
    ...index,
    snapshot: id,
    generation,
    definition_version: commit.definition_version,
    rows: liveDocs,
  };
  return {
    side,
    snapshotId: id === null ? null : BigInt(id),
    open: { snapshot, mapping },
    close: () => snapshot.release(),
  };
}

/** An index of a snapshot in a temporary folder; in a plan only its cost. */
async function builtSide(
  { indexes, known, table }: SideSource,
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
  if (plan) return { side, snapshotId, open: null, close: () => {} };
  const { openEmbedder } = indexes;
  const { signal, progress } = call;
  const built = await buildScratch({
    ...{ mapping, table, snapshotId, openEmbedder, signal, progress },
    baseDir: registered.baseDir,
  });
  const { snapshot, buildMs, close } = built;
  return {
    side: { ...side, rows: snapshot.liveDocs, build_ms: buildMs },
    snapshotId,
    open: { snapshot, mapping },
    close,
  };
}

/** What a search of a side works on. */
export function sideContext(
  { indexes, known }: Pick<SideSource, 'indexes' | 'known'>,
  { snapshot, mapping }: Pick<LocalContext, 'snapshot' | 'mapping'>,
  table: SourceTable | null,
  { signal, deadline }: CallContext,
): LocalContext {
  const limits = { ...(signal && { signal }), ...(deadline !== undefined && { deadline }) };
  const rows = async () => {
    if (table === null) throw new TypeError('a side of another machine reads no rows');
    return table;
  };
  return {
    mapping,
    snapshot,
    shards: localShards(snapshot, mapping),
    tenant: undefined,
    deadline: Deadline.of(limits, indexes.clock),
    openModel: (model, checksum) => indexes.models.open(model, known.registered.baseDir, checksum),
    readRows: rowsOfTable(rows, mapping, undefined),
    lag: async () => UNKNOWN_LAG,
    hasReached: async () => false,
  };
}
