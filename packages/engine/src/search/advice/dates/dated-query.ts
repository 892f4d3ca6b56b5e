/**
 * The query that was meant by a query string with dates in another notation: a date becomes a
 * clause of a DATE field, or a phrase of the texts that have it, beside the other words.
 */
import type { SearchRequest } from '@lakehouse-search/contract';
import { meantQuery } from '../../../query/bind/correction.ts';
import { findField, type QueryFields } from '../../../query/bind/fields.ts';
import { conditionClauses } from '../../../query/bind/written-conditions.ts';
import { mayLackYear } from '../../../query/bind/written-dates.ts';
import { parsePeriod } from '../../../schema/values/date-period.ts';
import { queryFields } from '../../../shard/request/query-fields.ts';
import type { SearchContext } from '../../context.ts';
import { yearsOf } from '../field-range.ts';
import { type Counted, type Reasoned, totalWith } from '../meant-queries.ts';
import { pastedQueries } from '../pasted-text.ts';
import {
  type DateForm,
  type DateSite,
  dateForms,
  dateSites,
  notationForms,
  phraseForm,
} from './date-forms.ts';

/**
 * The query that was meant by one with dates; undefined: it has none, or no such query finds rows.
 * `isBare`: dates that have a name or quotes were meant as they are.
 */
export async function datedQuery(
  context: SearchContext,
  request: SearchRequest,
  part: 'query' | 'filter',
  isBare = false,
): Promise<Reasoned | undefined> {
  const given = request[part];
  if (typeof given !== 'string') return undefined;
  const fields = queryFields(context.mapping);
  const clauses = meantQuery(
    given,
    conditionClauses(given, fields, () => ''),
  );
  const text = clauses?.query ?? /^"([^"]*)"$/.exec(given)?.[1] ?? given;
  const sites = dateSites(text, mayLackYear(text) ? await yearsOf(context) : []);
  if (sites.length === 0 || sites.some((site) => isRead(site, fields))) return undefined;
  if (isBare && (text !== given || sites.some((site) => site.field ?? site.isQuoted)))
    return undefined;
  const { written, readings, hasYear } = sites[0];
  const either = readings.length < 2 || !hasYear ? '' : ` (${readings.join(' or ')})`;
  const isDate = `"${written}" is a date${either}`;
  const months = sites.map((site) => ({ ...site, readings: site.readings.map(monthOf) }));
  const tried = [
    { why: isDate, sites, forms: [...dateForms(fields, 0), phraseForm(fields)] },
    { why: isDate, sites, forms: dateForms(fields, 1) },
    { why: isDate, sites, forms: notationForms(sites[0], fields) },
    { why: `no row has the date "${written}"`, sites: months, forms: dateForms(fields, 0) },
  ];
  for (const { why, ...ways } of isBare ? tried.slice(0, -1) : tried) {
    const found = await bestOf(context, request, part, { given, text, ...ways });
    if (found !== undefined) return { ...found, why };
  }
  return undefined;
}

const monthOf = (date: string): string => date.slice(0, 7);

/** True for a date that its DATE field reads as it is. */
const isRead = ({ field, written, isQuoted, isBound }: DateSite, fields: QueryFields): boolean => {
  const isOfDate = field !== undefined && findField(fields, field)?.plan.type === 'DATE';
  if (!isBound && (!isOfDate || (/\s/.test(written) && !isQuoted))) return false;
  return parsePeriod(written) !== null;
};

/** The first of the compositions that finds rows, in the form that finds most. */
async function bestOf(
  context: SearchContext,
  request: SearchRequest,
  part: 'query' | 'filter',
  { given, text, sites, forms }: Tried,
): Promise<Counted | undefined> {
  const fields = queryFields(context.mapping);
  const written = forms.flatMap((form) => {
    const parts = sites.flatMap((site) => form(site) ?? []);
    return parts.length < sites.length ? [] : [composed(text, sites, parts, fields)];
  });
  const levels = Math.max(0, ...written.map(({ length }) => length));
  for (let level = 0; level < levels; level++) {
    let best: Counted | undefined;
    for (const query of new Set(written.flatMap((queries) => queries[level] ?? []))) {
      const total = query === given ? 0 : await totalWith(context, request, part, query);
      if (total !== undefined && total > (best?.total ?? 0)) best = { query, total };
    }
    if (best !== undefined) return best;
  }
  return undefined;
}

interface Tried {
  readonly given: string;
  readonly text: string;
  readonly sites: readonly DateSite[];
  readonly forms: readonly DateForm[];
}

/** The query with other dates, the likeliest first. */
function composed(
  text: string,
  sites: readonly DateSite[],
  parts: readonly string[],
  fields: QueryFields,
): readonly string[] {
  const replaced = (by: readonly string[]) =>
    sites.reduceRight((out, { from, to }, i) => out.slice(0, from) + by[i] + out.slice(to), text);
  const rest = replaced(sites.map(() => ' '));
  return pastedQueries(text, rest, parts, fields) ?? [replaced(parts)];
}
