import { fieldList } from '../base/field-words.ts';
import type { Served } from './tool.ts';

/** Indexes whose descriptions are part of a tool's; more of them are for list_indexes. */
const DESCRIBED = 20;

/** What the rows of the only index are, and its fields. */
export function fieldWords({ only }: Served): string {
  if (only === undefined) return ' describe_index lists fields and values.';
  const rows =
    only.description === undefined ? '' : ` Rows of "${only.index}": ${only.description}.`;
  return `${rows} Fields: ${fieldList(only)}. Words without a field search ${only.default_fields.join(', ')}.`;
}

/** What the rows of several indexes are. Their names are the choices of the argument `index`. */
export function indexList({ indexes, only }: Served): string {
  if (only !== undefined) return '';
  if (indexes.length === 0) return ' No index is built yet.';
  const described = indexes.filter(({ description }) => description !== undefined);
  if (described.length === 0 || indexes.length > DESCRIBED) return ' list_indexes describes them.';
  return ` Indexes: ${described.map(({ name, description }) => `${name} (${description})`).join(', ')}.`;
}
