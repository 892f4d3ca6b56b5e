/** Dates in a query string, and what each of them is written as in a query. */
import { findField, type QueryFields, visiblePlans } from '../../../query/bind/fields.ts';
import { notationsOf, type WrittenDate, writtenDates } from '../../../query/bind/written-dates.ts';
import { escapeField, quote } from '../../../query/syntax/characters.ts';
import { printQuery } from '../../../query/syntax/print.ts';
import { wholePeriod } from './whole-period.ts';

/** A date in the query string with the name, sign and quotes that belong to it. */
export interface DateSite extends WrittenDate {
  readonly written: string;
  readonly field?: string | undefined;
  readonly sign: string;
  readonly isBound: boolean;
  readonly isQuoted: boolean;
}

/** Writes a date; undefined: it has no such form. */
export type DateForm = (site: DateSite) => string | undefined;

/** DATE fields that are tried. */
const TRIED_FIELDS = 8;

const HEAD = /(?:([\p{L}\p{N}_.]+):\s*)?(?:([<>]=?)\s*)?("?)$/u;

/** The dates of a text (`writtenDates`) with what belongs to them; none if one of them is inside of quotes. */
export function dateSites(text: string, years: readonly string[]): readonly DateSite[] {
  const sites = writtenDates(text, years).map((date): DateSite | undefined => {
    const head = text.slice(0, date.from);
    const [all, field, sign = '', open] = HEAD.exec(head) ?? [''];
    const isQuoted = open !== '' && text[date.to] === '"';
    if (head.split('"').length % 2 === 0 && !isQuoted) return undefined;
    const isBound = /(?:[[{]|\sTO)\s*"?$/.test(head);
    const written = text.slice(date.from, date.to);
    const from = date.from - (isBound ? open.length : all.length);
    const to = date.to + Number(isQuoted);
    return { ...date, from, to, written, field, sign, isBound, isQuoted };
  });
  return sites.every((site) => site !== undefined) ? sites : [];
}

/** The dates as clauses of each DATE field, in one of their readings. */
export function dateForms(fields: QueryFields, reading: number): readonly DateForm[] {
  const dates = visiblePlans(fields).filter(({ type }) => type === 'DATE');
  return dates.slice(0, TRIED_FIELDS).flatMap(({ name }) =>
    [false, true].map((isWhole): DateForm => {
      return (site) => dateClause(site, name, { reading, isWhole }, fields);
    }),
  );
}

function dateClause(
  site: DateSite,
  name: string,
  { reading, isWhole }: { readonly reading: number; readonly isWhole: boolean },
  fields: QueryFields,
): string | undefined {
  const { readings, field, sign, isBound, hasYear } = site;
  const value = readings[Math.min(reading, readings.length - 1)];
  if (field !== undefined && field !== name && findField(fields, field) !== undefined)
    return undefined;
  if (isBound) return value;
  if (sign !== '') return `${escapeField(name)}:${sign}${value}`;
  const clauses = (hasYear ? [value] : readings).flatMap((date) => {
    const query = { kind: 'term', field: name, value: date } as const;
    const meant = isWhole ? wholePeriod(query, fields) : query;
    return (meant && printQuery(meant)) ?? [];
  });
  return clauses.length > 1 ? `(${clauses.join(' OR ')})` : clauses[0];
}

/** The name and colon of a field of texts that a date has before it; undefined: another field. */
function textHead({ field, sign, isBound }: DateSite, fields: QueryFields): string | undefined {
  if (sign !== '' || isBound) return undefined;
  const type = field === undefined ? undefined : findField(fields, field)?.plan.type;
  if (type === undefined) return '';
  return type === 'TEXT' || type === 'KEYWORD' ? `${escapeField(field ?? '')}:` : undefined;
}

/** The dates as phrases. */
export const phraseForm =
  (fields: QueryFields): DateForm =>
  (site) => {
    const head = textHead(site, fields);
    return head === undefined ? undefined : head + quote(site.written);
  };

/** The dates as phrases in the notations of texts. */
export function notationForms({ readings }: DateSite, fields: QueryFields): readonly DateForm[] {
  const count = Math.max(...readings.map((reading) => notationsOf(reading).length));
  return Array.from({ length: count }, (_, i): DateForm => {
    return (site) => {
      const head = textHead(site, fields);
      const notation = notationsOf(site.readings[0])[i];
      if (head === undefined || notation === undefined) return undefined;
      const { words, slop } = notation;
      return head + quote(words) + (slop > 0 ? `~${slop}` : '');
    };
  });
}
