/** Random queries of the imitated engine, each beside the query tree that it means. */
import type { Json } from '@lakehouse-search/contract';
import fc from 'fast-check';
import type { Query } from '../../../engine/src/query/query.ts';

/** A query and what it means. */
export interface Form {
  readonly dsl: Json;
  readonly tree: Query;
}

const word = fc.constantFrom(
  'the',
  'fix',
  'bug',
  'foo',
  'food',
  'bar',
  'été',
  'x1',
  'absent',
  '--',
);
const text = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '));
const field = fc.constantFrom('t1', 't2');
const value = fc.constantFrom('Perl', 'git', 'git-scm', 'été', 'a b', 'nothing');
const keyword = fc.constantFrom('k1', 'k2');
const minimum = fc.constantFrom('1', '2', '75%', '-25%', '2<75%');
const id = fc.nat(950).map((n) => `k${(n * 7919) % 100_003}`);
const match = (name: string, of: string, more: object = {}): Query =>
  ({
    ...{ kind: 'match', field: name, value: of, operator: 'or', zero_terms: 'none' },
    ...more,
  }) as Query;
const all: Query = { kind: 'match_all' };
const bool = (parts: object): Query =>
  ({ kind: 'bool', must: [], should: [], must_not: [], filter: [], ...parts }) as Query;
const form = (dsl: Json, tree: Query): Form => ({ dsl, tree });
const boost = (query: Query, factor: number): Query => ({ kind: 'boost', query, factor });
const millis = fc.constantFrom(0, 1_577_836_800_000, 1_577_836_799_999);
const micros = (value: number, last: boolean) => String(value * 1000 + (last ? 999 : 0));

/** One arbitrary for each form of query. */
export const FORMS: Readonly<Record<string, fc.Arbitrary<Form>>> = {
  match: fc.tuple(field, text).map(([f, v]) => form({ match: { [f]: v } }, match(f, v))),
  'match with options': fc
    .record({ f: field, v: text, m: minimum, b: fc.constantFrom(1, 2) })
    .map(({ f, v, m, b }) =>
      form(
        { match: { [f]: { query: v, minimum_should_match: m, boost: b } } },
        boost(match(f, v, { minimum_should_match: m }), b),
      ),
    ),
  'match with operator and': fc
    .record({ f: field, v: text, z: fc.constantFrom('none' as const, 'all' as const) })
    .map(({ f, v, z }) =>
      form(
        { match: { [f]: { query: v, operator: 'AND', zero_terms_query: z } } },
        match(f, v, { operator: 'and', zero_terms: z }),
      ),
    ),
  'match with fuzziness': fc
    .record({ f: field, v: text, p: fc.constantFrom(0, 1), e: fc.constantFrom('AUTO', 1, '2') })
    .map(({ f, v, p, e }) => {
      const edits = e === 'AUTO' ? 'auto' : Number(e);
      const dsl = { match: { [f]: { query: v, fuzziness: e, prefix_length: p } } };
      return form(dsl, match(f, v, { edits, prefix_length: p }));
    }),
  match_phrase: fc
    .record({ f: field, v: text, slop: fc.constantFrom(0, 1, 2) })
    .map(({ f, v, slop }) =>
      form(
        { match_phrase: { [f]: { query: v, slop } } },
        { kind: 'phrase', field: f, value: v, slop, zero_terms: 'none' },
      ),
    ),
  match_phrase_prefix: fc
    .record({ f: field, v: text, p: fc.constantFrom('f', 'b', 'fo') })
    .map(({ f, v, p }) =>
      form(
        { match_phrase_prefix: { [f]: `${v} ${p}` } },
        { kind: 'phrase_prefix', field: f, value: `${v} ${p}`, zero_terms: 'none' },
      ),
    ),
  match_bool_prefix: fc
    .tuple(field, text)
    .map(([f, v]) => form({ match_bool_prefix: { [f]: v } }, match(f, v, { last_prefix: true }))),
  'multi_match best_fields': fc
    .record({ v: text, tie: fc.constantFrom(0, 0.3) })
    .map(({ v, tie }) =>
      form(
        { multi_match: { query: v, fields: ['t1^2', 't2', 'missing'], tie_breaker: tie } },
        {
          kind: 'dis_max',
          queries: [boost(match('t1', v), 2), match('t2', v)],
          tie_breaker: tie,
        },
      ),
    ),
  'multi_match most_fields': text.map((v) =>
    form(
      { multi_match: { query: v, fields: ['t*'], type: 'most_fields' } },
      bool({ should: [match('t1', v), match('t2', v)] }),
    ),
  ),
  'multi_match phrase': text.map((v) => {
    const phrase = (f: string): Query => {
      return { kind: 'phrase', field: f, value: v, slop: 1, zero_terms: 'none' };
    };
    return form(
      { multi_match: { query: v, fields: ['t1', 't2'], type: 'phrase', slop: 1 } },
      { kind: 'dis_max', queries: [phrase('t1'), phrase('t2')], tie_breaker: 0 },
    );
  }),
  term: fc
    .tuple(keyword, value)
    .map(([f, v]) => form({ term: { [`${f}.keyword`]: v } }, { kind: 'term', field: f, value: v })),
  'term in either case': value.map((v) =>
    form(
      { term: { k1: { value: v.toUpperCase(), case_insensitive: true } } },
      {
        kind: 'terms',
        field: 'k1',
        values: ['Perl', 'perl', 'git', 'git-scm', 'a b'].filter(
          (one) => ascii(one) === ascii(v.toUpperCase()),
        ),
      },
    ),
  ),
  'term on a date': millis.map((v) =>
    form(
      { term: { at: v } },
      {
        ...{ kind: 'range', field: 'at' },
        lower: { value: micros(v, false), inclusive: true },
        upper: { value: micros(v, true), inclusive: true },
      },
    ),
  ),
  terms: fc
    .tuple(keyword, fc.array(value, { minLength: 1, maxLength: 3 }))
    .map(([f, values]) => form({ terms: { [f]: values } }, { kind: 'terms', field: f, values })),
  'range of numbers': fc.tuple(fc.integer({ min: -2, max: 300 }), fc.nat(300)).map(([a, b]) =>
    form(
      { range: { n1: { gt: a, lte: b } } },
      {
        ...{ kind: 'range', field: 'n1' },
        lower: { value: String(a), inclusive: false },
        upper: { value: String(b), inclusive: true },
      },
    ),
  ),
  'range of dates': fc.tuple(millis, fc.boolean()).map(([v, inclusive]) =>
    form(
      { range: { at: { [inclusive ? 'gte' : 'gt']: v } } },
      {
        ...{ kind: 'range', field: 'at' },
        lower: { value: micros(v, !inclusive), inclusive },
      },
    ),
  ),
  prefix: fc
    .tuple(keyword, fc.constantFrom('g', 'P', 'git'))
    .map(([f, v]) => form({ prefix: { [f]: v } }, { kind: 'prefix', field: f, value: v })),
  wildcard: fc
    .tuple(field, fc.constantFrom('f?o', 'b*', '*o*'))
    .map(([f, v]) =>
      form({ wildcard: { [f]: { value: v } } }, { kind: 'wildcard', field: f, value: v }),
    ),
  regexp: fc
    .tuple(field, fc.constantFrom('fo+d?', '(foo|bar)', '[a-f]+'))
    .map(([f, v]) => form({ regexp: { [f]: v } }, { kind: 'regex', field: f, value: v })),
  fuzzy: fc.tuple(field, fc.constantFrom('fo', 'foo', 'bazaar')).map(([f, v]) => {
    const edits = v.length < 3 ? 0 : v.length < 6 ? 1 : 2;
    return form({ fuzzy: { [f]: { value: v } } }, { kind: 'fuzzy', field: f, value: v, edits });
  }),
  exists: fc
    .constantFrom('t1', 'k1', 'n1', 'at', 'ip')
    .map((f) => form({ exists: { field: f } }, { kind: 'exists', field: f })),
  ids: fc
    .array(id, { minLength: 1, maxLength: 6 })
    .map((values) =>
      form(
        { ids: { values } },
        { kind: 'ids', keys: values.map((v) => ({ identifier: [{ name: 'id', value: v }] })) },
      ),
    ),
  bool: fc
    .record({ a: text, b: text, c: word, d: value, m: fc.constantFrom(0, 1, 2, '50%') })
    .map(({ a, b, c, d, m }) =>
      form(
        {
          bool: {
            should: [{ match: { t1: a } }, { match_phrase: { t2: b } }],
            must_not: { match: { t1: c } },
            filter: [{ term: { k1: d } }],
            minimum_should_match: m,
          },
        },
        bool({
          should: [
            match('t1', a),
            { kind: 'phrase', field: 't2', value: b, slop: 0, zero_terms: 'none' },
          ],
          must_not: [match('t1', c)],
          filter: [{ kind: 'term', field: 'k1', value: d }],
          minimum_should_match: m === '50%' ? 1 : m,
        }),
      ),
    ),
  constant_score: text.map((v) =>
    form(
      { constant_score: { filter: { match: { t1: v } }, boost: 3 } },
      boost({ kind: 'constant_score', filter: match('t1', v) }, 3),
    ),
  ),
  boosting: fc.tuple(text, word).map(([a, b]) =>
    form(
      {
        boosting: {
          ...{ positive: { match: { t1: a } }, negative: { match: { t2: b } } },
          negative_boost: 0.2,
        },
      },
      { kind: 'boosting', positive: match('t1', a), negative: match('t2', b), negative_boost: 0.2 },
    ),
  ),
  dis_max: fc
    .tuple(text, text)
    .map(([a, b]) =>
      form(
        { dis_max: { queries: [{ match: { t1: a } }, { match: { t2: b } }], tie_breaker: 0.7 } },
        { kind: 'dis_max', queries: [match('t1', a), match('t2', b)], tie_breaker: 0.7 },
      ),
    ),
  match_all: fc.constant(form({ match_all: { boost: 2 } }, boost(all, 2))),
  match_none: fc.constant(form({ match_none: {} }, { kind: 'match_none' })),
  'a field that the index lacks': text.map((v) =>
    form({ match: { missing: v } }, { kind: 'match_none' }),
  ),
  query_string: fc.tuple(word, word, value).map(([a, b, c]) =>
    form(
      {
        query_string: {
          query: `+t1:${a.replace('--', 'a')} t2:${b.replace('--', 'a')} -k1:"${c}"`,
        },
      },
      bool({
        must: [{ kind: 'match', field: 't1', value: a.replace('--', 'a'), operator: 'or' }],
        should: [{ kind: 'match', field: 't2', value: b.replace('--', 'a'), operator: 'or' }],
        must_not: [{ kind: 'term', field: 'k1', value: c }],
      }),
    ),
  ),
  'query_string over fields': word.map((a) =>
    form(
      {
        query_string: {
          query: `${a.replace('--', 'a')} AND ba*`,
          fields: ['t1', 't2^2'],
          boost: 1,
        },
      },
      bool({
        must: [
          {
            kind: 'dis_max',
            tie_breaker: 0,
            queries: [
              { kind: 'match', field: 't1', value: a.replace('--', 'a'), operator: 'or' },
              boost({ kind: 'match', field: 't2', value: a.replace('--', 'a'), operator: 'or' }, 2),
            ],
          },
          {
            kind: 'dis_max',
            tie_breaker: 0,
            queries: [
              { kind: 'prefix', field: 't1', value: 'ba' },
              boost({ kind: 'prefix', field: 't2', value: 'ba' }, 2),
            ],
          },
        ],
      }),
    ),
  ),
  simple_query_string: fc.tuple(word, word, word).map(([a, b, c]) => {
    const [x, y, z] = [a, b, c].map((one) => one.replace('--', 'a')) as [string, string, string];
    const of = (v: string): Query => ({ kind: 'match', field: 't1', value: v, operator: 'or' });
    return form(
      { simple_query_string: { query: `${x} + ${y} | "${z}"`, fields: ['t1'] } },
      bool({
        should: [
          bool({ must: [of(x), of(y)] }),
          { kind: 'phrase', field: 't1', value: z, slop: 0 },
        ],
      }),
    );
  }),
};

const ascii = (text: string): string => text.replace(/[A-Z]/g, (c) => c.toLowerCase());
