/**
 * The published schema of the query tree: it is the reader's own, and takes what the reader takes.
 */
import { readFileSync } from 'node:fs';
import { LhsError } from '@lakehouse-search/contract';
import { QUERY_TAGS } from '@lakehouse-search/contract/internal';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { QUERY_TREE_SCHEMA } from '../../../../../scripts/query-tree-schema.ts';
import { queries } from '../../../../../test/support/oracle/queries.ts';
import { readTree } from './read.ts';
import { writeTree } from './write.ts';

type Node = Readonly<Record<string, unknown>>;
const FILE = new URL('../../../../../docs/query-tree.schema.json', import.meta.url);
const published = JSON.parse(readFileSync(FILE, 'utf8')) as Node;

describe('the JSON schema of query trees', () => {
  test('is docs/query-tree.schema.json (node scripts/query-schema.ts writes it)', () => {
    expect(published).toEqual(JSON.parse(JSON.stringify(QUERY_TREE_SCHEMA)));
  });

  type Rule = (rule: never, json: unknown, schema: Node) => boolean;
  const isObject = (json: unknown): json is Readonly<Record<string, unknown>> =>
    typeof json === 'object' && json !== null && !Array.isArray(json);

  const TYPES: Readonly<Record<string, (json: unknown) => boolean>> = {
    string: (json) => typeof json === 'string',
    number: (json) => typeof json === 'number',
    integer: (json) => Number.isInteger(json),
    boolean: (json) => typeof json === 'boolean',
    array: Array.isArray,
    object: isObject,
  };

  /** The keywords of JSON schema (2020-12) that the schema uses; another one fails the test. */
  const RULES: Readonly<Record<string, Rule>> = {
    $schema: () => true,
    title: () => true,
    $defs: () => true,
    $ref: (ref: string, json) => valid(resolve(ref), json),
    type: (types: string | string[], json) => [types].flat().some((type) => TYPES[type](json)),
    enum: (values: unknown[], json) => values.includes(json),
    required: (keys: string[], json) =>
      !isObject(json) || keys.every((k) => Object.hasOwn(json, k)),
    properties: (parts: Record<string, Node>, json) =>
      !isObject(json) ||
      Object.entries(parts).every(([k, part]) => !Object.hasOwn(json, k) || valid(part, json[k])),
    additionalProperties: (_: false, json, { properties }) =>
      !isObject(json) || Object.keys(json).every((k) => Object.hasOwn(properties as object, k)),
    items: (part: Node, json) => !Array.isArray(json) || json.every((item) => valid(part, item)),
    maxItems: (most: number, json) => !Array.isArray(json) || json.length <= most,
    minItems: (least: number, json) => !Array.isArray(json) || json.length >= least,
    pattern: (source: string, json) => typeof json !== 'string' || new RegExp(source).test(json),
    minLength: (least: number, json) => typeof json !== 'string' || json.length >= least,
    minimum: (least: number, json) => typeof json !== 'number' || json >= least,
    maximum: (most: number, json) => typeof json !== 'number' || json <= most,
    anyOf: (parts: Node[], json) => parts.some((part) => valid(part, json)),
    oneOf: (parts: Node[], json) => parts.filter((part) => valid(part, json)).length === 1,
    not: (part: Node, json) => !valid(part, json),
  };

  function resolve(ref: string): Node {
    const path = ref.slice('#/'.length).split('/');
    return path.reduce<Node>((node, name) => node[name] as Node, published);
  }

  function valid(schema: Node, json: unknown): boolean {
    return Object.entries(schema).every(([name, rule]) => {
      const check = RULES[name];
      if (check === undefined) throw new Error(`the test knows no keyword "${name}"`);
      return check(rule as never, json, schema);
    });
  }

  function isRead(tree: unknown): boolean {
    try {
      readTree(tree);
      return true;
    } catch (error) {
      if (error instanceof LhsError) return false;
      throw error;
    }
  }

  const value = fc.oneof(
    fc.constantFrom('a', '', 'or', 'and', 0, 1, 2, 3, 2000, -1, 1.5, true, null),
    fc.constantFrom({}, [], ['a', 1, false], ['a', null]),
    fc.constantFrom('auto', 'none', '-25%', '2<3', [{ identifier: [{ name: 'a', value: 'b' }] }]),
  );
  const clauseLike = fc.letrec<{ clause: unknown }>((tie) => {
    const part = fc.oneof(
      { weight: 3, arbitrary: value },
      { weight: 1, arbitrary: tie('clause') },
      { weight: 1, arbitrary: fc.array(tie('clause'), { maxLength: 2 }) },
    );
    const of = (tag: keyof typeof QUERY_TAGS) => {
      const { required, optional } = QUERY_TAGS[tag];
      const keys = [...Object.keys(required), ...Object.keys(optional)];
      const parts = Object.fromEntries(keys.map((key) => [key, part]));
      const extra = fc.option(fc.constantFrom('boost', 'gte', 'field'), { freq: 8 });
      const body = fc.tuple(fc.record(parts, { requiredKeys: [] }), extra, part);
      return body.map(([own, key, more]) => ({
        [tag]: key === null ? own : { ...own, [key]: more },
      }));
    };
    const tags = Object.keys(QUERY_TAGS) as (keyof typeof QUERY_TAGS)[];
    return { clause: fc.oneof({ maxDepth: 3 }, value, ...tags.map(of)) };
  }).clause;

  test('accepts exactly the trees that the reader accepts', () => {
    let taken = 0;
    fc.assert(
      fc.property(clauseLike, (tree) => {
        const read = isRead(tree);
        taken += read ? 1 : 0;
        expect(valid(published, tree), JSON.stringify(tree)).toBe(read);
      }),
      { seed: 20_261_121, numRuns: 20_000 },
    );
    expect(taken).toBeGreaterThan(300);
  });

  test('accepts the tree of every query', () => {
    for (const query of fc.sample(queries, { seed: 20_261_121, numRuns: 2000 })) {
      const tree = writeTree(query);
      expect(valid(published, tree), JSON.stringify(tree)).toBe(true);
    }
  });
});
