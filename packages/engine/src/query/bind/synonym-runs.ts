/**
 * Synonyms of several words in a query string. Each word is a clause; adjacent words are looked up
 * together. `big apple` with the synonym `new york` becomes
 *
 * - `big apple "new york"` if any word may match,
 * - `((big AND apple) OR "new york")` if each must.
 */
import type { Query, Span } from '../query.ts';
import type { PhraseWord } from './clause.ts';
import { findField, type QueryFields } from './fields.ts';
import { expansionAt, type SynonymTable } from './synonyms.ts';
import { analyzeWords } from './words.ts';

type Term = Extract<Query, { readonly kind: 'term' }>;

/** A word in one of the fields that it is looked for in. */
interface FieldWord {
  readonly term: Term;
  readonly factor: number;
}

/** A synonym rule that adjacent clauses match, and the queries that replace them. */
interface Match {
  readonly count: number;
  readonly keeps: boolean;
  readonly others: readonly Query[];
}

/** A query that was parsed from `text`, with the synonyms of words side by side. */
export function withSynonymRuns(query: Query, text: string, fields: QueryFields): Query {
  if (fields.synonyms === undefined) return query;
  const inner = (part: Query) => withSynonymRuns(part, text, fields);
  if (query.kind === 'boost') return { ...query, query: inner(query.query) };
  if (query.kind !== 'bool') return query;
  const list = (parts: readonly Query[], isOr: boolean) =>
    expandedList(parts, isOr, text, fields).map(inner);
  return {
    ...query,
    must: list(query.must, false),
    should: list(query.should, true),
    must_not: query.must_not.map(inner),
  };
}

function expandedList(
  parts: readonly Query[],
  isOr: boolean,
  text: string,
  fields: QueryFields,
): readonly Query[] {
  const out: Query[] = [];
  for (let at = 0; at < parts.length; ) {
    const match = matchAt(parts, at, text, fields);
    if (match === null) out.push(parts[at++]);
    else {
      const own = match.keeps ? parts.slice(at, at + match.count).map(unexpanded) : [];
      if (isOr) out.push(...own, ...match.others);
      else out.push(anyOf([...(own.length === 0 ? [] : [allOf(own)]), ...match.others]));
      at += match.count;
    }
  }
  return out;
}

/** The longest rule of several clauses from `at` on; those of all fields that it is a rule of. */
function matchAt(
  parts: readonly Query[],
  at: number,
  text: string,
  fields: QueryFields,
): Match | null {
  const run = runFrom(parts, at, text);
  if (run.length < 2) return null;
  const found = run[0].map((_, field) =>
    ruleOf(
      run.map((words) => words[field]),
      fields,
    ),
  );
  const count = Math.max(...found.map((one) => one?.count ?? 0));
  if (count < 2) return null;
  const whole = found.filter((one) => one?.count === count);
  return {
    count,
    keeps: found.some((one) => one?.count !== count || one.keeps),
    others: whole.flatMap((one) => one?.others ?? []),
  };
}

/** Clauses side by side that look for words in the same fields, with the same factors. */
function runFrom(parts: readonly Query[], at: number, text: string): readonly FieldWord[][] {
  const run: FieldWord[][] = [];
  let last: Span | undefined;
  let shape = '';
  for (const part of parts.slice(at)) {
    const words = fieldWords(part);
    const own = words?.map(({ term, factor }) => `${term.field}^${factor}`).join(' ');
    if (words === null || own === undefined || part.span === undefined) break;
    if (last !== undefined && (own !== shape || text.slice(last.to, part.span.from).trim() !== ''))
      break;
    run.push(words);
    last = part.span;
    shape = own;
  }
  return run;
}

/** The fields that a clause looks for one word in; null: it is another clause. */
function fieldWords(query: Query, factor = 1): FieldWord[] | null {
  if (query.kind === 'term') return query.expanded === true ? null : [{ term: query, factor }];
  if (query.kind === 'boost') return fieldWords(query.query, factor * query.factor);
  if (query.kind !== 'bool' || query.must.length + query.must_not.length > 0) return null;
  const parts = query.should.map((part) => fieldWords(part, factor));
  const { span } = query;
  const isWord = query.should.every(({ span: own }) => own?.from === span?.from);
  return isWord && parts.every((part) => part !== null) ? parts.flat() : null;
}

/** The rule of the first words of a run in one field: how many clauses it takes. */
function ruleOf(run: readonly FieldWord[], fields: QueryFields) {
  const [{ term: first, factor }] = run;
  const target = findField(fields, first.field);
  const table = target?.kind === 'field' ? fields.synonyms?.(target.plan) : undefined;
  if (target === undefined || table === undefined) return undefined;
  if (target.plan.inverted?.kind !== 'text') return undefined;
  const { analyzer } = target.plan.inverted;
  const { words, ends } = wordsOf(run.map(({ term }) => analyzeWords(analyzer, term.value)));
  const rule = words.length === 0 ? null : longestWhole(table, words, ends);
  if (rule === null) return undefined;
  const { count, expansion } = rule;
  const others = expansion.others.map(({ text: value }): Query => {
    const { field } = first;
    const phrase = { kind: 'phrase', field, value, slop: 0, expanded: true } as const;
    return factor === 1 ? phrase : { kind: 'boost', query: phrase, factor };
  });
  return { count, keeps: expansion.keeps, others };
}

/** The words of several clauses as of one text, and after which of them each clause ends. */
function wordsOf(clauses: readonly (readonly PhraseWord[])[]) {
  const words: PhraseWord[] = [];
  const ends: number[] = [];
  let start = 0;
  for (const own of clauses) {
    words.push(...own.map(({ term, offset }) => ({ term, offset: start + offset })));
    ends.push(words.length);
    start += (own.at(-1)?.offset ?? 0) + 1;
  }
  return { words, ends };
}

/** The longest rule from the first word on, if it ends with a clause; `count`: clauses. */
function longestWhole(table: SynonymTable, words: readonly PhraseWord[], ends: readonly number[]) {
  const found = ends[0] === 0 ? null : expansionAt(table, words, 0);
  if (found === null) return null;
  const count = ends.indexOf(found.count) + 1;
  return count < 2 ? null : { count, expansion: found.expansion };
}

/** A word of a rule is expanded with the rule alone. */
function unexpanded(query: Query): Query {
  if (query.kind === 'term') return { ...query, expanded: true };
  if (query.kind === 'boost') return { ...query, query: unexpanded(query.query) };
  return query.kind === 'bool' ? { ...query, should: query.should.map(unexpanded) } : query;
}

const NO_PARTS = { must: [], should: [], must_not: [], filter: [] } as const;
const anyOf = (should: readonly Query[]): Query =>
  should.length === 1 ? should[0] : { kind: 'bool', ...NO_PARTS, should };
const allOf = (must: readonly Query[]): Query => ({ kind: 'bool', ...NO_PARTS, must });
