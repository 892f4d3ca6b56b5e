/** Runs every example of docs/aggregations.md; the page's head says how they are written. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LhsError, type LocalBackend, openLocal } from '@lakehouse-search/engine';
import { importFiles } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const file = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const page = readFileSync(file('docs/aggregations.md'), 'utf8');

/** Fenced blocks of a kind: their text and the answer behind `=>`. */
function blocks(kind: string) {
  const found = page.matchAll(new RegExp(`^\`\`\`${kind}\n([\\s\\S]*?)^\`\`\`$`, 'gm'));
  return [...found].map(([, text]) => {
    const [request, wanted = ''] = text.split(/^=> /m);
    return { request, wanted: wanted.trim() };
  });
}

const folder = mkdtempSync(join(tmpdir(), 'lhs-aggregations-page-'));
let backend: LocalBackend;
beforeAll(async () => {
  const warehouse = join(folder, 'warehouse');
  await importFiles({
    catalog: { type: 'filesystem', warehouse },
    table: 'docs.tickets',
    files: [file('fixtures/query-docs.ndjson')],
    key: ['id'],
    formatVersion: 3,
  });
  const definition = blocks('yaml')[0].request.replace('./warehouse', JSON.stringify(warehouse));
  backend = await openLocal(join(folder, 'data'));
  await backend.createIndex({ definition });
  await backend.reindex({});
});
afterAll(async () => {
  await backend.close();
  rmSync(folder, { recursive: true, force: true });
});

async function answer(ask: () => Promise<unknown>): Promise<unknown> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof LhsError) return `error: ${error.message}`;
    throw error;
  }
}

async function check(found: unknown, wanted: string): Promise<void> {
  if (wanted.startsWith('error: ')) expect(found).toContain(wanted.slice(7));
  else expect(JSON.stringify(found)).toBe(JSON.stringify(JSON.parse(wanted)));
}

describe('docs/aggregations.md', () => {
  it.each(blocks('aggs'))('$request', async ({ request, wanted }) => {
    const asked = JSON.parse(request);
    await check(await answer(async () => (await backend.aggregate(asked)).results), wanted);
    if (wanted.startsWith('error: ')) return;
    // The same inside a search, whatever its page.
    expect((await backend.search({ ...asked, limit: 1 })).aggs).toEqual(JSON.parse(wanted));
  });

  it.each(blocks('facets'))('$request', async ({ request, wanted }) => {
    const { fields, size, ...asked } = JSON.parse(request);
    await check(
      await answer(async () => (await backend.facets({ ...asked, fields, size })).facets),
      wanted,
    );
    const { facets } = await backend.search({ ...asked, limit: 1, facets: { fields, size } });
    expect(facets).toEqual(JSON.parse(wanted));
  });

  it('has examples of every kind', () => {
    const kinds = [
      'terms',
      'stats',
      'date_histogram',
      'range',
      'filter',
      'missing',
      'cardinality',
      'percentiles',
    ];
    const text = blocks('aggs')
      .map(({ request }) => request)
      .join('\n');
    expect(kinds.filter((kind) => !text.includes(`"${kind}"`))).toEqual([]);
    expect(blocks('facets')).not.toHaveLength(0);
  });
});
