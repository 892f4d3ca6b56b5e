/**
 * KEYWORD fields with `folded: true` compare values without case and accents. Such a field has its
 * folded values, in every structure, and a second, hidden field `<name>#originals` with the terms
 * `<folded> 0x00 <original>`, which give each folded value back as it was written. A 0x00 in a
 * folded value is U+2400.
 */
import { foldValue } from '../../analysis/filter/folding.ts';
import type { FieldPlan } from '../field-plan.ts';

const SEPARATOR = '\u0000';

/** The name of the hidden field that has the originals of a folded field. */
export const originalsField = (name: string): string => `${name}#originals`;

/** A value as a folded field compares it. */
export const foldKeyword = (text: string): string =>
  foldValue(text).replaceAll(SEPARATOR, '\u2400');

/** A text as the values of a field are compared: folded if the field is. */
export const comparedText = ({ folded }: Pick<FieldPlan, 'folded'>, text: string): string =>
  folded === undefined ? text : foldKeyword(text);

/** What the terms of all originals of a folded value begin with. */
export const originalsPrefix = (folded: string): string => folded + SEPARATOR;

/** The original in a term of the hidden field. */
export const originalOf = (term: Uint8Array): Uint8Array => term.subarray(term.indexOf(0) + 1);
