// @module-tag campaign
import { describe, expect, it } from 'vitest';
import { byEffort } from '../../../../../test/support/effort.ts';
import { openInverted } from '../../../../../test/support/field-blocks.ts';
import { plainArena } from '../../../../../test/support/plain-arena.ts';
import { wordsOf } from '../../bitmap/bitmap.ts';
import type { InvertedReader } from '../../inverted/inverted-reader.ts';
import { BitOutput } from '../../postings/bit-output.ts';
import { docUnpacker, frequencyUnpacker } from '../../postings/unpack.ts';
import { inverseFrequency } from '../field-statistics.ts';
import type { TermSearch } from '../request.ts';
import { countTerms, searchTerms } from '../search-terms.ts';
import { TopDocs } from '../top-docs.ts';
import { phraseCodeOf } from './compiled-phrases.ts';

const encoder = new TextEncoder();

function randomNumbers(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

/** So many documents so large that lists have many blocks: numbers of words, frequent ones low. */
function randomDocs(random: (n: number) => number, docs: number): readonly number[][] {
  const word = () => Math.floor(600 ** (random(1 << 20) / (1 << 20))) - 1;
  return Array.from({ length: docs }, () => Array.from({ length: 1 + random(12) }, word));
}

interface Corpus {
  readonly docs: readonly (readonly number[])[];
  readonly reader: InvertedReader;
  /** By word, the documents that hold it. */
  readonly holders: readonly (readonly number[])[];
  readonly blocked: Int32Array | null;
}

function corpus(seed: number, docs: number, deleted: number): Corpus {
  const random = randomNumbers(seed);
  const texts = randomDocs(random, docs);
  const holders = Array.from({ length: 600 }, (): number[] => []);
  texts.forEach((text, doc) => {
    for (const word of new Set(text)) holders[word]!.push(doc);
  });
  const reader = openInverted(texts.map((text) => [text.map((word) => `w${word}`).join(' ')]));
  const blocked = deleted === 0 ? null : new Int32Array(wordsOf(docs));
  for (let i = 0; blocked !== null && i < docs * deleted; i++) {
    const doc = random(docs);
    blocked[doc >> 5]! |= 1 << doc;
  }
  return { docs: texts, reader, holders, blocked };
}

/** The phrases of a search: words that follow one another somewhere, or any words. */
function randomPhrase(random: (n: number) => number, docs: Corpus['docs']): readonly number[] {
  const size = 2 + random(3);
  const text = docs[random(docs.length)] as readonly number[];
  const from = random(Math.max(1, text.length - size + 1));
  const words = text.slice(from, from + size);
  while (words.length < size) words.push(random(600));
  if (random(4) === 0) words[random(size)] = random(60);
  return words;
}

interface Match {
  readonly doc: number;
  readonly score: number;
}

function bruteForce({ docs, reader, holders, blocked }: Corpus, words: readonly number[]) {
  const found: Match[] = [];
  let weight = 0;
  for (const word of words) weight += inverseFrequency(reader.docsWithField, holders[word]!.length);
  const [rarest] = words.map((word) => holders[word]!).sort((a, b) => a.length - b.length);
  for (const doc of rarest!) {
    if (blocked !== null && ((blocked[doc >> 5]! >>> doc) & 1) === 1) continue;
    const text = docs[doc]!;
    let tf = 0;
    for (let at = text.indexOf(words[0]!); at >= 0; at = text.indexOf(words[0]!, at + 1)) {
      if (words.every((word, i) => text[at + i] === word)) tf++;
    }
    if (tf === 0) continue;
    found.push({ doc, score: weight * (tf / (tf + reader.normAt(doc, reader.averageLength))) });
  }
  return found.sort((a, b) => b.score - a.score || a.doc - b.doc);
}

const searchOf = ({ reader, blocked }: Corpus, words: readonly number[]): TermSearch => ({
  mode: 'phrase',
  terms: words.map((word, position) => ({
    ...{ bytes: encoder.encode(`w${word}`), boost: 1, position },
  })),
  segments: [{ number: 0, reader, blocked, ranks: null, living: blocked && new Map() }],
});

const keyOf = (_: number, doc: number) => encoder.encode(String(doc).padStart(6, '0'));

describe('a phrase in lists of many blocks', () => {
  it.each([0, 0.05])('is found as by brute force (%d deleted)', (deleted) => {
    const made = corpus(20_261_123, 30_000, deleted);
    const random = randomNumbers(7);
    for (let run = 0; run < byEffort(120, 10_000); run++) {
      const words = randomPhrase(random, made.docs);
      const wanted = bruteForce(made, words);
      const search = searchOf(made, words);
      const limit = [10, 3, 100][run % 3] as number;
      const top = new TopDocs(limit, keyOf);
      searchTerms(search, top);
      const found = top.harvest().map(({ doc, score }) => ({ doc, score }));
      expect(found, words.join(' ')).toEqual(wanted.slice(0, limit));
      expect(countTerms(search), words.join(' ')).toBe(wanted.length);
    }
  });
});

describe('the unpackers of blocks', () => {
  it('give what the plain ones give, at every width', () => {
    const random = randomNumbers(11);
    const arena = plainArena(1 << 21);
    const code = phraseCodeOf(arena);
    const { offset } = arena.allocate(1 << 14);
    const intoAt = offset + (1 << 13);
    const found = new Int32Array(arena.memory.buffer, intoAt, 128);
    const wanted = new Int32Array(128);
    for (let width = 0; width <= 31; width++) {
      const values = Int32Array.from({ length: 128 }, () => random(2 ** Math.min(width, 24)));
      const output = new BitOutput(1024);
      if (width <= 25) output.pack(values, 0, 128, width, 0);
      else for (let i = 0; i < 4 * width; i++) output.u8[output.length++] = random(256);
      arena.u8.set(output.u8.subarray(0, 1024), offset);
      docUnpacker(width)(arena.i32, offset >> 2, wanted, 0, 41);
      code.unpackDocs(offset, intoAt, width, 41);
      expect(found, `documents of ${width} bits`).toEqual(wanted);
      frequencyUnpacker(width)(arena.i32, offset >> 2, wanted, 0);
      code.unpackFrequencies(offset, intoAt, width, 0);
      expect(found, `frequencies of ${width} bits`).toEqual(wanted);
    }
  });
});
