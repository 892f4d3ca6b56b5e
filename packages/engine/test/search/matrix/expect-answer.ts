/** What a request with some options should answer, by brute force over the model's documents. */

import type {
  Highlight,
  Hit,
  Json,
  SearchRequest,
  SearchResponse,
} from '@lakehouse-search/contract';
import { expect } from 'vitest';
import { joined, type Piece, wantedMarks } from '../../../../../test/support/oracle/marks.ts';
import {
  compareSorted,
  compareText,
  type ModelDoc,
  sortValue,
} from '../../../../../test/support/oracle/model.ts';
import { fusedOf, SAME } from '../../../../../test/support/oracle/vectors.ts';
import type { Query } from '../../../src/query/query.ts';
import { writeTree } from '../../../src/query/tree/write.ts';
import type { MatrixLake, MatrixRow, MatrixState } from './matrix-lake.ts';
import { FILTER, GROUP, type Option, optionsOf, type Question, SORT } from './options.ts';

const keyOf = (hit: Hit): string => hit.coordinates.identifier[0]!.value;
const close = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(b));
type Found = ReadonlyMap<ModelDoc, number>;

/** A search of any mode, without what its mode alone has. */
type Plain = Omit<SearchRequest, 'query' | 'ast'>;
/** A question with its options, as it is asked with further ones. */
type Ask = (more: Plain) => Promise<SearchResponse>;

/** Asks with these options and checks all of the answer. Throws where it is not as it should be. */
export async function expectAnswer(
  world: MatrixLake,
  question: Question,
  options: ReadonlySet<Option>,
): Promise<void> {
  const state = options.has('PIT') ? world.before : world.now;
  const plain = optionsOf(options, world.pit_id);
  const ask: Ask = (more) => askOf(world, question)({ ...plain, ...more });
  const marked = markedBy(question);
  const found = await foundOf(world, question, options, state);
  const answers = await pages(ask, options);
  for (const { total } of answers) expect(total).toBe(found.size);
  const hits = answers.flatMap((answer) => answer.hits);
  for (const hit of hits) expectScore(hit, found);
  await expectOrder(ask, hits, found, options);
  if (options.has('highlight')) for (const hit of hits) expectMarks(hit, marked, state);
  if (options.has('hydrate')) for (const hit of hits) expectRow(hit, world.rows);
  for (const answer of answers) expectCounts(answer, [...found.keys()], options);
}

function askOf({ lake: { backend } }: MatrixLake, question: Question): Ask {
  switch (question.mode) {
    case 'lexical':
      return (plain) => {
        return backend.search({ ...plain, ast: writeTree(question.query) });
      };
    case 'semantic':
      return (plain) => backend.semantic({ ...plain, ...question.request });
    case 'hybrid':
      return (plain) => backend.hybrid({ ...plain, ...question.request });
  }
}

/** What a question matches by words. */
function queryOf(question: Question): Query {
  if (question.mode === 'lexical') return question.query;
  return wordsIn(question.request.query_text ?? '');
}

/** What is marked; of a semantic question no English stop words. */
function markedBy(question: Question): Query {
  if (question.mode === 'lexical') return question.query;
  return wordsIn((question.request.query_text ?? '').replace(/\b(the|a)\b/gi, ''));
}

function wordsIn(value: string): Query {
  const should = ['t1', 't2'].map((field): Query => {
    return { kind: 'match', field, value, operator: 'or' };
  });
  return { kind: 'bool', must: [], should, must_not: [], filter: [] };
}

async function foundOf(
  world: MatrixLake,
  question: Question,
  options: ReadonlySet<Option>,
  { model, live }: MatrixState,
): Promise<Found> {
  const filter = options.has('filter') ? FILTER : null;
  if (question.mode === 'lexical') return model.search(question.query, filter);
  const { query_vector, k, min_score } = question.request;
  const near: Query = {
    ...{ kind: 'knn', field: 'v', query_vector, k },
    ...(min_score === undefined ? {} : { min_score }),
  };
  const semantic = model.search(near, filter);
  if (question.mode === 'semantic') return semantic;
  const { rrf_k, weights } = question.request;
  // Whether two scores of words are equal to the last bit is the engine's to say.
  const narrowed = new Set(options.has('filter') ? (['filter'] as const) : []);
  if (options.has('PIT')) narrowed.add('PIT' as never);
  const words = optionsOf(narrowed, world.pit_id);
  const ast = writeTree(queryOf(question));
  const lexical = await world.lake.backend.search({ ...words, ast, limit: k ?? 100 });
  const matching = model.search(queryOf(question), filter);
  expect(lexical.total).toBe(matching.size);
  for (const hit of lexical.hits) expectScore(hit, matching);
  const list = lexical.hits.map((hit) => ({ key: keyOf(hit), score: hit.score }));
  const docs = new Map(live.map((doc) => [doc.key, doc]));
  if (rrf_k === undefined) {
    const usual = weights === undefined ? { lexical: 0.65, semantic: 0.35 } : { lexical: 1 };
    const { lexical: wording = 1, semantic: meaning = 1 } = { ...usual, ...weights };
    const near = [...semantic].map(([{ key }, score]) => ({ key, score }));
    return meanOf(docs, scaledOf(list), wording, scaledOf(near), meaning);
  }
  const arms = [
    { list, weight: 1 },
    { list: listOf(semantic), weight: weights?.semantic ?? 1 },
  ];
  const fused = fusedOf(arms, rrf_k);
  return new Map(
    [...fused].map(([key, { over, under }]) => [docs.get(key)!, Number(over) / Number(under)]),
  );
}

/** Scores of an arm by key, from 0 for the worst to 1 for the best. */
function scaledOf(arm: readonly { readonly key: string; readonly score: number }[]) {
  const scores = arm.map(({ score }) => score);
  const [worst, best] = [Math.min(...scores), Math.max(...scores)];
  const scale = (score: number) => (close(best, worst) ? 1 : (score - worst) / (best - worst));
  return new Map(arm.map(({ key, score }) => [key, scale(score)]));
}

type ByKey = ReadonlyMap<string, number>;

/** The weighted mean of two arms. */
function meanOf(
  docs: ReadonlyMap<string, ModelDoc>,
  words: ByKey,
  wording: number,
  near: ByKey,
  meaning: number,
): Found {
  const keys = new Set([...words.keys(), ...near.keys()]);
  const score = (key: string) =>
    (wording * (words.get(key) ?? 0) + meaning * (near.get(key) ?? 0)) / (wording + meaning);
  return new Map([...keys].map((key) => [docs.get(key)!, score(key)]));
}

/** Documents at one distance have one score here, as they have in an index. */
const listOf = (found: Found) =>
  [...found].map(([doc, score]) => ({ key: doc.key, score: Math.round(score / SAME) }));

async function pages(ask: Ask, options: ReadonlySet<Option>): Promise<SearchResponse[]> {
  if (!options.has('search_after')) return [await ask({})];
  const all: SearchResponse[] = [];
  for (let after: readonly Json[] | undefined; ; after = all.at(-1)!.hits.at(-1)!.sort) {
    const page = await ask(after === undefined ? {} : { search_after: after });
    all.push(page);
    if (page.hits.length === 0) return all;
  }
}

function expectScore(hit: Hit, found: Found): void {
  for (const [doc, score] of found) {
    if (doc.key !== keyOf(hit)) continue;
    if (!close(hit.score, score)) expect.fail(`${doc.key}: score ${hit.score}, expected ${score}`);
    return;
  }
  expect.fail(`${keyOf(hit)} does not match`);
}

/** All of them in the right order; of groups, the first of each with its number of documents. */
async function expectOrder(
  ask: Ask,
  hits: readonly Hit[],
  found: Found,
  options: ReadonlySet<Option>,
): Promise<void> {
  let order: readonly ModelDoc[];
  if (options.has('sort')) order = sorted(found);
  else {
    const alone = { collapse: undefined, facets: undefined, aggs: undefined, hydrate: undefined };
    const whole = await ask({ ...alone, limit: 1000 });
    order = byRelevance(whole.hits, found);
  }
  if (!options.has('collapse')) {
    expect(hits.map(keyOf)).toEqual(order.map((doc) => doc.key));
    return;
  }
  const shown = hits.map((hit) => ({ key: keyOf(hit), ...hit.collapse }));
  expect(shown).toEqual(groupsOf(order));
}

/** The documents in the order of hits, which falls by score and rises by key among equals. */
function byRelevance(hits: readonly Hit[], found: Found): readonly ModelDoc[] {
  const docs = new Map([...found.keys()].map((doc) => [doc.key, doc]));
  expect(hits.map(keyOf).sort()).toEqual([...docs.keys()].sort());
  hits.slice(1).forEach((hit, i) => {
    const [a, b] = [hits[i]!, hit];
    const tie = a.score === b.score && compareText(keyOf(a), keyOf(b)) < 0;
    if (!(a.score > b.score || tie)) expect.fail(`hit ${i + 1} is out of order`);
  });
  return hits.map((hit) => docs.get(keyOf(hit))!);
}

function sorted(found: Found): readonly ModelDoc[] {
  return [...found.keys()].sort((a, b) => {
    for (const spec of SORT) {
      const desc = 'desc' in spec;
      const [x, y] = [sortValue(spec.field, desc, a), sortValue(spec.field, desc, b)];
      const order = compareSorted(x, y, desc);
      if (order !== 0) return order;
    }
    return compareText(a.key, b.key);
  });
}

function groupsOf(order: readonly ModelDoc[]) {
  const groups = new Map<string | null, { key: string; value: string | null; count: number }>();
  for (const doc of order) {
    const value = doc.words[GROUP]![0] ?? null;
    const group = groups.get(value) ?? { key: doc.key, value, count: 0 };
    groups.set(value, { ...group, count: group.count + 1 });
  }
  return [...groups.values()];
}

/** Marks of all fields with texts: fragments are whole texts here. */
function expectMarks(hit: Hit, query: Query, state: MatrixState): void {
  const doc = state.live.find((one) => one.key === keyOf(hit))!;
  const marks: Highlight = hit.highlight!;
  for (const field of ['t1', 't2']) {
    const text = doc.texts[field]![0] ?? '';
    const { must, may } = wantedMarks(query, field, text);
    const fragments = marks[field] ?? [];
    if (may.length === 0) {
      expect(fragments).toEqual([]);
      continue;
    }
    expect(fragments).toHaveLength(1);
    expect(fragments[0]!.map((segment) => segment.text).join('')).toBe(text);
    const found = piecesOf(fragments[0]!);
    if (JSON.stringify(must) === JSON.stringify(may)) expect(found).toEqual(must);
    expect(joined([...found, ...must])).toEqual(joined(found));
    expect(joined([...found, ...may])).toEqual(may);
  }
}

function piecesOf(fragment: Highlight[string][number]): Piece[] {
  let at = 0;
  return fragment.flatMap(({ text, marked }) => {
    const from = at;
    at += text.length;
    return marked ? [{ from, to: at }] : [];
  });
}

/** The row as the table has it now, or that there is none. */
function expectRow(hit: Hit, rows: ReadonlyMap<string, MatrixRow>): void {
  const row = rows.get(keyOf(hit));
  if (row === undefined) {
    expect(hit.row).toBeUndefined();
    expect(hit.hydrate_error).toBeTypeOf('string');
    return;
  }
  const at = row.at === null ? null : `${row.at}Z`;
  expect(hit.row).toEqual({ ...row, at });
}

/** Facets and aggregations of all documents that match, on every page. */
function expectCounts(
  answer: SearchResponse,
  docs: readonly ModelDoc[],
  options: ReadonlySet<Option>,
): void {
  if (options.has('facets'))
    expect(answer.facets).toEqual([facetOf(docs, 'k1'), facetOf(docs, 'b1')]);
  if (!options.has('aggs')) return;
  const groups = counted(docs, 'k1').toSorted((a, b) => compareText(a.value, b.value));
  const numbers = docs.filter((doc) => Number(doc.numbers.n1![0] ?? 0) >= 1);
  expect(answer.aggs).toEqual({
    groups: {
      buckets: groups.slice(0, 2).map(({ value, docs: own }) => ({
        ...{ key: value, doc_count: own.length, aggs: { n: statsOf(own) } },
      })),
      sum_other_doc_count: groups.slice(2).reduce((sum, group) => sum + group.docs.length, 0),
      doc_count_error_upper_bound: 0,
    },
    positive: { buckets: [{ key: 'yes', from: 1, doc_count: numbers.length }] },
  });
}

interface Counted {
  readonly value: string;
  readonly docs: readonly ModelDoc[];
}

function counted(docs: readonly ModelDoc[], field: 'k1' | 'b1'): Counted[] {
  const nameOf = (doc: ModelDoc): string | undefined => {
    if (field === 'k1') return doc.words.k1![0];
    const [value] = doc.numbers.b1!;
    return value === undefined ? undefined : String(value === 1n);
  };
  const groups = Map.groupBy(docs, nameOf);
  return [...groups].flatMap(([value, own]) => (value === undefined ? [] : { value, docs: own }));
}

/** The three most frequent values; equals by value. */
function facetOf(docs: readonly ModelDoc[], field: 'k1' | 'b1') {
  const all = counted(docs, field)
    .map(({ value, docs: own }) => ({ value, count: own.length }))
    .sort((a, b) => b.count - a.count || compareText(a.value, b.value));
  const other_count = all.slice(3).reduce((sum, { count }) => sum + count, 0);
  return { field, buckets: all.slice(0, 3), other_count };
}

function statsOf(docs: readonly ModelDoc[]) {
  const values = docs.flatMap((doc) => doc.numbers.n1!.map(Number));
  const sum = values.reduce((a, b) => a + b, 0);
  const some = values.length > 0;
  return {
    count: values.length,
    min: some ? Math.min(...values) : null,
    max: some ? Math.max(...values) : null,
    sum: some ? sum : 0,
    avg: some ? expect.closeTo(sum / values.length, 5) : null,
  };
}
