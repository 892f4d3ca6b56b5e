/** The interface against a server of one process: a test per line, named as the line. */
import { OPERATIONS } from '@lakehouse-search/contract/internal';
import { describe, expect, it } from 'vitest';
import { conformanceSuite, pathsOfInterface } from './conformance-suite.ts';
import { startOne } from './one-process.ts';

conformanceSuite('a server of one process', () => startOne(1));

describe.skipIf(pathsOfInterface() === undefined)('the routes', () => {
  it('have every path of the interface', () => {
    const bindings = Object.values(OPERATIONS).flatMap(({ path, also = [] }) => [
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
