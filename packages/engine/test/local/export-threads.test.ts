/** Exports that search threads read page by page, against the rows that were written. */
import { join } from 'node:path';
import type { ExportedDocument } from '@lakehouse-search/engine';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asTenant } from '../../../../test/support/as-tenant.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const string = { kind: 'string' } as const;
const schema = schemaOf({ id: string, org: string, title: string });
const DEFINITION = `tenant_field: org
sharding: { shards: 2 }
fields:
  - { name: title, type: TEXT, cached: true }
  - { name: org, type: KEYWORD, fast: true }`;

/** Ids in an order that is not that of the rows; texts of very different lengths. */
const rows = Array.from({ length: 9000 }, (_, n) => ({
  id: `k${(n * 7919) % 9000}`,
  org: n % 3 === 0 ? 'acme' : 'rival',
  title: `disk ${n % 2 === 0 ? 'full' : 'quiet'} ${'x'.repeat((n * 31) % 400)}`,
}));

let lake: SmallLake;
let backend: LocalEngine;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(schema);
  for (let at = 0; at < rows.length; at += 3000) {
    await lake.append(rows.slice(at, at + 3000));
  }
  await lake.build(DEFINITION);
  backend = await openEngine(join(lake.folder, 'data'), { create: true, threads: 2 });
});
afterAll(async () => {
  await backend.close();
  await lake.close();
});

const keysOf = (documents: readonly ExportedDocument[]) =>
  documents.map(({ coordinates }) => coordinates.identifier[0]!.value);
const idsOf = (isFound: (row: (typeof rows)[number]) => boolean) =>
  rows
    .filter(isFound)
    .map(({ id }) => id)
    .sort();

describe('an export of an engine with search threads', () => {
  it('has all documents by key, with the fields of an engine without threads', async () => {
    const documents = await Array.fromAsync(backend.exportDocuments({}));
    expect(keysOf(documents)).toEqual(idsOf(() => true));
    expect(documents).toEqual(await Array.fromAsync(lake.backend.exportDocuments({})));
  });

  it('has the documents that a query finds, and those of a tenant alone', async () => {
    const query = 'title:full';
    const found = await Array.fromAsync(backend.exportDocuments({ query }));
    expect(keysOf(found)).toEqual(idsOf(({ title }) => title.includes('full')));
    const acme = asTenant(backend, 'acme');
    const own = await Array.fromAsync(acme.exportDocuments({}));
    expect(keysOf(own)).toEqual(idsOf(({ org }) => org === 'acme'));
    const both = await Array.fromAsync(acme.exportDocuments({ query }));
    const isBoth = ({ org, title }: (typeof rows)[number]) =>
      org === 'acme' && title.includes('full');
    expect(keysOf(both)).toEqual(idsOf(isBoth));
  });

  it('lets the event loop turn many times, and reads nothing when it was aborted', async () => {
    let turns = 0;
    let isOver = false;
    const turn = () => {
      turns++;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    const running = [1, 2, 3, 4].map(() => Array.fromAsync(backend.exportDocuments({})));
    const all = await Promise.all(running);
    isOver = true;
    const chars = all.reduce((sum, documents) => sum + JSON.stringify(documents).length, 0);
    expect(turns).toBeGreaterThan(chars / (2 * 64 * 1024));
    const signal = AbortSignal.abort();
    const aborted = backend.exportDocuments({}, { signal });
    await expect(aborted.next()).rejects.toMatchObject({ code: 'interrupted' });
  });

  it('ends between two pages when its call is aborted', async () => {
    const stop = new AbortController();
    const documents = backend.exportDocuments({}, { signal: stop.signal });
    await documents.next();
    stop.abort();
    const rest = Array.fromAsync(documents);
    await expect(rest).rejects.toMatchObject({ code: 'interrupted' });
  });
});
