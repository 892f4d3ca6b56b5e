import { type Json, LhsError, type SearchRequest, type SortSpec } from '@lakehouse-search/contract';
import { Flags } from '@oclif/core';

/** The flags of a search, shared by `lhs search` and `lhs index search`. */
export const searchFlags = {
  syntax: Flags.string({ options: ['default', 'kql'], description: 'query syntax' }),
  operator: Flags.string({
    options: ['or', 'and'],
    description: 'what joins words that stand side by side (or)',
  }),
  filter: Flags.string({ description: 'a query that narrows and never scores', helpValue: 'Q' }),
  limit: Flags.integer({
    description: 'hits per page; 0 is the default (10)',
    helpValue: 'N',
    min: 0,
  }),
  offset: Flags.integer({ description: 'hits to skip', helpValue: 'N', min: 0 }),
  sort: Flags.string({ description: 'fast fields, _score, _key', helpValue: 'FIELD[:desc],…' }),
  after: Flags.string({
    description: 'the `sort` of the last hit of the page before',
    helpValue: 'JSON',
  }),
  pit: Flags.string({
    description: 'answer from this point in time (lhs index pit open)',
    helpValue: 'ID',
  }),
  fields: Flags.string({ description: 'cached fields to return', helpValue: 'A,B' }),
  highlight: Flags.boolean({ description: 'matched fragments in the answer' }),
  hydrate: Flags.boolean({ description: 'attach the rows of the table' }),
  columns: Flags.string({ description: 'columns to hydrate (all)', helpValue: 'A,B' }),
  facet: Flags.string({
    description: 'count the values of a fast field among all hits',
    helpValue: 'FIELD',
    multiple: true,
  }),
  collapse: Flags.string({ description: 'best hit of each value only', helpValue: 'FIELD' }),
  'snapshot-min': Flags.string({
    description: 'refuse an answer from before this snapshot (exit 5)',
    helpValue: 'ID',
  }),
  wait: Flags.integer({
    description: 'wait this long for --snapshot-min (0)',
    helpValue: 'SECONDS',
    min: 0,
    dependsOn: ['snapshot-min'],
  }),
};

/** The flags of a search as oclif has read them. */
export interface SearchFlags {
  readonly syntax?: string;
  readonly operator?: string;
  readonly filter?: string;
  readonly limit?: number;
  readonly offset?: number;
  readonly sort?: string;
  readonly after?: string;
  readonly pit?: string;
  readonly fields?: string;
  readonly highlight?: boolean;
  readonly hydrate?: boolean;
  readonly columns?: string;
  readonly facet?: readonly string[];
  readonly collapse?: string;
  readonly 'snapshot-min'?: string;
  readonly wait?: number;
}

/** The wire request that the flags say. Throws invalid_argument for a bad --sort or --after. */
export function searchRequest(index: string, query: string | undefined, f: SearchFlags) {
  const request: SearchRequest = {
    index,
    query: query ?? '*:*',
    syntax: f.syntax as SearchRequest['syntax'],
    default_operator: f.operator as SearchRequest['default_operator'],
    filter: f.filter,
    limit: f.limit,
    offset: f.offset,
    sort: f.sort === undefined ? undefined : sortSpecs(f.sort),
    search_after: f.after === undefined ? undefined : afterValues(f.after),
    pit_id: f.pit,
    fields: list(f.fields),
    highlight: f.highlight ? {} : undefined,
    hydrate: f.hydrate || f.columns !== undefined || undefined,
    hydrate_columns: list(f.columns),
    collapse: f.collapse,
    facets: f.facet === undefined ? undefined : { fields: f.facet },
    min_snapshot: f['snapshot-min'],
    wait_ms: f.wait === undefined ? undefined : f.wait * 1000,
  };
  return Object.fromEntries(
    Object.entries(request).filter(([, v]) => v !== undefined),
  ) as SearchRequest;
}

/** `a,b` -> ['a', 'b']. */
export function list(text: string | undefined): string[] | undefined {
  return text
    ?.split(',')
    .map((s) => s.trim())
    .filter((s) => s !== '');
}

/** `opened_at:desc,service` -> sort specs. */
export function sortSpecs(text: string): SortSpec[] {
  return text.split(',').map((part) => {
    const [, field, order] = /^(.*?)(?::(asc|desc))?$/.exec(part.trim()) ?? [];
    if (!field) {
      throw new LhsError(
        'invalid_argument',
        `--sort "${text}" should be like opened_at:desc,service`,
      );
    }
    return { field, desc: order === 'desc' };
  });
}

function afterValues(text: string): Json[] {
  let values: unknown;
  try {
    values = JSON.parse(text);
  } catch {
    values = undefined;
  }
  if (Array.isArray(values)) return values as Json[];
  throw new LhsError('invalid_argument', `--after ${text} should be a JSON array`, {
    hint: 'take the "sort" of the last hit as it stands, in single quotes',
  });
}
