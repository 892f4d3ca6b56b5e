/**
 * Prefixes and words within one edit behind the peers' protocol (bench/serve.ts is the same for
 * words alone): `node bench/serve-patterns.ts COMPONENT... [--deleted=PERCENT]`. Timed from the
 * word to the ids of the top 10, or to the exact number; `top10_count_X` asks for both at once, as
 * searches of the product do.
 */
import { createInterface } from 'node:readline';
import { compileFuzzy } from '../packages/engine/src/query/automaton/levenshtein.ts';
import { findPattern } from '../packages/engine/src/query/weight/pattern-matches.ts';
import {
  countPatterns,
  type PatternSearch,
  searchPatterns,
  type TermPattern,
} from '../packages/engine/src/scoring/search-patterns.ts';
import { TopDocs } from '../packages/engine/src/scoring/top-docs.ts';
import { keyOf, type OpenComponents, openComponents, utf8 } from './serve.ts';

const LETTERS = 3;

/** The search of a mode: the first letters of the first word, or the word itself. */
function searchOf(kind: string, word: string, index: OpenComponents): PatternSearch | null {
  const { segments } = index;
  if (kind === 'prefix') {
    return { pattern: { kind, bytes: utf8(firstLetters(word)) }, score: 1, segments };
  }
  if (kind !== 'fuzzy1_const') return null;
  const automaton = compileFuzzy(word, 1);
  const find: (TermPattern & { kind: 'terms' })['find'] = (reader, into, deadline) =>
    findPattern(reader, automaton, into, deadline);
  return { pattern: { kind: 'terms', find }, score: 1, segments };
}

/** The first code points of a word. */
function firstLetters(word: string): string {
  let end = 0;
  for (let i = 0; i < LETTERS && end < word.length; i++) {
    end += word.codePointAt(end)! > 0xffff ? 2 : 1;
  }
  return word.slice(0, end);
}

/** Answers one question of the protocol. */
function answer(index: OpenComponents, mode: string, words: readonly string[]) {
  const started = process.hrtime.bigint();
  const search = searchOf(mode.replace(/^(count_|top10_count_)/, ''), words[0], index);
  if (search === null) return { error: `no mode "${mode}"` };
  let hits = 0;
  let top: [number, number][] = [];
  if (mode.startsWith('count_')) hits = countPatterns(search);
  else {
    const best = new TopDocs(10, (segment, doc) => keyOf(index, segment, doc));
    hits = searchPatterns(search, best, mode.startsWith('top10_count_'));
    top = best.harvest().map(({ segment, doc, score }) => [index.bases[segment] + doc, score]);
  }
  const us = Number(process.hrtime.bigint() - started) / 1e3;
  const exact = mode.includes('count_');
  return { us, hits: exact ? hits : top.length, exact, top };
}

const paths = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const deleted = process.argv.find((argument) => argument.startsWith('--deleted='));
const index = openComponents(paths, Number(deleted?.slice('--deleted='.length) ?? 0));
console.log(JSON.stringify({ ready: true, engine: 'lhs', docs: index.docs }));
for await (const line of createInterface({ input: process.stdin })) {
  const { mode, terms } = JSON.parse(line);
  console.log(JSON.stringify(answer(index, mode, terms)));
}
