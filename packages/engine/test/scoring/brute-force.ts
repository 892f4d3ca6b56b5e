/** Answers to searches of terms by plain loops over the words of all documents. */
import type { TermMode } from '../../src/scoring/request.ts';
import { compare, type ModelDoc, tokens } from './model-docs.ts';

/** A term of a query. */
export interface Wanted {
  readonly word: string;
  readonly boost: number;
  readonly position: number;
}

type Analysed = {
  readonly all: readonly { readonly doc: ModelDoc; readonly words: Map<string, number[]> }[];
  readonly lengths: readonly number[];
};
const known = new WeakMap<readonly ModelDoc[], Analysed>();

function analysed(docs: readonly ModelDoc[]): Analysed {
  const found = known.get(docs);
  if (found !== undefined) return found;
  const all = docs.map((doc) => ({ doc, words: tokens(doc) }));
  const lengths = all.map(({ words }) => [...words.values()].reduce((n, p) => n + p.length, 0));
  known.set(docs, { all, lengths });
  return { all, lengths };
}
/** Every matching document with its score, in order. */
export function bruteForce(docs: readonly ModelDoc[], mode: TermMode, wanted: readonly Wanted[]) {
  const used = mode === 'term' ? wanted.slice(0, 1) : wanted;
  const { all, lengths } = analysed(docs);
  const withField = lengths.filter((n) => n > 0).length;
  const average = withField === 0 ? 1 : lengths.reduce((a, b) => a + b, 0) / withField;
  const idf = (word: string) => {
    const df = all.filter(({ words }) => words.has(word)).length;
    return Math.log(1 + (withField - df + 0.5) / (df + 0.5));
  };
  const weights = used.map(({ word, boost }) => boost * idf(word));
  const hits = all.flatMap(({ doc, words }, i) => {
    const share = (weight: number, tf: number) =>
      tf === 0 ? 0 : weight * (tf / (tf + 1.2 * (0.25 + (0.75 * lengths[i]) / average)));
    const tfs = used.map(({ word }) => words.get(word)?.length ?? 0);
    const some = tfs.some((tf) => tf > 0);
    const every = tfs.every((tf) => tf > 0);
    if (doc.blocked || !some || (mode !== 'or' && !every)) return [];
    let score = weights.reduce((sum, weight, k) => sum + share(weight, tfs[k]), 0);
    if (mode === 'phrase') {
      const starts = (words.get(used[0].word) as number[]).filter((p) =>
        used.every(({ word, position }) =>
          words.get(word)?.includes(p - used[0].position + position),
        ),
      ).length;
      if (starts === 0) return [];
      score = share(
        weights.reduce((a, b) => a + b, 0),
        starts,
      );
    }
    return [{ key: doc.key, score }];
  });
  return hits.sort((a, b) => b.score - a.score || compare(a.key, b.key));
}
