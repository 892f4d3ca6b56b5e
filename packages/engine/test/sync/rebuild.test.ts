import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ExportedDocument, LhsError } from '@lakehouse-search/engine';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { type Field, openTable, type Schema } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  fieldLine,
  hasShared,
  shared,
  type Truth,
  tablePath,
  truthOf,
} from '../../../../test/support/shared-tables.ts';

interface Payload {
  readonly at?: { readonly x: number };
  readonly page?: string;
  readonly first?: boolean;
  readonly lines?: readonly { readonly qty: number }[];
  readonly total?: number;
  readonly stars?: unknown;
}

let dataDir = '';
let backend: LocalEngine;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'lhs-ingest-'));
  backend = await openEngine(dataDir, { create: true, threads: 0 });
});
afterEach(async () => {
  await backend.close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function createFor(
  name: string,
  truth: Truth,
  more = '',
  without: readonly string[] = [],
): Promise<Schema> {
  const table = await openTable({ path: tablePath(name) });
  const { schema } = table;
  await table.close();
  const lines = schema.fields
    .filter((field) => !without.includes(field.name))
    .map((field: Field) => fieldLine(field))
    .filter((line) => line !== null);
  const definition = `version: 1
index: t
source: { path: ${JSON.stringify(tablePath(name))} }
key: { identifier: [${truth.identifier_columns.join(', ')}] }
fields:
${lines.join('\n')}
${more}`;
  await backend.createIndex({ definition });
  return schema;
}

async function exported(query?: string): Promise<ExportedDocument[]> {
  return Array.fromAsync(backend.exportDocuments({ index: 't', query }));
}

describe.skipIf(!hasShared)('reindex of foreign tables', () => {
  it('events_variant: shapes by a column of the table, flattened leaves beside them', async () => {
    const truth = truthOf('events_variant');
    await createFor(
      'events_variant',
      truth,
      `variants:
  - column: payload
    discriminator: kind
    shapes:
      - name: click
        when: click
        fields:
          - { path: at.x, type: LONG }
          - { path: page, type: KEYWORD, cached: true }
          - { path: first, type: BOOL }
      - name: order
        when: order
        fields: [ { path: lines.qty, type: LONG }, { path: total, type: DOUBLE } ]
      - { name: note, when: note, fields: [ { path: stars, type: LONG } ] }
`,
    );
    const built = await backend.reindex({});
    expect(built.untyped_values).toEqual({ 'payload.stars': 3 });
    const now = truth.snapshots.find((s) => s.snapshot_id === truth.current_snapshot_id)!;
    const documents = new Map((await exported()).map((d) => [d.fields.event_id, d.fields]));
    expect(documents.size).toBe(now.row_count);
    const list = (values: unknown[]) => (values.length > 1 ? values : values[0]);
    for (const row of now.rows!) {
      const { kind, payload, event_id } = row as {
        kind: string;
        payload: Payload;
        event_id: number;
      };
      const typed: Payload =
        typeof payload === 'object' && !Array.isArray(payload) ? (payload ?? {}) : {};
      const click = kind === 'click';
      expect(documents.get(event_id)).toEqual(
        JSON.parse(
          JSON.stringify({
            event_id,
            kind,
            'payload.at.x': click ? typed.at?.x : undefined,
            'payload.page': click ? typed.page : undefined,
            'payload.first': click ? typed.first : undefined,
            'payload.lines.qty':
              kind === 'order' ? list((typed.lines ?? []).map((line) => line.qty)) : undefined,
            'payload.total': kind === 'order' ? typed.total : undefined,
            'payload.stars':
              kind === 'note' && typeof typed.stars === 'number' ? typed.stars : undefined,
          }),
        ),
      );
    }
  });
});

describe.skipIf(!hasShared)('tables that reindex refuses', () => {
  it('rows that share a key, naming the key and both places; `last` keeps one', async () => {
    const truth = truthOf('reviews_mor');
    await createFor('reviews_mor', { ...truth, identifier_columns: ['product'] });
    const rows = truth.snapshots.at(-1)!.rows!;
    const products = new Set(rows.map((row) => row.product));
    const shared = `${rows.length - products.size} of ${rows.length}`;
    await expect(backend.reindex({})).rejects.toThrow(
      new RegExp(
        '^key product=\\S+ stands in two rows: row \\d+ of file:\\S+ and row \\d+ of file:\\S+; ' +
          `${shared} rows have the key of an earlier row$`,
      ),
    );
    expect(await backend.describeIndex({})).toMatchObject({ status: 'created', num_docs: 0 });
    const [folder] = readdirSync(join(dataDir, 'indexes'));
    expect(readdirSync(join(dataDir, 'indexes', folder))).toEqual([]);
    await backend.dropIndex({ index: 't' });
    expect(readdirSync(join(dataDir, 'indexes'))).toEqual([]);

    await createFor(
      'reviews_mor',
      { ...truth, identifier_columns: ['product'] },
      'on_duplicate_key: last\n',
    );
    const done = await backend.reindex({});
    expect(done.doc_count).toBe(products.size);
    expect(done.dropped_duplicates).toBe(rows.length - products.size);
  });

  it('refuses NULL keys, an unknown snapshot, a second writer; syncs another branch', async () => {
    const truth = truthOf('drafts_branches');
    await createFor('drafts_branches', truth);
    await expect(backend.sync({})).rejects.toThrow('has not been built yet');
    await expect(backend.reindex({ as_of: '17' })).rejects.toThrow('snapshot 17 is not in');
    const stray = truth.snapshots.find((snapshot) => !snapshot.is_current_ancestor)!;
    await backend.reindex({ as_of: stray.snapshot_id });
    const healed = await backend.sync({});
    expect(healed).toMatchObject({ healed: { reason: 'diverged' }, snapshots_applied: 1 });
    const first = backend.reindex({});
    await expect(backend.reindex({})).rejects.toMatchObject({ code: 'index_busy' });
    await first;
    const stopped = AbortSignal.abort();
    await expect(backend.reindex({}, { signal: stopped })).rejects.toMatchObject({
      code: 'interrupted',
    });
    expect((await backend.describeIndex({})).index_generation).toBe(2);
  });
});

describe.skipIf(!hasShared)('reindex of every table', () => {
  const names = hasShared
    ? readdirSync(`${shared}iceberg`).filter((name) => existsSync(`${tablePath(name)}/truth.json`))
    : [];
  const readable = names.filter((name) => !['git.commits', 'formats_mixed'].includes(name));

  it.each(readable)('%s: builds its head by the definition that init writes', async (name) => {
    const truth = truthOf(name);
    const table = await openTable({ path: tablePath(name) });
    const key = truth.identifier_columns.join(', ') || table.schema.fields[0].name;
    const source = { path: tablePath(name) };
    const definition = (await backend.initDefinition({ source, name: 't' })).definition
      .replace(/identifier: \[.*?\]/, `identifier: [${key}]`)
      .replaceAll(/, (type: TEXT|fast: true) }/g, ', $1, cached: true }');
    await table.close();
    await backend.createIndex({ definition });
    const head = truth.snapshots.find((s) => s.snapshot_id === truth.current_snapshot_id);
    expect(await backend.reindex({})).toMatchObject({
      doc_count: head?.row_count ?? 0,
      snapshot: head?.snapshot_id ?? null,
    });
    expect(await exported()).toHaveLength(head?.row_count ?? 0);
  });

  // These are read, or read in part (packages/lake/test/malformed.test.ts).
  const isRead = new Set(['README.md', 'file_size_wrong', 'unknown_transform', 'unknown_type']);
  const malformed = hasShared
    ? readdirSync(`${shared}iceberg/malformed`).filter((name) => !isRead.has(name))
    : [];
  it.each(malformed)('malformed/%s: a named error that says which file', async (name) => {
    const path = `${shared}iceberg/malformed/${name}`;
    const definition = `version: 1
index: t
source: { path: ${JSON.stringify(path)} }
key: { identifier: [id] }
fields: [{ name: title, type: TEXT }, { name: body, type: TEXT }]
`;
    const build = async () => {
      await backend.createIndex({ definition });
      await backend.reindex({});
    };
    const error = await build().then(
      () => null,
      (thrown: unknown) => thrown as LhsError,
    );
    expect(error).toBeInstanceOf(LhsError);
    expect(['source_invalid', 'unsupported']).toContain(error?.code);
    expect(error?.message).toMatch(/\.(parquet|avro|json|text|x)\b|passwd/);
    const [folder] = existsSync(join(dataDir, 'indexes'))
      ? readdirSync(join(dataDir, 'indexes'))
      : [];
    if (folder) expect(readdirSync(join(dataDir, 'indexes', folder))).toEqual([]);
  });
});
