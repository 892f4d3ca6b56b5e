/** Random query trees over the test's fields, all kinds of nodes, and random sorts. */
import fc from 'fast-check';
import type { Bound, Query } from '../../../packages/engine/src/query/query.ts';
import {
  ADDRESSES,
  DOUBLES,
  FAST,
  FIELDS,
  HUGE,
  KEYWORDS,
  LONGS,
  MICROS,
  NUMBERS,
  TEXTS,
  VALUES,
  WORDS,
} from './corpus.ts';
import { type FieldName, TYPES } from './model.ts';

const word = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 1, arbitrary: fc.constantFrom('absent', 'FIX', '--', 'Fix bug', 'foo-bar') },
);
const keyword = fc.oneof(fc.constantFrom(...VALUES), fc.constant('nothing'));

function textOf(field: FieldName): fc.Arbitrary<string> {
  switch (TYPES[field]) {
    case 'TEXT':
      return word;
    case 'KEYWORD':
      return keyword;
    case 'LONG':
      return fc.constantFrom(...LONGS, ...HUGE, 3n).map(String);
    case 'DOUBLE':
      return fc.constantFrom(...DOUBLES, 2).map((n) => (Object.is(n, -0) ? '-0' : String(n)));
    case 'DATE':
      return fc.oneof(
        fc.constantFrom(...MICROS).map(String),
        fc.constantFrom('2020-01-01', '2020-01-01T00:00:00Z'),
      );
    case 'BOOL':
      return fc.constantFrom('true', 'false');
    case 'IP':
      return fc.constantFrom(...ADDRESSES, '10.0.0.9');
  }
}

/** A field and something that depends on it. */
const on = <T>(fields: readonly FieldName[], make: (field: FieldName) => fc.Arbitrary<T>) =>
  fc.constantFrom(...fields).chain(make);
const boundOf = (field: FieldName): fc.Arbitrary<Bound | undefined> =>
  fc.option(fc.record({ value: textOf(field), inclusive: fc.boolean() }), { nil: undefined });

const text = on(TEXTS, (field) =>
  fc.oneof(
    fc.record({ kind: fc.constant('term' as const), field: fc.constant(field), value: word }),
    fc.record({
      kind: fc.constant('phrase' as const),
      field: fc.constant(field),
      value: fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' ')),
      slop: fc.constantFrom(0, 0, 0, 1, 2, 4),
    }),
    fc.record({
      kind: fc.constant('match' as const),
      field: fc.constant(field),
      value: fc.array(word, { maxLength: 10 }).map((words) => words.join(' ')),
      operator: fc.constantFrom('or' as const, 'and' as const),
    }),
  ),
);
const zeroTerms = fc.constantFrom(undefined, undefined, 'none' as const, 'all' as const);
const minimum = fc.constantFrom<number | string>(
  ...[0, 1, 2, 3, '75%', '-25%', '-1', '2<75%', '1<-25% 3<2', '50%'],
);

/** Words and phrases with the options of other search engines. */
const options = on(TEXTS, (field) =>
  fc.oneof(
    fc.record({
      kind: fc.constant('match' as const),
      field: fc.constant(field),
      value: fc.array(word, { maxLength: 5 }).map((words) => words.join(' ')),
      operator: fc.constantFrom('or' as const, 'or' as const, 'and' as const),
      minimum_should_match: fc.option(minimum, { nil: undefined }),
      edits: fc.constantFrom(undefined, 0, 1, 2, 'auto' as const),
      prefix_length: fc.constantFrom(undefined, 0, 1, 3),
      last_prefix: fc.constantFrom(undefined, false, true),
      zero_terms: zeroTerms,
    }),
    fc.record({
      kind: fc.constant('phrase' as const),
      field: fc.constant(field),
      value: fc.array(word, { maxLength: 2 }).map((words) => words.join(' ')),
      slop: fc.constantFrom(0, 1),
      zero_terms: zeroTerms,
    }),
    fc.record({
      kind: fc.constant('phrase_prefix' as const),
      field: fc.constant(field),
      value: fc
        .tuple(fc.array(word, { maxLength: 2 }), fc.constantFrom('f', 'fo', 'b', 'a', '--', 'é'))
        .map(([words, last]) => [...words, last].join(' ')),
      zero_terms: zeroTerms,
    }),
  ),
);
const keywordMatch = on(KEYWORDS, (field) =>
  fc.record({
    kind: fc.constant('match' as const),
    field: fc.constant(field),
    value: keyword,
    operator: fc.constant('or' as const),
    edits: fc.constantFrom(undefined, 1, 'auto' as const),
    last_prefix: fc.constantFrom(undefined, undefined, true),
  }),
);
const ids = fc.record({
  kind: fc.constant('ids' as const),
  keys: fc
    .array(
      fc.nat(950).map((n) => `k${(n * 7919) % 100_003}`),
      { maxLength: 12 },
    )
    .map((keys) => keys.map((value) => ({ identifier: [{ name: 'id', value }] }))),
});
const term = on(FIELDS, (field) =>
  fc.record({
    kind: fc.constant('term' as const),
    field: fc.constant(field),
    value: textOf(field),
  }),
);
const terms = on(FIELDS, (field) =>
  fc.record({
    kind: fc.constant('terms' as const),
    field: fc.constant(field),
    values: fc.array(textOf(field), { maxLength: 4 }),
  }),
);
const exists = fc.record({
  kind: fc.constant('exists' as const),
  field: fc.constantFrom(...FIELDS),
});
const range = on(FAST, (field) =>
  fc.record({
    kind: fc.constant('range' as const),
    field: fc.constant(field),
    lower: boundOf(field),
    upper: boundOf(field),
  }),
);
const cidr = fc.record({
  kind: fc.constant('cidr' as const),
  field: fc.constant('ip' as const),
  value: fc.constantFrom(
    '10.0.0.0/8',
    '10.0.0.0/30',
    '0.0.0.0/0',
    '2001:db8::/32',
    '2001:db8::2/128',
  ),
});
const pattern = on([...TEXTS, ...KEYWORDS], (field) =>
  fc.oneof(
    fc.record({
      kind: fc.constant('prefix' as const),
      field: fc.constant(field),
      value: fc.constantFrom('f', 'fo', 'ba', 'g', 'é', '東', 'P', '', 'aa', '𝒳'),
    }),
    fc.record({
      kind: fc.constant('wildcard' as const),
      field: fc.constant(field),
      value: fc.constantFrom('f*', '*o', 'b?z', '*', '?', 'a*a', '*é*', 'git?scm', '??'),
    }),
    fc.record({
      kind: fc.constant('regex' as const),
      field: fc.constant(field),
      value: fc.constantFrom('fo+d?l?', '(foo|bar)', '[a-f]+', '.', 'a{2,3}', 'g.*', '[^a]*', ''),
    }),
    fc.record({
      kind: fc.constant('fuzzy' as const),
      field: fc.constant(field),
      value: fc.constantFrom('foo', 'bar', 'été', 'perl', 'ofo', 'a', '東'),
      edits: fc.constantFrom(0, 1, 2),
      prefix_length: fc.constantFrom(undefined, undefined, 1, 2, 5),
    }),
  ),
);
/** Few ids: their answers differ between documents of equal contents, which the model finds out. */
const constants = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.constantFrom<Query>({ kind: 'match_all' }, { kind: 'match_none' }),
  },
  { weight: 1, arbitrary: ids },
);

const leaf: fc.Arbitrary<Query> = fc.oneof(
  { weight: 8, arbitrary: text },
  { weight: 4, arbitrary: term },
  { weight: 2, arbitrary: terms },
  { weight: 2, arbitrary: range },
  { weight: 1, arbitrary: cidr },
  { weight: 1, arbitrary: exists },
  { weight: 3, arbitrary: pattern },
  { weight: 1, arbitrary: constants },
  { weight: 4, arbitrary: options },
  { weight: 1, arbitrary: keywordMatch },
);

/** Words of one field under one operator: what the postings' kernels answer. */
const plain: fc.Arbitrary<Query> = on(TEXTS, (field) =>
  fc.record({
    kind: fc.constant('match' as const),
    field: fc.constant(field),
    value: fc
      .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 5 })
      .map((w) => w.join(' ')),
    operator: fc.constantFrom('or' as const, 'and' as const),
  }),
);

function tree(depth: number): fc.Arbitrary<Query> {
  if (depth === 0) return leaf;
  const inner = tree(depth - 1);
  const list = (most: number) => fc.array(inner, { maxLength: most });
  const bool = fc.record({
    kind: fc.constant('bool' as const),
    must: list(2),
    should: list(3),
    must_not: list(1),
    filter: list(1),
    minimum_should_match: fc.option(minimum, { nil: undefined, freq: 4 }),
  });
  const boost = fc.record({
    kind: fc.constant('boost' as const),
    query: inner,
    factor: fc.constantFrom(0, 0.5, 2, 3.25),
  });
  const disMax = fc.record({
    kind: fc.constant('dis_max' as const),
    queries: list(3),
    tie_breaker: fc.constantFrom(0, 0.3, 1),
  });
  const constantScore = fc.record({
    kind: fc.constant('constant_score' as const),
    filter: inner,
  });
  const boosting = fc.record({
    kind: fc.constant('boosting' as const),
    positive: inner,
    negative: inner,
    negative_boost: fc.constantFrom(0, 0.2, 1, 2),
  });
  return fc.oneof(
    { weight: 1, arbitrary: disMax },
    { weight: 1, arbitrary: constantScore },
    { weight: 1, arbitrary: boosting },
    { weight: 3, arbitrary: leaf },
    { weight: 4, arbitrary: bool },
    { weight: 1, arbitrary: boost },
  );
}

export const queries: fc.Arbitrary<Query> = fc.oneof(
  { weight: 3, arbitrary: plain },
  { weight: 7, arbitrary: tree(3) },
);

/** A sort key of a request. */
export interface RandomSort {
  readonly field: FieldName | '_score' | '_key';
  readonly desc: boolean;
  /** `_first`, or the value of documents without one. */
  readonly missing?: string | number;
}
const filledIn: Partial<Readonly<Record<FieldName, fc.Arbitrary<string | number>>>> = {
  k1: fc.constantFrom(...WORDS, 'zz', '~'),
  n1: fc.integer({ min: -20, max: 20 }),
  n2: fc.integer({ min: -20, max: 20 }),
  d1: fc.constantFrom(-1.5, 0, 0.25, 7),
};
const fieldSort = fc.constantFrom(...FAST).chain((field): fc.Arbitrary<RandomSort> => {
  const places = fc.oneof(fc.constant('_first'), filledIn[field] ?? fc.constant('_last'));
  return fc
    .record({ desc: fc.boolean(), missing: fc.option(places, { nil: undefined }) })
    .map(({ desc, missing }) => ({ field, desc, ...(missing === undefined ? {} : { missing }) }));
});
const plainSort = fc.record({
  field: fc.constantFrom('_score' as const, '_key' as const),
  desc: fc.boolean(),
});
export const sorts: fc.Arbitrary<readonly RandomSort[]> = fc.array(
  fc.oneof({ weight: 4, arbitrary: fieldSort }, { weight: 1, arbitrary: plainSort }),
  { minLength: 1, maxLength: 3 },
);

export { NUMBERS };
