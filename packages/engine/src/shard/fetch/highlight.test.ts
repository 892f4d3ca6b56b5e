import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Analyzer } from '../../analysis/analyzer.ts';
import { NO_DEADLINE } from '../../base/time/deadline.ts';
import { bindQuery } from '../../query/bind/bind.ts';
import type { Query } from '../../query/query.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import { createHighlighter } from './highlight.ts';

/** Runs of letters and digits, lower-cased: positions count every run. */
const words: Analyzer = {
  name: 'words',
  normalize: (word) => word.toLowerCase(),
  analyze(text, from, to, position, sink) {
    const source = new TextDecoder().decode(text.subarray(from, to));
    let at = position;
    for (const match of source.matchAll(/[\p{L}\p{N}]+/gu)) {
      const start = from + Buffer.byteLength(source.slice(0, match.index));
      const token = Buffer.from(match[0].toLowerCase());
      sink.token(token, 0, token.length, at++, start, start + Buffer.byteLength(match[0]));
    }
    return at;
  },
};

const body: FieldPlan = {
  id: 1,
  name: 'body',
  type: 'TEXT',
  inverted: { kind: 'text', analyzer: words },
  column: null,
  stored: true,
};
const fields = { index: 'test', plans: new Map([['body', body]]), fast: new Set<number>() };

function marked(query: Query, texts: readonly string[], maxFragments = 3, fragmentSize = 60) {
  const clause = bindQuery(query, fields);
  const highlighter = createHighlighter(
    clause,
    [body],
    { maxFragments, fragmentSize },
    NO_DEADLINE,
  );
  return (highlighter.highlight(() => texts)?.body ?? []).map((fragment) =>
    fragment.map((s) => (s.marked ? `«${s.text}»` : s.text)).join(''),
  );
}
const term = (value: string): Query => ({ kind: 'term', field: 'body', value });

describe('highlights', () => {
  test('mark a word at every position, in its own case', () => {
    expect(marked(term('timeout'), ['Timeout, then a second timeout.'])).toEqual([
      '«Timeout», then a second «timeout».',
    ]);
    expect(marked(term('nowhere'), ['Timeout'])).toEqual([]);
  });

  test('mark an exact phrase once and each word of a sloppy one', () => {
    const phrase = (slop: number): Query => ({ kind: 'phrase', field: 'body', value: 'a b', slop });
    expect(marked(phrase(0), ['b a b a'])).toEqual(['b «a b» a']);
    expect(marked(phrase(1), ['a x b, a'])).toEqual(['«a» x «b», a']);
  });

  test('mark the tokens that a pattern matches, and nothing of must_not', () => {
    const any: Query = {
      kind: 'bool',
      must: [{ kind: 'prefix', field: 'body', value: 'Conn' }],
      should: [{ kind: 'fuzzy', field: 'body', value: 'rest', edits: 1 }],
      must_not: [term('by')],
      filter: [{ kind: 'wildcard', field: 'body', value: 'p*r' }],
    };
    expect(marked(any, ['connection reset by peer'])).toEqual(['«connection» «reset» by «peer»']);
  });

  test('mark values of a KEYWORD field as a whole', () => {
    const kind: FieldPlan = { ...body, type: 'KEYWORD', inverted: { kind: 'keyword' } };
    const keywords = { ...fields, plans: new Map([['body', kind]]) };
    const values = ['Red Fox', 'red fox', 'fox'];
    const found = (query: Query) =>
      createHighlighter(
        bindQuery(query, keywords),
        [kind],
        { maxFragments: 5, fragmentSize: 4 },
        NO_DEADLINE,
      ).highlight(() => values)?.body;
    expect(found(term('Red Fox'))).toEqual([[{ text: 'Red Fox', marked: true }]]);
    expect(found({ kind: 'prefix', field: 'body', value: 'red' })).toEqual([
      [{ text: 'red fox', marked: true }],
    ]);
    expect(found(term('Red'))).toBeUndefined();
  });

  test('put the fragment with the most distinct matches first, then the most matches', () => {
    const far = 'x '.repeat(60);
    const query: Query = { kind: 'match', field: 'body', value: 'one two', operator: 'or' };
    const found = marked(query, [`one ${far}one one ${far}one two`], 3, 20);
    expect(found[0]).toContain('«one» «two»');
    expect(found[1]).toContain('«one» «one»');
    expect(found).toHaveLength(3);
  });

  test('cut fragments at whole characters and mark words of the query in any Unicode text', () => {
    const piece = fc.oneof(
      fc.constantFrom('zug', 'ZUG', 'Straße', '👩‍👩‍👧', '𝒳', '東京', ' ', '. ', '\u0301', '"'),
      fc.string({ unit: 'binary', maxLength: 8 }),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 40 }),
        fc.integer({ min: 1, max: 80 }),
        (pieces, size) => {
          const text = pieces.join('').toWellFormed();
          const highlighter = createHighlighter(
            bindQuery(term('zug'), fields),
            [body],
            { maxFragments: 4, fragmentSize: size },
            NO_DEADLINE,
          );
          const fragments = highlighter.highlight(() => [text])?.body ?? [];
          const expected = (text.match(/[\p{L}\p{N}]+/gu) ?? []).some(
            (w) => w.toLowerCase() === 'zug',
          );
          expect(fragments.length > 0).toBe(expected);
          for (const fragment of fragments) {
            const whole = fragment.map((s) => s.text).join('');
            expect(whole.isWellFormed()).toBe(true);
            expect(text).toContain(whole);
            expect(whole.length).toBeLessThanOrEqual(Math.max(size, 3));
            for (const s of fragment) if (s.marked) expect(s.text.toLowerCase()).toBe('zug');
          }
        },
      ),
      { seed: 20_261_121, numRuns: 2000 },
    );
  });
});
