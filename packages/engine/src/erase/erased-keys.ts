import type { Coordinates } from '@lakehouse-search/contract';
import { encodeKey, type KeySpec, keyColumns, textsOfCoordinates } from '../schema/keys/key.ts';
import type { SegmentKeys } from '../segment/keys/keys.ts';

/** Values that are shorter occur in many texts: then the name of a key column must occur as well. */
const TELLING_CHARACTERS = 4;

/** The first key that a text mentions; null: it has a text of the rows; undefined: nothing. */
type Mentions = (text: string) => number | null | undefined;

/** The keys of an erasure, and texts that their rows held. */
export class ErasedKeys {
  /** Canonical texts of each key, in the order of the key columns. */
  readonly texts: readonly (readonly string[])[];
  /** The encoded forms of each key: generations may have numbers in sorting form or as text. */
  readonly #forms: readonly (readonly Uint8Array[])[];
  readonly #mentioned: Mentions;

  /** `values`: texts of the rows. Throws invalid_argument for coordinates that are no key. */
  constructor(spec: KeySpec, keys: readonly Coordinates[], values: readonly string[]) {
    this.texts = keys.map((key) => textsOfCoordinates(spec, key));
    const { numbers = [] } = spec;
    const forms = numbers.length === 0 ? [numbers] : [numbers, []];
    this.#forms = this.texts.map((texts) => forms.map((form) => encodeKey(texts, form)));
    const columns = keyColumns(spec);
    this.#mentioned = mentions(
      this.texts.map((own) => ({ texts: own, columns })),
      values,
    );
  }

  get count(): number {
    return this.texts.length;
  }

  /** Calls `visit` for each document of a segment with one of the keys, deleted ones included. */
  find(keys: SegmentKeys, visit: (key: number, doc: number) => void = () => {}): boolean {
    let found = false;
    keys.hide(null);
    this.#forms.forEach((forms, key) => {
      for (const doc of forms.flatMap((bytes) => keys.findAll(bytes))) {
        found = true;
        visit(key, doc);
      }
    });
    return found;
  }

  /**
   * The first key that a text mentions: the key's longest value occurs as a whole word. Null: one
   * of the row's texts occurs. Undefined: the text mentions nothing.
   */
  mentionedIn(text: string): number | null | undefined {
    return this.#mentioned(text);
  }
}

/**
 * What `ErasedKeys.mentionedIn` returns for a text, of keys whose columns are those that the
 * coordinates name.
 */
export function mentionsOf(keys: readonly Coordinates[], values: readonly string[]): Mentions {
  const named = keys.map(({ partition = [], identifier }) => {
    const own = [...partition, ...identifier];
    return { texts: own.map(({ value }) => String(value)), columns: own.map(({ name }) => name) };
  });
  return mentions(named, values);
}

/** A key: its texts and the names of their columns. */
interface NamedKey {
  readonly texts: readonly string[];
  readonly columns: readonly string[];
}

function mentions(keys: readonly NamedKey[], values: readonly string[]): Mentions {
  const mentioned = keys.map(({ texts, columns }) => mentioning(texts, columns));
  const telling = values.filter((value) => value.length >= TELLING_CHARACTERS);
  const words = telling.map((value) => value.toLowerCase());
  return (text) => {
    const key = mentioned.findIndex((isMentioned) => isMentioned(text));
    if (key >= 0) return key;
    const lower = text.toLowerCase();
    return words.some((word) => lower.includes(word)) ? null : undefined;
  };
}

function mentioning(texts: readonly string[], columns: readonly string[]) {
  const value = tellingValue(texts);
  if (value === '') return () => false;
  const word = wholeWord(value);
  const names = value.length >= TELLING_CHARACTERS ? null : columns.map(wholeWord);
  return (text: string): boolean =>
    word.test(text) && (names === null || names.some((name) => name.test(text)));
}

/** The value of a key that tells most about its row: the longest one. */
export const tellingValue = (texts: readonly string[]): string =>
  texts.reduce((longest, text) => (text.length > longest.length ? text : longest), '');

function wholeWord(text: string): RegExp {
  const escaped = text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}_])${escaped}(?![\\p{L}\\p{N}_])`, 'iu');
}

/** All texts and numbers of a JSON value, one per line. */
export function textsOfJson(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null) return '';
  return Object.entries(value)
    .map(([name, part]) => `${Array.isArray(value) ? '' : name}\n${textsOfJson(part)}`)
    .join('\n');
}
