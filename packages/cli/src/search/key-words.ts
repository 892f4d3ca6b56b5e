import { LhsError } from '@lakehouse-search/contract';
import type { KeySpec } from '@lakehouse-search/engine';

const namesOf = ({ partition, identifier }: KeySpec) => [...partition, ...identifier];

/** A word that is no part of a query's phrase, group or range. */
const BARE = /^[^"()[\]{}:*?]+$/;

/** The form of a key, such as `repo=…,sha=…`. */
export const keyForm = (key: KeySpec): string =>
  namesOf(key)
    .map((name) => `${name}=…`)
    .join(',');

/**
 * A query and the key behind it, such as `ruth id=7` or `ruth 7`. Throws invalid_argument without a
 * key.
 */
export function splitKeyWords(text: string, key: KeySpec): readonly [query: string, key: string] {
  const words = text.split(' ');
  const named = words.findIndex((word) => namesOf(key).some((name) => word.startsWith(`${name}=`)));
  const bare = words.length > 1 && BARE.test(words[words.length - 1]) ? words.length - 1 : -1;
  const at = named < 0 ? bare : named;
  if (at >= 0) return [words.slice(0, at).join(' '), words.slice(at).join(' ')];
  throw new LhsError('invalid_argument', 'the key of the row is missing', {
    hint: `write it as --key ${keyForm(key)}, or at the end of the query`,
  });
}
