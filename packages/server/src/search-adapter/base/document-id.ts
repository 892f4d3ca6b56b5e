/**
 * `_id`: a key as one text. A key of one column is the text of its value. The values of several
 * columns are joined by commas in the order of the key (partition first); in them, `%` is `%25` and
 * `,` is `%2C`.
 */
import type { Coordinates, KeyPart } from '@lakehouse-search/contract';

/** The columns of a key, as a description names them. */
export interface KeyColumns {
  readonly partition: readonly string[];
  readonly identifier: readonly string[];
}

/** The `_id` of a key. */
export function documentId({ partition = [], identifier }: Coordinates): string {
  return idOfTexts([...partition, ...identifier].map(({ value }) => value));
}

/** The `_id` of the texts of a key's columns. */
export function idOfTexts(texts: readonly string[]): string {
  return texts.length === 1 ? texts[0] : texts.map(escaped).join(',');
}

/** The texts of the columns; undefined if the text is no id of such a key. */
export function textsOfId(id: string, columns: KeyColumns): readonly string[] | undefined {
  const count = columns.partition.length + columns.identifier.length;
  if (count === 1) return [id];
  const parts = id.split(',');
  if (parts.length !== count) return undefined;
  return parts.map((part) => part.replace(/%2C/g, ',').replace(/%25/g, '%'));
}

/** The key of an `_id`; undefined if the text is no id of such a key. */
export function coordinatesOfId(id: string, columns: KeyColumns): Coordinates | undefined {
  const texts = textsOfId(id, columns);
  if (texts === undefined) return undefined;
  const { partition, identifier } = columns;
  const named = [...partition, ...identifier].map(
    (name, at): KeyPart => ({ name, value: texts[at] }),
  );
  if (partition.length === 0) return { identifier: named };
  return {
    partition: named.slice(0, partition.length),
    identifier: named.slice(partition.length),
  };
}

const escaped = (text: string): string => text.replace(/%/g, '%25').replace(/,/g, '%2C');
