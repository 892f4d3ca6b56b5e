import { LhsError } from '@lakehouse-search/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchTerm, nextPossible, type TermAutomaton } from './automaton.ts';
import { compileFuzzy } from './levenshtein.ts';
import { compileRegex } from './regex.ts';
import { utf8Sequences } from './utf8.ts';
import { compileWildcard } from './wildcard.ts';

const SEED = 20_261_121;
const runs = (numRuns: number) => ({ seed: SEED, numRuns });
const utf8 = (text: string) => new Uint8Array(Buffer.from(text));
const match = (automaton: TermAutomaton, text: string) => matchTerm(automaton, utf8(text));
const ALPHABET = ['a', 'b', 'ab', 'c', '', 'é', '東', '😀', '\n', '/'];
const word = fc.array(fc.constantFrom(...ALPHABET), { maxLength: 6 }).map((p) => p.join(''));

/** Optimal string alignment over code points, by the book. */
function distance(x: string, y: string): number {
  const [a, b] = [Array.from(x), Array.from(y)];
  const d = a.concat('').map((_, i) => b.concat('').map((_, j) => (i === 0 ? j : j === 0 ? i : 0)));
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      d[i][j] = Math.min(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + same);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.length][b.length];
}

describe('automata of edit distance', () => {
  it('finds what dynamic programming finds', () => {
    fc.assert(
      fc.property(
        word,
        fc.array(word, { minLength: 10, maxLength: 10 }),
        fc.nat(2),
        (w, others, n) => {
          const automaton = compileFuzzy(w, n);
          for (const other of [w, ...others]) {
            const wanted = distance(w, other);
            expect([w, other, match(automaton, other)]).toEqual([
              w,
              other,
              wanted <= n ? wanted : -1,
            ]);
          }
        },
      ),
      runs(1500),
    );
  });

  it('counts a swap of neighbours as one edit', () => {
    expect(match(compileFuzzy('form', 1), 'from')).toBe(1);
    expect(match(compileFuzzy('東京', 1), '京東')).toBe(1);
    expect(match(compileFuzzy('ca', 2), 'abc')).toBe(-1);
    expect(match(compileFuzzy('', 2), 'ab')).toBe(2);
  });

  it('takes long words, and refuses three edits', () => {
    const long = 'abcdefghij'.repeat(25);
    const automaton = compileFuzzy(long, 2);
    expect(match(automaton, long)).toBe(0);
    expect(match(automaton, `x${long.slice(0, -1)}`)).toBe(2);
    expect(match(automaton, long.slice(3))).toBe(-1);
    expect(() => compileFuzzy('a', 3)).toThrow(LhsError);
  });
});

const wildcard = fc.array(fc.constantFrom(...ALPHABET, '*', '?', '\\*'), { maxLength: 6 });

describe('automata of wildcards', () => {
  it('match what a table of prefixes matches', () => {
    fc.assert(
      fc.property(wildcard, fc.array(word, { minLength: 10, maxLength: 10 }), (parts, words) => {
        const automaton = compileWildcard(parts.join(''));
        const tokens = parts.flatMap((part) => (part === '\\*' ? ['**'] : Array.from(part)));
        for (const w of words) {
          expect([parts, w, match(automaton, w) === 0]).toEqual([parts, w, glob(tokens, w)]);
        }
      }),
      runs(1500),
    );
  });

  it('folds literal parts only, and knows its beginning', () => {
    const automaton = compileWildcard('AB*\\*C?', (text) => text.toLowerCase());
    expect([match(automaton, 'abxx*cd'), match(automaton, 'abxx*c')]).toEqual([0, -1]);
    expect(Buffer.from(automaton.literalPrefix).toString()).toBe('ab');
    expect(compileWildcard('日本').literalPrefix).toEqual(utf8('日本'));
    expect(compileWildcard('*').literalPrefix).toHaveLength(0);
  });
});

/** The plain quadratic matcher; `**` is a literal star. */
function glob(tokens: readonly string[], text: string): boolean {
  const points = Array.from(text);
  let row = points.concat('').map((_, i) => i === 0);
  for (const token of tokens) {
    const next = row.map(() => false);
    row.forEach((on, i) => {
      if (!on) return;
      if (token === '*') next.fill(true, i);
      else if (
        i < points.length &&
        (token === '?' || points[i] === (token === '**' ? '*' : token))
      ) {
        next[i + 1] = true;
      }
    });
    row = next;
  }
  return row[points.length];
}

const ATOMS = [
  'a',
  'b',
  'c',
  'é',
  '東',
  '😀',
  '.',
  '[ab]',
  '[^a]',
  '[a-c]',
  '[^é東]',
  '\\w',
  '\\W',
  '\\d',
  '\\s',
  '\\S',
  '\\n',
  '(?:)',
  '\\u00e9',
  '[\\w/-]',
];
const { regex } = fc.letrec<{ regex: string }>((tie) => {
  const group = tie('regex').map((r) => `(?:${r})`);
  const unit = fc.oneof(fc.constantFrom(...ATOMS), group);
  const repeated = fc
    .tuple(unit, fc.constantFrom('*', '+', '?', '{2}', '{0,2}', '{1,}', '{0}'))
    .map(([u, r]) => `(?:${u})${r}`);
  const part = fc.oneof(fc.constantFrom(...ATOMS), repeated, group);
  const sequence = fc.array(part, { maxLength: 3 }).map((parts) => parts.join(''));
  const choice = fc.array(sequence, { minLength: 2, maxLength: 3 }).map((parts) => parts.join('|'));
  return { regex: fc.oneof({ maxDepth: 3 }, sequence, choice) };
});

describe('automata of regular expressions', () => {
  it('match what JavaScript matches on patterns that cannot explode', () => {
    fc.assert(
      fc.property(regex, fc.array(word, { minLength: 10, maxLength: 10 }), (pattern, words) => {
        const automaton = compileRegex(pattern);
        const reference = new RegExp(`^(?:${pattern})$`, 'su');
        for (const w of words) {
          expect([pattern, w, match(automaton, w) === 0]).toEqual([pattern, w, reference.test(w)]);
        }
      }),
      runs(2000),
    );
  });

  it.each([
    ['^ab$', ['ab'], ['xab', 'abx']],
    ['(foo|bar)+-[0-9]{2,3}', ['foo-12', 'foobar-123'], ['foo-1', '-12', 'foo-1234']],
    ['a\\.b\\/c\\\\', ['a.b/c\\'], ['axb/c\\']],
    ['[]x]'.replace('[]', '[\\]'), [']', 'x'], ['[']],
    ['[a-]', ['a', '-'], ['b']],
    ['\\u{1F600}+', ['😀😀'], ['😁']],
    ['\\x41', ['A'], ['a']],
    ['a{0}', [''], ['a']],
    ['a*?b+?', ['b', 'aab', 'abb'], ['a']],
    ['', [''], ['a']],
    ['[^\\d\\s]+', ['abc'], ['a1', 'a b']],
  ])('%s', (pattern, yes, no) => {
    const automaton = compileRegex(pattern);
    expect(yes.filter((w) => match(automaton, w) !== 0)).toEqual([]);
    expect(no.filter((w) => match(automaton, w) === 0)).toEqual([]);
  });

  it('folds characters and small sets as the field does', () => {
    const automaton = compileRegex('FO[A-C]É\\W', (text) => text.toLowerCase());
    expect(match(automaton, 'fobé-')).toBe(0);
    expect(match(automaton, 'foxé-')).toBe(-1);
  });

  it.each([
    ['(a', 0, 'a "(" is never closed'],
    ['a)', 1, 'unexpected ")"'],
    ['[a', 0, 'a "[" is never closed'],
    ['[]', 1, 'the class is empty'],
    ['a**', 2, 'nothing stands before "*" to repeat'],
    ['*a', 0, 'nothing stands before "*" to repeat'],
    ['a{x}', 1, '"{" begins no count'],
    ['a{3,2}', 1, '{3,2} counts backwards'],
    ['[z-a]', 1, '"z-a" is no range'],
    ['[\\d-z]', 1, '"\\d-z" is no range'],
    ['a\\', 1, 'nothing follows the last "\\"'],
    ['(a)\\1', 3, '"\\1" means nothing'],
    ['\\bfoo', 0, '"\\b" means nothing'],
    ['\\p{L}', 0, '"\\p" means nothing'],
    ['(?=a)', 1, '"(?" begins nothing that is supported'],
    ['a^b', 1, '"^" inside a pattern'],
    ['\\u{110000}', 0, '"\\u" is followed by no code point'],
  ])('refuses %s', (pattern, from, message) => {
    const error = failure(() => compileRegex(pattern));
    expect(error).toMatchObject({ code: 'invalid_query', place: { text: pattern, from } });
    expect(error.message).toBe(`regular expression /${pattern}/: ${message}`);
  });
});

function failure(work: () => unknown): LhsError {
  try {
    work();
  } catch (error) {
    if (error instanceof LhsError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('limits', () => {
  it.each([
    ['a'.repeat(1001)],
    ['a{1001}'],
    ['(a{1000}){1000}'],
    ['((((((){1000}){1000}){1000}){1000}){1000}){1000}'],
    ['(((.{100}){100}){100}){100}'],
    [`${'('.repeat(300)}${')'.repeat(300)}`],
  ])('refuses %s', (pattern) => {
    expect(failure(() => match(compileRegex(pattern), 'a'.repeat(255))).code).toBe(
      'limit_exceeded',
    );
  });

  it('takes a thousand repetitions', () => {
    expect(match(compileRegex('a{1000}'), 'a'.repeat(1000))).toBe(0);
    expect(match(compileRegex('[^/]{0,1000}'), 'é'.repeat(999))).toBe(0);
  });

  it('answers 1,000 patterns that are known to explode, or refuses them', () => {
    const seeds = [
      '(a+)+$',
      '(a|aa)+',
      '(a|a?)+b',
      '([a-z]+)*1',
      '(.*a){N}',
      '(a*)*b',
      '(a?){N}a{N}',
      '(x+x+)+y',
      '^(([a-z])+.)+[A-Z]([a-z])+$',
      '(a|b|ab)*c',
      '.*.*.*.*.*=.*',
      '(a|b)*a(a|b){N}',
      '((a{0,N})*)*b',
      '([0-9]+)+\\.',
      '(\\w|\\w\\w)+!',
      '(.*)(.*)(.*)(.*)(.*)9',
      '((a+)b?)+c',
      '(?:(?:a*)*)*',
      '(a{1,N}){1,N}',
      '[^b]*[^c]*[^d]*!',
    ];
    const outcomes = { answered: 0, refused: 0 };
    const words = ['a'.repeat(250), 'ab'.repeat(125), `${'x'.repeat(249)}!`].map(utf8);
    for (let i = 0; i < 1000; i++) {
      const pattern = seeds[i % seeds.length].replaceAll('N', String(1 + Math.floor(i / 4)));
      try {
        const automaton = compileRegex(pattern);
        for (const w of words) matchTerm(automaton, w);
        outcomes.answered++;
      } catch (error) {
        if (!(error instanceof LhsError) || error.code !== 'limit_exceeded') throw error;
        outcomes.refused++;
      }
    }
    expect(outcomes.answered + outcomes.refused).toBe(1000);
    expect(outcomes.answered).toBeGreaterThan(800);
  });
});

describe('walking a sorted dictionary', () => {
  const dictionary = fc
    .uniqueArray(word, { maxLength: 30 })
    .map((words) => words.map((w) => Buffer.from(w)).sort(Buffer.compare));
  const automaton = fc.oneof(
    wildcard.map((parts) => () => compileWildcard(parts.join(''))),
    regex.map((pattern) => () => compileRegex(pattern)),
    fc.tuple(word, fc.nat(2)).map(
      ([w, n]) =>
        () =>
          compileFuzzy(w, n),
    ),
  );

  it('finds by seeking what a whole scan finds, always going forward', () => {
    fc.assert(
      fc.property(automaton, dictionary, (compile, terms) => {
        const a = compile();
        const wanted = terms.filter((t) => matchTerm(a, t) >= 0);
        const found: Buffer[] = [];
        for (let i = 0; i < terms.length; ) {
          const next = nextPossible(a, terms[i]);
          if (next === undefined) break;
          expect(Buffer.compare(next, terms[i])).toBeGreaterThanOrEqual(0);
          if (next === terms[i]) found.push(terms[i++]);
          else while (i < terms.length && Buffer.compare(terms[i], next) < 0) i++;
        }
        expect(found).toEqual(wanted);
        for (const t of wanted) {
          expect(Buffer.compare(t.subarray(0, a.literalPrefix.length), a.literalPrefix)).toBe(0);
        }
      }),
      runs(1500),
    );
  });

  it('says so when nothing can match', () => {
    const none = compileRegex('[^\\s\\S]');
    expect(none.start).toBe(-1);
    expect(nextPossible(none, utf8('a'))).toBeUndefined();
    expect(nextPossible(compileWildcard('b*'), utf8('c'))).toBeUndefined();
    expect(nextPossible(compileWildcard('b*'), utf8('a'))).toEqual(utf8('b'));
  });
});

describe('ranges of code points', () => {
  it('are spelled in UTF-8', () => {
    fc.assert(
      fc.property(
        fc.nat(0x10ffff),
        fc.nat(0x10ffff),
        fc.array(fc.nat(0x10ffff)),
        (x, y, points) => {
          const [lo, hi] = x < y ? [x, y] : [y, x];
          const sequences = utf8Sequences(lo, hi);
          for (const p of [lo, hi, lo - 1, hi + 1, ...points]) {
            if (p < 0 || p > 0x10ffff || (p >= 0xd800 && p <= 0xdfff)) continue;
            const bytes = utf8(String.fromCodePoint(p));
            const hits = sequences.filter(
              (s) =>
                s.length === bytes.length && s.every(([l, h], i) => l <= bytes[i] && bytes[i] <= h),
            );
            expect([p, hits.length]).toEqual([p, lo <= p && p <= hi ? 1 : 0]);
          }
        },
      ),
      runs(1000),
    );
  });
});
