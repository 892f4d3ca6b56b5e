/** The searches of README.md by words, over tables with ascending, hashed and composite keys. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { SearchRequest } from '@lakehouse-search/contract';
import { describe, expect, it, onTestFinished } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake } from '../../../../test/support/small-lake.ts';
import { kernelUse } from '../../src/scoring/kernel/query-kernel.ts';

const README = readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8');
const WRITTEN = /lhs search \S+ '(.+?)'(.*)|\bquery"?: ["'](.+?)["'] ?[,}]/g;
/** Without those by meaning or in another order, and without OR between fields. */
const QUERIES = [...README.matchAll(WRITTEN)]
  .filter(([, , flags = '']) => !/--(mode|sort)/.test(flags))
  .map(([, command, , json]) => command ?? json)
  .filter((query) => !/(?<! AND) service:/.test(query));

const WORDS = ['connection reset', 'certificate timeout', 'timeout', 'pool drained', 'certificate'];
const rows = Array.from({ length: 400 }, (_, id) => {
  const sha = createHash('sha1').update(String(id)).digest('hex');
  const [service, severity] = [id % 3 === 0 ? 'billing' : 'identity', 1 + (id % 4)];
  const title = `${WORDS[id % 5]} of ${'abcdefg'[id % 7]}`;
  return { id, sha, shop: `shop ${id % 7}`, service, severity, title };
});
const schema = schemaOf({
  ...{ id: 'long', sha: 'string', shop: 'string' },
  ...{ service: 'string', severity: 'int', title: 'string' },
});

describe.each([
  ['ascending ids', 'id'],
  ['hashes', 'sha'],
  ['composite keys', 'shop, id'],
])('searches of README.md over %s', (_, key) => {
  it('run in the kernel, which explain names', async () => {
    const lake = await openSmallLake();
    onTestFinished(() => lake.close());
    await lake.create(schema, { rows: rows.slice(0, 300) });
    await lake.build(`key: { identifier: [${key}] }
fields:
  - { name: title, type: TEXT, analyzer: english }
  - { name: service, type: KEYWORD, fast: true }
  - { name: severity, type: LONG, fast: true }`);
    await lake.append(rows.slice(300));
    await lake.backend.sync({});
    const explained = async (request: SearchRequest) => {
      const { hits } = await lake.backend.search(request);
      const { coordinates } = hits[0];
      return (await lake.backend.explain({ ...request, coordinates })).scored_by;
    };
    for (const query of QUERIES) expect(await explained({ query }), query).toBe('kernel');
    expect(await explained({ query: 'timeout', sort: [{ field: 'severity' }] })).toBe('bitmaps');
    expect(await explained({ query: 'timeout service:billing' })).toBe('bitmaps');
    const before = kernelUse.run;
    await lake.backend.search({ query: 'timeout' });
    expect(kernelUse.run).toBe(before + 1);
  });
});
