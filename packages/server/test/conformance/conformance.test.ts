/**
 * The interface against a server of one process. The test also writes docs/conformance.md
 * (LHS_UPDATE_PAGES=1), and checks that the page is what it would write.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ROUTES } from '@lakehouse-search/client';
import { describe, expect, it } from 'vitest';
import { conformanceSuite, pathsOfInterface } from './conformance-suite.ts';
import { startOne } from './one-process.ts';
import { conformancePage } from './page.ts';

const PAGE = fileURLToPath(new URL('../../../../docs/conformance.md', import.meta.url));

conformanceSuite('a server of one process', () => startOne(1));

describe('docs/conformance.md', () => {
  it('is what this test writes', () => {
    const page = conformancePage();
    if (process.env.LHS_UPDATE_PAGES === '1') writeFileSync(PAGE, page);
    expect(readFileSync(PAGE, 'utf8')).toBe(page);
  });

  it.skipIf(pathsOfInterface() === undefined)('has every path of the interface', () => {
    const bindings = Object.values(ROUTES).flatMap(({ path, also = [] }) => [
      path,
      ...also.map((other) => other.split(' ')[1]),
    ]);
    const known = new Set([
      ...bindings.map((path) => path.replaceAll(/\{\w+\}/g, '{}')),
      ...['query', 'query_range', 'alerts'].map((name) => `/v1/stats/${name}`),
    ]);
    const missing = pathsOfInterface()?.filter(
      (path) => !known.has(path.replaceAll(/\{\w+\}/g, '{}')),
    );
    expect(missing).toEqual([]);
  });
});
