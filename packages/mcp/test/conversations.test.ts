// @module-tag campaign
/**
 * Random conversations of two sessions with the tools: queries, pages, budgets, one or two indexes,
 * and commits to the tables between pages, against plain loops over the rows of each snapshot. Some
 * go over stdio and some over HTTP. LHS_CONVERSATIONS sets how many (40; campaigns: 200; long
 * tests: 3,000).
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '@lakehouse-search/contract';
import { compactTable, createTable, expireSnapshots, upsertRows } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentClient, connectAgent, textOf } from '../../../test/support/agent-client.ts';
import { byEffort } from '../../../test/support/effort.ts';
import { startGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { seededBelow } from '../../../test/support/random.ts';
import { schemaOf } from '../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../test/support/small-lake.ts';
import { tokensOf, tokensOfJson } from '../src/base/tokens.ts';
import { TOOLS } from '../src/tools/all-tools.ts';

const CONVERSATIONS = Number(process.env.LHS_CONVERSATIONS ?? byEffort(40, 200, 3000));
/** A commit in so many steps of a conversation. */
const COMMIT_EVERY = 8;
/** Maintenance of a table in so many of its commits; it leaves so many snapshots. */
const COMPACT_EVERY = 40;
const SNAPSHOTS = 20;
/** Of so many conversations one is over stdio and one over HTTP; the others call the tools. */
const REMOTE_EVERY = 10;
const LHS = fileURLToPath(new URL('../../cli/bin/lhs.js', import.meta.url));

type Row = {
  readonly id: number;
  readonly title: string;
  readonly team: string;
  readonly size: number;
};

const below = seededBelow(20_261_130);
const TEAMS = ['red', 'green', 'blue'];
const WORDS = ['ship', 'storm', 'bread', 'net'];
const rowOf = (id: number): Row => ({
  id,
  title: `${WORDS[below(4)]} ${WORDS[below(4)]} ${'harbour '.repeat(below(20))}`.trim(),
  team: TEAMS[below(3)],
  size: below(50),
});

const schema = schemaOf({ id: 'long', title: 'string', team: 'string', size: 'long' });
const FIELDS = `key: { identifier: [id] }
fields:
  - { name: title, type: TEXT, analyzer: simple, cached: true }
  - { name: team, type: KEYWORD, fast: true, cached: true }
  - { name: size, type: LONG, fast: true }`;

/** The rows of a table, by snapshot. */
const history = new Map<string, ReadonlyMap<number, Row>>();
const newest = { t: new Map<number, Row>(), u: new Map<number, Row>() };
type Index = keyof typeof newest;

/** Calls a tool. */
type Call = (name: string, input: object) => Promise<Answer>;
type Answer = { readonly structured: JsonObject; readonly text: string };

let lake: SmallLake;
let gateway: TestGateway;
let stdio: AgentClient;
let http: AgentClient;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(schema);
  await lake.define(FIELDS);
  const { catalog } = lake.source;
  await createTable(catalog, 'a.u', { schema });
  const at = `catalog: ${JSON.stringify(catalog)}, table: a.u`;
  const definition = `version: 1\nindex: u\nsource: { ${at} }\n${FIELDS}\n`;
  await lake.library.indexes.create({ definition, base_dir: lake.folder });
  for (const index of ['t', 'u'] as const) {
    await commit(index, 90);
    await lake.library.indexes.reindex({ index });
  }
  gateway = await startGateway(lake.backend);
  http = await connectAgent({ url: gateway.restUrl }, 'auto');
  const env = { PATH: process.env.PATH, LHS_DATA_DIR: join(lake.folder, 'data') };
  stdio = await connectAgent({ command: process.execPath, args: [LHS, 'mcp'], env }, 'auto');
});
afterAll(async () => {
  await stdio?.close();
  await http?.close();
  await gateway?.close();
  await lake?.close();
});

const direct: Call = (name, input) =>
  TOOLS.find((tool) => tool.name === name)!.run(input, { backend: lake.library, call: {} });

const over =
  (agent: AgentClient): Call =>
  async (name, input) => {
    const result = await agent.call(name, input);
    if (result.isError === true) expect.fail(`${textOf(result)}: ${JSON.stringify(input)}`);
    return { structured: result.structuredContent, text: textOf(result) };
  };

async function commit(index: Index, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, i) => rowOf(count > 20 ? i : below(110)));
  const unique = [...new Map(rows.map((row) => [row.id, row])).values()];
  const source = { ...lake.source, table: `a.${index}` };
  const { snapshot } = await upsertRows(source, { kind: 'rows', rows: unique });
  const now = new Map(newest[index]);
  for (const row of unique) now.set(row.id, row);
  newest[index] = now;
  history.set(`${index} ${snapshot}`, now);
}

/** Rewrites the files of a table, whose rows stay, and expires old snapshots. */
async function maintain(index: Index): Promise<void> {
  const source = { ...lake.source, table: `a.${index}` };
  const { snapshot } = await compactTable(source);
  history.set(`${index} ${snapshot}`, newest[index]);
  await expireSnapshots(source, { keep: SNAPSHOTS });
}

/** The structured part of a call's answer, which is within its budget. */
async function ask(
  call: Call,
  name: string,
  input: { readonly max_tokens: number },
): Promise<JsonObject> {
  const { text, structured } = await call(name, input);
  const used = tokensOf(text) + tokensOfJson(structured);
  if (used > input.max_tokens) expect.fail(`${used} tokens: ${name} ${JSON.stringify(input)}`);
  return structured;
}

interface Question {
  readonly query: string;
  readonly indexes: readonly Index[];
  readonly sort: string | undefined;
  matches(row: Row): boolean;
}

function question(): Question {
  const [team, size, word] = [TEAMS[below(3)], below(50), WORDS[below(4)]];
  const parts: readonly [string, (row: Row) => boolean][] = [
    [`team:${team}`, (row) => row.team === team],
    [`size:<${size}`, (row) => row.size < size],
    [`title:${word}`, (row) => row.title.split(' ').includes(word)],
    [`-team:${team}`, (row) => row.team !== team],
  ];
  const some = parts.filter(() => below(2) === 0);
  const used = some.length === 0 ? parts.slice(0, 1) : some;
  return {
    query: used.map(([text]) => text).join(' AND '),
    indexes: [['t'], ['u'], ['t', 'u']][below(3)] as readonly Index[],
    sort: [undefined, 'size:desc', 'size'][below(3)],
    matches: (row) => used.every(([, holds]) => holds(row)),
  };
}

const snapshotsOf = (structured: JsonObject): readonly unknown[] =>
  ((structured.indexes ?? [structured]) as readonly JsonObject[]).map(({ snapshot }) => snapshot);

/** The rows of each index at the snapshots of a response: `t 7` to its row. */
function rowsAt(structured: JsonObject, indexes: readonly Index[]): ReadonlyMap<string, Row> {
  const snapshots = snapshotsOf(structured);
  const entries = indexes.flatMap((index, i) => {
    const rows = history.get(`${index} ${snapshots[i]}`);
    if (rows === undefined) throw new Error(`${index} is at ${snapshots[i]}`);
    return [...rows].map(([id, row]): [string, Row] => [`${index} ${id}`, row]);
  });
  return new Map(entries);
}

/** The hits of a page as `t 7`. */
function hitsOf({ hits, columns, rows }: JsonObject, [only]: readonly Index[]): readonly string[] {
  const names = columns as readonly string[] | undefined;
  const list =
    (hits as readonly JsonObject[] | undefined) ??
    (rows as readonly (readonly string[])[]).map((cells): JsonObject => {
      return { index: cells[names!.indexOf('index')] ?? null, key: cells[names!.indexOf('key')] };
    });
  return list.map(({ index, key }) => `${index ?? only} ${String(key).slice('id='.length)}`);
}

/** One conversation, a page per step. Returns true if a commit came between its pages. */
async function* conversation(call: Call): AsyncGenerator<void, boolean> {
  const { query, indexes, sort, matches } = question();
  const seen: string[] = [];
  let cursor: string | undefined;
  let first: string | undefined;
  let isMoved = false;
  do {
    const page = { limit: 1 + below(25), max_tokens: 600 + below(5000) };
    const input = { index: indexes.join(), query, ...(sort && { sort }), ...page };
    const structured = await ask(call, 'search', { ...input, ...(cursor && { cursor }) });
    const rows = rowsAt(structured, indexes);
    const expected = [...rows].filter(([, row]) => matches(row));
    if (structured.total !== expected.length) expect(structured.total, query).toBe(expected.length);
    const hits = hitsOf(structured, indexes);
    for (const hit of hits) {
      const row = rows.get(hit);
      if (row === undefined || !matches(row)) expect.fail(`${query}: ${hit} does not match`);
    }
    seen.push(...hits);
    const states = snapshotsOf(structured).join();
    first ??= states;
    const notes = (structured.notes ?? []) as readonly string[];
    if (states !== first) {
      if (!isMoved) expect(notes.join()).toContain('the index has changed since the last page');
      isMoved = true;
    }
    cursor = structured.continuation as string | undefined;
    if (cursor === undefined && !isMoved) {
      expect([query, seen.toSorted()]).toEqual([query, expected.map(([hit]) => hit).toSorted()]);
      const sizes = seen.map((hit) => rows.get(hit)!.size);
      const rising = sizes.toSorted((a, b) => (sort === 'size' ? a - b : b - a));
      if (sort !== undefined) expect(sizes).toEqual(rising);
    }
    yield;
  } while (cursor !== undefined);
  const counting = { index: indexes.join(), query, max_tokens: 1000 + below(3000) };
  const counted = await ask(call, 'aggregate', counting);
  const now = [...rowsAt(counted, indexes).values()].filter(matches);
  expect([query, counted.total]).toEqual([query, now.length]);
  return isMoved;
}

describe('answers to two sessions', () => {
  it(`equal plain loops in ${CONVERSATIONS} conversations`, async () => {
    let [begun, moved, commits] = [0, 0, 0];
    const next = () => conversation([over(stdio), over(http)][below(REMOTE_EVERY)] ?? direct);
    const sessions = [next(), next()];
    while (begun < CONVERSATIONS) {
      if (below(COMMIT_EVERY) === 0) {
        const index = (['t', 'u'] as const)[below(2)];
        await commit(index, 1 + below(12));
        if (++commits % COMPACT_EVERY === 0) await maintain(index);
        await lake.library.indexes.sync({ index });
      }
      const at = below(2);
      const { done, value } = await sessions[at].next();
      if (!done) continue;
      if (value) moved++;
      begun++;
      sessions[at] = next();
    }
    expect(moved).toBeGreaterThan(0);
  });
});
