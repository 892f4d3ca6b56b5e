/** A table without files: states of it that follow each other, and the batches between them. */

import type { TypedBatch, TypedPart } from '@lakehouse-search/contract/internal';
import type { SourceState } from '@lakehouse-search/engine';
import type { Batch } from '@lakehouse-search/lake';

export const UUID = '00000000-0000-4000-8000-000000000001';

/** A row; `id` is the key. */
export interface ModelRow {
  readonly id: number;
  readonly text: string;
}
interface ModelFile {
  readonly path: string;
  readonly sequence: number;
  readonly rows: readonly ModelRow[];
  readonly dead: ReadonlySet<number>;
}
/** One snapshot: its id and its files. */
export interface TableState {
  readonly id: string;
  readonly files: ReadonlyMap<string, ModelFile>;
}
/** Numbers from 0 up to, but without, `below`. */
export type Pick = (below: number) => number;

export const EMPTY: TableState = { id: 's0', files: new Map() };

/** What the state's rows are, by key. */
export function rowsOf(state: TableState): ReadonlyMap<number, string> {
  return new Map(placesOf(state).map(({ row }) => [row.id, row.text]));
}

/** Live rows and where they lie. */
export function placesOf(state: TableState) {
  return [...state.files.values()].flatMap(({ path, rows, dead }) =>
    rows.flatMap((row, position) => (dead.has(position) ? [] : [{ path, position, row }])),
  );
}

/** A state after `state`: rows come, go, change, move; sometimes the rows of an older state. */
export function nextState(state: TableState, number: number, pick: Pick): TableState {
  const files = new Map(state.files);
  const addFile = (rows: readonly ModelRow[]) => {
    const path = `/data/${number}-${files.size}.parquet`;
    if (rows.length > 0) files.set(path, { path, sequence: number, rows, dead: new Set() });
  };
  const kill = (places: readonly { path: string; position: number }[]) => {
    for (const { path, position } of places) {
      const file = files.get(path)!;
      files.set(path, { ...file, dead: new Set([...file.dead, position]) });
    }
  };
  const live = placesOf(state);
  const some = live.filter(() => pick(3) === 0);
  const text = () => `t${pick(5)}`;
  const kind = pick(5);
  if (kind === 0 || live.length === 0) {
    const known = rowsOf(state);
    const ids = Array.from({ length: 1 + pick(6) }, () => pick(40));
    addFile([...new Set(ids)].filter((id) => !known.has(id)).map((id) => ({ id, text: text() })));
  } else if (kind === 1) kill(some);
  else if (kind === 2) {
    kill(some);
    addFile(some.map(({ row }) => ({ ...row, text: pick(2) === 0 ? row.text : text() })));
  } else rewrite(files, live, addFile, pick);
  return { id: `s${number}`, files };
}

/** Some files become one: all their live rows, or (copy on write) not all, and not as they were. */
function rewrite(
  files: Map<string, ModelFile>,
  live: ReturnType<typeof placesOf>,
  addFile: (rows: readonly ModelRow[]) => void,
  pick: Pick,
): void {
  const gone = new Set([...files.keys()].filter(() => pick(2) === 0));
  for (const path of gone) files.delete(path);
  const rows = live.filter(({ path }) => gone.has(path)).map(({ row }) => row);
  const compaction = pick(2) === 0;
  const kept = compaction ? rows : rows.filter(() => pick(5) > 0);
  addFile(kept.map((row) => (compaction || pick(3) > 0 ? row : { ...row, text: `u${pick(5)}` })));
}

/** A state as a checkpoint keeps it. */
export function sourceState({ id, files }: TableState): SourceState {
  return {
    snapshot_id: id,
    sequence: id.slice(1),
    schema: {
      type: 'struct',
      'schema-id': 0,
      fields: [
        { id: 1, name: 'id', required: true, type: 'long' },
        { id: 2, name: 'text', required: false, type: 'string' },
      ],
    },
    files: [...files.values()].map(({ path, rows, sequence, dead }) => ({
      path,
      records: rows.length,
      sequence: String(sequence),
      deletes: dead.size === 0 ? [] : [{ path: `${path}.dv`, offset: dead.size, length: 1 }],
    })),
  };
}

/** Rows of one file as a connector reads them. */
export function batchOf(file: string, rows: readonly (readonly [number, ModelRow])[]): Batch {
  const texts = rows.map(([, { text }]) => Buffer.from(text));
  const offsets = new Int32Array(rows.length + 1);
  texts.forEach((text, i) => {
    offsets[i + 1] = offsets[i] + text.length;
  });
  const ids = BigInt64Array.from(rows.map(([, { id }]) => BigInt(id)));
  return {
    rows: rows.length,
    columns: [
      { kind: 'int64', nulls: null, values: ids },
      { kind: 'utf8', nulls: null, offsets, bytes: Buffer.concat(texts) },
    ],
    file,
    positions: Int32Array.from(rows.map(([position]) => position)),
  };
}

/** The step between two states, as a connector sends it: whole files sometimes, rows in pieces. */
export function stepBetween(from: TableState, to: TableState, pick: Pick): TypedBatch {
  const removed: TypedPart[] = [];
  const rows: TypedPart[] = [];
  const add = (file: ModelFile, wanted: (position: number) => boolean) => {
    const live = file.rows
      .map((row, position) => [position, row] as const)
      .filter(([position]) => !file.dead.has(position) && wanted(position));
    for (let at = 0; at < live.length; ) {
      const piece = live.slice(at, at + 1 + pick(4));
      rows.push({ kind: 'rows', batch: batchOf(file.path, piece) });
      at += piece.length;
    }
  };
  for (const path of from.files.keys()) {
    if (!to.files.has(path)) removed.push({ kind: 'removed', path, positions: null });
  }
  for (const [path, file] of to.files) {
    const before = from.files.get(path);
    const all = pick(8) === 0;
    if (before === undefined) add(file, () => true);
    else if (all) {
      removed.push({ kind: 'removed', path, positions: null });
      add(file, () => true);
    } else {
      const died = [...file.dead].filter((at) => pick(4) === 0 || !before.dead.has(at));
      const positions = Int32Array.from(died).sort();
      if (positions.length > 0) removed.push({ kind: 'removed', path, positions });
      add(file, (position) => before.dead.has(position));
    }
  }
  const parts = [...shuffled(removed, pick), ...shuffled(rows, pick)];
  return { table_uuid: UUID, from: from.id, to: sourceState(to), parts };
}

function shuffled<T>(list: readonly T[], pick: Pick): T[] {
  return list
    .map((item) => ({ item, at: pick(1_000_000) }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
