import { appendRows, createTable, deleteRows } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const schema = schemaOf({ id: 'long', title: 'string' });
const fields = (analyzer: string) => `fields:
  - { name: title, type: TEXT, analyzer: ${analyzer} }`;

let lake: SmallLake;
beforeEach(async () => {
  lake = await openSmallLake();
  const rows = ['disk full', 'disks are full', 'a quiet disk'].map((title, id) => ({ id, title }));
  await lake.create(schema, { rows });
  await lake.build(fields('standard'));
});
afterEach(() => lake.close());

const diff = (more: object) =>
  lake.backend.diffHits({ index: 't', query: 'title:disk', from: 'now', ...more });

describe('a side of a diff', () => {
  it('is a kept generation by its number; what another analyzer changed is its cause', async () => {
    const catalog = JSON.stringify(lake.source.catalog);
    const source = `source: { catalog: ${catalog}, table: a.t }`;
    await lake.backend.alterIndex({
      index: 't',
      definition_yaml: `version: 1\nindex: t\n${source}\n${fields('english')}\n`,
      apply: true,
    });
    const found = await diff({ from: 'generation:1' });
    expect([found.from.kind, found.to.kind]).toEqual(['kept', 'live']);
    const entered = found.hits.filter(({ change }) => change === 'entered');
    expect(entered).toMatchObject([{ causes: [{ cause: 'definition' }] }]);
    expect(entered[0].coordinates.identifier[0].value).toBe('1');
    expect(entered[0].from).toBeUndefined();
  });

  it('that no commit shows is built, and a plan says what that costs', async () => {
    const from = String(await lake.head());
    await deleteRows(lake.source, 'id = 0');
    await lake.backend.sync({ index: 't' });
    const plan = await diff({ from, plan: true });
    expect(plan).toMatchObject({ from: { kind: 'built', rows: 3, texts: 0 }, hits: [] });
    expect(plan.from.bytes).toBeGreaterThan(0);
    const found = await diff({ from });
    expect(found.from).toMatchObject({ kind: 'built', snapshot: from, rows: 3, total: 2 });
    expect(found.hits.filter(({ change }) => change === 'left')).toMatchObject([
      { causes: [{ cause: 'row_deleted' }] },
    ]);
  });

  it('names the figures that moved, and the hits that went before', async () => {
    const { pit_id } = await lake.backend.openPit({ index: 't' });
    const rows = [{ id: 9, title: 'disk' }];
    await lake.append(rows);
    await lake.backend.sync({ index: 't' });
    const { hits } = await diff({ from: `pit:${pit_id}` });
    expect(hits[0]).toMatchObject({ change: 'entered', causes: [{ cause: 'row_inserted' }] });
    const moved = hits.find(({ change }) => change === 'moved');
    expect(moved!.causes[0]).toMatchObject({
      cause: 'statistics',
      statistics: [{ clause: 'title:disk', docs: [3, 4], df: [2, 3] }],
    });
  });

  it('names the figures that moved of each field of a bare word', async () => {
    const source = `source: { catalog: ${JSON.stringify(lake.source.catalog)}, table: a.t }`;
    const stems = '\n  - { name: stems, source: title, type: TEXT, analyzer: english }';
    const searched = `default_fields: [title, stems]\n${fields('standard')}${stems}`;
    const definition_yaml = `version: 1\nindex: t\n${source}\n${searched}\n`;
    await lake.backend.alterIndex({ index: 't', definition_yaml, apply: true });
    const { pit_id } = await lake.backend.openPit({ index: 't' });
    await lake.append([{ id: 9, title: 'disk' }]);
    await lake.backend.sync({ index: 't' });
    const { hits } = await diff({ from: `pit:${pit_id}`, query: 'disk' });
    const moved = hits.find(({ from }) => from?.rank === 1);
    const statistics = moved?.causes[0]?.statistics?.map(({ df }) => df);
    expect(statistics).toEqual([
      [2, 3],
      [3, 4],
    ]);
  });

  it('is another index of the table, with equal settings or others', async () => {
    await lake.backend.cloneIndex({ index: 't', name: 'u' });
    await lake.append([{ id: 9, title: 'disk' }]);
    await lake.backend.sync({ index: 't' });
    const found = await diff({ from: 'index:u' });
    expect(found.from).toMatchObject({ kind: 'index', index: 'u', rows: 3, total: 2 });
    expect(found.hits[0]).toMatchObject({ change: 'entered', causes: [{ cause: 'row_inserted' }] });
    expect(JSON.stringify(found)).not.toContain('"definition"');
    const source = `source: { catalog: ${JSON.stringify(lake.source.catalog)}, table: a.t }`;
    const definition = `version: 1\nindex: v\n${source}\n${fields('english')}`;
    await lake.backend.createIndex({ definition, base_dir: lake.folder });
    await lake.backend.reindex({ index: 'v' });
    const { hits } = await diff({ from: 'index:v' });
    const left = hits.filter(({ change }) => change === 'left');
    expect(left).toMatchObject([{ causes: [{ cause: 'definition' }] }]);
    await createTable(lake.source.catalog, 'a.other', { schema });
    const other = definition.replace('index: v', 'index: w').replace('a.t', 'a.other');
    await lake.backend.createIndex({ definition: other, base_dir: lake.folder });
    await lake.backend.reindex({ index: 'w' });
    await appendRows({ ...lake.source, table: 'a.other' }, { kind: 'rows', rows: [{ id: 1 }] });
    await lake.backend.sync({ index: 'w' });
    await expect(diff({ from: 'index:w' })).rejects.toMatchObject({
      message: 'index "w" is of another table than "t"',
    });
    await expect(diff({ from: 'index:x' })).rejects.toMatchObject({ code: 'index_not_found' });
  });

  it('is refused if it is unknown, and the message names those that exist', async () => {
    await expect(diff({ from: 'generation:7' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(diff({ from: '123' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(diff({ from: 'nowhere' })).rejects.toMatchObject({ code: 'not_found' });
  });
});
