import type { Analyzer } from '../../analysis/analyzer.ts';
import type { Deadline } from '../../base/time/deadline.ts';
import { matchTerm } from '../../query/automaton/automaton.ts';
import { sloppyFrequency } from '../../scoring/phrase/phrase-match.ts';
import { type FieldMatchers, type PhraseMatcher, termText } from './matchers.ts';

/**
 * A piece of a text to be marked: UTF-16 units [from, to). `what`: the same number for the same
 * word or phrase.
 */
export interface Mark {
  readonly from: number;
  readonly to: number;
  readonly what: number;
}
/**
 * A text with its tokens' borders (UTF-16 units, rising) and its marks (by rising `from`, apart
 * from each other).
 */
export interface MarkedText {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  readonly marks: readonly Mark[];
}

/** What analysing and matching a token counts as, in steps of a deadline. */
const TOKEN_STEPS = 8;

const encoder = new TextEncoder();

interface Token {
  readonly position: number;
  readonly start: number;
  readonly end: number;
  /** The word's number, or -1. */
  readonly word: number;
  /** Matched by a prefix or an automaton: its number, or -1. */
  readonly pattern: number;
}

/** Analyses a text as it was indexed and finds what the matchers mark. */
export function markText(
  text: string,
  analyzer: Analyzer,
  matchers: FieldMatchers,
  deadline: Deadline,
): MarkedText {
  deadline.check();
  const bytes = encoder.encode(text);
  const tokens: Token[] = [];
  const endings = matchers.openPhrases.map((): Token[] => []);
  analyzer.analyze(bytes, 0, bytes.length, 0, {
    token(source, from, to, position, start, end) {
      deadline.spend(TOKEN_STEPS);
      const word = matchers.words.get(termText(source, from, to)) ?? -1;
      const pattern = patternOf(matchers, source, from, to);
      const found = { position, start, end, word, pattern };
      tokens.push(found);
      for (let i = 0; i < endings.length; i++) {
        const { prefix } = matchers.openPhrases[i];
        if (startsWith(source, from, to, prefix)) endings[i].push(found);
      }
    },
  });
  const unit = unitsOf(text, bytes);
  const found = [...singleMarks(tokens, matchers), ...phraseMarks(tokens, matchers)];
  found.push(...openPhraseMarks(tokens, matchers, endings));
  const marks = found.map((mark) => ({ ...mark, from: unit(mark.from), to: unit(mark.to) }));
  return {
    text,
    starts: tokens.map((token) => unit(token.start)),
    ends: tokens.map((token) => unit(token.end)),
    marks: joined(marks),
  };
}

function patternOf(matchers: FieldMatchers, bytes: Uint8Array, from: number, to: number): number {
  const { prefixes, automata } = matchers;
  for (let i = 0; i < prefixes.length; i++) {
    if (startsWith(bytes, from, to, prefixes[i]!)) return i;
  }
  for (let i = 0; i < automata.length; i++) {
    if (matchTerm(automata[i]!, bytes, from, to) >= 0) return prefixes.length + i;
  }
  return -1;
}

function startsWith(bytes: Uint8Array, from: number, to: number, prefix: Uint8Array): boolean {
  if (to - from < prefix.length) return false;
  return prefix.every((byte, i) => bytes[from + i] === byte);
}

function singleMarks(tokens: readonly Token[], matchers: FieldMatchers): Mark[] {
  const marks: Mark[] = [];
  for (const { start, end, word, pattern } of tokens) {
    if (matchers.single.has(word)) marks.push({ from: start, to: end, what: word });
    else if (pattern >= 0) {
      marks.push({ from: start, to: end, what: matchers.words.size + pattern });
    }
  }
  return marks;
}

function phraseMarks(tokens: readonly Token[], matchers: FieldMatchers): Mark[] {
  if (matchers.phrases.length === 0) return [];
  const positions = Array.from({ length: matchers.words.size }, (): number[] => []);
  const at = new Map<string, Token>();
  for (const token of tokens) {
    if (token.word < 0) continue;
    positions[token.word]!.push(token.position);
    at.set(`${token.word} ${token.position}`, token);
  }
  const what = matchers.words.size + matchers.prefixes.length + matchers.automata.length;
  return matchers.phrases.flatMap((phrase, i) => onePhrase(phrase, positions, at, what + i));
}

/**
 * An exact phrase is one mark from its first word to its last; with slop each of its words is one.
 */
function onePhrase(
  phrase: PhraseMatcher,
  positions: readonly (readonly number[])[],
  at: ReadonlyMap<string, Token>,
  what: number,
): Mark[] {
  const marks: Mark[] = [];
  const same = phrase.words.map((word) => phrase.words.indexOf(word));
  const lists = phrase.words.map((word) => positions[word]!);
  sloppyFrequency({ ...phrase, same }, lists, (chosen) => {
    const words = phrase.words.map((word, i) => at.get(`${word} ${chosen[i]}`)!);
    if (phrase.slop > 0) {
      for (const { start, end } of words) marks.push({ from: start, to: end, what });
      return;
    }
    const from = Math.min(...words.map((word) => word.start));
    marks.push({ from, to: Math.max(...words.map((word) => word.end)), what });
  });
  return marks;
}

/** `endings[i]`: the tokens that may end open phrase i. */
function openPhraseMarks(
  tokens: readonly Token[],
  { openPhrases, phrases, words, prefixes, automata }: FieldMatchers,
  endings: readonly (readonly Token[])[],
): Mark[] {
  if (openPhrases.length === 0) return [];
  const at = new Map(tokens.map((token) => [`${token.word} ${token.position}`, token]));
  const what = words.size + prefixes.length + automata.length + phrases.length;
  return openPhrases.flatMap((phrase, i) =>
    endings[i].flatMap(({ position, end }): Mark[] => {
      const first = position - phrase.offset;
      const own = phrase.words.map((word, w) => at.get(`${word} ${first + phrase.offsets[w]}`));
      const from = own[0]?.start;
      if (from === undefined || own.includes(undefined)) return [];
      return [{ from, to: end, what: what + i }];
    }),
  );
}

/** Marks in order; where they overlap they become one. */
function joined(marks: readonly Mark[]): Mark[] {
  const out: Mark[] = [];
  for (const mark of marks.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    const last = out.at(-1);
    if (last === undefined || mark.from >= last.to) out.push(mark);
    else if (mark.to > last.to) out[out.length - 1] = { ...last, to: mark.to };
  }
  return out;
}

/** From byte offsets of the text's UTF-8 to UTF-16 units. */
function unitsOf(text: string, bytes: Uint8Array): (byte: number) => number {
  if (bytes.length === text.length) return (byte) => byte;
  const units = new Int32Array(bytes.length + 1);
  let unit = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (i > 0 && (byte & 0xc0) !== 0x80) unit += bytes[lead(bytes, i - 1)]! >= 0xf0 ? 2 : 1;
    units[i] = unit;
  }
  units[bytes.length] = text.length;
  return (byte) => units[byte]!;
}

/** The first byte of the character that byte i belongs to. */
function lead(bytes: Uint8Array, i: number): number {
  let at = i;
  while (at > 0 && (bytes[at]! & 0xc0) === 0x80) at--;
  return at;
}
