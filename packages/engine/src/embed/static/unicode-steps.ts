/**
 * What a code point beyond ASCII does to the word that is being read, by the rules of uncased BERT
 * in this order:
 *
 *  1. U+FFFD, control, format and private-use characters are dropped
 *  2. spaces around ideographs
 *  3. canonical decomposition (NFD), marks (Mn) dropped
 *  4. lower case, code point by code point
 *  5. white space ends a word; punctuation is a word of its own; all else goes on
 *
 * Each code point has its steps by itself, but for those whose decomposition may be put in another
 * order together with its neighbours: there the text around is taken as a whole.
 */

/** One step: the word ends; or one more code point of it; or a word of one code point. */
export interface WordStep {
  readonly kind: 'space' | 'letter' | 'mark';
  /** The code point in UTF-8. */
  readonly bytes: Uint8Array;
}

/** null: its neighbours decide, see `stepsOfText`. */
export type WordSteps = readonly WordStep[] | null;

/** Code points remembered; beyond, all are forgotten. */
const MOST_KNOWN = 1 << 16;

/** ASCII punctuation is all of it, also what Unicode calls a symbol. */
const PUNCTUATION = /^[!-/:-@[-`{-~]$|^\p{P}$/u;
const DROPPED = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\uFFFD]/gu;
const IDEOGRAPH =
  /[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{2a6df}\u{2a700}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/gu;
const NOT_SPACING = /\p{Mn}/gu;
/** Of the highest combining class: what stands behind it moves before it if it combines at all. */
const LAST_MARK = '\u0345';
const utf8 = new TextEncoder();

const known = new Map<number, WordSteps>();

/** The steps of one code point. */
export function stepsOf(codePoint: number): WordSteps {
  const before = known.get(codePoint);
  if (before !== undefined) return before;
  const text = String.fromCodePoint(codePoint);
  const steps = moves(text) ? null : stepsOfText(text);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(codePoint, steps);
  return steps;
}

/** Whether a part of the decomposition, no dropped mark, combines and so can change places. */
const moves = (text: string): boolean =>
  [...text.normalize('NFD').replace(NOT_SPACING, '')].some(
    (part) => (LAST_MARK + part).normalize('NFD') !== LAST_MARK + part,
  );

/** The steps of a text. */
export function stepsOfText(text: string): readonly WordStep[] {
  const cleaned = text.replace(DROPPED, '').replace(IDEOGRAPH, ' $& ');
  const parts = [...cleaned.normalize('NFD').replace(NOT_SPACING, '')];
  return parts.flatMap((part) => [...part.toLowerCase()].map(stepOf));
}

function stepOf(text: string): WordStep {
  const kind = /\s/.test(text) ? 'space' : PUNCTUATION.test(text) ? 'mark' : 'letter';
  return { kind, bytes: utf8.encode(text) };
}
