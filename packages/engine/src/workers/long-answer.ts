/**
 * Answers with long lists on their way out of a search thread: hits, buckets. Each list travels as
 * texts of some items, so that its reader parses no more than a text in one turn.
 */
import { textOfJson } from '@lakehouse-search/contract/internal';

/** JSON of an answer whose long lists are empty, and the texts of these lists. */
export interface LongAnswer {
  readonly head: string;
  readonly lists: readonly LongList[];
}

interface LongList {
  /** Names from the answer to the list. */
  readonly path: readonly string[];
  readonly texts: readonly string[];
}

/** A list of more items is long. */
const SHORT_ITEMS = 200;
/** Names of an answer lead to a list: `results`, NAME, `buckets`. */
const PATH_NAMES = 3;
/** Characters of a text: about two milliseconds of parsing. */
const TEXT_CHARS = 128 * 1024;

/** The JSON text of an answer, or its texts if it has long lists. */
export function answerTexts(answer: unknown): string | LongAnswer {
  const lists: LongList[] = [];
  const head = withoutLists(answer, [], lists);
  return lists.length === 0 ? textOfJson(answer) : { head: textOfJson(head), lists };
}

function withoutLists(value: unknown, path: readonly string[], lists: LongList[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    if (value.length <= SHORT_ITEMS) return value;
    lists.push({ path, texts: textsOfItems(value) });
    return [];
  }
  if (path.length === PATH_NAMES) return value;
  const parts = Object.entries(value).map(([name, part]) => {
    return [name, withoutLists(part, [...path, name], lists)] as const;
  });
  return Object.fromEntries(parts);
}

/** JSON of lists of some items each. */
export function textsOfItems(items: readonly unknown[]): readonly string[] {
  const texts: string[] = [];
  let part: string[] = [];
  let chars = 0;
  for (const item of items) {
    const text = textOfJson(item);
    part.push(text);
    chars += text.length;
    if (chars < TEXT_CHARS) continue;
    texts.push(`[${part.join(',')}]`);
    part = [];
    chars = 0;
  }
  if (part.length > 0) texts.push(`[${part.join(',')}]`);
  return texts;
}

/** Reads an answer in steps. */
export function* readingAnswer({ head, lists }: LongAnswer): Generator<void, object, undefined> {
  const answer = JSON.parse(head) as object;
  for (const { path, texts } of lists) {
    const list = path.reduce<unknown>((value, name) => (value as Named)[name], answer) as unknown[];
    for (const text of texts) {
      for (const item of JSON.parse(text) as unknown[]) list.push(item);
      yield;
    }
  }
  return answer;
}

interface Named {
  readonly [name: string]: unknown;
}
