// @module-tag campaign
// @module-tag slow
import { LhsError } from '@lakehouse-search/engine';
import type { LocalEngine } from '@lakehouse-search/engine/local/internal';
import { deleteRows, type Schema, valueAt } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { compactTable, setProperties } from '../../../../test/support/maintenance/index.ts';
import { seededNumbers } from '../../../../test/support/random.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const text = { kind: 'string' } as const;
const SCHEMA: Schema = {
  schemaId: 0,
  identifierFieldIds: [],
  fields: [
    { id: 1, name: 'id', required: false, type: { kind: 'long' } },
    { id: 2, name: 'ip', required: false, type: text },
    { id: 3, name: 'name', required: false, type: text },
    { id: 4, name: 'at', required: false, type: text },
    {
      id: 5,
      name: 'vec',
      required: false,
      type: { kind: 'list', elementId: 6, element: { kind: 'float' }, elementRequired: false },
    },
  ],
};

interface Row {
  readonly id: number | null;
  readonly ip?: string;
  readonly name?: string;
  readonly at?: string;
  readonly vec?: readonly (number | null)[];
}

/** Values that no field takes, by column. */
const BAD = {
  ip: { ip: 'no address' },
  name: { name: 'x'.repeat(32_767) },
  at: { at: 'yesterday' },
  dims: { vec: [1, 2, 3] },
  element: { vec: [1, null] },
} as const;
type Fault = keyof typeof BAD | 'key';
const FAULTS = [...(Object.keys(BAD) as (keyof typeof BAD)[]), 'key'] as const;

const good = (id: number, name = `name ${id}`): Row => {
  return { id, ip: `10.0.0.${id}`, name, at: '2026-01-02', vec: [id, 1] };
};
const bad = (id: number, fault: Fault): Row =>
  fault === 'key' ? { ...good(id), id: null } : { ...good(id), ...BAD[fault] };

let lake: SmallLake;
let backend: LocalEngine;
beforeEach(async () => {
  lake = await openSmallLake();
  ({ backend } = lake);
  await lake.create(SCHEMA);
});
afterEach(() => lake.close());

const append = (...rows: readonly Row[]) => lake.append(rows as never);
const remove = (condition: string) => deleteRows(lake.source, condition);

const definition = (index: string, more: string) => `version: 1
index: ${index}
source: { catalog: ${JSON.stringify(lake.source.catalog)}, table: a.t }
key: { identifier: [id] }
fields:
  - { name: ip, type: IP, cached: true }
  - { name: name, type: KEYWORD, cached: true }
  - { name: at, type: DATE, cached: true }
  - { name: vec, type: VECTOR, dims: 2 }
${more}`;

const SKIP = 'on_bad_row: skip\n';
const create = (more = SKIP, index = 't') =>
  backend.createIndex({ definition: definition(index, more) });
const documents = (index = 't') => Array.fromAsync(backend.exportDocuments({ index }));
const ids = async () =>
  (await documents()).map(({ coordinates }) => coordinates.identifier[0].value);

async function errorOf(work: Promise<unknown>): Promise<LhsError> {
  const error = await work.then(() => null).catch((caught: unknown) => caught);
  if (error instanceof LhsError) return error;
  throw new Error(`expected an LhsError, not ${String(error)}`);
}

describe('a row that cannot be indexed', () => {
  it.each(FAULTS)('stops a build and a sync by default (%s)', async (fault) => {
    await append(good(1));
    await create('');
    await backend.reindex({ index: 't' });
    await append(bad(2, fault));
    for (const work of ['sync', 'reindex'] as const) {
      const error = await errorOf(backend[work]({ index: 't' }));
      expect(error.code).toBe('source_invalid');
      expect(error.hint).toContain('on_bad_row: skip');
    }
  });

  it.each(FAULTS)('has no document and is listed with on_bad_row: skip (%s)', async (fault) => {
    await append(good(1), bad(2, fault), good(3));
    await create();
    const listed = {
      skipped_rows: 1,
      first_skipped_rows: [{ position: 1, file: expect.stringContaining('parquet') }],
    };
    const built = await backend.reindex({ index: 't' });
    expect(built).toMatchObject({ doc_count: 2, ...listed });
    const [{ key, reason }] = built.first_skipped_rows ?? [];
    expect(key).toBe(fault === 'key' ? undefined : 'id=2');
    expect(reason).toContain(fault === 'key' ? 'NULL' : 'column "');
    expect(await backend.status({ index: 't' })).toMatchObject(listed);
    expect(await ids()).toEqual(['1', '3']);
    expect(await backend.verify({ index: 't', deep: true })).toMatchObject({
      equal: true,
      rows_compared: 2,
      skipped_rows: 1,
      missing: 0,
    });
  });

  it('may appear, be corrected and be deleted while a sync follows the table', async () => {
    await append(good(1));
    await create();
    await backend.reindex({ index: 't' });
    await append(bad(2, 'ip'), bad(3, 'at'), good(4));
    const appeared = await backend.sync({ index: 't' });
    expect(appeared).toMatchObject({ inserted: 1, skipped_rows: 2 });
    expect(appeared.first_skipped_rows).toMatchObject([{ key: 'id=2' }, { key: 'id=3' }]);
    await remove('id = 2');
    await append(good(2));
    expect(await backend.sync({ index: 't' })).toMatchObject({ inserted: 1, skipped_rows: 1 });
    await remove('id = 3');
    const deleted = await backend.sync({ index: 't' });
    expect(deleted).toMatchObject({ deleted: 0, doc_count: 3 });
    expect(deleted.skipped_rows).toBeUndefined();
    expect(await backend.verify({ index: 't' })).toMatchObject({ equal: true, missing: 0 });
  });

  it('takes the document of its key away when a good row becomes bad', async () => {
    await append(good(1), good(2));
    await create();
    await backend.reindex({ index: 't' });
    await remove('id = 2');
    await append(bad(2, 'ip'));
    expect(await backend.sync({ index: 't' })).toMatchObject({ deleted: 1, skipped_rows: 1 });
    expect(await ids()).toEqual(['1']);
  });

  it('is reported by each commit event of a follower', async () => {
    await append(good(1));
    await create();
    await backend.reindex({ index: 't' });
    await append(bad(2, 'ip'));
    const stop = new AbortController();
    const options = { signal: stop.signal };
    for await (const event of backend.follow({ index: 't', poll_ms: 10 }, options)) {
      if (event.event !== 'commit') continue;
      expect(event).toMatchObject({ skipped_rows: 1, first_skipped_rows: [{ key: 'id=2' }] });
      stop.abort();
    }
    expect(stop.signal.aborted).toBe(true);
  });

  it('is listed only among the first 20, and counted beyond', async () => {
    await append(...Array.from({ length: 30 }, (_, i) => bad(i, 'ip')), good(99));
    await create();
    const built = await backend.reindex({ index: 't' });
    expect(built.skipped_rows).toBe(30);
    expect(built.first_skipped_rows).toHaveLength(20);
  });

  it('does not hide a good row without a document from verify', async () => {
    await append(good(1), bad(2, 'ip'));
    await create();
    await backend.reindex({ index: 't' });
    await append(good(3), bad(4, 'ip'));
    const table = await lake.table();
    const snapshot = String(table.currentSnapshotId);
    await table.close();
    expect(await backend.verify({ index: 't', snapshot })).toMatchObject({
      equal: false,
      missing: 1,
      skipped_rows: 2,
      keys: { missing: [{ identifier: [{ name: 'id', value: '3' }] }] },
    });
  });

  it('is no duplicate of a good row of its key', async () => {
    await append(bad(1, 'ip'), good(1), bad(1, 'at'));
    await create();
    expect(await backend.reindex({ index: 't' })).toMatchObject({ doc_count: 1, skipped_rows: 2 });
  });

  it('needs a reindex before it is refused again, or has another limit', async () => {
    await append(good(1));
    await create('');
    await backend.reindex({ index: 't' });
    const alter = (text: string) =>
      backend.alterIndex({ index: 't', definition_yaml: text, apply: true });
    expect(await alter(definition('t', SKIP))).toMatchObject({ reindex_triggered: false });
    await append(bad(2, 'name'));
    expect(await backend.sync({ index: 't' })).toMatchObject({ skipped_rows: 1 });
    expect((await errorOf(alter(definition('t', '')))).code).toBe('source_invalid');
    const limited = definition('t', SKIP).replace('KEYWORD,', 'KEYWORD, max_bytes: 99,');
    expect(await alter(limited)).toMatchObject({ reindex_triggered: true });
    expect(await ids()).toEqual(['1', '2']);
    expect((await backend.status({ index: 't' })).skipped_rows).toBeUndefined();
  });

  it('has no document if a limit that left its value out is removed before', async () => {
    await append(good(1), bad(2, 'name'));
    await create('');
    const alter = (text: string) =>
      backend.alterIndex({ index: 't', definition_yaml: text, apply: true });
    const limited = definition('t', '').replace('KEYWORD,', 'KEYWORD, max_bytes: 99,');
    await alter(limited);
    expect(await backend.reindex({ index: 't' })).toMatchObject({ doc_count: 2 });
    expect((await errorOf(alter(definition('t', '')))).code).toBe('source_invalid');
    expect(await alter(definition('t', SKIP))).toMatchObject({ reindex_triggered: true });
    expect(await backend.verify({ index: 't' })).toMatchObject({ equal: true, skipped_rows: 1 });
  });
});

const SEEDS = byEffort(1, 2, 60);
const CASES = byEffort([3], [1, 3]).flatMap((shards) =>
  Array.from({ length: SEEDS }, (_, i) => [shards, i + 1] as const),
);

describe('an index that skips rows', () => {
  it.each(CASES)('equals a fresh build after every step (%i shards, seed %i)', async (...given) => {
    const [shards, seed] = given;
    const random = seededNumbers(seed);
    const number = (below: number) => Math.floor(random() * below);
    const rows = (count: number) =>
      Array.from({ length: count }, () => {
        const id = number(8);
        const fault = FAULTS[number(FAULTS.length)];
        return number(3) === 0 ? bad(id, fault) : good(id, `n${number(5)}`);
      });
    const policy = seed % 2 === 0 ? 'last' : 'refuse';
    const more = `${SKIP}on_duplicate_key: ${policy}\n`;
    await append(...rows(policy === 'last' ? 6 : 0), bad(9, 'ip'));
    await create(`${more}sharding: { shards: ${shards} }\n`);
    await create(more, 'fresh');
    await backend.reindex({ index: 't' });
    for (let step = 0; step < 10; step++) {
      await changeTable(number, rows, policy === 'last');
      const done = await backend.sync({ index: 't' });
      const built = await backend.reindex({ index: 'fresh' });
      const at = `step ${step}`;
      expect(await documents(), at).toEqual(await documents('fresh'));
      const skipped = await badRowsOfTable();
      expect([done.skipped_rows ?? 0, built.skipped_rows ?? 0], at).toEqual([skipped, skipped]);
      expect(done.first_skipped_rows?.length ?? 0).toBeLessThanOrEqual(skipped);
      const found = await backend.verify({ index: 't' });
      expect([found.equal, found.skipped_rows ?? 0], at).toEqual([true, skipped]);
    }
  });
});

/** One commit of the table. Keys stay unique among good rows unless `repeats`. */
async function changeTable(
  number: (below: number) => number,
  rows: (count: number) => readonly Row[],
  repeats: boolean,
): Promise<void> {
  const kind = number(7);
  if (kind <= 2) {
    const fresh = rows(1 + number(4));
    const own = repeats ? fresh : [...new Map(fresh.map((row) => [row.id, row])).values()];
    if (!repeats) await remove(`id in (${own.map(({ id }) => id ?? -1).join(', ')})`);
    await append(...own);
  } else if (kind === 3) await remove(`id = ${number(8)}`);
  else if (kind === 4) await remove(`ip = 'no address' and id < ${number(8)}`);
  else if (kind === 5) await compactTable(lake.source);
  else {
    const mode = number(2) === 0 ? 'copy-on-write' : null;
    await setProperties(lake.source, { 'write.delete.mode': mode });
    await remove(`id is null or name = 'n${number(5)}'`);
  }
}

/** Rows of the table that the definition cannot index. */
async function badRowsOfTable(): Promise<number> {
  const table = await lake.table();
  let count = 0;
  for await (const batch of table.scan({ columns: ['id', 'ip', 'name', 'at', 'vec'] })) {
    for (let row = 0; row < batch.rows; row++) {
      const [id, ip, name, at, vec] = batch.columns.map((column) => valueAt(column, row));
      const list = (vec ?? []) as readonly (number | null)[];
      const faulty =
        id === null || ip === 'no address' || at === 'yesterday' || String(name).length > 99;
      if (faulty || list.length === 3 || list.includes(null)) count++;
    }
  }
  await table.close();
  return count;
}
