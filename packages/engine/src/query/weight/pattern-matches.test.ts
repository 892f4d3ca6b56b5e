import { describe, expect, it } from 'vitest';
import { plainArena } from '../../../../../test/support/plain-arena.ts';
import { seededBelow } from '../../../../../test/support/random.ts';
import { InvertedReader } from '../../inverted/inverted-reader.ts';
import { InvertedWriter } from '../../inverted/write/inverted-writer.ts';
import { matchTerm, type TermAutomaton } from '../automaton/automaton.ts';
import { compileFuzzy } from '../automaton/levenshtein.ts';
import { compileRegex } from '../automaton/regex.ts';
import { compileWildcard } from '../automaton/wildcard.ts';
import { eachTerm } from './pattern-matches.ts';

const below = seededBelow(11);
const letters = (count: number) =>
  Array.from({ length: count }, () => 'abcdéefghi'[below(10)]).join('');
const WORDS = [...new Set(Array.from({ length: 60_000 }, () => letters(3 + below(14))))].sort();

function component(): Buffer {
  const values = WORDS.map((word) => Buffer.from(word));
  const offsets = new Int32Array(values.length + 1);
  values.forEach(({ length }, i) => {
    offsets[i + 1] = offsets[i]! + length;
  });
  const starts = Int32Array.from({ length: values.length + 1 }, (_, i) => i);
  const writer = new InvertedWriter({ kind: 'keyword' });
  writer.add(0, WORDS.length, { kind: 'bytes', starts, offsets, bytes: Buffer.concat(values) });
  return Buffer.concat(writer.finish(WORDS.length));
}

/** A component of which nothing is there but what was needed, and how many bytes that is. */
function openCold(bytes: Buffer) {
  const own = plainArena(bytes.length + (1 << 21)).allocate(bytes.length);
  const read = { bytes: 0 };
  const need = (offset: number, length: number) => {
    const at = offset - own.offset;
    own.bytes.set(bytes.subarray(at, at + length), at);
    read.bytes += length;
  };
  const region = { ...own, bytes: own.bytes, need, demand: need };
  return { reader: InvertedReader.open(region, WORDS.length, 'keyword'), read };
}

/** Patterns, most of which match some of the words. */
function somePattern(): TermAutomaton {
  const word = WORDS[below(WORDS.length)]!;
  const at = below(word.length);
  switch (below(4)) {
    case 0:
      return compileFuzzy(word, 1 + below(2));
    case 1:
      return compileWildcard(`${word.slice(0, at)}?${word.slice(at + 1)}`);
    case 2:
      return compileWildcard(`${word.slice(0, at)}*${word.slice(-1)}`);
    default:
      return compileRegex(`${word.slice(0, at)}[a-d]+(b|${word.slice(at)})`);
  }
}

function termsOf(reader: InvertedReader, automaton: TermAutomaton): readonly string[] {
  const found: string[] = [];
  eachTerm(reader, automaton, (_, __, cursor) => {
    found.push(Buffer.from(cursor.bytes()).toString());
  });
  return found.sort();
}

describe('the terms of a cold dictionary', () => {
  it('are those that a pattern matches, whichever blocks are read', () => {
    const bytes = component();
    for (let n = 0; n < 24; n++) {
      const { reader } = openCold(bytes);
      const automaton = somePattern();
      const right = WORDS.filter((word) => matchTerm(automaton, Buffer.from(word)) >= 0);
      expect(termsOf(reader, automaton)).toEqual(right);
    }
  });

  it('are all those that begin alike', () => {
    const { reader } = openCold(component());
    for (let n = 0; n < 100; n++) {
      const any = WORDS[below(WORDS.length)]!;
      const word = any.slice(0, 1 + (n % 3));
      const right = WORDS.filter((one) => one.startsWith(word));
      expect(termsOf(reader, compileWildcard(`${word}*`))).toEqual(right);
    }
  });

  it('are found in few bytes if a pattern says how they begin', () => {
    const { reader, read } = openCold(component());
    const opened = read.bytes;
    eachTerm(reader, compileWildcard('abc?d*'), () => {});
    expect(read.bytes - opened).toBeLessThan(reader.dictionaryBytes / 4);
  });
});
