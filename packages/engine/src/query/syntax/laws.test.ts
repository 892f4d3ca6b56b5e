import { LhsError } from '@lakehouse-search/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Query } from '../query.ts';
import { readTree } from '../tree/read.ts';
import { writeTree } from '../tree/write.ts';
import { parseQuery } from './parse.ts';
import { printQuery } from './print.ts';
import { requireSayable } from './sayable.ts';

const SEED = 20_261_121;
const check = (runs: number) => ({ seed: SEED, numRuns: runs });
const bare = (query: Query) => readTree(writeTree(query));

/**
 * Whether a document that has exactly these words matches: the tree's meaning, written down once
 * more.
 */
function matches(query: Query, words: ReadonlySet<string>): boolean {
  switch (query.kind) {
    case 'term':
      return words.has(query.value);
    case 'match_all':
      return true;
    case 'boost':
      return matches(query.query, words);
    case 'bool': {
      if (query.must_not.some((q) => matches(q, words))) return false;
      if (!query.must.every((q) => matches(q, words))) return false;
      const optional = query.should.length === 0 || query.must.length > 0;
      return optional || query.should.some((q) => matches(q, words));
    }
    default:
      throw new Error(query.kind);
  }
}

/**
 * The rules of the specification as boolean functions built beside the text, sharing nothing with
 * the grammar.
 */
type Meaning = (words: ReadonlySet<string>) => boolean;
interface Written {
  readonly text: string;
  readonly means: Meaning;
}
const DEPTH = { maxDepth: 5, depthSize: 'small', depthIdentifier: 'text' } as const;
const WORDS = ['a', 'b', 'c', 'd'];
const atom = fc.constantFrom(...WORDS).map((w): Written => ({ text: w, means: (s) => s.has(w) }));
const { list } = fc.letrec<{ list: Written; either: Written; both: Written; unit: Written }>(
  (tie) => {
    const negated = tie('unit').chain((u) =>
      fc
        .constantFrom('-', 'NOT ', '!')
        .map((sign): Written => ({ text: sign + u.text, means: (s) => !u.means(s) })),
    );
    const group = tie('list').map((l): Written => ({ text: `(${l.text})`, means: l.means }));
    const boosted = group.map((g): Written => ({ text: `${g.text}^2`, means: g.means }));
    const unit = fc.oneof(DEPTH, atom, group, boosted);
    const signed = fc.oneof(DEPTH, tie('unit'), negated);
    const chain = (part: fc.Arbitrary<Written>, operator: string, join: 'some' | 'every') =>
      fc.array(part, { minLength: 2, maxLength: 3 }).map(
        (parts): Written => ({
          text: parts.map((p) => p.text).join(operator),
          means: (s) => parts[join]((p) => p.means(s)),
        }),
      );
    const both = chain(signed, ' AND ', 'every');
    const either = chain(fc.oneof(DEPTH, signed, tie('both')), ' OR ', 'some');
    const plain = fc.oneof(DEPTH, tie('unit'), tie('both'), tie('either'));
    const whole = fc
      .tuple(
        fc.array(plain, { minLength: 1, maxLength: 3 }),
        fc.array(fc.tuple(fc.constantFrom('-', 'NOT '), tie('unit')), { maxLength: 2 }),
        fc.boolean(),
      )
      .map(([wanted, unwanted, first]): Written => {
        const not = unwanted.map(([sign, u]) => sign + u.text);
        const yes = wanted.map((p) => p.text);
        return {
          text: (first ? [...not, ...yes] : [...yes, ...not]).join(' '),
          means: (s) => wanted.some((p) => p.means(s)) && !unwanted.some(([, u]) => u.means(s)),
        };
      });
    return { unit, both, either, list: whole };
  },
);

describe('boolean algebra of queries', () => {
  const sets = Array.from(
    { length: 16 },
    (_, bits) => new Set(WORDS.filter((_, i) => bits & (1 << i))),
  );

  it('means what the rules say, for every set of words', () => {
    fc.assert(
      fc.property(list, ({ text, means }) => {
        const query = parseQuery(text, { defaultFields: ['f'], limits: { queryDepth: 60 } });
        const wrong = sets.filter((words) => matches(query, words) !== means(words));
        if (wrong.length > 0) throw new Error(`${text}: ${[...wrong[0]]}`);
      }),
      check(3000),
    );
  });

  it('is the same in KQL with lower-case operators', () => {
    fc.assert(
      fc.property(list, ({ text }) => {
        const options = { defaultFields: ['f'], limits: { queryDepth: 60 } } as const;
        const kql = text.replaceAll('AND', 'and').replaceAll('OR', 'or').replaceAll('NOT', 'not');
        expect(parseQuery(kql, { ...options, syntax: 'kql' })).toEqual(
          expect.objectContaining(strip(parseQuery(text, options))),
        );
      }),
      check(500),
    );
  });
});

/** Without the outermost span: the texts are equally long, so every other span is the same. */
const strip = ({ span: _, ...rest }: Query) => rest;

const value = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }),
  fc.string({ unit: fc.constantFrom(...'“”„‟«»"a *'), minLength: 1, maxLength: 8 }),
);
const field = fc.oneof(fc.constantFrom('f', 'meta.a', 'AND', '-x', '*'), value);
const slop = fc.nat(20);
const bound = fc.record({ value: fc.oneof(value, fc.constant('*')), inclusive: fc.boolean() });
const pattern = fc
  .array(
    fc.oneof(
      fc.constantFrom('*', '?', '\\*', '\\?', '\\\\'),
      fc
        .string({ unit: 'binary', minLength: 1, maxLength: 2 })
        .map((s) => s.replace(/[\\*?]/g, 'x')),
    ),
    { maxLength: 6 },
  )
  .map((parts) => `${parts.join('')}?`);
const leaf: fc.Arbitrary<Query> = fc.oneof(
  fc.record({ kind: fc.constant('term' as const), field, value }),
  fc.record({
    kind: fc.constant('phrase' as const),
    field,
    value: fc.string({ unit: 'binary' }),
    slop,
  }),
  fc.record({ kind: fc.constant('prefix' as const), field, value }),
  fc.record({ kind: fc.constant('wildcard' as const), field, value: pattern }),
  fc.record({
    kind: fc.constant('regex' as const),
    field,
    value: value.map((v) => v.replaceAll('\\', '/')),
  }),
  fc.record({ kind: fc.constant('fuzzy' as const), field, value, edits: fc.nat(2) }),
  fc.record({ kind: fc.constant('range' as const), field, lower: bound, upper: bound }),
  fc.record({ kind: fc.constant('range' as const), field, lower: bound }),
  fc.record({ kind: fc.constant('exists' as const), field }),
  fc.constant({ kind: 'match_all' as const }),
);
const { query } = fc.letrec<{ query: Query }>((tie) => {
  const clauses = (minLength: number) => fc.array(tie('query'), { minLength, maxLength: 3 });
  const bool = fc
    .oneof(
      fc.record({ must: clauses(2), should: clauses(0), must_not: clauses(0) }),
      fc.record({ must: clauses(0), should: clauses(2), must_not: clauses(0) }),
      fc.record({ must: clauses(1), should: clauses(0), must_not: clauses(1) }),
    )
    .map((parts): Query => ({ kind: 'bool', ...parts, filter: [] }));
  const factor = fc.double({ min: 0, max: 1e9, noNaN: true });
  const boost = fc.record({ kind: fc.constant('boost' as const), query: tie('query'), factor });
  return {
    query: fc.oneof(
      { maxDepth: 4, depthSize: 'small', depthIdentifier: 'query' },
      leaf,
      bool,
      boost,
    ),
  };
});

describe('printing of queries', () => {
  it('is undone by parsing', () => {
    fc.assert(
      fc.property(query, (wanted) => {
        const limits = { queryBytes: 1_000_000, queryDepth: 100 };
        for (const syntax of ['default', 'kql'] as const) {
          const text = printQuery(wanted, syntax) ?? '';
          expect(bare(parseQuery(text, { syntax, limits }))).toEqual(bare(wanted));
        }
      }),
      check(3000),
    );
  });

  const none = { must: [], should: [], must_not: [], filter: [] };
  const f = 'f';
  const a: Query = { kind: 'term', field: f, value: 'a' };
  const b: Query = { kind: 'term', field: f, value: 'b' };
  const bool = (parts: Partial<Query & { kind: 'bool' }>): Query => ({
    ...{ kind: 'bool', ...none },
    ...parts,
  });
  const nothing: Query = { kind: 'match_none' };

  it.each<[Query, string]>([
    [{ kind: 'match', field: f, value: 'a', operator: 'or' }, 'ast.match'],
    [bool({ filter: [a] }), 'ast.bool.filter'],
    [bool({ should: [a, a, b], minimum_should_match: 2 }), 'ast.bool.minimum_should_match'],
    [bool({ should: [a], minimum_should_match: 0 }), 'ast.bool.minimum_should_match'],
    [bool({ must: [a], minimum_should_match: 1 }), 'ast.bool.minimum_should_match'],
    [bool({ should: [a], minimum_should_match: 2 }), 'ast.bool.minimum_should_match'],
    [{ kind: 'wildcard', field: f, value: '' }, 'ast.wildcard.value'],
    [
      bool({ must_not: [{ kind: 'boost', query: bool({ filter: [a] }), factor: 2 }] }),
      'ast.bool.must_not[0].boost.query.bool.filter',
    ],
  ])('says no where the syntax has no words: %j', (wanted, path) => {
    expect(printQuery(wanted)).toBeUndefined();
    expect(() => requireSayable(wanted)).toThrow(`${path} cannot be said in a query string`);
  });

  it.each<[Query, string, string]>([
    [{ kind: 'terms', field: f, values: ['a', 'b c'] }, 'f:("a" OR "b c")', 'f:("a" or "b c")'],
    [{ kind: 'cidr', field: 'ip', value: '10.0.0.0/8' }, 'ip:10.0.0.0/8', 'ip:10.0.0.0/8'],
    [nothing, '-*:*', '-*:*'],
    [bool({ must: [a], must_not: [b] }), 'f:a AND NOT f:b', 'f:a and not f:b'],
    [bool({ must: [a], should: [a, b] }), '+f:a f:a f:b', '+f:a f:a f:b'],
    [
      bool({ must: [a], should: [a, b], minimum_should_match: 1 }),
      ...(['+f:a +(f:a OR f:b)', '+f:a +(f:a or f:b)'] as const),
    ],
    [
      bool({ must: [b], should: [a, b], minimum_should_match: 2, must_not: [a] }),
      ...(['f:b AND f:a AND f:b AND NOT f:a', 'f:b and f:a and f:b and not f:a'] as const),
    ],
    [
      bool({ must: [a], should: [b, { kind: 'boost', query: nothing, factor: 2 }] }),
      ...(['+f:a f:b (-*:*)^2', '+f:a f:b (-*:*)^2'] as const),
    ],
    [{ kind: 'wildcard', field: f, value: 'a\\*b' }, 'f:a\\*b~0', 'f:a\\*b~0'],
    [{ kind: 'wildcard', field: f, value: '**' }, 'f:/.*/', 'f:/.*/'],
    [{ kind: 'prefix', field: f, value: '' }, 'f:/.*/', 'f:/.*/'],
  ])('writes %j as %s', (wanted, text, kql) => {
    expect([printQuery(wanted), printQuery(wanted, 'kql')]).toEqual([text, kql]);
  });
});

describe('parsing of any text', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc
      .array(
        fc.constantFrom(
          ...'ab:"()[]{}*?~^\\/-+!<>=&| \u00e9\ud800'.split(''),
          ' TO ',
          ' AND ',
          ' OR ',
          'NOT ',
          'f:',
        ),
        { maxLength: 25 },
      )
      .map((parts) => parts.join('')),
  );
  it('gives a query or an LhsError with a place inside it', () => {
    let taken = 0;
    fc.assert(
      fc.property(hostile, fc.constantFrom('default' as const, 'kql' as const), (text, syntax) => {
        try {
          const parsed = parseQuery(text, { syntax, defaultFields: ['f'] });
          taken++;
          const printed = printQuery(parsed);
          if (printed !== undefined)
            expect(bare(parseQuery(printed, { limits: { queryDepth: 60 } }))).toEqual(bare(parsed));
        } catch (error) {
          if (!(error instanceof LhsError)) throw error;
          const { place } = error;
          expect(place?.text).toBe(text);
          expect(place!.from <= place!.to && place!.to <= text.length).toBe(true);
        }
      }),
      check(20_000),
    );
    expect(taken).toBeGreaterThan(2000);
  });
});
