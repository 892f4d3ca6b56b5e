import { expect } from 'vitest';
import { TICKET_FIELDS, TICKETS } from '../support/tickets.ts';
import {
  type Ask,
  expectFields,
  INDEX,
  type Loose,
  restRow,
  row,
  type Section,
  unlessLed,
} from './row.ts';

/** A definition over the table of `tickets`, as requests over the network write it. */
const definitionOf = ({ shards }: Ask, index: string, more = ''): string =>
  `version: 1
index: ${index}
source: { catalog: main, table: ops.tickets }
sharding: { shards: ${shards} }
${TICKET_FIELDS}${more}`;

/** The name of a new index, by transport: REST and gRPC work on indexes of their own. */
const nameOf = (ask: Ask, what: string): string => `${what}-${ask.transport}`;

async function made(ask: Ask, what: string, more = ''): Promise<string> {
  const index = nameOf(ask, what);
  await ask.ok('createIndex', { definition: definitionOf(ask, index, more) });
  await ask.ok('reindex', { index });
  return index;
}

async function ended(ask: Ask, job_id: string): Promise<Loose> {
  await ask('watchJob', { job_id });
  return ask.ok('getJob', { job_id });
}

/** The table has one row less than the index `tickets`. */
const ROWS = TICKETS.length - 1;
/** A batch of no rows for a table that does not exist. */
const NO_ROWS = {
  ...{ version: 1, table_uuid: '00000000-0000-4000-8000-000000000000', from: null, parts: [] },
  to: { snapshot_id: '1', sequence_number: '1' },
};
const WINDOWS = 'windows: { field: at, every: month }\n';

/** Indexes, jobs, alter, maintenance, ingestion, aliases, saved queries. */
export const LIFECYCLE_ROWS: Section = {
  title: 'Indexes, jobs and maintenance',
  rows: [
    row('`index` empty with one index served: that index', async (ask) => {
      const bodies = [
        await ask.ok('search', { query: 'timeout' }),
        await ask.ok('search', { query: 'timeout', index: '' }),
      ];
      expect(bodies.map(({ total }) => total)).toEqual([30, 30]);
      return bodies;
    }),
    row('`index` empty with one index served: that index, in each operation', async (ask) => {
      const definition_yaml = definitionOf(ask, 'tickets');
      const bodies = await Promise.all([
        ask.ok('describeIndex', {}),
        ask.ok('status', {}),
        ask.ok('alterIndex', { definition_yaml }),
        ask.ok('getKeys', { keys: [{ identifier: [{ name: 'id', value: '1' }] }] }),
        ask.ok('suggest', { field: 'status', text: 'o' }),
        ask.ok('facets', { fields: ['status'] }),
        ask.ok('backupStatus', { index: '' }),
        ask.ok('compact', { index: '' }),
      ]);
      expect(bodies[0].index).toBe('tickets');
      expect(bodies[2].is_noop).toBe(true);
      return bodies.map((body) => body.index);
    }),
    row('POST /v1/indexes with `definition` creates an index', async (ask) => {
      const index = nameOf(ask, 'made');
      const body = await ask.ok('createIndex', { definition: definitionOf(ask, index) });
      expect(body).toMatchObject({ index, status: 'created' });
      await ask.refused(412, 'createIndex', { definition: definitionOf(ask, index) });
      return body;
    }),
    row(
      'an index that is not built yet: described, without a checkpoint; searches are 412',
      async (ask) => {
        const index = nameOf(ask, 'made');
        const body = await ask.ok('describeIndex', { index });
        expect(body).toMatchObject({ index, status: 'created', num_docs: 0, snapshot: null });
        const status = await ask.ok('status', { index });
        expect([status.status, status.checkpoint]).toEqual(['created', null]);
        expect((await ask.ok('listIngestion')).map((one: Loose) => one.index)).toContain(index);
        await ask.refused(412, 'search', { index, query: 'a' });
        return [body.fields, status];
      },
    ),
    row('`index required; endpoint serves N indexes`', async (ask) => {
      const { length } = await ask.ok('listIndexes');
      const near = { vector_field: 'title_vec', query_text: 'a' };
      const messages = [
        await ask.refused(400, 'search', { query: 'timeout' }),
        await ask.refused(400, 'semantic', near),
        await ask.refused(400, 'hybrid', near),
        await ask.refused(400, 'getKeys', { keys: [] }),
        await ask.refused(400, 'suggest', { field: 'title', text: 'a' }),
        await ask.refused(400, 'facets', { fields: ['status'] }),
        await ask.refused(400, 'reindex', {}),
      ];
      for (const message of messages) {
        expect(message).toBe(`index required; endpoint serves ${length} indexes`);
      }
      return null;
    }),
    row('GET /v1/indexes: name and status of each', async (ask) => {
      const all = await ask.ok('listIndexes');
      expect(all).toContainEqual(expect.objectContaining({ name: 'tickets', status: 'live' }));
      const own = all.find(({ name }: Loose) => name === 'tickets');
      expect(own.bytes).toBeGreaterThan(0);
      return own;
    }),
    row(
      'GET /v1/indexes/{name}: status, shard count, routing strategy, bucket map',
      async (ask) => {
        const body = await ask.ok('getRouting', INDEX);
        expect(body).toEqual({
          name: 'tickets',
          status: 'live',
          shard_count: ask.shards,
          routing_strategy: 'hash',
          buckets: [],
        });
        await ask.refused(404, 'getRouting', { index: 'nothing' });
        return body;
      },
    ),
    row('index:reindex: `doc_count`, `snapshot`', async (ask) => {
      const body = await ask.ok('reindex', { index: nameOf(ask, 'made') });
      expect(body.doc_count).toBe(ROWS);
      expect(body.bytes).toBeGreaterThan(0);
      expect(body.snapshot).toMatch(/^\d+$/);
      return body;
    }),
    row('a reindex cuts over at once: the next search reads the new generation', async (ask) => {
      const index = nameOf(ask, 'made');
      const before = await ask.ok('search', { index, query: '*:*' });
      await ask.ok('reindex', { index });
      const after = await ask.ok('search', { index, query: '*:*' });
      expect(after.index_generation).toBe(before.index_generation + 1);
      return after.total;
    }),
    row(
      'POST /v1/jobs: 202 with `job_id`; the job ends as `done` with its progress',
      async (ask) => {
        const answer = await ask('startJob', { index: nameOf(ask, 'made') }, 'admin');
        expect(answer.status).toBe(202);
        const job = await ended(ask, (answer.body as Loose).job_id);
        expect([job.state, job.kind]).toEqual(['done', 'reindex']);
        expect(job.shards).toHaveLength(ask.shards);
        const sum = (name: string) =>
          job.shards.reduce((n: number, one: Loose) => n + one[name], 0);
        expect(sum('docs_done')).toBe(ROWS);
        // Each shard rounds its part of an estimate.
        expect(sum('docs_total') - ROWS).toBeLessThan(ask.shards);
        expectFields(job.shards[0], 'generation');
        expect(job.result.doc_count).toBe(ROWS);
        return job.state;
      },
    ),
    row('GET /v1/jobs: newest first; GET /v1/jobs/{id} of an unknown one: 404', async (ask) => {
      const jobs = await ask.ok('listJobs', { index: nameOf(ask, 'made') });
      const times = jobs.map(({ created_at }: Loose) => created_at);
      expect(times).toEqual([...times].sort().reverse());
      await ask.refused(404, 'getJob', { job_id: 'nothing' });
      return jobs.length > 0;
    }),
    row('a second reindex of an index: 412', async (ask) => {
      const index = nameOf(ask, 'made');
      // Either the second is refused, or the first has ended: then the two are tried again.
      for (;;) {
        const both = ['startJob', 'startJob'] as const;
        const answers = await Promise.all(both.map((name) => ask(name, { index }, 'admin')));
        for (const { status, body } of answers) {
          if (status === 202) await ended(ask, (body as Loose).job_id);
        }
        const statuses = answers.map(({ status }) => status).sort();
        if (statuses[1] === 412) return statuses;
      }
    }),
    row('DELETE /v1/jobs/{id} cancels; of an ended job it changes nothing', async (ask) => {
      const { job_id } = await ask.ok('startJob', { index: nameOf(ask, 'made') });
      await ask.ok('cancelJob', { job_id });
      const job = await ended(ask, job_id);
      expect(['canceled', 'done']).toContain(job.state);
      const again = await ask.ok('cancelJob', { job_id });
      expect(again.state).toBe(job.state);
      const { index_generation } = await ask.ok('search', { ...INDEX, query: 'timeout' });
      return index_generation;
    }),
    row('index:alter without `apply`: the plan of a change of metadata', async (ask) => {
      const index = nameOf(ask, 'made');
      const definition_yaml = definitionOf(ask, index).replace(', sensitive: true', '');
      const plan = await ask.ok('alterIndex', { index, definition_yaml, apply: false });
      expect(plan).toMatchObject({
        is_noop: false,
        requires_reindex: false,
        reindex_reasons: [],
        applied: false,
        reindex_triggered: false,
      });
      expect(plan.in_place_changes).toHaveLength(1);
      return plan;
    }),
    row('index:alter with `apply`: metadata takes effect without a reindex', async (ask) => {
      const index = nameOf(ask, 'made');
      const definition_yaml = definitionOf(ask, index).replace(', sensitive: true', '');
      const plan = await ask.ok('alterIndex', { index, definition_yaml, apply: true });
      expect([plan.applied, plan.reindex_triggered]).toEqual([true, false]);
      const again = await ask.ok('alterIndex', { index, definition_yaml, apply: true });
      expect(again.is_noop).toBe(true);
      return [plan.in_place_changes, again];
    }),
    row('index:alter of an analyzer: a new generation, in which that field is new', async (ask) => {
      const index = nameOf(ask, 'made');
      const definition_yaml = definitionOf(ask, index).replace(
        'analyzer: plain',
        'analyzer: english',
      );
      const { index_generation } = await ask.ok('search', { index, query: '*:*' });
      const done = await ask.ok('alterIndex', { index, definition_yaml, apply: true });
      expect([done.applied, done.strategy]).toEqual([true, 'field']);
      expect(done.generation).toBeGreaterThan(index_generation);
      return done.changes;
    }),
    row(
      'index:alter that needs all rows: `requires_reindex` with reasons, `reindex_triggered`',
      async (ask) => {
        const index = nameOf(ask, 'made');
        const definition_yaml = definitionOf(ask, index, WINDOWS);
        const plan = await ask.ok('alterIndex', { index, definition_yaml });
        expect([plan.requires_reindex, plan.reindex_reasons.length > 0]).toEqual([true, true]);
        const done = await ask.ok('alterIndex', { index, definition_yaml, apply: true });
        expect([done.applied, done.reindex_triggered]).toEqual([true, true]);
        const { shards_total } = await ask.ok('search', { index, query: '*:*' });
        expect(shards_total).toBe(ask.shards);
        return plan.reindex_reasons;
      },
    ),
    row('index:compact: `segments_before`, `segments_after`', async (ask) => {
      const body = await ask.ok('compact', INDEX, 'both');
      expectFields(body, 'segments_before', 'segments_after');
      return body.segments_after;
    }),
    row('index:backup: `snapshot`, `file_count`, `created_ms`, `prefix`', async (ask) => {
      const body = await ask.ok('backup', { ...INDEX, prefix: 'nightly' }, 'both');
      expectFields(body, 'snapshot', 'file_count', 'created_ms');
      expect(body.prefix).toBe('nightly');
      return body.prefix;
    }),
    row('index:backup-status: `configured`, `present` and the newest backup', async (ask) => {
      const body = await ask.ok('backupStatus', { ...INDEX, prefix: 'nightly' }, 'both');
      expect([body.configured, body.present]).toEqual([true, true]);
      expectFields(body, 'snapshot', 'created_ms', 'file_count');
      return body.configured;
    }),
    row('GET /v1/cold of an index without windows: 404', (ask) =>
      ask.refused(404, 'windowStatus', INDEX),
    ),
    row(
      'GET /v1/cold: tier of each window, and hits, misses and bytes of the cache',
      async (ask) => {
        const index = await made(ask, 'windowed', WINDOWS);
        const body = await ask.ok('windowStatus', { index });
        expect(body.windows).toHaveLength(12);
        expect(new Set(body.windows.map(({ tier }: Loose) => tier))).toEqual(new Set(['hot']));
        expectFields(body.cache, 'hits', 'misses', 'bytes');
        return body.windows;
      },
    ),
    row('a windowed index rebuilds one window at a time', async (ask) => {
      const request = { index: nameOf(ask, 'windowed'), window: '2026-03' };
      const body = await ask.ok('reindexWindow', request);
      expect(body.doc_count).toBe(5);
      return body;
    }),
    row('source:describe: the schema of `<namespace>.<table>`', async (ask) => {
      const body = await ask.ok('describeSource', { table: 'ops.tickets' });
      expect(body).toMatchObject({ table: 'ops.tickets', identifier: ['id'] });
      await ask.refused(404, 'describeSource', { table: 'ops.nothing' });
      return body;
    }),
    row(
      'GET /v1/ingestion and /v1/ingestion/{name}: head of the table, checkpoint, lag',
      async (ask) => {
        const one = await ask.ok('status', INDEX);
        expect([one.index, one.num_docs]).toEqual(['tickets', 60]);
        // The newest snapshot of the table has deleted a row; nothing follows the table.
        expect(one.lag.snapshots).toBe(1);
        expect(one.shards).toHaveLength(ask.shards);
        for (const { snapshot } of one.shards) expect(snapshot).toBe(one.checkpoint.snapshot);
        const all = await ask.ok('listIngestion');
        const listed = all.find(({ index }: Loose) => index === 'tickets');
        expect(listed.shards).toEqual(one.shards);
        // Only under a control plane does a status name who syncs the index.
        const fields = Object.keys(one).filter((field) => field !== 'synced_by');
        return [fields.sort(), listed.num_docs, listed.generations[0].num_docs];
      },
    ),
    restRow('GET /v1/ingestion/{name} over REST', async (ask) => {
      const response = await ask.http('GET', '/v1/ingestion/tickets');
      expect(((await response.json()) as Loose).index).toBe('tickets');
      return null;
    }),
    row('aliases: made, listed, searched, moved, dropped', async (ask) => {
      const alias = nameOf(ask, 'alias');
      await ask.ok('setAlias', { alias, ...INDEX });
      const listed = await ask.ok('listAliases');
      expect(listed).toContainEqual({ alias, ...INDEX });
      const { total } = await ask.ok('search', { index: alias, query: 'timeout' });
      await ask.refused(412, 'setAlias', { alias: 'tickets', index: nameOf(ask, 'made') });
      await ask.ok('setAlias', { alias, index: nameOf(ask, 'made') });
      await ask.ok('compact', { index: alias }, 'both');
      await ask.ok('dropAlias', { alias });
      await ask.refused(404, 'search', { index: alias, query: 'timeout' });
      return total;
    }),
    row('index:activity: what was done with an index', async (ask) => {
      const index = nameOf(ask, 'made');
      const seen = async () => (await ask.ok('activity', { index })).map((one: Loose) => one.event);
      const events = ['createIndex ok', 'reindex ok', 'alterIndex ok'];
      await expect.poll(seen).toEqual(expect.arrayContaining(events));
      // A request that named the index by an alias, and one that named none.
      await expect.poll(seen).toContain('compact ok');
      const ofTickets = async () =>
        (await ask.ok('activity', INDEX)).map((one: Loose) => one.event);
      await expect.poll(ofTickets).toContain('compact ok');
      return null;
    }),
    row('GET /v1/license: licensee, nodes in use, limit', async (ask) => {
      const body = await ask.ok('license');
      expectFields(body, 'licensee', 'nodes_in_use', 'nodes_limit');
      return body.licensee;
    }),
    row('GET /v1/config: the index that the console opens first', async (ask) => {
      const body = await ask.ok('consoleConfig');
      expectFields(body, 'default_index', 'scopes');
      return body;
    }),
    row('saved queries of a user: created, listed, replaced, deleted', async (ask) => {
      const request = { ...INDEX, query: 'timeout' };
      const name = nameOf(ask, 'query');
      const saved = await ask.ok('createSavedQuery', { name, request }, 'reader');
      const { id } = saved;
      expect(saved).not.toHaveProperty('mode');
      const list = async (caller: 'reader' | 'admin') =>
        (await ask.ok('listSavedQueries', {}, caller)).map((one: Loose) => one.id);
      expect([await list('reader'), await list('admin')]).toEqual([[id], []]);
      const other = { id, name, request: { ...INDEX, query: 'login' } };
      expect(await ask.ok('replaceSavedQuery', other, 'reader')).toMatchObject(other);
      await ask.refused(404, 'deleteSavedQuery', { id }, 'admin');
      await ask.ok('deleteSavedQuery', { id }, 'reader');
      expect(await list('reader')).toEqual([]);
      return saved;
    }),
    row('a cloned index: the same hits, and its own drop', async (ask) => {
      const name = nameOf(ask, 'cloned');
      await ask.refused(412, 'cloneIndex', { ...INDEX, name: 'tickets' });
      await ask.refused(404, 'cloneIndex', { index: 'nothing', name });
      const done = await ask.ok('cloneIndex', { ...INDEX, name });
      const { num_docs } = await ask.ok('describeIndex', INDEX);
      expect(done).toMatchObject({ index: name, cloned_from: 'tickets', num_docs });
      expect(done.bytes_copied).toBeLessThan(done.bytes);
      const hits = async (index: string) =>
        (await ask.ok('search', { index, query: 'timeout', limit: 100 })).hits.map(
          (hit: Loose) => hit.coordinates,
        );
      await expect.poll(() => hits(name)).toEqual(await hits('tickets'));
      await ask.ok('dropIndex', { index: name });
      expect(await hits('tickets')).not.toEqual([]);
      return num_docs;
    }),
    unlessLed(
      row('a renamed index: 404 under its old name, its alias follows', async (ask) => {
        const [index, name] = [nameOf(ask, 'made'), nameOf(ask, 'renamed')];
        const alias = nameOf(ask, 'alias');
        await ask.ok('setAlias', { alias, index });
        await ask.refused(412, 'renameIndex', { index, name: 'tickets' });
        const done = await ask.ok('renameIndex', { index, name });
        expect(done).toMatchObject({ index: name, previous_name: index, aliases: [alias] });
        await ask.refused(404, 'search', { index, query: '*:*' });
        for (const of of [name, alias]) {
          expect((await ask.ok('search', { index: of, query: '*:*' })).total).toBe(ROWS);
        }
        await ask.ok('renameIndex', { index: name, name: index });
        await ask.ok('dropAlias', { alias });
        return null;
      }),
      { status: 501, operation: 'renameIndex', request: { ...INDEX, name: 'renamed' } },
    ),
    row('DELETE /v1/indexes/{name} drops; then 404', async (ask) => {
      for (const what of ['made', 'windowed']) {
        const index = nameOf(ask, what);
        expect((await ask.ok('dropIndex', { index })).index).toBe(index);
        await ask.refused(404, 'dropIndex', { index });
      }
      return null;
    }),
    row('Write: GetCheckpoint', async (ask) => {
      const body = await ask.ok('getCheckpoint', INDEX);
      expectFields(body, 'table_uuid', 'snapshot_id');
      return [body.columns, body.key_columns];
    }),
    unlessLed(
      row('Write: ApplyBatch of a snapshot that is applied already', async (ask) => {
        const { table_uuid, applied, columns, key_columns, index_generation, ...to } = await ask.ok(
          'getCheckpoint',
          INDEX,
        );
        const batch = { version: 1, table_uuid, from: null, to, parts: [] };
        const body = await ask.ok('applyBatch', { ...INDEX, batch });
        expect([body.applied, body.doc_count]).toEqual([false, 60]);
        return null;
      }),
      { status: 501, operation: 'applyBatch', request: { ...INDEX, batch: NO_ROWS } },
    ),
  ],
};
