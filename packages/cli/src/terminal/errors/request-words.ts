/** Commands for the requests that remarks name: `search index "cars" with {"sort":[…]}`. */
import type { SearchRequest } from '@lakehouse-search/contract';
import { shellWord } from './shell-word.ts';

const REQUEST = /(search|facets|aggregate) index "([^"]*)" with (\{.*\})(?= \([\d,]+ hits?\)$)/;

type Of = Readonly<Record<string, { readonly field: string; readonly size?: number }>>;
type Aggs = Readonly<Record<string, { readonly terms?: Of[string]; readonly aggs?: Aggs } | Of>>;

/** The parts of a request that such a remark has. */
interface Request extends Omit<SearchRequest, 'fields' | 'facets' | 'aggs'> {
  /** Those of facets. */
  readonly fields?: readonly string[];
  readonly size?: number;
  readonly aggs?: Aggs;
}

/** The text with the command of the request that it names. */
export const requestWords = (text: string): string =>
  text.replace(REQUEST, (_, verb: string, index: string, json: string) =>
    commandOf(verb, index, JSON.parse(json) as Request),
  );

/** The commands that remarks name. */
export const requestCommands = (notes: readonly string[]): readonly string[] =>
  notes.flatMap((note) => {
    const [, verb, index, json] = REQUEST.exec(note) ?? [];
    return json === undefined ? [] : [commandOf(verb, index, JSON.parse(json) as Request)];
  });

function commandOf(verb: string, index: string, request: Request): string {
  const { query = '*:*', filter, default_operator: operator, syntax, sort, limit } = request;
  const order = sort?.map(({ field, desc }) => `${field}${desc ? ':desc' : ''}`).join(',');
  const flags = {
    ...{ syntax, operator, filter: typeof filter === 'string' ? filter : undefined },
    ...{
      sort: order,
      limit: limit?.toString(),
      field: request.fields?.join(','),
      size: request.size?.toString(),
    },
  };
  const words = Object.entries(flags).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, shellWord(value)],
  );
  const isAll = query === '*:*' && (words.length > 0 || request.aggs !== undefined);
  const rows = isAll ? [] : [shellWord(query)];
  return ['lhs', verb, shellWord(index), ...rows, ...words, ...aggWords(request.aggs)].join(' ');
}

/** The flags of aggregations: of figures, also of each value of one field; JSON for others. */
function aggWords(aggs: Aggs | undefined): readonly string[] {
  if (aggs === undefined) return [];
  const [{ terms, aggs: inner }] = Object.values(aggs);
  const figures = terms === undefined ? aggs : (inner ?? {});
  const words = terms === undefined ? [] : ['--terms', shellWord(terms.field)];
  if (terms?.size !== undefined) words.push('--size', String(terms.size));
  for (const figure of Object.values(figures)) {
    const [kind] = Object.keys(figure);
    const isFlag = kind !== 'terms' && !(terms && kind === 'cardinality');
    if (!isFlag) return ['--aggs', shellWord(JSON.stringify(aggs))];
    words.push(`--${kind}`, shellWord((figure as Of)[kind].field));
  }
  return words;
}
