/**
 * The tables find exactly the words within one and two edits of a word, in repeated searches too,
 * and leave the bytes of the searched word unchanged.
 */
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { buildCorpus, corpusPlan, MAPPING, WORDS } from '../../../../test/support/oracle/corpus.ts';
import { addressOf, patternMatches, tokens } from '../../../../test/support/oracle/model.ts';
import { FoundTerms } from '../../src/inverted/pattern/found-terms.ts';
import { findNearTerms, findWithinEdits } from '../../src/inverted/pattern/near.ts';
import { ASKS_BEFORE_TABLES } from '../../src/inverted/pattern/pattern-tables.ts';
import { BIG } from '../../src/postings/term-info.ts';

const [plan] = fc.sample(corpusPlan(addressOf), { seed: 7, numRuns: 1 });
const corpus = buildCorpus(plan!);
afterAll(() => corpus.snapshot.release());
const { id } = MAPPING.fields.find(({ plan: field }) => field.name === 't1')!.plan;
const reader = corpus.snapshot.segments[0]!.inverted(id)!;

/** Places of all terms, as FoundTerms has them. */
const places = new Map<string, number>();
const cursor = reader.terms();
while (cursor.next()) {
  const { kind, at } = cursor.info();
  places.set(Buffer.from(cursor.bytes()).toString(), kind === BIG ? -1 - at : at);
}

const words = [...new Set(WORDS.flatMap((text) => [...tokens(text)]))];
const swapped = words.map(([a = '', b = '', ...rest]) => [b, a, ...rest].join(''));

/** Places of the terms within some edits, by the definition. */
function placesNear(value: string, edits: number): readonly number[] {
  const query = { kind: 'fuzzy' as const, field: 't1', value, edits };
  const wanted = [...places].filter(([term]) => patternMatches(query, term));
  return wanted.map(([, place]) => place).sort();
}

const placesOf = (found: FoundTerms): readonly number[] =>
  Array.from({ length: found.size }, (_, i) => found.refs[i]!).sort();

/** Tables are built once they were asked for so often. */
function makeTable(): void {
  for (let i = 0; i < ASKS_BEFORE_TABLES; i++) {
    findWithinEdits(reader, { word: 'a', edits: 2 }, new FoundTerms());
  }
}

describe('terms within an edit distance', () => {
  test('are all found once, for a Buffer too', () => {
    const found = new FoundTerms();
    let tabled = 0;
    for (let round = 0; round < 3; round++) {
      for (const value of [...words, ...swapped]) {
        const word = Buffer.from(value);
        found.clear();
        if (!findNearTerms(reader, word, found)) continue;
        tabled++;
        expect(word.toString()).toBe(value);
        expect(placesOf(found), value).toEqual(placesNear(value, 1));
      }
    }
    expect(tabled).toBeGreaterThan(50);
  });

  test.each([1, 2])('are all found once among terms of about their length, %i edits', (edits) => {
    const found = new FoundTerms();
    makeTable();
    for (const word of ['', 'a', ...words, ...swapped, ...words.map((each) => `${each}é`)]) {
      found.clear();
      expect(findWithinEdits(reader, { word, edits }, found)).toBe(true);
      expect(placesOf(found), word).toEqual(placesNear(word, edits));
    }
  });

  test('are not looked for among terms of about their length where a word is too long', () => {
    const found = new FoundTerms();
    makeTable();
    const serves = (length: number) =>
      findWithinEdits(reader, { word: 'é'.repeat(length), edits: 2 }, found);
    expect([serves(30), serves(31)]).toEqual([true, false]);
  });
});
