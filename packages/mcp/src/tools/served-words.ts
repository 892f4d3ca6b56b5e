import { fieldList } from '../base/field-words.ts';
import type { Served } from './tool.ts';

/** Indexes that a description names. */
const NAMED = 20;

/** The indexes of a caller in a sentence, with what their definitions say. */
export function indexWords({ indexes, only }: Served): string {
  if (only !== undefined) return `"${only.index}"${aside(only.description)}`;
  if (indexes.length === 0) return 'an index (none is built yet)';
  const named = indexes.slice(0, NAMED).map(({ name, description }) => name + aside(description));
  const more = indexes.length > NAMED ? ' and others' : '';
  return `one index: ${named.join(', ')}${more}`;
}

const aside = (words: string | undefined): string => (words === undefined ? '' : ` (${words})`);

/** A sentence about the fields of the only index; nothing if there are several indexes. */
export function fieldWords({ only }: Served): string {
  if (only === undefined) return ' describe_index lists the fields.';
  return ` Fields: ${fieldList(only)}.`;
}
