/** Conditions and ranges of other syntaxes in a query string, whether or not it can be parsed. */
import { escapeField } from '../syntax/characters.ts';
import { readCondition } from './comparison.ts';
import type { Correction } from './correction.ts';
import { fieldNamed, isTextField, nearestFieldName, type QueryFields } from './fields.ts';

/** Quoted strings, in which nothing is a condition. */
const QUOTED = /"(?:\\.|[^"\\])*"/gs;
/** `"IMDB Rating":`, the name of a field as its words. */
const QUOTED_NAME = /(?<=^|[\s(+!-])"([^"\\]{1,60})"\s*:\s*/g;
const NAME = /(?<=\s)([\p{L}\p{N}_.]+(?: [$%€£¥#°])?):/gu;
const OPERATOR = /(?<=^|[\s(])(?:and|or|not)(?=[\s(])/g;
const WORD_START = /(?<=^|[\s(,;])[\p{L}\p{N}_."'`[]/gu;
/** What SQL has before and behind its conditions. */
const FRAME = [
  /^\s*(?:select\s.*?\s)?where\s+/gis,
  /\s+(?:(?:order|group)\s+by|limit)\s.*$|\s*;\s*$/gis,
];
const BOUND = String.raw`([^\s,;:()[\]{}"]{1,40}|"[^"]{0,40}"|\d[^\s,;()[\]{}"]{0,40})`;
const FIELD = String.raw`(?<=^|[\s(+!-])([\p{L}\p{N}_.]+):\s*`;
const JOINT = String.raw`(?:\s*(?:,|;|\.{2,3}|-)\s*|\s+)`;
/** `year:[1990,1999]`, `year:(1990 TO 1999)`, `year:1990 TO 1999`. */
const RANGES = [
  new RegExp(String.raw`${FIELD}([[{])\s*${BOUND}${JOINT}${BOUND}\s*([\]}])`, 'gu'),
  new RegExp(String.raw`${FIELD}(\()\s*${BOUND}\s+TO\s+${BOUND}\s*(\))`, 'gu'),
  new RegExp(String.raw`${FIELD}()${BOUND}\s+TO\s+${BOUND}()(?=[\s)]|$)`, 'gu'),
];

/** The text with signs in the place of its quoted strings. */
const withoutTexts = (text: string): string =>
  text.replace(QUOTED, (found) => `"${'_'.repeat(found.length - 2)}"`);

/** The conditions of other syntaxes in a text; `field`: of which field, if there is one. */
export const conditionsIn = (text: string, fields: QueryFields) =>
  [...withoutTexts(text).matchAll(WORD_START)].flatMap(({ index }) => {
    const read = readCondition(text.slice(index));
    if (read === null) return [];
    const named = nameAt(text, index, read.name, fields);
    return [{ from: named?.from ?? index, to: index + read.length, read, field: named?.name }];
  });

/** The name of the field that a condition means; undefined: it means none. */
export type NameOf = (condition: ReturnType<typeof conditionsIn>[number]) => string | undefined;

/** Corrections of the conditions of the fields that have a name, and of what SQL has around them. */
export function conditionClauses(
  text: string,
  fields: QueryFields,
  why: (part: string) => string,
  nameOf: NameOf = ({ field }) => field,
): readonly Correction[] {
  const conditions = conditionsIn(text, fields).flatMap((condition) => {
    const { from, to, read } = condition;
    const name = nameOf(condition);
    if (name === undefined) return [];
    const clause = read.clause(name, isTextField(fields, name));
    return [{ from, to, text: clause, why: why(text.slice(from, to)) }];
  });
  if (conditions.length === 0) return [];
  const plain = withoutTexts(text);
  const frame = FRAME.flatMap((pattern) => [...plain.matchAll(pattern)]).map(
    ({ index, 0: all }) => {
      return { from: index, to: index + all.length, text: '', why: conditions[0].why };
    },
  );
  return [
    ...conditions,
    ...operatorsBeside(plain, conditions),
    ...sideBySide(plain, conditions),
    ...frame,
  ];
}

/** AND between the conditions of a text without anything else: `Sales>1000 Profit<0`. */
function sideBySide(plain: string, conditions: readonly Correction[]): readonly Correction[] {
  const ends = [0, ...conditions.map(({ to }) => to)];
  const gaps = conditions.map(({ from, why }, i) => ({
    from: ends[i],
    to: from,
    text: ' AND ',
    why,
  }));
  const isAll = [...gaps, { from: ends.at(-1), to: plain.length }].every(({ from, to }) =>
    /^\s*[,;]?\s*$/.test(plain.slice(from, to)),
  );
  return isAll ? gaps.slice(1) : [];
}

/** What a part of a query that cannot be read is. */
export const noClause = (part: string): string => `"${part}" is no clause of the query syntax`;

/**
 * Corrections of conditions such as `service=billing`, `severity >= 3` and `severity IN (1, 2)`, of
 * ranges such as `severity:[1,3]` and of names in quotes or words, if there is such a field. `why`
 * says what such a part of the text does.
 */
export function writtenConditions(
  text: string,
  fields: QueryFields,
  why: (part: string) => string,
  nameOf?: NameOf,
): readonly Correction[] {
  const plain = withoutTexts(text);
  const corrected = (from: number, to: number, clause: string): Correction => {
    return { from, to, text: clause, why: why(text.slice(from, to)) };
  };
  const ranges = RANGES.flatMap((pattern) => [...text.matchAll(pattern)]).flatMap((found) => {
    const { index } = found;
    const [all, field, open, lower, upper, close] = found;
    const name = fieldNamed(fields, field);
    if (name === undefined || isTextField(fields, name) || !plain.startsWith(field, index))
      return [];
    const [begin, end] = [open === '{' ? '{' : '[', close === '}' ? '}' : ']'];
    const range = `${escapeField(name)}:${begin}${lower} TO ${upper}${end}`;
    return [corrected(index, index + all.length, range)];
  });
  const names = [...text.matchAll(QUOTED_NAME)].flatMap(({ index, 0: all, 1: words }) => {
    const name = nearestFieldName(fields, words);
    if (name === undefined) return [];
    return [corrected(index, index + all.length, `${escapeField(name)}:`)];
  });
  const inWords = [...plain.matchAll(NAME)].flatMap(({ index, 1: last }) => {
    const { from, name } = nameAt(text, index, last, fields) ?? { from: index, name: last };
    if (from === index) return [];
    const words = why(text.slice(from, index).trim());
    return [{ from, to: index + last.length, text: escapeField(name), why: words }];
  });
  return [...conditionClauses(text, fields, why, nameOf), ...ranges, ...names, ...inWords];
}

/** Operators in small letters before or behind a condition, in capitals. */
const operatorsBeside = (plain: string, conditions: readonly Correction[]): Correction[] =>
  [...plain.matchAll(OPERATOR)].flatMap(({ index, 0: word }) => {
    const end = index + word.length;
    const beside = conditions.find(
      ({ from, to }) =>
        (to <= index && plain.slice(to, index).trim() === '') ||
        (from >= end && plain.slice(end, from).trim() === ''),
    );
    if (beside === undefined) return [];
    return [{ from: index, to: end, text: word.toUpperCase(), why: beside.why }];
  });

/** The field that a name means, with most of the words before it or alone: `IMDB Rating`. */
function nameAt(text: string, index: number, last: string, fields: QueryFields) {
  const [before] = /(?:[\p{L}\p{N}]+ +){0,4}$/u.exec(
    text.slice(Math.max(0, index - 80), index),
  ) ?? [''];
  for (const { index: at } of before.matchAll(/(?<=^| )[^ ]/g)) {
    const name = fieldNamed(fields, before.slice(at) + last);
    if (name !== undefined) return { from: index - before.length + at, name };
  }
  const alone = fieldNamed(fields, last);
  return alone === undefined ? undefined : { from: index, name: alone };
}
