/**
 * Whole operations of a backend over the small table, each from a data folder that is ready for it,
 * and what must hold after any fault in them (I1 to I5 of docs/resiliency.md). A data folder is
 * prepared once a snapshot of the table and copied for each case.
 */

import { cpSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { LocalEngine } from '@lakehouse-search/engine/local/internal';
import { expect } from 'vitest';
import { checkIndex } from '../../../../test/support/check-index.ts';
import { expectVectors } from '../../../../test/support/expect-vectors.ts';
import { tableToFormatOne } from '../../../../test/support/format-1.ts';
import {
  exportOf,
  makeSmallTable,
  type SmallTable,
  textOf,
} from '../../../../test/support/small-table.ts';
import { heldPins } from '../../src/base/pin-names.ts';
import { fetchColdFiles } from '../../src/index/cold-segments.ts';
import { filesOf, readCommit, writeCommit } from '../../src/index/commits/commit.ts';
import { openSnapshot } from '../../src/index/index-snapshot.ts';
import { currentGeneration, generationAt } from '../../src/open/index-folder.ts';
import { Registry } from '../../src/registry/registry.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';
import { backupsOf, COPY, INDEX, openData, runWork, type Work } from './work.ts';

/** An operation, the data folder that it begins in, and the contents that it may leave. */
export interface Operation {
  readonly name: string;
  readonly work: Work;
  /**
   * Which prepared data folder: the table's snapshot that its index has, `drifted`, or `format-1`:
   * at the last snapshot. `kept`: at the fourth snapshot, as a generation that is kept is.
   * `resharded`: at the fourth one, after a reshard that left segments to several shards.
   * `backed-up`: at the last one, with a backup of the fourth and one of the last.
   * `altered`: at the last one, and the kept generation, at the fourth, has another definition.
   * `erasable`: at the last one, with deleted documents in cold windows.
   */
  readonly from:
    | number
    | 'drifted'
    | 'format-1'
    | 'windowed'
    | 'erasable'
    | 'kept'
    | 'resharded'
    | 'altered'
    | 'backed-up';
  /** Number of shards of the index. */
  readonly shards: number;
  /** From what is there before to what is there after; each a text of `exportOf`. */
  readonly states: readonly string[];
}

const AT = '  - { name: at, type: DATE, source: id, format: epoch_s }';

/** The table, the prepared folders, and the operations over them. */
export class Stage {
  readonly folder: string;
  readonly table: SmallTable;
  operations: readonly Operation[] = [];
  #copies = 0;

  private constructor(folder: string, table: SmallTable) {
    this.folder = folder;
    this.table = table;
  }

  /** Prepares everything below a new folder, with indexes of so many shards. */
  static async make(shards: readonly number[] = [1, 3], wide = 1): Promise<Stage> {
    process.env.LHS_COLD_CACHE_BYTES = '0';
    const folder = mkdtempSync(join(tmpdir(), 'lhs-faults-'));
    const stage = new Stage(folder, await makeSmallTable(join(folder, 'lake'), wide));
    for (const count of shards) await stage.#prepare(count);
    return stage;
  }

  /** A copy of the prepared folder of an operation. */
  copy(operation: Operation): string {
    const copy = join(this.folder, `case-${this.#copies++}`);
    cpSync(this.#prepared(operation.shards, operation.from), copy, { recursive: true });
    const store = this.#storeOf(operation.shards, operation.from);
    rmSync(this.#home, { recursive: true, force: true });
    if (existsSync(store)) cpSync(store, this.#home, { recursive: true });
    return copy;
  }

  dispose(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The store of the index with windows, of one folder at a time. */
  get #home(): string {
    return join(this.folder, 'home');
  }

  #storeOf(shards: number, from: Operation['from']): string {
    return join(this.folder, `home-${from}-with-${shards}`);
  }

  #prepared(shards: number, from: Operation['from']): string {
    return join(this.folder, `at-${from}-with-${shards}`);
  }

  async #prepare(shards: number): Promise<void> {
    const data = join(this.folder, `data-${shards}`);
    const definition = `${this.table.definition}sharding: { shards: ${shards} }\n`;
    for (const [number, { id }] of this.table.snapshots.entries()) {
      const backend = await openData(data);
      if (number === 0) await backend.createIndex({ definition, base_dir: '/' });
      if (number === 0) await backend.reindex({ as_of: id });
      else await backend.sync({ until: id });
      await backend.close();
      cpSync(data, this.#prepared(shards, number), { recursive: true });
    }
    await this.#formatOne(shards);
    await this.#keep(shards);
    await this.#reshard(shards);
    await this.#windowed(shards, 'windowed');
    await this.#windowed(shards, 'erasable');
    await this.#backUp(shards);
    const all = operationsOf(this.table, shards, await this.#drift(data, shards));
    this.operations = [...this.operations, ...all];
  }

  /** The folder of the fourth snapshot again, with a generation that is kept. */
  async #keep(shards: number): Promise<void> {
    const { id } = this.table.snapshots[3];
    const built: Work = { kind: 'reindex', as_of: id };
    // the alter is a reindex, which follows the table to its head
    const definition = rebuiltDefinition(this.table, shards);
    const altered: Work = { kind: 'alter', definition };
    for (const [name, work] of [
      ['kept', built],
      ['altered', altered],
    ] as const) {
      const folder = this.#prepared(shards, name);
      cpSync(this.#prepared(shards, 3), folder, { recursive: true });
      const backend = await openData(folder);
      await runWork(backend, work);
      await backend.close();
    }
  }

  /** The folder of the fourth snapshot again, with other shards. */
  async #reshard(shards: number): Promise<void> {
    const folder = this.#prepared(shards, 'resharded');
    cpSync(this.#prepared(shards, 3), folder, { recursive: true });
    const backend = await openData(folder);
    await backend.applyReshard({ shards: shards + 1 });
    await backend.close();
  }

  /** The last folder again, with backups of two snapshots. */
  async #backUp(shards: number): Promise<void> {
    const folder = this.#prepared(shards, 'backed-up');
    cpSync(this.#prepared(shards, 3), folder, { recursive: true });
    const backend = await openData(folder);
    await runWork(backend, { kind: 'backup' });
    await backend.sync({});
    await runWork(backend, { kind: 'backup' });
    await backend.close();
  }

  /**
   * A folder at the last snapshot whose index has windows, and its store.
   * `erasable`: its windows were cooled at the fourth snapshot.
   */
  async #windowed(shards: number, name: 'windowed' | 'erasable'): Promise<void> {
    const backend = await openData(this.#prepared(shards, name));
    const more = [
      `sharding: { shards: ${shards} }`,
      'windows: { field: at, every: day }',
      `storage: ${this.#home}`,
      '',
    ];
    const definition = this.table.definition.replace('fields:', `fields:\n${AT}`);
    await backend.createIndex({ definition: definition + more.join('\n'), base_dir: '/' });
    if (name === 'windowed') await backend.reindex({});
    else {
      await backend.reindex({ as_of: this.table.snapshots[3].id });
      const { windows } = await backend.windowStatus({});
      await backend.moveWindows({ cool: windows.map(({ window }) => window) });
      await backend.sync({});
    }
    await backend.close();
    renameSync(this.#home, this.#storeOf(shards, name));
  }

  /** The last folder again in the former disk format. */
  async #formatOne(shards: number): Promise<void> {
    const folder = this.#prepared(shards, 'format-1');
    cpSync(this.#prepared(shards, this.table.snapshots.length - 1), folder, { recursive: true });
    const path = currentGeneration(indexFolderOf(folder))?.path ?? '';
    const directory = openLocalDirectory(path);
    await tableToFormatOne(directory, {
      catalog: { type: 'filesystem', warehouse: this.table.warehouse },
      table: 't.small',
    });
    const kept = filesOf(readCommit(directory)!);
    for (const name of directory.list()) if (!kept.has(name)) directory.remove(name);
  }

  /** The last folder again with a segment gone from its commit; gives what it holds then. */
  async #drift(data: string, shards: number): Promise<string> {
    const directory = openLocalDirectory(currentGeneration(indexFolderOf(data))?.path ?? '');
    const commit = readCommit(directory);
    if (commit === null) throw new Error('nothing was prepared');
    const segments = commit.segments.slice(0, -1);
    writeCommit(directory, { ...commit, number: commit.number + 1, segments });
    const backend = await openData(data);
    const text = await contentOf(backend);
    await backend.close();
    cpSync(data, this.#prepared(shards, 'drifted'), { recursive: true });
    return text;
  }
}

/** All operations over an index of one shard, some of them over one of several shards. */
function operationsOf(table: SmallTable, shards: number, drifted: string): Operation[] {
  const all = plainOperations(table, shards, drifted);
  if (shards === 1) return all.map((operation) => ({ ...operation, shards }));
  const some = all.filter(({ name }) =>
    /^(sync [29]|sync of|reindex, later|tiers|erase|alter|res|rollback|compact|up|repair)/.test(
      name,
    ),
  );
  return some.map(({ name, ...more }) => ({ name: `${name}, ${shards} shards`, ...more, shards }));
}

function plainOperations(
  table: SmallTable,
  shards: number,
  drifted: string,
): readonly Omit<Operation, 'shards'>[] {
  const { snapshots } = table;
  const texts = snapshots.map(({ rows }) => exportOf(rows));
  const last = snapshots.length - 1;
  const steps = snapshots.slice(1).map(({ id, did }, i): Omit<Operation, 'shards'> => {
    const name = `sync ${i + 1}, ${did}`;
    return { name, work: { kind: 'sync', until: id }, from: i, states: texts.slice(i, i + 2) };
  });
  const altered: Work = { kind: 'alter', definition: changedDefinition(table, shards) };
  const sharding = `sharding: { shards: ${shards} }\n`;
  const less = table.definition.replace('name: service,', 'name: service, indexed: false,');
  const dropped: Work = { kind: 'alter', definition: `${less}${sharding}` };
  const rebuilt: Work = { kind: 'alter', definition: rebuiltDefinition(table, shards) };
  const both: Work = { kind: 'alter', definition: changedDefinition(table, shards + 1) };
  const reshard: Work = { kind: 'reshard', shards: shards + 2 };
  const back: Work = { kind: 'sync', until: snapshots[3].id };
  const kept = texts.slice(3);
  const gone = [...snapshots[3].rows.keys()].filter((id) => !snapshots[last].rows.has(id));
  const erased: Work = { kind: 'erase', ids: gone.slice(0, 20) };
  return [
    ...steps,
    { name: 'sync back', work: back, from: last, states: [texts[last], texts[3]] },
    { name: 'sync of all', work: { kind: 'sync' }, from: 0, states: texts },
    { name: 'reindex', work: { kind: 'reindex' }, from: last, states: [texts[last]] },
    { name: 'reindex, later', work: { kind: 'reindex' }, from: 3, states: [texts[3], texts[last]] },
    { name: 'resume, later', work: { kind: 'resume' }, from: 3, states: [texts[3], texts[last]] },
    { name: 'alter, a field', work: altered, from: last, states: [texts[last]] },
    { name: 'alter, later', work: altered, from: 3, states: [texts[3]] },
    { name: 'alter, format 1', work: altered, from: 'format-1', states: [texts[last]] },
    { name: 'alter, less of a field', work: dropped, from: last, states: [texts[last]] },
    { name: 'alter, a field and shards', work: both, from: 3, states: [texts[3]] },
    { name: 'reshard', work: reshard, from: 3, states: [texts[3]] },
    { name: 'reshard, format 1', work: reshard, from: 'format-1', states: [texts[last]] },
    { name: 'reshard, again', work: reshard, from: 'resharded', states: [texts[3]] },
    { name: 'reshard, synced', work: { kind: 'sync' }, from: 'resharded', states: kept },
    {
      ...{ name: 'reshard, compacted', work: { kind: 'compact' }, from: 'resharded' },
      states: [texts[3]],
    },
    { name: 'alter, reindexed', work: rebuilt, from: 3, states: [texts[3], texts[last]] },
    { name: 'sync of all, two generations', work: { kind: 'sync' }, from: 'kept', states: kept },
    { name: 'rollback', work: { kind: 'rollback' }, from: 'altered', states: [texts[last]] },
    { name: 'tiers', work: { kind: 'tiers' }, from: 'windowed', states: [texts[last]] },
    { name: 'window', work: { kind: 'window' }, from: 'windowed', states: [texts[last]] },
    { name: 'erase', work: erased, from: 'erasable', states: [texts[last]] },
    { name: 'compact', work: { kind: 'compact' }, from: last, states: [texts[last]] },
    { name: 'upgrade', work: { kind: 'upgrade' }, from: 'format-1', states: [texts[last]] },
    { name: 'backup', work: { kind: 'backup' }, from: last, states: [texts[last]] },
    { name: 'backup, again', work: { kind: 'backup' }, from: 'backed-up', states: [texts[last]] },
    { name: 'restore', work: { kind: 'restore' }, from: 'backed-up', states: [texts[last]] },
    { name: 'repair', work: { kind: 'repair' }, from: 'drifted', states: [drifted, texts[last]] },
  ];
}

/** The definition of the table's index with one field more. */
function changedDefinition({ definition }: SmallTable, shards: number): string {
  const field = '  - { name: words, type: TEXT, source: title, analyzer: english }';
  const changed = definition.replace('fields:', `fields:\n${field}`);
  return `${changed}sharding: { shards: ${shards} }\n`;
}

/** As `changedDefinition`, with windows: it needs a reindex. */
function rebuiltDefinition(table: SmallTable, shards: number): string {
  const changed = changedDefinition(table, shards).replace('fields:', `fields:\n${AT}`);
  return `${changed}windows: { field: at, every: day }\n`;
}

/** All that an index holds, as one text. */
export async function contentOf(backend: LocalEngine, index: string = INDEX.index) {
  const documents = [];
  for await (const { fields } of backend.exportDocuments({ index })) {
    const { at: _, ...own } = fields;
    documents.push(own);
  }
  return textOf(documents);
}

/**
 * What must hold after a fault: the data folder opens unaided (I1) at the last acknowledged state
 * or a later one (I3), whole (I2, I4); the same operation done again reaches its end; after opening
 * it twice no orphan is left (I5).
 */
export async function expectSound(
  data: string,
  operation: Operation,
  acknowledged: number,
): Promise<void> {
  const backend = await openData(data);
  try {
    const jobs = await backend.listJobs();
    expect(
      jobs.filter(({ ended_at }) => ended_at === undefined),
      'jobs run on',
    ).toEqual([]);
    await expectCopiesWhole(backend, operation);
    const text = await contentOf(backend);
    const state = operation.states.lastIndexOf(text);
    expect(state, 'I1, I2: the content is none of the states').toBeGreaterThanOrEqual(0);
    expect(state, 'I3: an acknowledged state is gone').toBeGreaterThanOrEqual(acknowledged);
    const { total } = await backend.search({ query: 'title:again OR title:title', limit: 5 });
    expect(total).toBeGreaterThan(0);
    expect(await faultsOf(data), 'I4: the index contradicts itself').toEqual([]);
    await expectVectorsInStep(data, backend);
    const { kind } = operation.work;
    if (/^(alter|reshard|rollback)$/.test(kind)) await expectOneDefinition(backend);
    await runWork(backend, operation.work);
    await expectCopiesWhole(backend, operation);
    await expectVectorsInStep(data, backend);
    expect(await contentOf(backend), 'done again it misses its end').toBe(operation.states.at(-1));
    await expectKeptTrue(backend);
  } finally {
    await backend.close();
  }
  const again = await openData(data);
  expect((await again.search({ limit: 1 })).total).toBeGreaterThan(0);
  await again.close();
  expect(await faultsOf(data)).toEqual([]);
  expect(orphansOf(data), 'I5: orphans outlive two sweeps').toEqual([]);
}

/** A restored copy is whole, and so is the newest backup that is listed. Leaves no copy. */
async function expectCopiesWhole(backend: LocalEngine, { work, states }: Operation) {
  if (work.kind !== 'backup' && work.kind !== 'restore') return;
  const { present } = await backend.backupStatus({ ...INDEX, ...backupsOf(backend) });
  if (work.kind === 'backup' && present) await runWork(backend, { kind: 'restore' });
  const names = (await backend.listIndexes()).map(({ name }) => name);
  if (!names.includes(COPY)) return;
  expect(states, 'I2: a copy is none of the states').toContain(await contentOf(backend, COPY));
  await backend.dropIndex({ index: COPY });
}

/** The definition in force is the one that the generation was built under. */
async function expectOneDefinition(backend: LocalEngine): Promise<void> {
  const { index_generation, fields, shards = [] } = await backend.describeIndex({});
  const altered = fields.some(
    ({ name, indexed }) => name === 'words' || (name === 'service' && !indexed),
  );
  expect(altered).toBe(index_generation === 2);
  const { former_shards } = await backend.planReshard({ shards: 1 });
  expect(former_shards).toBe(shards.length);
  const { faults } = await backend.verify({ deep: true });
  expect(faults, 'the documents are those of another definition').toEqual([]);
}

/** After a sync a kept generation equals the table under its own definition, terms included. */
async function expectKeptTrue(backend: LocalEngine): Promise<void> {
  const { generations = [] } = await backend.describeIndex({});
  const kept = generations.filter(({ state }) => state === 'kept');
  if (kept.length > 0) await backend.sync({});
  for (const { generation } of kept) {
    const { equal, faults } = await backend.verify({ generation, deep: true });
    expect({ equal, faults }, 'the kept generation is wrong').toEqual({ equal: true, faults: [] });
  }
}

/** Every document's vector is that of the text that the export tells. */
async function expectVectorsInStep(data: string, backend: LocalEngine): Promise<void> {
  const texts = new Map<string, string>();
  for await (const { coordinates, fields } of backend.exportDocuments({})) {
    texts.set(coordinates.identifier[0].value, `${fields.service}\n${fields.title}`);
  }
  const live = currentGeneration(indexFolderOf(data));
  const snapshot = openSnapshot(openLocalDirectory(live?.path ?? ''));
  try {
    await fetchColdFiles(snapshot.segments);
    expectVectors(snapshot, 'meaning', texts);
  } finally {
    snapshot.release();
  }
}

/** The store has only the objects that the index needs. */
/** The folder of an index: of these tests unless it is named. */
export function indexFolderOf(data: string, index: string = INDEX.index): string {
  const registry = new Registry(data);
  const { uuid } = registry.get(index);
  registry.close();
  return join(data, 'indexes', uuid);
}

async function faultsOf(data: string): Promise<readonly string[]> {
  const live = currentGeneration(indexFolderOf(data));
  const snapshot = openSnapshot(openLocalDirectory(live?.path ?? ''));
  try {
    await fetchColdFiles(snapshot.segments);
    return checkIndex(snapshot);
  } finally {
    snapshot.release();
  }
}

/** Files that the newest commit of the only index names. */
export function namedFiles(data: string): readonly string[] {
  const live = currentGeneration(indexFolderOf(data))?.path ?? '';
  const commit = readCommit(openLocalDirectory(live));
  return commit === null ? [] : [...filesOf(commit)];
}

/** A pin outlives a killed backup until its time is over. */
const isHeldPin = (name: string) => heldPins([name], Date.now()).length > 0;

/** Names in the index's folder and its live generation that nobody needs; missing ones too. */
export function orphansOf(data: string): readonly string[] {
  const folder = indexFolderOf(data);
  const live = currentGeneration(folder)?.path ?? '';
  const files = new Set(namedFiles(data));
  const registry = new Registry(data);
  const kept = registry.generations.kept(registry.list()[0].uuid, Date.now());
  registry.close();
  const former = kept.map(({ number }) => basename(generationAt(folder, number).path));
  const named = ['CURRENT', 'embeddings', 'published', basename(live), ...former];
  const top = readdirSync(folder).filter((name) => !named.includes(name));
  const inside = readdirSync(live).filter(
    (name) => !files.has(name) && name !== 'verified' && !isHeldPin(name),
  );
  const missing = [...files].filter((name) => !existsSync(join(live, name)));
  return [...top, ...inside, ...missing.map((name) => `${name} is missing`)];
}
