import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deleteRows, importFiles, upsertRows } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compactTable, expireSnapshots } from '../../../../test/support/maintenance/index.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { hasShared, tablePath } from '../../../../test/support/shared-tables.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { readCommit } from '../../src/index/commits/commit.ts';
import { HAS_BEST_DOCS, HAS_TEXT } from '../../src/inverted/format.ts';
import { currentGeneration, indexFolder } from '../../src/open/index-folder.ts';
import { Registry } from '../../src/registry/registry.ts';
import { FRAME_HEADER_BYTES } from '../../src/storage/frame.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';

const SCHEMA = schemaOf({ id: 'long', title: 'string', host: 'string' });
const TITLE = '  - { name: title, type: TEXT, analyzer: standard, cached: true }\n';
const HOST = '  - { name: ip, type: IP, source: host }\n';
const LABEL = '  - { name: label, type: KEYWORD, source: host, cached: true }\n';

let lake: SmallLake;
beforeEach(async () => {
  lake = await openSmallLake();
  await lake.create(SCHEMA);
  const hosts = ['10.0.0.1', 'no address', null, '10.0.0.2'];
  await append(hosts.map((host, id) => ({ id, title: `night ${id}`, host })));
});
afterEach(() => lake.close());

const append = (rows: object[]) => lake.append(rows as never);
const definition = (fields: string, more = '') =>
  `version: 1\nindex: t\nsource: ${JSON.stringify(lake.source)}\n${more}fields:\n${fields}`;

/** A new index that is built. */
async function built(fields: string, more = ''): Promise<void> {
  await lake.backend.createIndex({ definition: definition(fields, more) });
  await lake.backend.reindex({ index: 't' });
}
const alter = (fields: string, more = '', apply = true) =>
  lake.backend.alterIndex({ index: 't', definition_yaml: definition(fields, more), apply });
const total = async (query: string) => (await lake.backend.search({ index: 't', query })).total;

const home = (): string => {
  const registry = new Registry(lake.backend.dataDir);
  const { uuid } = registry.get('t');
  registry.close();
  return indexFolder(lake.backend.dataDir, uuid);
};
const live = () => currentGeneration(home())?.path ?? '';
const commit = () => readCommit(openLocalDirectory(live()))!;

/** The flags of the live commit's text components. */
function textFlags(): readonly number[] {
  const components = commit().segments.flatMap((segment) => segment.components);
  const texts = components.filter(({ kind }) => kind === 'text');
  return texts.map(({ file }) =>
    readFileSync(join(live(), file)).readInt32LE(FRAME_HEADER_BYTES + 16),
  );
}

describe('a row that a new field cannot take', () => {
  it('is refused with its key, and nothing changes', async () => {
    await built(TITLE);
    await expect(alter(TITLE + HOST)).rejects.toMatchObject({
      code: 'source_invalid',
      message: expect.stringMatching(/^id=1: column "host" holds "no address"/),
      details: expect.objectContaining({ key: 'id=1' }),
    });
    expect(await lake.backend.describeIndex({ index: 't' })).toMatchObject({ index_generation: 1 });
    expect(readdirSync(home()).filter((name) => name.startsWith('gen-'))).toHaveLength(1);
  });

  it('has no document any more if such rows are skipped, as after a reindex', async () => {
    await built(TITLE, 'on_bad_row: skip\n');
    const plan = await alter(TITLE + HOST, 'on_bad_row: skip\n');
    expect(plan).toMatchObject({ strategy: 'field', generation: 2 });
    expect(await total('title:night')).toBe(3);
    expect(await lake.backend.sync({ index: 't' })).toMatchObject({
      doc_count: 3,
      skipped_rows: 1,
      first_skipped_rows: [expect.objectContaining({ position: 1, key: 'id=1' })],
    });
    expect(await lake.backend.verify({ index: 't', deep: true })).toMatchObject({ equal: true });
    await lake.expectRebuilt();
  });

  it('requires a reindex once it was skipped, if it may become good', async () => {
    await built(TITLE + HOST, 'on_bad_row: skip\n');
    const plan = await alter(TITLE, 'on_bad_row: skip\n', false);
    expect(plan.reindex_reasons).toEqual([
      'fields.ip: rows that were skipped may be good without it: 1',
    ]);
    expect((await alter(TITLE + HOST + LABEL, 'on_bad_row: skip\n')).strategy).toBe('field');
    expect(await total('*:*')).toBe(3);
  });
});

describe.skipIf(!hasShared)('a field of a path of a VARIANT column', () => {
  it('is added by reading that column', async () => {
    const text = (paths: string) => `version: 1
index: v
source: { path: ${tablePath('events_variant')} }
key: { identifier: [event_id] }
fields:
  - { name: kind, type: KEYWORD, fast: true }
variants:
  - column: payload
    flatten: true
    discriminator: kind
    shapes: [ { name: one, when: [push], fields: [ ${paths} ] } ]
`;
    const size = '{ path: size, type: LONG }';
    const more = `${size}, { path: ref, type: KEYWORD, cached: true }`;
    const { backend } = lake;
    await backend.createIndex({ definition: text(size) });
    const { doc_count: deep_documents } = await backend.reindex({ index: 'v' });
    const request = { index: 'v', definition_yaml: text(more), apply: true };
    expect(await backend.alterIndex(request)).toMatchObject({
      strategy: 'field',
      field_cost: { fields: ['payload.ref'], columns: ['kind', 'payload'] },
    });
    const found = await backend.verify({ index: 'v', deep: true });
    expect(found).toMatchObject({ equal: true, deep_documents, faults: [] });
  });
});

describe('an alter by field', () => {
  it('shares the files of unchanged fields and gives a built field a new id', async () => {
    await built(TITLE + LABEL);
    const before = commit();
    const inode = (file: string) => statSync(join(live(), file)).ino;
    const files = before.segments.flatMap(({ components }) => components);
    const inodes = new Map(files.map(({ file }) => [file, inode(file)]));
    await alter(TITLE);
    await alter(TITLE + LABEL);
    const after = commit();
    const id = ({ fields }: typeof after, name: string) =>
      fields.find((field) => field.name === name)?.id ?? -1;
    expect(id(after, 'title')).toBe(id(before, 'title'));
    expect(id(after, 'label')).toBeGreaterThan(id(before, 'label'));
    for (const { file, field, kind } of after.segments.flatMap(({ components }) => components)) {
      const kept = field === id(after, 'title') || ['keys', 'locators', 'hashes'].includes(kind);
      if (kept) expect(inode(file), file).toBe(inodes.get(file));
    }
    expect(await total('label:"no address"')).toBe(1);
    const [first] = await Array.fromAsync(lake.backend.exportDocuments({ index: 't' }));
    expect(first.fields).toEqual({ title: 'night 0', label: '10.0.0.1' });
    expect(currentGeneration(home())?.number).toBe(3);
  });

  it('builds a text field without its best documents, and merges it so', async () => {
    const PLAIN = TITLE.replace('standard', 'standard, best_documents: false');
    await append(Array.from({ length: 300 }, (_, i) => ({ id: 10 + i, title: `night ${i % 3}` })));
    await built(TITLE + LABEL);
    const best = async () => (await lake.backend.search({ index: 't', query: 'night' })).hits;
    const hits = await best();
    expect(textFlags()).toEqual([HAS_TEXT | HAS_BEST_DOCS]);
    await alter(PLAIN + LABEL);
    expect(textFlags()).toEqual([HAS_TEXT]);
    expect(await best()).toEqual(hits);
    await append([{ id: 1000, title: 'night and day' }]);
    await lake.backend.sync({ index: 't' });
    await lake.backend.compact({ index: 't' });
    expect(textFlags()).toEqual([HAS_TEXT]);
    await alter(TITLE + LABEL);
    expect(textFlags()).toEqual([HAS_TEXT | HAS_BEST_DOCS]);
    expect(await total('night')).toBe(305);
  });

  it('finds rows whose documents are in another order than the rows', async () => {
    await append(
      Array.from({ length: 40 }, (_, id) => ({ id: 100 - id, title: `day ${id}`, host: `h${id}` })),
    );
    await built(TITLE);
    await upsertRows(lake.source, { kind: 'rows', rows: [{ id: 80, title: 'new', host: 'h' }] });
    await append([{ id: 200, title: 'last', host: 'z' }]);
    await lake.backend.sync({ index: 't' });
    await lake.backend.compact({ index: 't' });
    await compactTable(lake.source);
    await lake.backend.sync({ index: 't' });
    const plan = await alter(TITLE + LABEL);
    expect(plan.field_cost).toMatchObject({ fields: ['label'], columns: ['host'] });
    expect(await total('label:h*')).toBe(40);
    expect(await lake.backend.verify({ index: 't', deep: true })).toMatchObject({ equal: true });
    await lake.expectRebuilt();
  });

  it('notices a later change of the column of a new field', async () => {
    await built(TITLE);
    await alter(TITLE + LABEL);
    await upsertRows(lake.source, {
      kind: 'rows',
      rows: [{ id: 0, title: 'night 0', host: 'other' }],
    });
    expect(await lake.backend.sync({ index: 't' })).toMatchObject({ updated: 1 });
    expect(await total('label:other')).toBe(1);
    await lake.expectRebuilt();
  });

  it('goes to the newest snapshot if a column is newer than that of the index', async () => {
    await built(TITLE + LABEL);
    const file = join(lake.folder, 'rows.csv');
    writeFileSync(file, 'id,title,host\n1,night 1,7\n5,night 5,7\n');
    await importFiles({ ...lake.source, files: [file], mode: 'overwrite' });
    const plan = await alter(`${TITLE}  - { name: label, type: LONG, source: host }\n`);
    expect(plan).toMatchObject({ strategy: 'field', generation: 2 });
    expect(await total('label:7')).toBe(2);
    expect(await lake.backend.verify({ index: 't', deep: true })).toMatchObject({
      ...{ equal: true, rows_compared: 2, snapshot: String(await lake.head()) },
    });
    await lake.expectRebuilt();
  });

  it('stays at the snapshot of the index if that has all columns', async () => {
    await built(TITLE);
    await append([{ id: 9, title: 'later', host: 'later' }]);
    await alter(TITLE + LABEL);
    expect(await total('label:later')).toBe(0);
    expect(await lake.backend.sync({ index: 't' })).toMatchObject({ inserted: 1 });
    expect(await total('label:later')).toBe(1);
  });

  it('is a reindex if the table has forgotten the snapshot of the index', async () => {
    await built(TITLE);
    const { snapshot } = await lake.backend.sync({ index: 't' });
    await deleteRows(lake.source, 'id = 0');
    await append([{ id: 9, title: 'later', host: null }]);
    await expireSnapshots(lake.source, Date.now() + 1000);
    const plan = await alter(TITLE + LABEL, '', false);
    expect(plan.reindex_reasons).toEqual([
      `fields.label: the table has forgotten snapshot ${snapshot} of the index`,
    ]);
    await alter(TITLE + LABEL);
    expect(await total('*:*')).toBe(4);
  });

  it('refuses a repair meanwhile', async () => {
    await built(TITLE);
    const registry = new Registry(lake.backend.dataDir);
    const { uuid, version, ...known } = registry.get('t');
    const redefines = { from: version, to: known, by: 'field' } as const;
    const job = registry.jobs.start(uuid, 'reindex', Date.now(), { redefines });
    const repair = lake.backend.verify({ index: 't', repair: true });
    await expect(repair).rejects.toMatchObject({ code: 'index_busy' });
    registry.jobs.apply(job?.id ?? '', 'canceled', Date.now());
    registry.close();
    await lake.backend.verify({ index: 't', repair: true });
  });
});
