/**
 * What a query string probably does not mean as it is read: words that were meant as operators,
 * commas and comparisons of another syntax, words behind the one that has the field. Each is a
 * correction of the text; the note has the reasons and the corrected query.
 */
import { LhsError } from '@lakehouse-search/contract';
import type { FieldType } from '../../schema/definition.ts';
import { parseFieldValue } from '../../schema/values/values.ts';
import { innerQueries, isCompound, positiveQueries, type Query, type Span } from '../query.ts';
import { escapeField, quote } from '../syntax/characters.ts';
import { readPeriod } from './comparison.ts';
import {
  type Correction,
  type MeantQuery,
  meantError,
  meantNote,
  meantQuery,
} from './correction.ts';
import { findField, isTextField, nearestFieldName, type QueryFields } from './fields.ts';
import type { BindScope } from './scope.ts';
import { unknownCondition } from './unknown-condition.ts';
import { conditionsIn, type NameOf, noClause, writtenConditions } from './written-conditions.ts';

/** A clause of the text; a bare word that several fields may hold is one. */
export interface Written extends Span {
  readonly query: Extract<Query, { readonly field: string }>;
  readonly raw: string;
  readonly fields: string[];
  /** One of alternatives. */
  readonly isEither: boolean;
}

/** Texts without these signs need no correction. */
const SUSPECT =
  /(?:^|\s)(?:and|or|not)\s|[,=<>]|"\s*:|:[^\s(["{]\S*\s+\S|\s(?:in|i?like|between|is|to)\s|:null|_:|\.\.|\d-\d|\s[^\s:]+:/i;

/** Adds a note to the scope if the query string has corrections. */
export function noteCorrections(query: Query, scope: BindScope): void {
  const meant = correctionOf(query, scope);
  if (meant !== undefined) scope.notes.push(meantNote(meant));
  if (scope.text?.includes(' = ')) noteUnknown(scope.text, scope);
}

/** Notes the conditions of no field, which are searched as words. */
function noteUnknown(text: string, { fields, notes }: BindScope): void {
  for (const { from, to, read } of unknownIn(text, fields, meantField(text, fields)))
    notes.push(`${asWords(text.slice(from, to))}: no field is "${read.name}"`);
}

/** Conditions such as `foo = 3` of no field. */
const unknownIn = (text: string, fields: Fields, nameOf: NameOf) =>
  conditionsIn(text, fields).filter((condition) => {
    const written = text.slice(condition.from, condition.to);
    return written.includes(' = ') && nameOf(condition) === undefined;
  });

/** The conditions of no field left out, with the operators before or, of the first, behind them. */
function withoutUnknown(text: string, fields: Fields, nameOf: NameOf): readonly Correction[] {
  const left: Correction[] = [];
  let begin = 0;
  for (const { from, to } of unknownIn(text, fields, nameOf)) {
    const { index = from } = /(?:(?:^|\s)(?:and|or|not))*\s*$/i.exec(text.slice(0, from)) ?? {};
    const [behind] =
      index > begin ? [''] : (/^\s*(?:(?:and|or)\s+)?/i.exec(text.slice(to)) ?? ['']);
    const end = to + behind.length;
    const span = { from: Math.max(index, begin), to: end };
    left.push({ ...span, text: '', why: asWords(text.slice(from, to)) });
    if (index <= begin) begin = end;
  }
  return begin === text.length || /[()]/.test(text) ? [] : left;
}

/** The field of a condition, or the nearest one to its name; ranges of such fields are errors. */
const meantField =
  (text: string, fields: QueryFields): NameOf =>
  ({ field, read, from, to }) =>
    field ??
    (/[<>]|^(?:AND|OR|NOT)\s|\S=/.test(text.slice(from, to))
      ? undefined
      : nearestFieldName(fields, read.name));

/** Whether a condition has the place of an error, which is no field that is written. */
const isAt =
  ({ place }: LhsError) =>
  ({ from, to }: Correction): boolean =>
    place !== undefined &&
    from < place.from &&
    place.from < to &&
    /[<>]/.test(place.text[place.from]);

/** The error of a query with corrections has them as its way out. */
export function withCorrections(error: unknown, query: Query, scope: BindScope): unknown {
  if (!(error instanceof LhsError) || error.code !== 'invalid_query') return error;
  const { text, fields } = scope;
  const known = correctionOf(query, scope);
  if (text === null) return error;
  const unknown = known === undefined ? unknownCondition(error, text, fields) : undefined;
  if (unknown !== undefined) return unknown;
  const bare = quoted(clausesOf(query, text, innerQueries), /^[<>][^\s"]+$/);
  const meant = known ?? meantQuery(text, bare);
  if (meant === undefined) return error;
  const [unread] =
    known === undefined ? [] : writtenConditions(text, fields, noClause).filter(isAt(error));
  if (unread !== undefined) return meantError(error, unread.why, meant.query);
  return meantError(error, error.message, meant.query, meant.why);
}

/** How a query string is corrected. */
export interface HowMeant {
  /** A condition of no field is one of the field with the nearest name (default true). */
  readonly isNear?: boolean;
  /** The value and words behind it are a phrase of so many words at most. */
  readonly phraseWords?: number;
}

/** The query that a query string was probably meant as, if it has corrections. */
export function correctionOf(
  query: Query,
  { text, fields }: Pick<BindScope, 'text' | 'fields'>,
  { isNear = true, phraseWords }: HowMeant = {},
): MeantQuery | undefined {
  if (text === null || !SUSPECT.test(text)) return undefined;
  const nameOf: NameOf = isNear ? meantField(text, fields) : ({ field }) => field;
  const clauses = clausesOf(query, text, positiveQueries);
  return meantQuery(text, [
    ...writtenConditions(text, fields, asWords, nameOf),
    ...withoutUnknown(text, fields, nameOf),
    ...otherSigns(clausesOf(query, text, innerQueries), fields),
    ...halfRanges(clauses, text),
    ...quoted(clauses, /<[^\s<>"]+>$/),
    ...operators(clauses, text),
    ...commas(clauses, text, fields),
    ...strayWords(clauses, text, fields, phraseWords),
  ]);
}

const asWords = (part: string): string => `"${part}" is searched as words`;

/** The clauses in the order of the text. */
export function clausesOf(
  query: Query,
  text: string,
  partsOf: (query: Query) => readonly Query[],
): readonly Written[] {
  const found = new Map<number, Written>();
  const visit = (node: Query, isEither: boolean): void => {
    if (isCompound(node)) {
      const { should = [] } = node.kind === 'bool' ? node : {};
      for (const part of partsOf(node)) visit(part, should.includes(part));
      return;
    }
    const { span } = node;
    if (span === undefined || !('field' in node)) return;
    const raw = text.slice(span.from, span.to);
    const clause = found.get(span.from) ?? { ...span, query: node, raw, fields: [], isEither };
    clause.fields.push(node.field);
    found.set(span.from, clause);
  };
  visit(query, false);
  return [...found.values()].toSorted((a, b) => a.from - b.from);
}

type Fields = BindScope['fields'];

/** Whether a clause is a bare word. */
export const isWord = ({ query }: Written): boolean =>
  query.kind === 'term' && query.fieldSpan === undefined;
/** Whether a word was probably meant as an operator. */
export const isOperator = (clause: Written): boolean =>
  isWord(clause) && /^(?:and|or|not)$/.test(clause.raw);

/** `and` and `or` between clauses, `not` after one of them or before a field: `not rated` is words. */
function operators(clauses: readonly Written[], text: string): readonly Correction[] {
  return clauses.flatMap((clause, i) => {
    const { raw, from, to } = clause;
    const next = clauses.at(i + 1);
    if (next === undefined || !isOperator(clause)) return [];
    if (/\bbetween\s+\S+\s+$/i.test(text.slice(0, from))) return [];
    const isOperand = next.query.fieldSpan || /\b(?:and|or)\s+$/i.test(text.slice(0, from));
    if (raw === 'not' ? !isOperand : i === 0) return [];
    return [{ from, to, text: raw.toUpperCase(), why: `"${raw}" is searched as a word` }];
  });
}

/** `service:billing, severity:1`. The analyzer of a TEXT field drops the comma. */
function commas(clauses: readonly Written[], text: string, fields: Fields): readonly Correction[] {
  return clauses.slice(0, -1).flatMap(({ query, raw, to }) => {
    if (query.kind !== 'term' || query.fieldSpan === undefined || !raw.endsWith(',')) return [];
    if (isTextField(fields, query.field)) return [];
    const operator = /^\s+(?:and|or)\s/i.test(text.slice(to)) ? '' : ' AND';
    return [{ from: to - 1, to, text: operator, why: `"${query.value}" is the value of "${raw}"` }];
  });
}

/** One number with separators: `200,000,000`. */
const GROUPED = /^-?[1-9]\d{0,2}(?:,\d{3})+$/;
/** The values of one clause such as `1999,2000`; empty: it is no list. */
function listed(type: FieldType, text: string): readonly string[] {
  const values = GROUPED.test(text) ? [] : text.split(',');
  return values.length > 1 && values.every((value) => parseFieldValue(type, value) !== null)
    ? values
    : [];
}

/** `_exists_:service`, `service:null`, `severity:1..3`, `severity:1,3`. */
function otherSigns(clauses: readonly Written[], fields: Fields): readonly Correction[] {
  return clauses.flatMap(({ query, from, to, raw }) => {
    if (query.kind !== 'term' || query.fieldSpan === undefined) return [];
    const { field, value } = query;
    const why = `"${raw}" looks for the value "${value}"`;
    const correction = (text: string) => [{ from, to, text, why }];
    const name = escapeField(field);
    const target = findField(fields, field);
    if (/^_(?:exists|missing)_$/.test(field) && target === undefined) {
      return correction(`${field === '_missing_' ? '-' : ''}${escapeField(value)}:*`);
    }
    if (/^null$/i.test(value)) return correction(`-${name}:*`);
    const isText = target?.kind !== 'field' || /^(TEXT|KEYWORD)$/.test(target.plan.type);
    // a month of a date has a hyphen
    const period = readPeriod(value, !isText && target.plan.type !== 'DATE');
    if (period !== undefined) return correction(`${name}:[${period[0]} TO ${period[1]}]`);
    const values = isText || target.plan.type === 'DOUBLE' ? [] : listed(target.plan.type, value);
    return values.length === 0 ? [] : correction(`${name}:(${values.join(' OR ')})`);
  });
}

/** `severity:>1 severity:<3`: both halves of a range, of which either is enough. */
function halfRanges(clauses: readonly Written[], text: string): readonly Correction[] {
  return clauses.slice(1).flatMap((half, i) => {
    const other = clauses[i];
    if (!half.isEither || !other.isEither) return [];
    if (half.query.kind !== 'range' || other.query.kind !== 'range') return [];
    if (half.query.field !== other.query.field) return [];
    const lowers = [half, other].filter(({ query }) => 'lower' in query && query.lower);
    const uppers = [half, other].filter(({ query }) => 'upper' in query && query.upper);
    const [from, to] = [other.to, half.from];
    if (lowers.length !== 1 || uppers.length !== 1 || lowers[0] === uppers[0]) return [];
    if (text.slice(from, to).trim() !== '') return [];
    const why = `either of "${other.raw} ${half.raw}" is enough`;
    return [{ from, to, text: ' AND ', why }];
  });
}

/** Texts such as `<none>` that are read as ranges, in quotes. */
function quoted(clauses: readonly Written[], pattern: RegExp): readonly Correction[] {
  return clauses.flatMap(({ query, raw, to }) => {
    const [value] = (query.kind === 'range' && pattern.exec(raw)) || [];
    if (value === undefined) return [];
    return [{ from: to - value.length, to, text: quote(value), why: `"${value}" is a range` }];
  });
}

/** `title:expired certificate`: the second word has no field. In single quotes it is a phrase. */
function strayWords(
  clauses: readonly Written[],
  text: string,
  fields: Fields,
  phraseWords: number | undefined,
): readonly Correction[] {
  return clauses.flatMap(({ query, to }, i) => {
    if (query.kind !== 'term' || query.fieldSpan === undefined) return [];
    const isText = isTextField(fields, query.field);
    if (!isText && (phraseWords === undefined || !isWholeText(fields, query.field))) return [];
    const rest = clauses.slice(i + 1);
    const end = rest.findIndex((word, n) => {
      const gap = text.slice(n === 0 ? to : rest[n - 1].to, word.from);
      return !isWord(word) || isOperator(word) || gap.trim() !== '' || inField(word, query.field);
    });
    const all = end < 0 ? rest : rest.slice(0, end);
    const words = phraseWords === undefined ? all : all.slice(0, phraseWords - 1);
    if (words.length === 0) return [];
    const last = words[words.length - 1].to;
    const value = to - text.slice(query.fieldSpan.to, to).replace(/^\s*:?\s*/, '').length;
    if (/^['‘].+['’](?:\s|$)/.test(text.slice(value, last))) return [];
    const shown = text.slice(words[0].from, last);
    const why = `"${shown}" is searched in ${words[0].fields.join(', ')}`;
    const together = text.slice(value, last);
    const meant = phraseWords === undefined ? `(${together})` : quote(together);
    return [{ from: value, to: last, text: meant, why }];
  });
}

/** Whether the texts of a field are compared as a whole. */
const isWholeText = (fields: Fields, name: string): boolean =>
  findField(fields, name)?.plan.inverted?.kind === 'keyword';

/** True for a bare word that is searched in one field alone, and this is it. */
const inField = ({ fields }: Written, field: string): boolean =>
  fields.every((name) => name === field);
