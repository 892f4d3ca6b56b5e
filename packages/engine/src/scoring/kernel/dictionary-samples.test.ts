import { describe, expect, it } from 'vitest';
import { searched, termsOf } from '../../../test/scoring/expect-answer.ts';
import { open } from '../../../test/scoring/open-case.ts';
import { countTerms } from '../search-terms.ts';
import { SAMPLE_SLOTS } from './kernel-memory.ts';

describe('samples of dictionaries', () => {
  it('are those of each segment, where a search has more of them than there are slots', () => {
    const docs = Array.from({ length: 2 * SAMPLE_SLOTS }, (_, i) => {
      return {
        values: [i < SAMPLE_SLOTS ? 'a b' : 'b c'],
        key: String(i).padStart(4, '0'),
        blocked: false,
      };
    });
    const { segments } = open({ docs, sizes: docs.map(() => 1) });
    const search = { mode: 'or', terms: searched(termsOf('a')), segments } as const;
    const counts = Array.from({ length: 40 }, () => countTerms(search));
    expect(new Set(counts)).toEqual(new Set([SAMPLE_SLOTS]));
  });
});
