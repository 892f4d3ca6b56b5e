/**
 * Synonyms of a field: what a query of some words also looks for. Texts and queries are analysed
 * alike, so a rule finds its words in whatever form the analyzer leaves equal.
 */
import type { Analyzer } from '../../analysis/analyzer.ts';
import type { SynonymRule } from '../../schema/definition.ts';
import type { PhraseWord } from './clause.ts';
import { analyzeWords } from './words.ts';

/** A text and its analysed words. */
export interface Synonym {
  readonly text: string;
  readonly words: readonly PhraseWord[];
  /** Equal for the same words. */
  readonly key: string;
}

/** The synonyms of some words. */
interface Expansion {
  /** The words themselves are looked for, too. */
  readonly keeps: boolean;
  readonly others: readonly Synonym[];
}

/** The rules of a field by the words that they replace. */
export interface SynonymTable {
  readonly rules: ReadonlyMap<string, Expansion>;
  /** The largest number of words that a rule replaces. */
  readonly longest: number;
}

/** Some words of a text in order: a rule's, or all words of one position. */
export interface Stretch extends Partial<Expansion> {
  readonly words: readonly PhraseWord[];
}

/** The rules as an analyzer reads them. Rules of the same words add up. */
export function synonymTable(rules: readonly SynonymRule[], analyzer: Analyzer): SynonymTable {
  const all = new Map<string, { keeps: boolean; readonly others: Map<string, Synonym> }>();
  let longest = 0;
  for (const { from, to } of rules) {
    const sources = analysed(from, analyzer);
    const targets = to === undefined ? sources : analysed(to, analyzer);
    for (const { words, key } of targets.length === 0 ? [] : sources) {
      const own = all.get(key) ?? { keeps: false, others: new Map() };
      all.set(key, own);
      longest = Math.max(longest, words.length);
      for (const target of targets) {
        if (target.key === key) own.keeps = true;
        else if (!own.others.has(target.key)) own.others.set(target.key, target);
      }
    }
  }
  const entries = [...all].map(([key, { keeps, others }]): [string, Expansion] => {
    return [key, { keeps, others: [...others.values()] }];
  });
  return { rules: new Map(entries), longest };
}

const analysed = (texts: readonly string[], analyzer: Analyzer): readonly Synonym[] =>
  texts.flatMap((text) => {
    const words = analyzeWords(analyzer, text);
    return words.length === 0 ? [] : [{ text, words, key: keyOf(words) }];
  });

/** Words at their distances from the first one. */
function keyOf(words: readonly PhraseWord[]): string {
  const [first] = words;
  const part = ({ term, offset }: PhraseWord) =>
    `${offset - first.offset}:${Buffer.from(term).toString('hex')}`;
  return words.map(part).join(' ');
}

/** The expansion of words from `at` on, and how many they are: the longest rule's. */
export function expansionAt(
  { rules, longest }: SynonymTable,
  words: readonly PhraseWord[],
  at: number,
): { readonly count: number; readonly expansion: Expansion } | null {
  for (let count = Math.min(longest, words.length - at); count > 0; count--) {
    const expansion = rules.get(keyOf(words.slice(at, at + count)));
    if (expansion !== undefined) return { count, expansion };
  }
  return null;
}

/** Cuts words into those of rules, from left to right, and single positions. */
export function stretchesOf(
  words: readonly PhraseWord[],
  table: SynonymTable | undefined,
): readonly Stretch[] {
  const stretches: Stretch[] = [];
  for (let at = 0; at < words.length; ) {
    const found = table === undefined ? null : expansionAt(table, words, at);
    const alone = words.findIndex(({ offset }, i) => i > at && offset !== words[at].offset);
    const end = found === null ? (alone < 0 ? words.length : alone) : at + found.count;
    stretches.push({ words: words.slice(at, end), ...found?.expansion });
    at = end;
  }
  return stretches;
}

/** A phrase with some of its words replaced. */
export interface Variant {
  readonly words: readonly PhraseWord[];
  /** How many positions later than in the original text a word behind it is. */
  readonly shift: number;
}

/**
 * A phrase and what it is with its synonyms: every combination. `count` is called for each phrase
 * but the first, before they are made; it throws when they are too many.
 */
export function variantsOf(
  words: readonly PhraseWord[],
  table: SynonymTable | undefined,
  count: () => void,
): readonly Variant[] {
  const stretches = stretchesOf(words, table);
  const sizes = stretches.map(({ keeps = true, others = [] }) => Number(keeps) + others.length);
  for (let left = sizes.reduce((all, size) => all * size, 1); left > 1; left--) count();
  let variants: readonly Variant[] = [{ words: [], shift: 0 }];
  for (const stretch of stretches) {
    variants = variants.flatMap((variant) => continued(variant, stretch));
  }
  return variants;
}

function continued(
  { words: before, shift }: Variant,
  { words: own, keeps = true, others = [] }: Stretch,
): readonly Variant[] {
  const start = own[0].offset;
  const length = own[own.length - 1].offset - start;
  const choices = [
    ...(keeps ? [own.map((word) => ({ ...word, offset: word.offset - start }))] : []),
    ...others.map(({ words }) => words),
  ];
  return choices.map((choice) => ({
    words: [
      ...before,
      ...choice.map(({ term, offset }) => ({ term, offset: start + shift + offset })),
    ],
    shift: shift + choice[choice.length - 1].offset - length,
  }));
}
