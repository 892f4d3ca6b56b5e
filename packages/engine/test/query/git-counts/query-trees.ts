/** Random query trees of words that the table has, at the frequency that they have there. */
import fc from 'fast-check';
import type { Query } from '../../../src/query/query.ts';
import type { TokenTable } from './token-table.ts';

/** Trees of up to `depth` levels of groups. */
export function queryTrees({ samples }: TokenTable, depth: number): fc.Arbitrary<Query> {
  const text = fc.constantFrom('subject' as const, 'subject' as const, 'author' as const);
  const run = (field: 'subject' | 'author', length: number) => {
    const long = samples[field].filter((words) => words.length >= length);
    return fc
      .constantFrom(...long)
      .chain((words) =>
        fc.nat(words.length - length).map((from) => words.slice(from, from + length)),
      );
  };
  const onText = (make: (field: 'subject' | 'author') => fc.Arbitrary<Query>) => text.chain(make);
  const word = (field: 'subject' | 'author') => run(field, 1).map(([first = '']) => first);
  const leaf: fc.Arbitrary<Query> = fc.oneof(
    ...[1, 2, 3, 4].map(() =>
      onText((field) => word(field).map((value) => ({ kind: 'term', field, value }))),
    ),
    onText((field) =>
      fc
        .record({
          value: fc.array(word(field), { minLength: 1, maxLength: 4 }).map((w) => w.join(' ')),
          operator: fc.constantFrom('or' as const, 'and' as const),
        })
        .map((rest) => ({ kind: 'match', field, ...rest })),
    ),
    onText((field) =>
      fc.integer({ min: 1, max: field === 'subject' ? 3 : 2 }).chain((length) =>
        run(field, length).map((words) => ({
          ...{ kind: 'phrase', field, value: words.join(' '), slop: 0 },
        })),
      ),
    ),
    onText((field) =>
      fc.integer({ min: 2, max: field === 'subject' ? 4 : 2 }).chain((length) =>
        fc
          .record({
            words: run(field, length),
            slop: fc.nat(4),
            drop: fc.nat(3),
            turn: fc.boolean(),
          })
          .map(({ words, slop, drop, turn }) => {
            const left = words.length > 2 ? words.filter((_, i) => i !== drop) : words;
            const value = (turn ? left.toReversed() : left).join(' ');
            return { kind: 'phrase', field, value, slop };
          }),
      ),
    ),
    onText((field) =>
      fc.array(word(field), { maxLength: 4 }).map((values) => ({ kind: 'terms', field, values })),
    ),
    onText((field) =>
      fc.tuple(word(field), fc.integer({ min: 1, max: 4 })).map(([value, length]) => ({
        ...{ kind: 'prefix', field, value: [...value].slice(0, length).join('') },
      })),
    ),
    onText((field) =>
      fc
        .record({ value: word(field), edits: fc.constantFrom(0, 1, 1, 2, 2) })
        .map((rest) => ({ kind: 'fuzzy', field, ...rest })),
    ),
    onText((field) =>
      fc.tuple(word(field), fc.nat(3)).map(([value, at]) => {
        const shown = [...value].map((c, i) => (i === at ? '?' : c)).join('');
        return { kind: 'wildcard', field, value: at === 3 ? `${shown.slice(0, 3)}*` : shown };
      }),
    ),
    fc
      .constantFrom('git', 'vim', 'absent')
      .map((value): Query => ({ kind: 'term', field: 'repo', value })),
    fc
      .constantFrom('true', 'false')
      .map((value): Query => ({ kind: 'term', field: 'is_revert', value })),
    fc
      .record({ value: fc.nat(30).map(String), inclusive: fc.boolean() })
      .chain((bound) =>
        fc.constantFrom<Query>(
          { kind: 'range', field: 'words', lower: bound },
          { kind: 'range', field: 'words', upper: bound },
        ),
      ),
    fc.constantFrom<Query>(
      { kind: 'match_all' },
      { kind: 'match_none' },
      { kind: 'exists', field: 'subject' },
      { kind: 'exists', field: 'words' },
    ),
  );
  const tree = (level: number): fc.Arbitrary<Query> => {
    if (level === 0) return leaf;
    const list = (most: number) => fc.array(tree(level - 1), { maxLength: most });
    const bool = fc
      .record({
        must: list(2),
        should: list(3),
        must_not: list(1),
        filter: list(1),
        minimum_should_match: fc.option(fc.nat(3), { nil: undefined, freq: 4 }),
      })
      .map((parts): Query => ({ kind: 'bool', ...parts }));
    const boost = tree(level - 1).map((query): Query => ({ kind: 'boost', query, factor: 2 }));
    return fc.oneof(
      { weight: 3, arbitrary: leaf },
      { weight: 5, arbitrary: bool },
      { weight: 1, arbitrary: boost },
    );
  };
  return tree(depth);
}
