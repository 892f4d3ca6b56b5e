import { readFileSync } from 'node:fs';
import { getOption } from '@bufbuild/protobuf';
import { OPERATION_NAMES, OPERATIONS } from '@lakehouse-search/contract/internal';
import { describe, expect, it } from 'vitest';
import { http } from '../generated/google/api/annotations_pb.ts';
import { ROUTES } from '../generated/routes.ts';
import { METHODS } from './methods.ts';

const bindings = Object.values(OPERATIONS).flatMap(({ verb, path, also = [] }) => [
  `${verb} ${path}`,
  ...also,
]);

describe('the table of routes', () => {
  it('names each endpoint and each method once', () => {
    expect(new Set(bindings).size).toBe(bindings.length);
    const methods = Object.values(OPERATIONS).map(({ rpc }) => rpc);
    expect(new Set(methods).size).toBe(methods.length);
  });

  it('has the endpoints that scripts/proto.ts has written', () => {
    for (const operation of OPERATION_NAMES) {
      expect(OPERATIONS[operation], operation).toMatchObject(ROUTES[operation]);
    }
    expect(Object.keys(ROUTES)).toEqual(OPERATION_NAMES);
  });

  it('is what the annotations of the methods say', () => {
    for (const { route, method } of Object.values(METHODS)) {
      const { pattern } = getOption(method, http);
      expect([pattern.case, pattern.value]).toEqual([route.verb.toLowerCase(), route.path]);
    }
  });

  it('is on the page about REST', () => {
    const page = readFileSync(new URL('../../../../docs/rest.md', import.meta.url), 'utf8');
    const listed = page.matchAll(/`(?:(GET|POST|PUT|DELETE) )?(\/v1\/[^`?\s]+)`/g);
    // a route without a verb is a POST
    const names = new Set([...listed].map(([, verb = 'POST', path]) => `${verb} ${path}`));
    names.delete('GET /v1/openapi.json');
    expect([...names].sort()).toEqual(bindings.sort());
  });
});
