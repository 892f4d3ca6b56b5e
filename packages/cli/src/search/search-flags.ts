/**
 * The flags of searches: how oclif reads each one, and one table from values to parts of a request
 * and back.
 */
import {
  type HybridRequest,
  LhsError,
  type SearchMode,
  type SearchRequest,
} from '@lakehouse-search/contract';
import { Args, Flags, type Interfaces } from '@oclif/core';
import { indexArg } from '../config/index-arg.ts';
import { shellWord } from '../terminal/errors/shell-word.ts';
import {
  afterValues,
  aggsOf,
  list,
  numberOf,
  sortSpecs,
  vectorOf,
  weightsOf,
} from './flag-values.ts';

/** The arguments of commands that take documents by a query. */
export const matchArgs = {
  index: indexArg,
  query: Args.string({
    ignoreStdin: true,
    description: 'query (docs/query.md; default: all documents)',
  }),
};
/** The flags of a search, shared by `lhs search` and `lhs index search`. */
export const searchFlags = {
  filter: Flags.string({
    description: 'query that restricts the hits without scoring',
    helpValue: 'Q',
  }),
  limit: Flags.integer({
    char: 'n',
    description: 'hits per page (10); 0 prints the total, facets and aggregations alone',
    helpValue: 'N',
    min: 0,
  }),
  sort: Flags.string({ description: 'fast fields, _score, _key', helpValue: 'FIELD[:desc],…' }),
  fields: Flags.string({
    aliases: ['field'],
    description: 'cached fields to return',
    helpValue: 'A,B',
  }),
  facet: Flags.string({
    aliases: ['facets'],
    delimiter: ',',
    description: 'count the values of a fast field among all hits',
    helpValue: 'FIELD',
    multiple: true,
  }),
  hydrate: Flags.boolean({ description: 'attach the table’s rows' }),
  columns: Flags.string({ description: 'columns to hydrate (all)', helpValue: 'A,B' }),
  highlight: Flags.boolean({ description: 'return matched fragments' }),
  'highlight-fields': Flags.string({
    description: 'return those of these fields; also as --highlight=A,B',
    helpValue: 'A,B',
  }),
  fix: Flags.boolean({ description: 'if nothing is found, search for what was probably meant' }),
  operator: Flags.string({
    options: ['or', 'and'],
    description: 'operator that joins the clauses of a list (or)',
  }),
  syntax: Flags.string({ options: ['default', 'kql'], description: 'query syntax' }),
  collapse: Flags.string({
    description: 'return only the best hit of each value',
    helpValue: 'FIELD',
  }),
  aggs: Flags.string({
    description: 'aggregations of all hits as JSON, or @FILE (docs/aggregations.md)',
    helpValue: 'JSON|@FILE',
  }),
  offset: Flags.integer({ description: 'hits to skip', helpValue: 'N', min: 0 }),
  after: Flags.string({
    description: '`sort` values of the last hit of the previous page',
    helpValue: 'JSON',
  }),
  pit: Flags.string({
    description: 'search this point in time (lhs index pit open)',
    helpValue: 'ID',
  }),
  'snapshot-min': Flags.string({
    description: 'require this snapshot or a later one (exit 5)',
    helpValue: 'ID',
  }),
  wait: Flags.integer({
    description: 'wait this long for --snapshot-min (0)',
    helpValue: 'SECONDS',
    min: 0,
    dependsOn: ['snapshot-min'],
  }),
};
/** The flags of a search by meaning. */
export const nearestFlags = {
  k: Flags.integer({
    description: 'number of nearest rows; of each arm with --mode hybrid (100)',
    helpValue: 'N',
    min: 1,
  }),
  'vector-field': Flags.string({
    description: 'VECTOR field (the only one)',
    helpValue: 'FIELD',
  }),
  vector: Flags.string({
    description: 'vector instead of a text: a JSON array of numbers, or a file with one',
    helpValue: 'JSON|@FILE',
  }),
  'min-score': Flags.string({ description: 'drop hits with a lower score', helpValue: 'S' }),
  exact: Flags.boolean({ description: 'compare every vector, even if there is a graph' }),
  ef: Flags.integer({ description: 'candidates in a graph', helpValue: 'N', min: 1 }),
};
/** The flags of fusing words and meaning. */
export const fusionFlags = {
  fusion: Flags.string({
    options: ['rrf', 'scores'],
    description: 'fuse the arms by their ranks or their scores (docs/semantic.md)',
  }),
  'rrf-k': Flags.integer({ description: 'constant of rank fusion (60)', helpValue: 'N', min: 0 }),
  weights: Flags.string({
    description: 'weights of the arms (0.65,0.35; with --fusion rrf 1,1)',
    helpValue: 'LEXICAL,SEMANTIC',
  }),
  'lexical-fields': Flags.string({
    description: 'TEXT fields of the lexical search (all)',
    helpValue: 'A,B',
  }),
  'fail-on-partial': Flags.boolean({ description: 'exit with 6 if an arm or a shard fails' }),
};
/** A row instead of a query. */
export const likeFlag = Flags.string({
  description: 'instead of a query: the rows whose words are most like those of the row KEY',
  helpValue: 'KEY',
});
/** Which search it is. */
export const modeFlag = Flags.string({
  options: ['lexical', 'semantic', 'hybrid'],
  description: 'search by words (lexical), by meaning (semantic), or by both',
});

/** The limit where a page without hits has no meaning. */
export const pageLimit = Flags.integer({
  char: 'n',
  description: 'hits per page (10)',
  helpValue: 'N',
  min: 1,
});

const { syntax, operator, filter, pit, 'snapshot-min': snapshotMin, wait } = searchFlags;
/** The flags that select the documents of facets and aggregations. */
export const matchFlags = { syntax, operator, filter, pit, 'snapshot-min': snapshotMin, wait };

/** The values of flags as oclif returns them. */
type Values<T> = Partial<Omit<Interfaces.InferredFlags<T>, 'json'>>;
/** The values of all flags of a search. */
export type SearchFlags = Values<typeof searchFlags> &
  Values<typeof nearestFlags> &
  Values<typeof fusionFlags> & { readonly like?: string };

/** What flags can set in a request of any mode. */
type Part = Partial<SearchRequest & HybridRequest>;

/** A flag and its part of a request. */
interface FlagPart<Value> {
  /** The part that a value sets. */
  readonly read: (value: Value) => Part | Promise<Part>;
  /** The value that sets the part again, true for a switch. Without it the flag is not repeated. */
  readonly write?: (part: Part) => string | readonly string[] | true | undefined;
}

/** A flag whose value is one field of the request. */
const same = (field: keyof Part): FlagPart<unknown> => ({
  read: (value) => ({ [field]: value }),
  write: (part) => part[field]?.toString(),
});

/** A flag whose value is a list in the request. */
const listed = (field: 'fields' | 'hydrate_columns' | 'lexical_fields'): FlagPart<string> => ({
  read: (value) => ({ [field]: list(value) }),
  write: (part) => part[field]?.join(','),
});

/** In the order of the fields of a request. */
const PARTS: {
  readonly [Name in Exclude<keyof SearchFlags, 'fail-on-partial' | 'like'>]: FlagPart<
    NonNullable<SearchFlags[Name]>
  >;
} = {
  syntax: same('syntax'),
  operator: same('default_operator'),
  fix: { read: () => ({ suggest: true }) },
  filter: {
    read: (query) => ({ filter: query }),
    write: (part) => (typeof part.filter === 'string' ? part.filter : undefined),
  },
  limit: {
    // 0 is the default of a request: a hit that is left out costs least
    read: (limit) => ({ limit: Math.max(1, limit) }),
    write: ({ limit }) => (limit ? String(limit) : undefined),
  },
  offset: { read: (offset) => ({ offset }) },
  sort: {
    read: (text) => ({ sort: sortSpecs(text) }),
    write: ({ sort }) => sort?.map((key) => `${key.field}${key.desc ? ':desc' : ''}`).join(','),
  },
  after: { read: (text) => ({ search_after: afterValues(text) }) },
  pit: same('pit_id'),
  fields: listed('fields'),
  highlight: { read: () => ({ highlight: {} }) },
  'highlight-fields': { read: (text) => ({ highlight: { fields: list(text) } }) },
  hydrate: {
    read: () => ({ hydrate: true }),
    write: (part) => (part.hydrate && part.hydrate_columns === undefined) || undefined,
  },
  columns: {
    read: (text) => ({ hydrate: true, hydrate_columns: list(text) }),
    write: (part) => part.hydrate_columns?.join(','),
  },
  collapse: same('collapse'),
  facet: {
    read: (fields) => ({ facets: { fields } }),
    write: (part) => part.facets?.fields,
  },
  aggs: { read: async (text) => ({ aggs: await aggsOf(text) }) },
  'snapshot-min': { read: (id) => ({ min_snapshot: id }) },
  wait: { read: (seconds) => ({ wait_ms: seconds * 1000 }) },
  k: same('k'),
  'vector-field': same('vector_field'),
  vector: {
    read: async (text) => ({ query_vector: await vectorOf(text) }),
    write: (part) => part.query_vector && '@FILE',
  },
  'min-score': {
    read: (text) => ({ min_score: numberOf('--min-score', text) }),
    write: (part) => part.min_score?.toString(),
  },
  exact: { read: () => ({ exact: true }), write: (part) => part.exact || undefined },
  ef: same('ef'),
  fusion: same('fusion'),
  'rrf-k': same('rrf_k'),
  weights: {
    read: (text) => ({ weights: weightsOf(text) }),
    write: ({ weights }) => weights && `${weights.lexical ?? 1},${weights.semantic ?? 1}`,
  },
  'lexical-fields': listed('lexical_fields'),
};
type FlagName = keyof typeof PARTS;

/** The flags that the next page repeats, in the order in which they are shown. */
const REPEATED: readonly FlagName[] = [
  ...(['vector-field', 'vector', 'k', 'min-score', 'ef', 'fusion', 'rrf-k', 'weights'] as const),
  ...(['lexical-fields', 'exact', 'syntax', 'operator', 'filter', 'sort', 'limit'] as const),
  ...(['pit', 'fields', 'collapse', 'columns', 'facet', 'hydrate'] as const),
];

/** The part of a request that flags set. Throws invalid_argument for values that cannot be read. */
export async function requestPart(flags: SearchFlags, among?: object): Promise<Part> {
  const parts: Part[] = [];
  for (const [name, { read }] of Object.entries(PARTS)) {
    const value = flags[name as FlagName];
    if (value === undefined || value === false) continue;
    if (among === undefined || name in among) parts.push(await read(value as never));
  }
  return Object.assign({}, ...parts) as Part;
}

/** Throws invalid_argument for a flag of another mode. */
export function refuseForeign(mode: SearchMode, flags: SearchFlags): void {
  if (mode !== 'lexical' && flags.fix === true) {
    throw new LhsError('invalid_argument', '--fix goes with --mode lexical');
  }
  const foreign =
    mode === 'hybrid'
      ? []
      : Object.keys(mode === 'semantic' ? fusionFlags : { ...nearestFlags, ...fusionFlags });
  for (const name of foreign) {
    // shards may fail in every mode
    if (name === 'fail-on-partial') continue;
    if (flags[name as keyof SearchFlags] === undefined) continue;
    const modes = name in fusionFlags ? '--mode hybrid' : '--mode semantic or hybrid';
    throw new LhsError('invalid_argument', `--${name} goes with ${modes}`);
  }
}

/** The flags that set these parts of a request again, as words of a shell. */
export function flagWords(part: Part): string[] {
  return REPEATED.flatMap((name) => {
    const value = PARTS[name].write?.(part);
    if (value === undefined) return [];
    if (value === true) return [`--${name}`];
    return [value].flat().flatMap((one) => [`--${name}`, shellWord(one)]);
  });
}
