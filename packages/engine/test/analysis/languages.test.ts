import { readFileSync } from 'node:fs';
import { appendRows, createTable } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

/** By language: pairs of a query and the row that it must find. */
const PAIRS = JSON.parse(
  readFileSync(new URL('../../../../fixtures/judged-languages.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, readonly (readonly [query: string, row: string])[]>>;

const schema = schemaOf({ id: 'long', text: 'string' });

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
});
afterAll(() => lake.close());

/** Indexes the rows of a language as `index init` proposes. */
async function build(language: string): Promise<string> {
  const { backend, source } = lake;
  const table = { ...source, table: `a.${language}` };
  await createTable(table.catalog, table.table, { schema });
  const rows = PAIRS[language].map(([, text], id) => ({ id, text }));
  await appendRows(table, { kind: 'rows', rows });
  const { definition } = await backend.initDefinition({ source: table, name: language });
  await backend.createIndex({ definition });
  await backend.reindex({ index: language });
  return definition;
}

describe('the proposed definition of a text column', () => {
  it('is judged by 10 queries in each of 20 languages', () => {
    expect(Object.values(PAIRS).map((pairs) => pairs.length)).toEqual(Array(20).fill(10));
  });

  it.each(Object.keys(PAIRS))('finds rows in %s by words as people type them', async (language) => {
    expect(await build(language)).toContain('name: text, type: TEXT');
    const missed: string[] = [];
    for (const [id, [query, row]] of PAIRS[language].entries()) {
      const request = { index: language, query, default_operator: 'and', limit: 3 } as const;
      const { hits } = await lake.backend.search(request);
      const found = hits.map(({ coordinates }) => coordinates.identifier[0].value);
      if (!found.includes(String(id))) missed.push(`${query}: ${row}`);
    }
    expect(missed).toEqual([]);
  });
});
