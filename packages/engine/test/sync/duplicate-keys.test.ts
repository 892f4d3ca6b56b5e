// @module-tag campaign
import type { LocalEngine } from '@lakehouse-search/engine/local/internal';
import { deleteRows, type Schema } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { compactTable } from '../../../../test/support/maintenance/index.ts';
import { seededNumbers } from '../../../../test/support/random.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const SCHEMA: Schema = {
  schemaId: 0,
  identifierFieldIds: [],
  fields: [
    { id: 1, name: 'id', required: true, type: { kind: 'long' } },
    { id: 2, name: 'text', required: true, type: { kind: 'string' } },
  ],
};

let lake: SmallLake;
let backend: LocalEngine;
beforeEach(async () => {
  lake = await openSmallLake();
  ({ backend } = lake);
  await lake.create(SCHEMA);
});
afterEach(() => lake.close());

const append = (...rows: readonly { id: number; text: string }[]) => lake.append(rows);
const remove = (text: string) => deleteRows(lake.source, `text = '${text}'`);
const build = () =>
  lake.build(`key: { identifier: [id] }
on_duplicate_key: last
fields: [{ name: text, type: KEYWORD, cached: true }]`);

async function texts(): Promise<unknown[]> {
  return (await Array.fromAsync(backend.exportDocuments({}))).map(({ fields }) => fields.text);
}

describe('rows that share a key', () => {
  test('return to the index when the winner of their key is deleted', async () => {
    await append({ id: 1, text: 'old' }, { id: 2, text: 'two' });
    await append({ id: 1, text: 'new' });
    await build();
    expect(await texts()).toEqual(['new', 'two']);
    await append({ id: 2, text: 'second' });
    const second = { inserted: 0, updated: 1, deleted: 0, dropped_duplicates: 1 };
    expect(await backend.sync({})).toMatchObject(second);
    expect(await texts()).toEqual(['new', 'second']);
    await remove('old');
    const nothing = { inserted: 0, updated: 0, deleted: 0, snapshots_applied: 1 };
    expect(await backend.sync({})).toMatchObject(nothing);
    await remove('second');
    expect(await backend.sync({})).toMatchObject({ inserted: 0, updated: 1, deleted: 0 });
    expect(await texts()).toEqual(['new', 'two']);
    await remove('two');
    expect(await backend.sync({})).toMatchObject({ inserted: 0, updated: 0, deleted: 1 });
    expect(await texts()).toEqual(['new']);
  });

  /** Documents by key, as text: what counts are told of. */
  async function documents(): Promise<Map<string, string>> {
    const all = await Array.fromAsync(backend.exportDocuments({}));
    return new Map(all.map((d) => [JSON.stringify(d.coordinates), JSON.stringify(d.fields)]));
  }

  function netOf(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>) {
    const inserted = [...after.keys()].filter((key) => !before.has(key)).length;
    const deleted = [...before.keys()].filter((key) => !after.has(key)).length;
    const both = [...after].filter(([key]) => before.has(key));
    const updated = both.filter(([key, text]) => before.get(key) !== text).length;
    return { inserted, updated, deleted };
  }

  const SEEDS = byEffort(1, 3, 60);

  test.each(Array.from({ length: SEEDS }, (_, i) => i + 1))(
    'leave an index equal to a reindex after every step (seed %i)',
    async (seed) => {
      const random = seededNumbers(seed);
      const number = (below: number) => Math.floor(random() * below);
      const rows = (count: number) =>
        Array.from({ length: count }, () => ({ id: number(6), text: `t${number(4)}` }));
      await append(...rows(4));
      await build();
      for (let step = 0; step < 12; step++) {
        const kind = number(5);
        if (kind < 2) await append(...rows(1 + number(4)));
        else if (kind === 2)
          await deleteRows(lake.source, `text = 't${number(4)}' and id < ${number(6)}`);
        else if (kind === 3) await deleteRows(lake.source, `id = ${number(6)}`);
        else await compactTable(lake.source);
        const before = await documents();
        const done = await backend.sync({});
        const followed = await documents();
        expect(done, `step ${step}`).toMatchObject(netOf(before, followed));
        const { checkpoint } = await backend.describeIndex({});
        const built = await backend.reindex({});
        expect(followed, `step ${step}`).toEqual(await documents());
        expect(built.doc_count).toBe(done.doc_count);
        expect((await backend.describeIndex({})).checkpoint?.snapshot_id).toEqual(
          checkpoint?.snapshot_id,
        );
        if (step % 4 !== 3) await backend.sync({ until: String(await firstSnapshot()) });
        if (step % 4 !== 3) await backend.sync({});
        expect(await documents(), `back and forth after step ${step}`).toEqual(followed);
      }
    },
  );
});

async function firstSnapshot(): Promise<bigint> {
  const table = await lake.table();
  const [{ id }] = table.snapshots;
  await table.close();
  return id;
}
