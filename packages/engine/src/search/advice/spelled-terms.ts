/** Terms and texts that differ in case, accents and marks alone. */

import type { Query } from '../../query/query.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import { plainText } from './like-pattern.ts';

/** Letters with all that `plainText` drops. */
const MARKED = 'ÀÖşשָׁبَ';

const plainFields = new WeakMap<FieldPlan, boolean>();

/** True for a field whose terms never differ in case, accents and marks alone. */
export function comparesPlain(plan: FieldPlan): boolean {
  const { folded, inverted } = plan;
  const isPlain =
    plainFields.get(plan) ??
    (folded !== undefined ||
      (inverted?.kind === 'text' && inverted.analyzer.normalize(MARKED) === plainText(MARKED)));
  plainFields.set(plan, isPlain);
  return isPlain;
}

/** The text of a clause in the spelling of a term, of which a pattern took these runs. */
export function spelledAs(
  { kind }: Pick<Query, 'kind'>,
  value: string,
  runs: readonly string[] | undefined,
  term: string,
): readonly string[] {
  if (kind === 'term' || kind === 'phrase') return [term];
  if (runs === undefined) return [];
  if (kind === 'prefix' || kind === 'phrase_prefix') return [runs[0]];
  let next = 0;
  const parts = value.split(/([*?])/).filter((part) => part !== '');
  return [parts.map((part) => (/^[*?]$/.test(part) ? part : runs[next++])).join('')];
}
