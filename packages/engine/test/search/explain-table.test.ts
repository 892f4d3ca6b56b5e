/** Explanations where index and table differ, and the shapes of answers, over a small table. */
import { rmSync } from 'node:fs';
import { deleteRows } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import type { ExplainRequest, ExplainResponse, LhsError, QueryTree } from '../../src/index.ts';

const long = { kind: 'long' } as const;
const string = { kind: 'string' } as const;
const schema = schemaOf({ id: long, title: string, body: string, repo: string });
const DEFINITION = `key: { identifier: [id] }
fields:
  - { name: title, type: TEXT, analyzer: english, cached: true }
  - { name: body, type: TEXT }
  - { name: repo, type: KEYWORD }`;

const rows = [
  { id: 1, title: 'Connection was reset by peer', body: 'the pool was drained again', repo: 'git' },
  { id: 2, title: 'Timeouts of the gateway', body: null, repo: 'Perl' },
  { id: 3, title: 'Connection reset', body: 'nothing', repo: null },
];
let lake: SmallLake;

beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(schema, { rows });
  await lake.build(DEFINITION);
});
afterAll(() => lake.close());

const key = (id: number | string) => ({ identifier: [{ name: 'id', value: String(id) }] });
const explain = (query: string, id: number | string, more: Partial<ExplainRequest> = {}) =>
  lake.backend.explain({ query, coordinates: key(id), ...more });

describe('explain and why_not over a table', () => {
  test('explains a hit by its score, its factors and the analysed terms', async () => {
    const query = 'timeout connections^2 repo:git';
    const { hits } = await lake.backend.search({ query });
    const answer = await explain(query, 1);
    expect(answer).toMatchObject({ found: true, matched: true, rank: 1, total: 3 });
    expect(answer.score).toBeCloseTo(hits[0]!.score, 9);
    expect(answer.analyzed).toEqual([
      { field: 'title', terms: ['timeout', 'connect'] },
      { field: 'repo', terms: ['git'] },
    ]);
    const [word] = answer.detail!.details;
    expect(word).toMatchObject({
      clause: 'connections^2',
      factors: { boost: 2, df: [2], docs: 3, frequency: 1, length: 3 },
    });
    // ln(1 + (3 - 2 + 0.5) / (2 + 0.5)), and titles of 3, 2 and 2 tokens.
    expect(word!.factors!.idf).toBeCloseTo(Math.log(1.6), 12);
    expect(word!.factors!.average_length).toBeCloseTo(7 / 3, 12);
    expect(Object.keys(answer.timings)).toEqual(['index_ms', 'hydration_ms', 'total_ms']);
    expect(answer).not.toHaveProperty('why_not');
  });

  test.each<[string, number, ExplainResponse['why_not']]>([
    [
      'title:"connection peer"',
      1,
      {
        reason: 'clause',
        message: 'title:"connection peer" needs the words next to each other',
        clause: 'title:"connection peer"',
        field: 'title',
        tokens: ['connect', 'reset', 'peer'],
        would_match: 'title:"connection peer"~3',
        change: 'with ~3 (words up to 3 places off)',
      },
    ],
    [
      'body:draind',
      1,
      {
        reason: 'clause',
        message: 'body:draind needs "draind": no document has it',
        clause: 'body:draind',
        field: 'body',
        tokens: ['the', 'pool', 'was', 'drained', 'again'],
        would_match: 'body:drained',
        change: 'with what the document has there,',
        nearest_term: 'drained',
      },
    ],
    [
      'body:pool',
      2,
      {
        reason: 'clause',
        message: 'body:pool needs a value: body is empty',
        clause: 'body:pool',
        field: 'body',
        tokens: [],
      },
    ],
    [
      'connection -repo:git',
      1,
      {
        reason: 'excluded',
        message: 'excluded: repo:git matches, and must not',
        clause: 'repo:git',
        field: 'repo',
        tokens: ['git'],
      },
    ],
    [
      'the of',
      1,
      {
        reason: 'nothing_left',
        message: 'the of can match nothing: its analyzer removes every word',
        clause: 'the of',
      },
    ],
  ])('%s does not match %i', async (query, id, why) => {
    const answer = await explain(query, id);
    expect(answer).toMatchObject({ found: true, matched: false });
    expect(answer.why_not).toEqual(why);
    expect(answer).not.toHaveProperty('detail');
  });

  test('names the terms that matched with a constant score', async () => {
    const made = async (query: string, id: number) =>
      (await explain(query, id)).detail?.description;
    expect(await made('title:re*', 1)).toBe('title:re*: constant 1.00, by "reset"');
    expect(await made('body:drainde~2', 1)).toBe(
      'body:drainde~2: constant 0.50, by "drained" (1 edit)',
    );
    expect(await made('body:/.*/', 1)).toBe(
      'body:/.*/: constant 1.00, by "again", "drained", "pool", …',
    );
    expect(await made('repo:*', 1)).toBe('repo:*: constant 1.00');
  });

  test('names what is missing', async () => {
    const message = async (ast: ExplainRequest['ast'], id: number) =>
      (await lake.backend.explain({ ast, coordinates: key(id) })).why_not?.message;
    const match = {
      match: { field: 'body', value: 'pool nothing else', operator: 'and' },
    } as const;
    expect(await message(match, 1)).toBe(
      'body:(pool nothing else) needs "nothing", "else": body does not have them',
    );
    const bool: QueryTree = {
      bool: {
        should: [
          { term: { field: 'repo', value: 'git' } },
          { term: { field: 'repo', value: 'vim' } },
          { exists: { field: 'body' } },
        ],
        minimum_should_match: 3,
      },
    };
    expect(await message(bool, 1)).toMatch(/^2 of the 3 alternatives of .* match, 3 must$/);
    expect(await message({ prefix: { field: 'title', value: 'zz' } }, 1)).toBe(
      'title:zz* matches no value of the document',
    );
    expect(await message({ match_none: {} }, 1)).toMatch(
      /can match nothing: it matches no document/,
    );
  });

  test('explains a hit after the page and one that a filter excludes', async () => {
    const behind = await explain('*:*', 3, { limit: 1, offset: 1 });
    expect(behind).toMatchObject({ matched: true, rank: 3, total: 3, score: 1 });
    expect(behind.why_not?.reason).toBe('below_page');
    const sorted = await explain('*:*', 3, { limit: 1, sort: [{ field: '_key', desc: true }] });
    expect(sorted).toMatchObject({ rank: 1 });
    expect(sorted).not.toHaveProperty('why_not');
    const filtered = await explain('connection', 3, { filter: 'repo:git' });
    expect(filtered).toMatchObject({ found: true, matched: false, total: 1 });
    expect(filtered.why_not).toMatchObject({ reason: 'filter', clause: 'repo:git', field: 'repo' });
    const kept = await explain('connection', 1, { filter: 'repo:git' });
    expect(kept.detail?.details.map(({ score }) => score)).toEqual([kept.score, 0]);
  });

  test('explains rows that only the table or only the index has', async () => {
    const absent = await explain('connection', 9);
    expect(absent).toMatchObject({ found: false, matched: false, why_not: { reason: 'absent' } });
    expect(absent.analyzed).toEqual([{ field: 'title', terms: ['connect'] }]);
    await lake.append([{ ...rows[0]!, id: 4 }]);
    await deleteRows(lake.source, 'id = 3');
    const newer = await explain('connection', 4);
    expect(newer).toMatchObject({ found: false, matched: false, lag_snapshots: 2 });
    expect(newer.why_not).toMatchObject({ reason: 'newer_than_index', missing_snapshots: 2 });
    const removed = await explain('connection', 3);
    expect(removed).toMatchObject({ found: true, matched: true, rank: 1 });
    expect(removed.why_not?.reason).toBe('removed');
    expect((await explain('connection', 1)).why_not).toBeUndefined();
    await lake.backend.sync({});
    expect((await explain('connection', 4)).matched).toBe(true);
    expect((await explain('connection', 3)).why_not?.reason).toBe('absent');
  });

  test('refuses unknown request fields and a key of other columns', async () => {
    const refusal = (request: object) =>
      lake.backend.explain(request as ExplainRequest).then(
        () => 'accepted',
        (error: LhsError) => `${error.code}: ${error.message}`,
      );
    expect(await refusal({ query: 'a' })).toBe(
      'invalid_argument: "coordinates" is missing: expected a value',
    );
    expect(await refusal({ query: 'a', coordinates: key(1), highlight: {} })).toBe(
      'invalid_argument: unknown request field "highlight"',
    );
    const other = { identifier: [{ name: 'idd', value: '1' }] };
    expect(await refusal({ query: 'a', coordinates: other })).toBe(
      'invalid_argument: "idd" is not a key column; did you mean "id"?',
    );
    expect(await refusal({ query: 'titel:a', coordinates: key(1) })).toMatch(
      /^invalid_query: field/,
    );
  });

  test('suggests fields, limits and refusals', async () => {
    const { suggestions, snapshot } = await lake.backend.suggest({ field: 'repo', text: '' });
    expect(suggestions.map(({ text, doc_count }) => [text, doc_count])).toEqual([
      ['git', 2],
      ['Perl', 1],
    ]);
    expect(snapshot).toBe(String(await lake.head()));
    const refusal = (request: object) =>
      lake.backend.suggest({ field: 'title', text: 'a', ...request }).then(
        () => 'accepted',
        (error: LhsError) => `${error.code}: ${error.message}`,
      );
    expect(await refusal({ limit: 1000 })).toBe('accepted');
    expect(await refusal({ limit: 1001 })).toBe('limit_exceeded: "limit" is 1001: at most 1000');
    expect(await refusal({ max_edits: 1 })).toBe(
      'invalid_argument: "max_edits" needs "fuzzy": true',
    );
    expect(await refusal({ fuzzy: true, max_edits: 3 })).toMatch(
      /^limit_exceeded: "max_edits" is 3/,
    );
    expect(await refusal({ field: 'titel' })).toMatch(/^invalid_argument: "field" names "titel"/);
    expect(await refusal({ text: 'x'.repeat(9000) })).toMatch(
      /^limit_exceeded: "text" has 9000 bytes/,
    );
  });

  test('reports a table that cannot be read', async () => {
    rmSync(`${lake.folder}/lake`, { recursive: true });
    const answer = await explain('connection', 77);
    expect(answer).toMatchObject({ found: false, lag_snapshots: null });
    expect(answer.why_not?.reason).toBe('table_unreachable');
    expect((await explain('connection', 1)).matched).toBe(true);
  });
});
