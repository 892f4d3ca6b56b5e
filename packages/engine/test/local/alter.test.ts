import { openEngine } from '@lakehouse-search/engine/local/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { Registry } from '../../src/registry/registry.ts';

const SCHEMA = schemaOf({ id: 'long', title: 'string', org: 'string' });
const FIELDS = `fields:
  - { name: title, type: TEXT, analyzer: standard, cached: true }
  - { name: org, type: KEYWORD, fast: true }
`;

/** A definition with it needs a reindex. */
const REINDEXED = 'key: { partition: [org], identifier: [id] }\n';

let lake: SmallLake;

/** A definition of the lake's table under a name, with more lines. */
const definition = (index: string, lines = FIELDS) =>
  `version: 1\nindex: ${index}\nsource: ${JSON.stringify(lake.source)}\n${lines}`;

/** A new index that is built. */
async function built(index: string): Promise<void> {
  await lake.backend.createIndex({ definition: definition(index) });
  await lake.backend.reindex({ index });
}

const alter = (index: string, definition_yaml: string, apply = true) =>
  lake.backend.alterIndex({ index, definition_yaml, apply });

const names = async () => (await lake.backend.listIndexes()).map(({ name }) => name);

beforeAll(async () => {
  lake = await openSmallLake();
  const rows = ['night train', 'night bus', 'day train'].map((title, id) => {
    return { id, title, org: id === 1 ? 'b' : 'a' };
  });
  await lake.create(SCHEMA, { rows });
});
afterAll(() => lake.close());

describe('a plan', () => {
  it('changes nothing', async () => {
    await built('planned');
    const plan = await alter('planned', definition('renamed'), false);
    expect(plan).toMatchObject({ index: 'planned', applied: false, requires_reindex: false });
    expect(await names()).toContain('planned');
  });

  it('counts what a reindex reads', async () => {
    await built('costly');
    const plan = await alter('costly', `${definition('costly')}${REINDEXED}`, false);
    expect(plan).toMatchObject({ strategy: 'reindex', reindex_cost: { rows: 3, texts: 0 } });
    const reason = 'key: every document is stored under its key';
    expect(plan.reindex_reasons).toEqual([reason]);
    expect(plan.reindex_cost?.bytes).toBeGreaterThan(0);
  });

  it('counts what an alter by field reads', async () => {
    await built('cheap');
    const more = `${FIELDS}  - { name: key, type: LONG, source: id }\n`;
    const plan = await alter('cheap', definition('cheap', more), false);
    expect(plan).toMatchObject({
      strategy: 'field',
      requires_reindex: false,
      field_changes: ['fields.key: no segment has it'],
      field_cost: { fields: ['key'], columns: ['id'], rows: 3, texts: 0 },
    });
    const dropped = definition('cheap', FIELDS.replace(/.*org.*\n/, ''));
    expect((await alter('cheap', dropped, false)).field_cost).toEqual({
      ...{ fields: [], columns: [], rows: 0, bytes: 0, texts: 0 },
    });
  });

  it('is empty for a definition that means the same', async () => {
    await built('same');
    const plan = await alter('same', `# of the night\n${definition('same')}`);
    expect(plan).toMatchObject({ is_noop: true, applied: false, changes: [] });
  });
});

describe('a new name', () => {
  it('takes aliases, saved queries and points in time with it', async () => {
    const { backend } = lake;
    await built('old');
    await backend.setAlias({ alias: 'other', index: 'old' });
    await backend.createSavedQuery({ name: 'nights', request: { index: 'old', query: 'night' } });
    const { pit_id } = await backend.openPit({ index: 'old', keep_alive: '1m' });
    expect(await alter('old', definition('new'))).toMatchObject({
      index: 'new',
      applied: true,
      reindex_triggered: false,
      generation: 1,
    });
    await expect(backend.search({ index: 'old', query: 'night' })).rejects.toMatchObject({
      code: 'index_not_found',
    });
    for (const index of ['new', 'other']) {
      expect((await backend.search({ index, query: 'night' })).total).toBe(2);
    }
    const [saved] = await backend.listSavedQueries();
    expect(saved.request).toMatchObject({ index: 'new' });
    expect((await backend.search({ ...saved.request, pit_id })).total).toBe(2);
  });

  it('that an index or an alias has is refused, and nothing changes', async () => {
    await built('first');
    await built('second');
    await lake.backend.setAlias({ alias: 'third', index: 'second' });
    for (const taken of ['second', 'third']) {
      await expect(alter('first', definition(taken))).rejects.toMatchObject({
        code: 'index_exists',
      });
    }
    expect(await names()).toEqual(expect.arrayContaining(['first', 'second']));
    expect((await lake.backend.describeIndex({ index: 'third' })).index).toBe('second');
  });

  it('that the caller may not use is refused', async () => {
    await built('listed');
    const call = { principal: { subject: 'u', indexes: ['listed'], scopes: [] } };
    const request = { index: 'listed', definition_yaml: definition('hidden'), apply: true };
    await expect(lake.backend.alterIndex(request, call)).rejects.toMatchObject({
      code: 'permission_denied',
    });
  });
});

describe('a definition that is altered live', () => {
  it('is in force in another process that has the index open', async () => {
    await built('shared');
    const other = await openEngine(lake.backend.dataDir, { create: true, threads: 0 });
    try {
      const call = { principal: { subject: 'u', tenant: 'a', scopes: [] } };
      const request = { index: 'shared', query: '*:*' };
      expect((await other.search(request)).total).toBe(3);
      await expect(other.search(request, call)).rejects.toMatchObject({
        code: 'permission_denied',
      });
      await alter('shared', `${definition('shared')}tenant_field: org\n`);
      expect((await other.search(request, call)).total).toBe(2);
    } finally {
      await other.close();
    }
  });

  it('keeps the generation, its documents and its hashes', async () => {
    await built('kept');
    const before = await lake.backend.verify({ index: 'kept' });
    await alter('kept', `${definition('kept')}on_duplicate_key: last\n`);
    const after = await lake.backend.verify({ index: 'kept' });
    expect({ ...after, took_ms: 0 }).toEqual({ ...before, took_ms: 0 });
    expect((await lake.backend.describeIndex({ index: 'kept' })).index_generation).toBe(1);
  });

  it('was compared with the definition in force: of two at once one is refused', async () => {
    await built('raced');
    const texts = [5, 6].map((ms) => `${definition('raced')}freshness_ms: ${ms}\n`);
    const ends = await Promise.allSettled(texts.map((text) => alter('raced', text)));
    const refused = ends.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(1);
    expect(refused[0]).toMatchObject({ reason: { code: 'index_busy' } });
  });
});

describe.each([
  ['by field', '', false],
  ['by a reindex', REINDEXED, true],
])('a definition that is altered %s', (_how, more, reindex_triggered) => {
  const name = (index: string) => `${index}-${reindex_triggered ? 'all' : 'field'}`;
  const altered = (index: string, lines: string) => definition(index, `${lines}${more}`);
  const STEMMED = FIELDS.replace('analyzer: standard', 'analyzer: english');
  const total = async (index: string, query: string, pit_id?: string) =>
    (await lake.backend.search({ index, query, ...(pit_id && { pit_id }) })).total;

  it('is in force with its generation', async () => {
    await built(name('stemmed'));
    expect(await total(name('stemmed'), 'title:nights')).toBe(0);
    const plan = await alter(name('stemmed'), altered(name('stemmed'), STEMMED));
    expect(plan).toMatchObject({ applied: true, reindex_triggered, generation: 2 });
    expect(await total(name('stemmed'), 'title:nights')).toBe(2);
    const found = await lake.backend.verify({ index: name('stemmed'), deep: true });
    expect(found).toMatchObject({ equal: true, index_generation: 2 });
  });

  it('leaves points in time under the definition that they were written under', async () => {
    await built(name('pinned'));
    const { pit_id } = await lake.backend.openPit({ index: name('pinned'), keep_alive: '1m' });
    const fields = `fields:\n  - { name: words, type: TEXT, source: title, analyzer: english }\n`;
    await alter(name('pinned'), altered(name('pinned'), fields));
    expect(await total(name('pinned'), 'words:nights')).toBe(2);
    expect(await total(name('pinned'), 'title:night', pit_id)).toBe(2);
    await expect(total(name('pinned'), 'words:night', pit_id)).rejects.toMatchObject({
      code: 'invalid_query',
    });
    const other = await openEngine(lake.backend.dataDir, { create: true, threads: 0 });
    try {
      const request = { index: name('pinned'), query: 'org:b', pit_id };
      expect((await other.search(request)).total).toBe(1);
    } finally {
      await other.close();
    }
  });

  it('takes a new name along', async () => {
    await built(name('before'));
    await alter(name('before'), altered(name('after'), STEMMED));
    expect(await total(name('after'), 'title:nights')).toBe(2);
    expect(await names()).not.toContain(name('before'));
    expect(await lake.backend.sync({ index: name('after') })).toMatchObject({ doc_count: 3 });
  });

  it('changes nothing if its build fails or is canceled', async () => {
    await built(name('failing'));
    const before = await lake.backend.describeIndex({ index: name('failing') });
    const stop = new AbortController();
    const request = { index: name('failing'), definition_yaml: altered(name('failing'), STEMMED) };
    const progress = () => stop.abort();
    const call = { signal: stop.signal, progress };
    const ended = lake.backend.alterIndex({ ...request, apply: true }, call);
    await expect(ended).rejects.toMatchObject({ code: 'interrupted' });
    expect(await lake.backend.describeIndex({ index: name('failing') })).toEqual(before);
    expect(await lake.backend.listJobs({ index: name('failing'), state: 'canceled' })).toHaveLength(
      1,
    );
    expect(await total(name('failing'), 'title:nights')).toBe(0);
  });

  it('is refused while another reindex of the index runs', async () => {
    await built(name('building'));
    const registry = new Registry(lake.backend.dataDir);
    const job = registry.jobs.start(registry.get(name('building')).uuid, 'reindex', Date.now());
    const refused = alter(name('building'), altered(name('building'), STEMMED));
    await expect(refused).rejects.toMatchObject({ code: 'index_busy' });
    registry.jobs.apply(job?.id ?? '', 'canceled', Date.now());
    registry.close();
    expect(await alter(name('building'), altered(name('building'), STEMMED))).toMatchObject({
      generation: 2,
    });
  });
});
