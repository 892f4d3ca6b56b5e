import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  appendRows,
  deleteRows,
  type TableConfig,
  upsertRows,
  type WriteInput,
} from '@lakehouse-search/lake';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { expectVectors, vectorsByKey } from '../../../../test/support/expect-vectors.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { type TinyModels, tinyModels } from '../../../../test/support/tiny-model.ts';
import { ANALYZER_CATALOG } from '../../src/analysis/registry.ts';
import { rowsToBlock } from '../../src/documents/rows-to-block.ts';
import { VectorStage } from '../../src/documents/vectors/vector-stage.ts';
import { openSnapshot } from '../../src/index/index-snapshot.ts';
import { IndexWriter } from '../../src/index/index-writer.ts';
import { asCommitted, storedPlans } from '../../src/index/merges/stored-plans.ts';
import { analyzersOf } from '../../src/open/definition-analyzers.ts';
import { currentGeneration } from '../../src/open/index-folder.ts';
import type { DocumentBlock, FieldBlock } from '../../src/schema/field-block.ts';
import { createMapping } from '../../src/schema/mapping.ts';
import { requireDefinition } from '../../src/schema/parse/parse-definition.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';

const SCHEMA = schemaOf({
  id: 'long',
  title: 'string',
  body: 'string',
  own: { kind: 'list', elementId: 5, elementRequired: false, element: { kind: 'double' } },
});
const FIELDS = (model: string) => `fields:
  - { name: title, type: TEXT, cached: true }
  - { name: meaning, type: VECTOR, source: [title, body], model: ${model}, dims: 8 }
  - { name: own, type: VECTOR, dims: 2 }`;

interface Row {
  readonly id: number;
  readonly title: string | null;
  readonly body: string | null;
  readonly own?: readonly (number | null)[] | null;
}

type Write = (config: TableConfig, input: WriteInput) => Promise<unknown>;

let lake: SmallLake;
let models: TinyModels;
let rows: Map<number, Row>;
beforeEach(async () => {
  models = tinyModels();
  rows = new Map();
  lake = await openSmallLake({ openEmbedder: models.open });
  await lake.create(SCHEMA);
});
afterEach(() => lake.close());

const write = async (how: Write, ...added: readonly Row[]) => {
  const plain = added.map((row) => ({ own: null, ...row }));
  await how(lake.source, { kind: 'rows', rows: plain as never });
  for (const row of added) rows.set(row.id, row);
};
const row = (id: number, title: string | null = `title ${id}`, body: string | null = null): Row => {
  return { id, title, body };
};
const indexFolder = () => {
  const indexes = join(lake.folder, 'data', 'indexes');
  return join(indexes, readdirSync(indexes)[0]);
};
const snapshot = () => openSnapshot(openLocalDirectory(currentGeneration(indexFolder())!.path));

/** Text and vectors agree, in every live document. */
async function expectInStep() {
  const texts = new Map(
    [...rows.values()].map(({ id, title, body }) => {
      const parts = [title, body].filter((part) => part !== null);
      return [String(id), parts.length === 0 ? null : parts.join('\n')] as const;
    }),
  );
  const open = snapshot();
  expectVectors(open, 'meaning', texts);
  open.release();
  expect((await lake.backend.verify({})).equal).toBe(true);
}

/** Gives the definition another model: there is no `alter` yet. */
function redefine(former: string, model: string): void {
  const registry = new Database(join(lake.folder, 'data', 'registry.db'));
  registry
    .prepare(
      'UPDATE indexes SET definition = replace(definition, ?, ?), parsed = NULL, version ' +
        '= version + 1',
    )
    .run(`model: ${former}`, `model: ${model}`);
  registry.close();
}

describe('an index with vectors of texts', () => {
  beforeEach(async () => {
    await lake.define(FIELDS('./m/tiny'));
    await write(appendRows, row(1), row(2, 'same'), row(3, 'same'), row(4, null, 'body'));
    await write(appendRows, row(5, null), row(6, ''), row(7, '777'), row(8, 'both', 'of them'));
  });

  test('is built, and built again without embedding anything', async () => {
    const reported: unknown[] = [];
    const progress = ({ embeddings }: { embeddings?: object }) => reported.push(embeddings);
    const first = await lake.backend.reindex({}, { progress });
    expect(first).toMatchObject({
      embeddings: { computed: 5, reused: 1 },
      without_vector: { meaning: 3, own: 8 },
    });
    expect(reported).toContainEqual({ computed: 5, reused: 1 });
    await expectInStep();
    const { embedded } = models;
    const again = await lake.backend.reindex({});
    expect(again).toMatchObject({ embeddings: { computed: 0, reused: 6 } });
    expect(models.embedded).toBe(embedded);
    await expectInStep();
  });

  test('follows its table: only texts that are new are embedded', async () => {
    await lake.backend.reindex({});
    await write(appendRows, row(9, 'same'), row(10, 'new'), row(11, null));
    expect(await lake.backend.sync({})).toMatchObject({
      inserted: 3,
      embeddings: { computed: 1, reused: 1 },
      without_vector: { meaning: 1 },
    });
    await expectInStep();
    // The row changes, its text does not: it is found in the cache.
    await write(upsertRows, { ...row(1), own: [3, 4] }, row(2, 'other'));
    expect(await lake.backend.sync({})).toMatchObject({
      updated: 2,
      embeddings: { computed: 1, reused: 1 },
    });
    await deleteRows(lake.source, 'id IN (3, 8)');
    for (const id of [3, 8]) rows.delete(id);
    const deleted = await lake.backend.sync({});
    expect(deleted).toMatchObject({ deleted: 2 });
    expect(deleted.embeddings).toBeUndefined();
    await expectInStep();
    await lake.backend.compact({});
    await expectInStep();
  });

  test('stays with its model: another is refused until it is built again', async () => {
    await lake.backend.reindex({});
    redefine('./m/tiny', './m/other');
    await write(appendRows, row(9, 'new'));
    await expect(lake.backend.sync({})).rejects.toMatchObject({
      code: 'model_mismatch',
      next: [{ step: 'reindex', index: 't' }],
    });
    rows.delete(9);
    const open = snapshot();
    expect(open.commit.fields[1].vector?.model?.name).toBe('./m/tiny');
    open.release();
    await lake.backend.reindex({});
    expect(models.embedded).toBe(5 + 6);
    rows.set(9, row(9, 'new'));
    await expectInStep();
    redefine('./m/other', './m/tiny');
    expect(await lake.backend.reindex({})).toMatchObject({ embeddings: { computed: 1 } });
  });

  test('does not mind where its model lies', async () => {
    await lake.backend.reindex({});
    redefine('./m/tiny', '/elsewhere/tiny');
    await write(appendRows, row(9, 'new'));
    expect(await lake.backend.sync({})).toMatchObject({ inserted: 1, embeddings: { computed: 1 } });
    await expectInStep();
    expect(await lake.backend.verify({ repair: true })).toMatchObject({ equal: true });
  });

  test('is warned of a model that is not there before it is built', async () => {
    const source = JSON.stringify(lake.source);
    const definition = `version: 1\nindex: u\nsource: ${source}\n${FIELDS('./m/tiny')}\n`;
    const baseDir = lake.folder;
    const check = () =>
      lake.backend.validateDefinition({ definition, base_dir: baseDir, against_source: true });
    const folder = join(baseDir, 'm', 'tiny');
    const message = `no model at "${folder}": a reindex will need it`;
    expect(await check()).toEqual([{ severity: 'warning', line: 6, column: 66, message }]);
    mkdirSync(folder, { recursive: true });
    expect(await check()).toEqual([]);
  });

  test('opens no model where there is nothing to embed', async () => {
    await lake.backend.reindex({});
    models.opened = 0;
    await deleteRows(lake.source, 'id = 1');
    rows.delete(1);
    await lake.backend.sync({});
    await lake.backend.compact({});
    expect(models.opened).toBe(0);
    await expectInStep();
  });

  test('is left as it was where embedding fails, and what was embedded is kept', async () => {
    await lake.backend.reindex({});
    const many = Array.from({ length: 3000 }, (_, i) => row(100 + i, `many ${i}`));
    await write(appendRows, ...many);
    models.failAfter = models.embedded + 2100;
    await expect(lake.backend.sync({})).rejects.toThrow('the tiny model fails');
    for (const { id } of many) rows.delete(id);
    const before = snapshot();
    expect(before.liveDocs).toBe(8);
    before.release();
    for (const each of many) rows.set(each.id, each);
    const { embeddings } = await lake.backend.sync({});
    expect(embeddings!.computed).toBeLessThan(2000);
    expect(embeddings!.computed + embeddings!.reused).toBe(3000);
    await expectInStep();
  });

  test('embeds again what a damaged cache does not give', async () => {
    await lake.backend.reindex({});
    const home = join(indexFolder(), 'embeddings');
    const [model] = readdirSync(home);
    const path = join(home, model, '000001.vectors');
    const bytes = readFileSync(path);
    bytes[80] ^= 1;
    writeFileSync(path, bytes);
    expect(await lake.backend.reindex({})).toMatchObject({ embeddings: { computed: 1 } });
    await expectInStep();
  });

  test('interrupts between portions of texts', async () => {
    const stop = new AbortController();
    const { backend } = lake;
    await write(appendRows, ...Array.from({ length: 3000 }, (_, i) => row(100 + i, `many ${i}`)));
    const work = { signal: stop.signal, progress: () => stop.abort() };
    await expect(backend.reindex({}, work)).rejects.toMatchObject({ code: 'interrupted' });
    await backend.reindex({});
    await expectInStep();
  });

  test('is repaired with its vectors', async () => {
    await lake.backend.reindex({});
    const open = snapshot();
    const segment = open.segments[0].id;
    const { commit } = open;
    open.release();
    const directory = openLocalDirectory(currentGeneration(indexFolder())!.path);
    const writer = IndexWriter.open(directory, storedPlans(commit));
    writer.deleteDocs(segment, [0, 3]);
    writer.commit({ checkpoint: writer.lastCommit.checkpoint, files: writer.lastCommit.files });
    writer.close();
    expect(await lake.backend.verify({})).toMatchObject({ equal: false, missing: 2 });
    expect(await lake.backend.verify({ repair: true })).toMatchObject({ repaired: { added: 2 } });
    // Each of three looks asks whether "777" has a vector after all.
    expect(models.embedded).toBe(5 + 3);
    await expectInStep();
  });
});

describe('verify of vector fields', () => {
  const faultsAfter = async (edit: (block: DocumentBlock) => DocumentBlock) => {
    await lake.define(FIELDS('./tiny'));
    await write(appendRows, row(1), row(2), { ...row(3, '333'), own: [1, 2] });
    await lake.backend.reindex({});
    expect(await lake.backend.verify({})).toMatchObject({ equal: true, faults: [] });
    await rewrite(edit);
    const { equal, faults, missing, stale, extra } = await lake.backend.verify({});
    expect({ equal, missing, stale, extra }).toEqual({
      equal: false,
      missing: 0,
      stale: 0,
      extra: 0,
    });
    await expect(lake.backend.verify({ repair: true })).rejects.toMatchObject({
      code: 'corrupt_index',
      hint: expect.stringContaining('reindex'),
    });
    await lake.backend.reindex({});
    await expectInStep();
    return faults;
  };

  test('finds documents without the vector of their text', async () => {
    expect(await faultsAfter((block) => without(block, 'meaning'))).toEqual([
      'a document has no vector in "meaning", its row gives one: id=1; id=2',
    ]);
  });

  test('finds documents without the vector of their row', async () => {
    expect(await faultsAfter((block) => without(block, 'own'))).toEqual([
      'a document has no vector in "own", its row gives one: id=3',
    ]);
  });

  test('warns where the model is another than that of the index', async () => {
    await lake.define(FIELDS('./tiny'));
    await write(appendRows, row(1), row(2, '222'));
    await lake.backend.reindex({});
    await rewrite((block) => without(block, 'meaning'));
    redefine('./tiny', './other');
    const told = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    try {
      expect(await lake.backend.verify({})).toMatchObject({ equal: true });
      const what = 'model "./other" is not the one that the index was built with';
      expect(told.mock.calls.map(([warning]) => warning)).toEqual([
        `vectors that are missing were not looked for: ${what}`,
      ]);
    } finally {
      told.mockRestore();
    }
  });

  test('finds documents with a vector that their row does not give', async () => {
    const scales = Float32Array.of(1, 1, 1);
    const codes = new Int16Array(6).fill(7);
    const starts = Int32Array.of(0, 1, 2, 3);
    const own: FieldBlock = { kind: 'vector', starts, dims: 2, scales, codes };
    const edit = (block: DocumentBlock) => {
      return { ...block, fields: new Map([...block.fields, ['own', own]]) };
    };
    expect(await faultsAfter(edit)).toEqual([
      'a document has a vector in "own" that its row does not give: id=1; id=2',
    ]);
  });
});

const without = (block: DocumentBlock, field: string): DocumentBlock => {
  return { ...block, fields: new Map([...block.fields].filter(([name]) => name !== field)) };
};

const definitionText = () =>
  `version: 1\nindex: t\nsource: { path: ${lake.folder} }\n${FIELDS('./tiny')}\n`;

/** Writes all documents again under their keys, places and hashes, as `edit` leaves them. */
async function rewrite(edit: (block: DocumentBlock) => DocumentBlock): Promise<void> {
  const { path } = currentGeneration(indexFolder())!;
  const directory = openLocalDirectory(path);
  const places = { index: 't', folder: indexFolder(), baseDir: '.', openEmbedder: models.open };
  const stage = new VectorStage(places);
  const open = snapshot();
  const { commit } = open;
  const table = await lake.table();
  const definition = requireDefinition(definitionText(), ANALYZER_CATALOG);
  const mapping = createMapping(definition, table.schema, 't', analyzersOf([]));
  const own = mapping.fields.map(({ plan }) => plan);
  const plans = asCommitted(own, commit);
  const writer = IndexWriter.open(directory, plans);
  const [{ id }] = open.segments;
  open.release();
  writer.deleteDocs(id, [0, 1, 2]);
  const columns = mapping.columns.map(({ name }) => name);
  for await (const batch of table.scan({ columns })) {
    const block = rowsToBlock(mapping, batch, commit.files.paths().indexOf(batch.file), new Map());
    writer.add(edit(await stage.complete(plans, block)));
  }
  writer.commit({ checkpoint: writer.lastCommit.checkpoint, files: commit.files });
  writer.close();
  await stage.close();
  await table.close();
}

describe('an index with vectors of its own', () => {
  const own = (id: number, vector: Row['own']): Row => ({ ...row(id), own: vector });
  beforeEach(() => lake.define(FIELDS('./tiny')));

  test('keeps them, cosine at length 1, and none for nothing', async () => {
    await write(appendRows, own(1, [3, 4]), own(2, [0, 0]), own(3, []), own(4, null));
    await write(appendRows, own(5, [-1e30, 0]));
    expect(await lake.backend.reindex({})).toMatchObject({ without_vector: { own: 3 } });
    const open = snapshot();
    const found = vectorsByKey(open, 'own');
    open.release();
    expect(found.get('1')![0]).toBeCloseTo(0.6, 4);
    expect(found.get('1')![1]).toBeCloseTo(0.8, 4);
    expect(found.get('5')).toEqual([-1, 0]);
    expect([found.get('2'), found.get('3'), found.get('4')]).toEqual([null, null, null]);
  });

  test.each<[string, readonly (number | null)[], RegExp]>([
    ['too short', [1], /id=7.*column "own" holds "\[1\]".*a vector of 2 numbers \(it has 1\)/],
    ['too long', [1, 2, 3], /a vector of 2 numbers \(it has 3\)/],
    ['a hole', [1, null], /finite 32-bit numbers \(number 2 is null\)/],
    ['beyond 32 bits', [1e39, 0], /finite 32-bit numbers \(number 1 is 1e\+39\)/],
  ])('refuses a vector that is %s', async (_, vector, message) => {
    await write(appendRows, own(6, [1, 1]), own(7, vector));
    await expect(lake.backend.reindex({})).rejects.toMatchObject({
      code: 'source_invalid',
      message: expect.stringMatching(message),
      details: { column: 'own', position: 1 },
    });
  });
});
