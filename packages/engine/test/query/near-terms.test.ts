/**
 * Words within one edit, by tables, are those of the definition, ask after ask, and the word that
 * is asked for stays whole.
 */
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { buildCorpus, corpusPlan, MAPPING, WORDS } from '../../../../test/support/oracle/corpus.ts';
import { addressOf, patternMatches, tokens } from '../../../../test/support/oracle/model.ts';
import { FoundTerms } from '../../src/inverted/pattern/found-terms.ts';
import { findNearTerms } from '../../src/inverted/pattern/near.ts';
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

describe('terms within an edit distance', () => {
  test('are all found once, for a Buffer too', () => {
    const found = new FoundTerms();
    let tabled = 0;
    const words = [...new Set(WORDS.flatMap((text) => [...tokens(text)]))];
    const swapped = words.map(([a = '', b = '', ...rest]) => [b, a, ...rest].join(''));
    for (let round = 0; round < 3; round++) {
      for (const value of [...words, ...swapped]) {
        const word = Buffer.from(value);
        found.clear();
        if (!findNearTerms(reader, word, found)) continue;
        tabled++;
        expect(word.toString()).toBe(value);
        const query = { kind: 'fuzzy' as const, field: 't1', value, edits: 1 };
        const wanted = [...places].filter(([term]) => patternMatches(query, term));
        const got = Array.from({ length: found.size }, (_, i) => found.refs[i]!);
        expect(got.sort(), value).toEqual(wanted.map(([, place]) => place).sort());
      }
    }
    expect(tabled).toBeGreaterThan(50);
  });
});
