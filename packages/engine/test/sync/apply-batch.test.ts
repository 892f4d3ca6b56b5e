// @module-tag campaign

import type { SourceFile } from '@lakehouse-search/contract';
import type { TypedBatch, TypedPart } from '@lakehouse-search/contract/internal';
import type { CheckpointState } from '@lakehouse-search/engine';
import { deleteRows, type Schema } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { checkIndex } from '../../../../test/support/check-index.ts';
import { byEffort } from '../../../../test/support/effort.ts';
import { filesNamed } from '../../../../test/support/files-named.ts';
import { MemoryDirectory } from '../../../../test/support/memory-directory.ts';
import { seededBelow } from '../../../../test/support/random.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { tinyModels } from '../../../../test/support/tiny-model.ts';
import { replacingBatch, wireBatch } from '../../../../test/support/wire-batch.ts';
import { arena } from '../../../../test/support/writer-pair.ts';
import { ANALYZER_CATALOG } from '../../src/analysis/registry.ts';
import { LIMITS } from '../../src/base/limits.ts';
import { VectorStage } from '../../src/documents/vectors/vector-stage.ts';
import { openSnapshot } from '../../src/index/index-snapshot.ts';
import { IndexWriter } from '../../src/index/index-writer.ts';
import { analyzersOf } from '../../src/open/definition-analyzers.ts';
import { decodeKey } from '../../src/schema/keys/key.ts';
import { createMapping } from '../../src/schema/mapping.ts';
import { requireDefinition } from '../../src/schema/parse/parse-definition.ts';
import { readStoredSchema } from '../../src/schema/stored-schema.ts';
import { type Applied, applyBatch, type BatchTarget } from '../../src/sync/batch/apply-batch.ts';
import { checkpointAt } from '../../src/sync/source-state.ts';
import { exportAll } from '../open/export-all.ts';
import {
  batchOf,
  EMPTY,
  nextState,
  type Pick,
  placesOf,
  rowsOf,
  sourceState,
  stepBetween,
  type TableState,
  UUID,
} from './table-states.ts';

const SCHEMA = schemaOf({ id: 'long', text: 'string' });

const definition = requireDefinition(
  `version: 1
index: t
source: { path: /none }
key: { identifier: [id] }
fields:
  - { name: text, type: KEYWORD, cached: true }
`,
  ANALYZER_CATALOG,
);
const analyzerOf = analyzersOf([]);
const mappingOf = (schema: Schema) => createMapping(definition, schema, 't', analyzerOf);
const storedMapping = (schema: unknown) => mappingOf(readStoredSchema(schema));

/** An index of the empty table at snapshot s0. */
class Subject {
  readonly directory = new MemoryDirectory(arena);
  readonly writer: IndexWriter;
  readonly target: BatchTarget;

  constructor() {
    const state = sourceState(EMPTY);
    const plans = storedMapping(state.schema).fields.map(({ plan }) => plan);
    this.writer = IndexWriter.open(this.directory, plans);
    const checkpoint = checkpointAt(UUID, state, null);
    this.writer.commit({ checkpoint, files: filesNamed() });
    const beforeCommit = () => this.writer.merges.run();
    const { open: openEmbedder } = tinyModels();
    const stage = new VectorStage({ index: 't', folder: '.', baseDir: '.', openEmbedder });
    this.target = { index: 't', writer: this.writer, mappingOf, beforeCommit, plans, stage };
  }

  /** What the index says: rows by key, and where each lies. */
  content() {
    const snapshot = openSnapshot(this.directory);
    const { checkpoint, files, segments } = snapshot;
    const mapping = storedMapping(checkpoint!.schema);
    const documents = [...exportAll({ snapshot, mapping })];
    const rows = documents.map(({ coordinates, fields }) => [
      Number(coordinates.identifier[0].value),
      fields.text,
    ]);
    const places = segments.flatMap(({ keys, docs, deleted, locators }) =>
      Array.from({ length: docs }, (_, doc) => doc)
        .filter((doc) => deleted === null || (deleted[doc >> 5] & (1 << (doc & 31))) === 0)
        .map((doc) => {
          const { path } = files.at(locators.file(doc));
          return `${decodeKey(keys.key(doc))} ${path}:${locators.position(doc)}`;
        }),
    );
    const faults = checkIndex(snapshot);
    snapshot.release();
    return {
      id: checkpoint!.snapshot_id,
      rows: new Map(rows as [number, string][]),
      places,
      faults,
    };
  }

  expectState(state: TableState): void {
    const { id, rows, places, faults } = this.content();
    expect(faults).toEqual([]);
    expect(id).toBe(state.id);
    expect(rows).toEqual(rowsOf(state));
    const lying = placesOf(state).map(({ path, position, row }) => `${row.id} ${path}:${position}`);
    expect(places.sort()).toEqual(lying.sort());
  }
}

function netOf(from: TableState, to: TableState) {
  const [before, after] = [rowsOf(from), rowsOf(to)];
  const inserted = [...after.keys()].filter((id) => !before.has(id)).length;
  const deleted = [...before.keys()].filter((id) => !after.has(id)).length;
  const changed = [...after].filter(([id, text]) => before.has(id) && before.get(id) !== text);
  return { inserted, updated: changed.length, deleted };
}

/** What the rule says, over a list of all snapshots that were ever reached. */
class Oracle {
  committed = EMPTY;
  #reached: string[] = [];

  judge({ from, to }: TypedBatch): 'apply' | 'acknowledge' | 'refuse' {
    if (to.snapshot_id === this.committed.id) return 'acknowledge';
    if (from === this.committed.id) return 'apply';
    const ring = this.#reached.slice(0, LIMITS.appliedSnapshots);
    return ring.includes(to.snapshot_id!) ? 'acknowledge' : 'refuse';
  }

  reach(state: TableState): void {
    const others = [this.committed.id, ...this.#reached].filter((id) => id !== state.id);
    this.#reached = [...new Set(others)];
    this.committed = state;
  }
}

interface Message {
  readonly batch: TypedBatch;
  readonly to: TableState;
}

/** Two connectors that send, lose count, send again and out of order; the index keeps up. */
async function campaign(seed: number, deliveries: number) {
  const pick = seededBelow(seed);
  const subject = new Subject();
  const oracle = new Oracle();
  const states = [EMPTY];
  const connectors = [EMPTY, EMPTY];
  const flying: Message[] = [];
  const outcomes = { apply: 0, acknowledge: 0, refuse: 0, fail: 0 };
  const send = (connector: number) => {
    if (pick(4) === 0) connectors[connector] = oracle.committed;
    const from = connectors[connector];
    const at = states.indexOf(from);
    if (at === states.length - 1 || pick(6) === 0) {
      states.push(
        nextState(
          states[pick(5) === 0 ? pick(states.length) : states.length - 1],
          states.length,
          pick,
        ),
      );
    }
    const to =
      states[pick(4) > 0 ? Math.min(at + 1 + pick(2), states.length - 1) : pick(states.length)];
    flying.push({ batch: stepBetween(from, to, pick), to });
    connectors[connector] = to;
  };
  for (let done = 0; done < deliveries; ) {
    if (flying.length === 0 || pick(3) === 0) {
      send(pick(2));
      continue;
    }
    const at = pick(flying.length);
    const { batch, to } = flying[at];
    if (pick(3) > 0 || flying.length > 6) flying.splice(at, 1);
    const before = oracle.committed;
    const verdict = oracle.judge(batch);
    if (verdict === 'apply' && pick(6) === 0) {
      await expect(applyBatch(subject.target, broken(batch, pick))).rejects.toThrow();
      outcomes.fail++;
    } else if (verdict === 'refuse') {
      const refused = applyBatch(subject.target, batch);
      await expect(refused).rejects.toMatchObject({ code: 'checkpoint_gap' });
      outcomes.refuse++;
    } else {
      const answer = await applyBatch(subject.target, batch);
      const applied = verdict === 'apply';
      if (applied) oracle.reach(to);
      const net = applied ? netOf(before, to) : { inserted: 0, updated: 0, deleted: 0 };
      const { id } = oracle.committed;
      const doc_count = rowsOf(oracle.committed).size;
      const wanted: Partial<Applied> = { applied, snapshot: id, doc_count, ...net };
      expect(answer, `seed ${seed}, delivery ${done}`).toMatchObject(wanted);
      outcomes[verdict]++;
    }
    subject.expectState(oracle.committed);
    done++;
  }
  subject.writer.close();
  return outcomes;
}

/** The batch with something wrong in the middle of it. */
function broken(batch: TypedBatch, pick: Pick): TypedBatch {
  const parts = [...(batch.parts as Iterable<TypedPart>)];
  const file = batch.to.files[0]?.path ?? '/none';
  const first = batchOf(file, [[0, { id: 1000, text: 'x' }]]);
  const late = { kind: 'removed', path: file, positions: null } as const;
  const kind = pick(4);
  const twice = [first, first].map((rows) => ({ kind: 'rows', batch: rows }) as const);
  const nulls = { kind: 'int64', nulls: Uint8Array.of(1), values: BigInt64Array.of(0n) } as const;
  const noKey = { ...first, columns: [nulls, first.columns[1]] };
  if (kind === 0) return { ...batch, parts: failing(parts, pick(parts.length + 1)) };
  if (kind === 1) return { ...batch, parts: [...parts, ...twice] };
  if (kind === 2) return { ...batch, parts: [...parts, { kind: 'rows', batch: noKey }] };
  return { ...batch, parts: [...parts, { kind: 'rows', batch: first }, late] };
}

async function* failing<T>(parts: readonly T[], at: number): AsyncGenerator<T> {
  yield* parts.slice(0, at);
  throw new Error('the connection was lost');
}

const SEEDS = byEffort(2, 5, 500);

describe('change batches', () => {
  test(`apply exactly: thousands, repeated, reordered, overlapping, of two sources`, async () => {
    const total = { apply: 0, acknowledge: 0, refuse: 0, fail: 0 };
    for (let seed = 1; seed <= SEEDS; seed++) {
      const outcomes = await campaign(seed, 1000);
      for (const [kind, count] of Object.entries(outcomes))
        total[kind as keyof typeof total] += count;
    }
    for (const count of Object.values(total)) expect(count).toBeGreaterThan(30 * SEEDS);
  });
});

describe('applyBatch', () => {
  let lake: SmallLake;
  beforeEach(async () => {
    lake = await openSmallLake();
    await lake.create(SCHEMA);
    await append(0, 10);
    await lake.build('fields: [{ name: text, type: KEYWORD, cached: true }]');
  });
  afterEach(() => lake.close());

  const append = (from: number, to: number) => {
    const ids = Array.from({ length: to - from }, (_, i) => from + i);
    const rows = ids.map((id) => ({ id, text: `text ${id}` }));
    return lake.append(rows);
  };

  /** A connector that reads whole files, and knows of the index what its checkpoint says. */
  async function connect(checkpoint: CheckpointState, snapshotId: bigint): Promise<TypedBatch> {
    const table = await lake.table();
    return replacingBatch(table, checkpoint, snapshotId).finally(() => table.close());
  }

  it('takes what a connector sends, once, and a sync goes on from there', async () => {
    const checkpoint = await lake.backend.getCheckpoint({});
    expect(checkpoint).toMatchObject({ columns: ['id', 'text'], key_columns: 1, applied: [] });
    await append(10, 14);
    await deleteRows(lake.source, 'id in (1, 2, 3)');
    const batch = await connect(checkpoint, await lake.head());
    const counts = { inserted: 4, updated: 0, deleted: 3, doc_count: 11 };
    const sent = [batch, batch].map((each) => lake.backend.applyBatch({ batch: wireBatch(each) }));
    const answers = await Promise.allSettled(sent);
    const done = answers.filter(({ status }) => status === 'fulfilled');
    expect(done.length).toBeGreaterThan(0);
    expect(await lake.backend.applyBatch({ batch: wireBatch(batch) })).toMatchObject({
      applied: false,
    });
    expect(answers).toContainEqual(
      expect.objectContaining({
        value: { applied: true, snapshot: batch.to.snapshot_id, ...counts },
      }),
    );
    const { applied, files } = await lake.backend.getCheckpoint({});
    expect(applied).toEqual([checkpoint.snapshot_id]);
    const byPath = (a: SourceFile, b: SourceFile) => (a.path < b.path ? -1 : 1);
    expect(files.toSorted(byPath)).toEqual(batch.to.files.toSorted(byPath));
    expect(await lake.backend.sync({})).toMatchObject({ snapshots_applied: 0 });
    await append(20, 21);
    expect(await lake.backend.sync({})).toMatchObject({ inserted: 1, snapshots_applied: 1 });
    expect(await lake.backend.applyBatch({ batch: wireBatch(batch) })).toMatchObject({
      applied: false,
    });
    await lake.expectRebuilt();
  });

  it('refuses rows of files that the table does not have, and changes nothing', async () => {
    const checkpoint = await lake.backend.getCheckpoint({});
    await append(10, 12);
    const batch = await connect(checkpoint, await lake.head());
    const file = { path: 'mine://1', records: 1, sequence: '9', deletes: [] };
    const to = { ...batch.to, files: [...batch.to.files, file] };
    const before = await lake.backend.getCheckpoint({});
    const apply = (state: TypedBatch['to']) =>
      lake.backend.applyBatch({ batch: wireBatch({ ...batch, to: state }) });
    await expect(apply(to)).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('the file "mine://1", which snapshot'),
    });
    await expect(apply({ ...to, snapshot_id: '17' })).rejects.toMatchObject({
      code: 'checkpoint_gap',
      message: expect.stringContaining('snapshot 17, which is not in table'),
    });
    expect(await lake.backend.getCheckpoint({})).toEqual(before);
    expect(await apply(batch.to)).toMatchObject({ applied: true, inserted: 2 });
    await lake.expectRebuilt();
  });

  it('names what is wrong with a batch', async () => {
    const checkpoint = await lake.backend.getCheckpoint({});
    await append(10, 12);
    const batch = await connect(checkpoint, await lake.head());
    const apply = (change: Partial<TypedBatch>) =>
      lake.backend.applyBatch({ batch: wireBatch({ ...batch, ...change }) });
    const parts = [...(batch.parts as Iterable<TypedPart>)];
    await expect(apply({ table_uuid: 'other' })).rejects.toMatchObject({ code: 'source_changed' });
    await expect(apply({ from: '17' })).rejects.toMatchObject({
      code: 'checkpoint_gap',
      message:
        `index "t" stands at snapshot ${batch.from}, but the batch leads from snapshot 17 ` +
        `to ${batch.to.snapshot_id}`,
    });
    const known = new Set(checkpoint.files.map(({ path }) => path));
    const fresh = parts.filter((part) => part.kind === 'rows' && !known.has(part.batch.file));
    await expect(apply({ parts: [...fresh, parts[0]] })).rejects.toThrow('come after rows');
    await expect(apply({ parts: parts.slice(1) })).rejects.toThrow(/row 0 of .* is in the index/);
    const files = batch.to.files.filter(({ path }) => known.has(path));
    await expect(apply({ to: { ...batch.to, files } })).rejects.toThrow('no file of the snapshot');
    const [{ kind, batch: rows }] = parts.slice(1) as Extract<TypedPart, { kind: 'rows' }>[];
    const fewer = { ...rows, columns: rows.columns.slice(1) };
    await expect(apply({ parts: [{ kind, batch: fewer }] })).rejects.toThrow(
      'expected are id (int64), text (utf8)',
    );
    const schema = { fields: [{ id: 7, name: 'id', required: true, type: 'long' }] };
    await expect(apply({ to: { ...batch.to, schema } })).rejects.toMatchObject({
      code: 'schema_changed',
    });
    expect(await lake.backend.getCheckpoint({})).toEqual(checkpoint);
    expect(await apply({})).toMatchObject({ applied: true, inserted: 2, deleted: 0 });
  });
});
