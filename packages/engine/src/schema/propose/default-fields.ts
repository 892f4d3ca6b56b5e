import { LIMITS } from '../../base/limits.ts';
import { yamlScalar } from './source-lines.ts';

/** Weights of codes, which outweigh words in all other texts, of the title, of names. */
export const WEIGHTS = Object.freeze({ code: 10, title: 3, name: 2 });

/** A field that bare words search. */
export interface DefaultField {
  readonly name: string;
  readonly weight: number;
}

/** Fields beyond the limit that a comment names. */
const NAMED = 10;

/**
 * Returns the line of fields that bare words search; none of a single field. Beyond the limit,
 * codes are left out first.
 */
export function defaultFieldsLine(fields: readonly DefaultField[]): string[] {
  const most = LIMITS.defaultFields;
  const excess = Math.max(0, fields.length - most);
  const codes = fields.filter(({ weight }) => weight === WEIGHTS.code);
  const left = new Set(codes.slice(Math.max(0, codes.length - excess)));
  const all = fields.filter((field) => !left.has(field));
  const listed = all.slice(0, most);
  if (listed.length < 2) return [];
  const others = [...left, ...all.slice(most)].map(({ name }) => name);
  const named = others.slice(0, NAMED).join(', ') + (others.length > NAMED ? ', …' : '');
  const without = others.length === 0 ? '' : `; at most ${most}, without ${named}`;
  const shown = listed.map(({ name, weight }) => (weight === 1 ? name : `${name}^${weight}`));
  const list = shown.map(yamlScalar).join(', ');
  return [`default_fields: [${list}]     # of bare words, with weights${without}`];
}
