import { readFileSync } from 'node:fs';
import { getOption } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { http } from '../generated/google/api/annotations_pb.ts';
import { METHODS } from './methods.ts';
import { ROUTES } from './routes.ts';

const bindings = Object.values(ROUTES).flatMap(({ verb, path, also = [] }) => [
  `${verb} ${path}`,
  ...also,
]);

describe('the table of routes', () => {
  it('names each endpoint and each method once', () => {
    expect(new Set(bindings).size).toBe(bindings.length);
    const methods = Object.values(ROUTES).map(({ rpc }) => rpc);
    expect(new Set(methods).size).toBe(methods.length);
  });

  it('is what the annotations of the methods say', () => {
    for (const { route, method } of Object.values(METHODS)) {
      const { pattern } = getOption(method, http);
      expect([pattern.case, pattern.value]).toEqual([route.verb.toLowerCase(), route.path]);
    }
  });

  it('is on the page about REST', () => {
    const page = readFileSync(new URL('../../../../docs/rest.md', import.meta.url), 'utf8');
    const listed = [...page.matchAll(/`((?:GET|POST|PUT|DELETE) \/v1\/[^`?]+)`/g)];
    const names = new Set(listed.map(([, name]) => name));
    names.delete('GET /v1/openapi.json');
    expect([...names].sort()).toEqual(bindings.sort());
  });
});
