/** The filter of selected values, as a query string of either syntax. */
import type { SearchRequest } from '@lakehouse-search/contract';

/** A value that a field has to have. */
export interface Chosen {
  readonly field: string;
  readonly value: string;
}

/** Values of one field are alternatives; every field has to match. Empty: no filter. */
export function filterText(chosen: readonly Chosen[], syntax: SearchRequest['syntax']): string {
  const [and, or] = syntax === 'kql' ? ['and', 'or'] : ['AND', 'OR'];
  const fields = [...new Set(chosen.map(({ field }) => field))];
  const clauses = fields.map((field) => {
    const values = chosen.filter((one) => one.field === field).map(({ value }) => quoted(value));
    return `${name(field)}:${values.length === 1 ? values[0] : `(${values.join(` ${or} `)})`}`;
  });
  return clauses.join(` ${and} `);
}

/** A value in quotes, unless it is a plain word. */
function quoted(value: string): string {
  const isPlain = /^[A-Za-z0-9_]+$/.test(value) && !/^(and|or|not)$/i.test(value);
  return isPlain ? value : `"${value.replace(/["\\]/g, '\\$&')}"`;
}

const name = (field: string): string => field.replace(/[^\w.]/g, '\\$&');

/** The same values with one more, or without it if it is among them. */
export function toggled(chosen: readonly Chosen[], one: Chosen): readonly Chosen[] {
  const others = chosen.filter(({ field, value }) => field !== one.field || value !== one.value);
  return others.length < chosen.length ? others : [...chosen, one];
}
