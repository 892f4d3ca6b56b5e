import { METHODS } from '@lakehouse-search/client/internal';
import { OPERATIONS } from '@lakehouse-search/contract/internal';
import { describe, expect, it } from 'vitest';
import { openApi } from './document.ts';

type Node = { readonly [key: string]: unknown };
const document = JSON.parse(JSON.stringify(openApi('1.2.3'))) as {
  paths: Record<string, Record<string, Node>>;
  components: { schemas: Record<string, { properties?: Node; required?: string[] }> };
};

/** All references of a value. */
function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { $ref } = value as { readonly $ref?: string };
  return [...($ref === undefined ? [] : [$ref]), ...Object.values(value).flatMap(references)];
}

describe('the description of REST', () => {
  it('has every route of the table', () => {
    const described = Object.entries(document.paths).flatMap(([path, verbs]) =>
      Object.keys(verbs).map((verb) => `${verb.toUpperCase()} ${path}`),
    );
    const routes = Object.values(METHODS).flatMap(({ route }) => [
      `${route.verb} ${route.path}`,
      ...(route.also ?? []),
    ]);
    const others = [
      'POST /mcp',
      ...['query', 'query_range', 'alerts'].map((path) => `GET /v1/stats/${path}`),
    ];
    expect(described.sort()).toEqual([...routes, ...others].sort());
  });

  it('has references that lead somewhere, and ids that are unique', () => {
    const broken = references(document).filter((reference) => {
      const parts = reference.slice(2).split('/');
      const found = parts.reduce<unknown>((node, part) => (node as Node)?.[part], document);
      return found === undefined;
    });
    expect(broken).toEqual([]);
    const operations = Object.values(document.paths).flatMap((verbs) => Object.values(verbs));
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('describes presence, closed sets and null as the contract has them', () => {
    const { SearchResponse, SearchRequest } = document.components.schemas;
    expect(SearchResponse.required).toContain('snapshot');
    expect(SearchResponse.required).not.toContain('partial');
    expect(SearchResponse.properties).toMatchObject({
      snapshot: { type: ['string', 'null'] },
      took_ms: { type: 'number' },
      total: { type: 'integer' },
    });
    expect(SearchRequest).toMatchObject({
      additionalProperties: false,
      properties: { syntax: { type: 'string', enum: ['default', 'kql'] } },
    });
    expect(SearchRequest.required).toBeUndefined();
  });

  it.each(Object.entries(OPERATIONS))('has a valid example of %s', (_, { check, example }) => {
    expect(() => check(example)).not.toThrow();
  });
});
