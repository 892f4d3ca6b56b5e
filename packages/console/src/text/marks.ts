/** The words of a row that a search has matched. */
import type { Hit } from '@lakehouse-search/contract';

const WORDS = /[\p{L}\p{N}\p{M}_]+/gu;

/** Words that are marked in the highlights of a hit, in lower case. */
export function markedWords(hit: Hit | undefined): ReadonlySet<string> {
  const segments = Object.values(hit?.highlight ?? {}).flat(2);
  const marked = segments.filter((segment) => segment.marked);
  return new Set(marked.flatMap(({ text }) => text.toLowerCase().match(WORDS) ?? []));
}

/** A text in parts: those that are one of the words are marked. */
export function markedParts(
  text: string,
  words: ReadonlySet<string>,
): readonly { readonly text: string; readonly marked: boolean }[] {
  if (words.size === 0) return [{ text, marked: false }];
  const parts: { text: string; marked: boolean }[] = [];
  let end = 0;
  for (const { 0: word, index } of text.matchAll(WORDS)) {
    if (!words.has(word.toLowerCase())) continue;
    if (index > end) parts.push({ text: text.slice(end, index), marked: false });
    parts.push({ text: word, marked: true });
    end = index + word.length;
  }
  return [...parts, { text: text.slice(end), marked: false }];
}
