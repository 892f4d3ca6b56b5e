import { fieldList } from '../../base/field-words.ts';
import type { Served } from '../tool.ts';

/** Indexes whose descriptions are part of a tool's; more of them are for list_indexes. */
const DESCRIBED = 20;

/** What the rows of the only index are, and its fields. */
export function fieldWords({ only }: Served): string {
  if (only === undefined) return ' describe_index lists fields and values.';
  const { index, description, default_fields: searched } = only;
  const rows = description === undefined ? '' : ` Rows of "${index}": ${description}.`;
  const words = ` Words without a field search ${searched.join(', ')}.`;
  return `${rows} Fields: ${fieldList(only)}.${words}`;
}

/** What the rows of several indexes are. Their names are the choices of the argument `index`. */
export function indexList({ indexes, only }: Served): string {
  if (only !== undefined) return '';
  if (indexes.length === 0) return ' No index is built yet.';
  const described = indexes.filter(({ description }) => description !== undefined);
  if (described.length === 0 || indexes.length > DESCRIBED) return ' list_indexes describes them.';
  const words = described.map(({ name, description }) => `${name} (${description})`);
  return ` Indexes: ${words.join(', ')}.`;
}
