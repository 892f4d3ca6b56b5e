import { describe, expect, it } from 'vitest';
import { sourcesOf } from './sources.ts';

const POSTINGS = 'packages/engine/src/postings/';
/** Fills the descriptors that the compiled kernels read. */
const DESCRIBERS = new Set([
  'packages/engine/src/scoring/kernel/describe-terms.ts',
  'packages/engine/src/scoring/phrase/describe-phrase.ts',
]);
/** Its only use elsewhere: a bitmap of documents is handed to the kernels of bitmaps as it is. */
const BITMAP = 'docBitsAt';

const files = sourcesOf('packages/engine/src');
const info = files.find(({ path }) => path === `${POSTINGS}term-info.ts`);

/** The addresses that the types of terms declare. */
const addresses = [...(info?.text ?? '').matchAll(/readonly (\w+At): number;/g)].map((m) => m[1]);

describe('the layout of postings', () => {
  it('is declared in one file', () => {
    expect(addresses).toContain(BITMAP);
    expect(addresses.length).toBeGreaterThan(10);
  });

  it('is not used for addresses outside of postings/', () => {
    const used = new RegExp(`\\b(?:${addresses.filter((name) => name !== BITMAP).join('|')})\\b`);
    const outside = files.filter(
      ({ path, text }) => !path.startsWith(POSTINGS) && !DESCRIBERS.has(path) && used.test(text),
    );
    expect(outside.map(({ path }) => path)).toEqual([]);
  });

  it('hands bitmaps on without looking into them', () => {
    const inside = new RegExp(`\\b${BITMAP}\\b\\s*(?:>>|\\+)`);
    const outside = files.filter(
      ({ path, text }) => !path.startsWith(POSTINGS) && inside.test(text),
    );
    expect(outside.map(({ path }) => path)).toEqual([]);
  });
});
