import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainArena } from '../../../../test/support/plain-arena.ts';
import { wordsOf } from '../bitmap/bitmap.ts';
import { InvertedReader } from '../inverted/inverted-reader.ts';
import { FoundTerms } from '../inverted/pattern/found-terms.ts';
import { findNearTerms } from '../inverted/pattern/near.ts';
import { isOneEdit } from '../inverted/pattern/near-search.ts';
import { ASKS_BEFORE_TABLES } from '../inverted/pattern/pattern-tables.ts';
import { InvertedWriter } from '../inverted/write/inverted-writer.ts';
import { BIG } from '../postings/term-info.ts';
import type { Arena } from '../storage/directory.ts';
import type { ScoringSegment } from './request.ts';
import { countPatterns, searchPatterns, type TermPattern } from './search-patterns.ts';
import { TopDocs } from './top-docs.ts';

const SEED = 20_261_121;
const encoder = new TextEncoder();
const utf8 = (text: string) => encoder.encode(text);

/** Optimal string alignment over code points, by the whole matrix. */
function editDistance(a: string, b: string): number {
  const x = Array.from(a);
  const y = Array.from(b);
  const rows = [Array.from({ length: y.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= x.length; i++) {
    const row = [i];
    for (let j = 1; j <= y.length; j++) {
      const other = x[i - 1] === y[j - 1] ? 0 : 1;
      let best = Math.min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + other);
      const swap = i > 1 && j > 1 && x[i - 1] === y[j - 2] && x[i - 2] === y[j - 1];
      if (swap) best = Math.min(best, rows[i - 2][j - 2] + 1);
      row.push(best);
    }
    rows.push(row);
  }
  return rows[x.length][y.length];
}

interface ModelDoc {
  readonly values: readonly string[];
  readonly blocked: boolean;
}

/** A KEYWORD component; keys rise as documents do unless `ranks` says otherwise. */
function segmentOf(arena: Arena, docs: readonly ModelDoc[], number: number, ranked: boolean) {
  const values = docs.flatMap((doc) => doc.values.map(utf8));
  const starts = new Int32Array(docs.length + 1);
  docs.forEach((doc, i) => {
    starts[i + 1] = starts[i] + doc.values.length;
  });
  const offsets = new Int32Array(values.length + 1);
  values.forEach((value, i) => {
    offsets[i + 1] = offsets[i] + value.length;
  });
  const writer = new InvertedWriter({ kind: 'keyword' });
  const block = { kind: 'bytes', starts, offsets, bytes: Buffer.concat(values) } as const;
  writer.add(0, docs.length, block);
  const bytes = Buffer.concat(writer.finish(docs.length));
  const region = arena.allocate(bytes.length);
  region.bytes.set(bytes);
  const reader = InvertedReader.open(region, docs.length, 'keyword');
  const ranks = ranked ? Int32Array.from(docs, (_, i) => docs.length - 1 - i) : null;
  const blocked = docs.some((d) => d.blocked) ? new Int32Array(wordsOf(docs.length)) : null;
  docs.forEach((d, i) => {
    if (d.blocked && blocked !== null) blocked[i >> 5] |= 1 << (i & 31);
  });
  const segment = { number, reader, ranks, blocked, living: null } satisfies ScoringSegment;
  // Reversed, the documents by rank are the ranks by document.
  return ranks === null ? segment : { ...segment, byRank: () => ranks };
}

/** By global place: key order of every document. */
function keyOf(sizes: readonly number[], ranked: boolean) {
  return (segment: number, doc: number) => {
    const base = sizes.slice(0, segment).reduce((sum, size) => sum + size, 0);
    const key = Buffer.alloc(4);
    key.writeUInt32BE(base + (ranked ? sizes[segment] - 1 - doc : doc));
    return key;
  };
}

function warm(segments: readonly ScoringSegment[]): void {
  for (let i = 0; i <= ASKS_BEFORE_TABLES; i++) {
    for (const { reader } of segments) findNearTerms(reader, utf8('warm'), new FoundTerms());
    searchPatterns(
      { pattern: { kind: 'prefix', bytes: utf8('w') }, score: 1, segments },
      new TopDocs(1, () => new Uint8Array(0)),
    );
  }
}

/** Few letters, so that neighbours abound; characters of one to four bytes, a combining accent. */
const letter = fc.constantFrom('a', 'b', 'c', 'é', 'e', '\u0301', '日', '本', '😀', '😁', '\0');
const term = fc.array(letter, { maxLength: 6 }).map((letters) => letters.join(''));
const model = fc.array(
  fc.record({ values: fc.array(term, { maxLength: 4 }), blocked: fc.boolean() }),
  { minLength: 1, maxLength: 300 },
);

function matching(docs: readonly ModelDoc[], matches: (value: string) => boolean): number[] {
  const wanted = docs.map((doc, i) => (!doc.blocked && doc.values.some(matches) ? i : -1));
  return wanted.filter((i) => i >= 0);
}

function expectSearch(
  docsBySegment: readonly (readonly ModelDoc[])[],
  ranked: boolean,
  words: readonly string[],
): void {
  const arena = plainArena(1 << 25);
  const segments = docsBySegment.map((docs, i) => segmentOf(arena, docs, i, ranked));
  warm(segments);
  const sizes = docsBySegment.map((docs) => docs.length);
  for (const word of words) {
    const bytes = utf8(word);
    for (const kind of ['prefix', 'near'] as const) {
      if (kind === 'near' && !findNearTerms(segments[0].reader, bytes, new FoundTerms())) continue;
      const matches = (value: string) =>
        kind === 'prefix' ? value.startsWith(word) : editDistance(value, word) <= 1;
      const wanted = docsBySegment.map((docs) => matching(docs, matches));
      const total = wanted.reduce((sum, docs) => sum + docs.length, 0);
      const pattern: TermPattern =
        kind === 'prefix'
          ? { kind, bytes }
          : { kind: 'terms', find: (reader, into) => void findNearTerms(reader, bytes, into) };
      const find = (reader: InvertedReader, into: FoundTerms) => {
        const info = reader.lookup(bytes);
        if (info !== null) into.add(info.df, info.kind === BIG ? -1 - info.at : info.at);
      };
      const nearer = [{ kind: 'terms', find, score: 4 } as const];
      const search = { pattern, score: 2, segments, ...(kind === 'near' && { nearer }) };
      expect(countPatterns(search)).toBe(total);
      const isExact = (segment: number, doc: number) =>
        kind === 'near' && docsBySegment[segment][doc].values.includes(word);
      const order = wanted
        .flatMap((docs, segment) =>
          (ranked ? docs.toReversed() : docs).map((doc) => {
            return { segment, doc, score: isExact(segment, doc) ? 4 : 2 };
          }),
        )
        .toSorted((a, b) => b.score - a.score);
      for (const count of [false, true]) {
        const top = new TopDocs(5, keyOf(sizes, ranked));
        expect(searchPatterns(search, top, count)).toBe(count ? total : 0);
        expect(top.harvest()).toEqual(order.slice(0, 5));
      }
    }
  }
}

describe('searchPatterns', () => {
  it('finds what brute force over all values finds', () => {
    const cases = fc.array(model, { minLength: 1, maxLength: 3 });
    const property = fc.property(cases, fc.boolean(), fc.array(term), (docs, ranked, words) => {
      const present = docs.flatMap((part) => part.flatMap((doc) => doc.values)).slice(0, 20);
      const usable = [...new Set([...words, ...present])].filter((word) => word.length > 0);
      expectSearch(docs, ranked, usable);
    });
    fc.assert(property, { seed: SEED, numRuns: 60 });
  });

  it('counts dense terms, lists and short ones together', () => {
    const docs = Array.from({ length: 20_000 }, (_, i) => ({
      values: [
        ...(i % 2 === 0 ? ['word'] : []),
        ...(i % 3 === 0 ? ['ward'] : []),
        ...(i % 5 === 0 ? ['words'] : []),
        ...(i % 7 === 0 ? ['wrod'] : []),
        ...(i % 61 === 0 ? ['wor'] : []),
        ...(i % 997 === 0 ? ['sword', 'far'] : []),
        ...(i % 4001 === 4000 ? ['w'] : []),
        ...(i === 19_996 ? ['wrd'] : []),
      ],
      blocked: i % 11 === 0,
    }));
    for (const ranked of [false, true]) {
      const words = ['word', 'w', 'wo', 'far', 'x', 'wa', 'wod', 'wrd'];
      expectSearch([docs, docs.slice(0, 700)], ranked, words);
    }
  });

  it('takes pages beyond the short list, and of nothing', () => {
    const arena = plainArena(1 << 25);
    const docs = Array.from({ length: 500 }, () => ({ values: ['word'], blocked: false }));
    const segment = segmentOf(arena, docs, 0, false);
    const search = {
      pattern: { kind: 'prefix', bytes: utf8('wo') } as const,
      score: 1,
      segments: [segment],
    };
    const keys = keyOf([500], false);
    for (const limit of [0, 1, 64, 65, 400]) {
      const top = new TopDocs(limit, keys);
      searchPatterns(search, top);
      expect(top.harvest().map(({ doc }) => doc)).toEqual(
        Array.from({ length: limit }, (_, i) => i),
      );
    }
    const after = new TopDocs(3, keys, { score: 1, key: keys(0, 7) });
    expect(searchPatterns(search, after, true)).toBe(500);
    expect(after.harvest().map(({ doc }) => doc)).toEqual([8, 9, 10]);
  });

  it('serves long terms and long words', () => {
    const long = 'x'.repeat(249);
    const values = [long, `${long}y`, `${long}yy`, 'y'.repeat(400), `z${long}`, 'short'];
    const docs = values.map((value) => ({ values: [value], blocked: false }));
    expectSearch([docs], false, [...values, long.slice(0, 246), long.slice(0, 245), 'shrot']);
  });
});

describe('isOneEdit', () => {
  it('is an edit distance of at most one', () => {
    const property = fc.property(term, term, (a, b) => {
      const [x, y] = [utf8(a), utf8(b)];
      expect(isOneEdit(x, x.length, y, y.length)).toBe(editDistance(a, b) <= 1);
    });
    fc.assert(property, { seed: SEED, numRuns: 20_000 });
  });

  it('holds for every edit of a word', () => {
    const property = fc.property(term, letter, fc.nat(6), fc.nat(3), (word, other, at, how) => {
      const points = Array.from(word);
      if (how === 0) points.splice(at, 0, other);
      else if (how === 1) points.splice(at, 1);
      else if (how === 2) points.splice(at, 1, other);
      else points.splice(at, 2, ...points.slice(at, at + 2).reverse());
      const [x, y] = [utf8(word), utf8(points.join(''))];
      expect(isOneEdit(x, x.length, y, y.length)).toBe(true);
    });
    fc.assert(property, { seed: SEED, numRuns: 5000 });
  });
});
