/** Bare words in several fields: each query says the same as one that names the fields. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importFiles } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalEngine, openEngine } from '../../src/local-backend.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-default-fields-'));
const warehouse = join(folder, 'lake');
const tickets = fileURLToPath(new URL('../../../../fixtures/query-docs.ndjson', import.meta.url));
const table = 'docs.tickets';
const definition = (more: string) => `version: 1
index: tickets
source: { catalog: { type: filesystem, warehouse: ${JSON.stringify(warehouse)} }, table: ${table} }
key: { identifier: [id] }
${more}
fields:
  - { name: subject, type: TEXT }
  - { name: body, type: TEXT, analyzer: english }
  - { name: author, type: KEYWORD }
`;
let backend: LocalEngine;

beforeAll(async () => {
  const catalog = { type: 'filesystem', warehouse } as const;
  await importFiles({ catalog, table, files: [tickets], key: ['id'], formatVersion: 3 });
  backend = await openEngine(join(folder, 'data'), { create: true, threads: 0 });
  await backend.createIndex({ definition: definition('') });
  await backend.reindex({});
});
afterAll(async () => {
  await backend.close();
  rmSync(folder, { recursive: true, force: true });
});

const hits = async (query: string) =>
  (await backend.search({ query })).hits.map(({ coordinates, score }) => ({ coordinates, score }));

describe('bare words in several default fields', () => {
  it('are searched in the first TEXT field until the definition names fields', async () => {
    expect(await hits('running')).toEqual([]);
    expect((await backend.describeIndex({})).default_fields).toEqual(['subject']);
    const next = { definition_yaml: definition('default_fields: [subject, body]') };
    const plan = await backend.alterIndex({ index: 'tickets', ...next, apply: true });
    expect(plan.changes).toMatchObject([{ setting: 'default_fields', strategy: 'live' }]);
    expect(await hits('running')).not.toEqual([]);
    const { default_fields } = await backend.describeIndex({});
    expect(default_fields).toEqual(['subject', 'body']);
  });

  it.each([
    ['fox', 'subject:fox OR body:fox'],
    ['running start', '(subject:running OR body:running) (subject:start OR body:start)'],
    ['quick AND fox', '(subject:quick OR body:quick) AND (subject:fox OR body:fox)'],
    ['quick -running', '(subject:quick OR body:quick) -(subject:running OR body:running)'],
    ['+fox lazy', '+(subject:fox OR body:fox) (subject:lazy OR body:lazy)'],
    ['"start page"', 'subject:"start page" OR body:"start page"'],
    ['ru*', 'subject:ru* OR body:ru*'],
    ['fxo~1', 'subject:fxo~1 OR body:fxo~1'],
    ['fox^3 author:Ada', '(subject:fox OR body:fox)^3 author:Ada'],
    ['author:(Ada Bo) fox', 'author:(Ada Bo) (subject:fox OR body:fox)'],
  ])('%s is %s', async (bare, named) => {
    const found = await hits(bare);
    expect(found.length).toBeGreaterThan(0);
    expect(found).toEqual(await hits(named));
  });

  it('are one clause each where clauses are counted', async () => {
    const counts = await backend.clauseCounts({ query: 'fox AND nowhere AND author:Ada' });
    expect(counts).toMatchObject([
      { clause: 'fox', total: (await hits('fox')).length },
      { clause: 'nowhere', total: 0 },
      { clause: 'author:Ada', total: 1 },
    ]);
  });

  it.each([
    ['fox', 'subject:fox^3 OR body:fox'],
    [
      '"start page" -running',
      '(subject:"start page"^3 OR body:"start page") -(subject:running OR body:running)',
    ],
    ['ru*^2', '(subject:ru*^3 OR body:ru*)^2'],
  ])('count as their weights say: %s is %s', async (bare, named) => {
    const weighted = definition('default_fields: [subject^3, body]');
    await backend.alterIndex({ index: 'tickets', definition_yaml: weighted, apply: true });
    expect(await hits(bare)).toEqual(await hits(named));
    expect((await backend.describeIndex({})).default_fields).toEqual(['subject', 'body']);
    const [count] = await backend.clauseCounts({ query: `nowhere ${bare}` });
    expect(count).toMatchObject({ clause: 'nowhere', total: 0 });
  });
});

describe('bare words in KEYWORD fields', () => {
  const KEYWORDS = `fields:
  - { name: author, type: KEYWORD }
  - { name: state, type: KEYWORD }
  - { name: words, type: LONG }
`;
  const found = async (index: string, query: string) =>
    (await backend.search({ index, query })).hits.map(({ coordinates, score }) => {
      return { coordinates, score };
    });

  beforeAll(async () => {
    const head = definition('').slice(0, definition('').indexOf('fields:'));
    const of = (index: string) => head.replace('index: tickets', `index: ${index}`);
    const mixed = `default_fields: [author, body^2]\n${KEYWORDS}  - { name: body, type: TEXT }\n`;
    for (const text of [of('values') + KEYWORDS, of('mixed') + mixed]) {
      await backend.createIndex({ definition: text });
    }
    for (const index of ['values', 'mixed']) await backend.reindex({ index });
  });

  it.each([
    ['Bo', 'author:Bo OR state:Bo'],
    ['Bo open', '(author:Bo OR state:Bo) (author:open OR state:open)'],
    ['"Ada Lovelace"', 'author:"Ada Lovelace"'],
    ['"Ada Lovelace"~2', 'author:"Ada Lovelace"'],
    ['"Ada Lo"*', 'author:Ada\\ Lo*'],
    ['clo* -Bo', '(author:clo* OR state:clo*) -author:Bo'],
    ['clased~1', 'state:clased~1'],
  ])('are whole values of all of them if there is no TEXT: %s is %s', async (bare, named) => {
    const hits = await found('values', bare);
    expect(hits.length).toBeGreaterThan(0);
    expect(hits).toEqual(await found('values', named));
  });

  it.each([
    ['Bo', 'author:Bo OR body:Bo^2'],
    ['"start page"~1', 'author:"start page" OR body:"start page"~1^2'],
    ['"start pa"*', 'author:"start pa" OR body:"start pa"*^2'],
  ])('stand beside TEXT if the definition names them: %s is %s', async (bare, named) => {
    expect(await found('mixed', bare)).toEqual(await found('mixed', named));
    expect((await backend.describeIndex({ index: 'mixed' })).default_fields).toEqual([
      'author',
      'body',
    ]);
  });
});
