/** Bare words side by side that are a whole value, such as `new york`: each alone finds no part of it. */
import { type Correction, meantQuery } from '../../../query/bind/correction.ts';
import type { Written } from '../../../query/bind/remarks.ts';
import type { Query } from '../../../query/query.ts';
import { quote } from '../../../query/syntax/characters.ts';
import { writeTree } from '../../../query/tree/write.ts';
import { queryFields } from '../../../shard/request/query-fields.ts';
import { type Reasoned, totalIfValid, totalWith } from '../meant-queries.ts';
import { matchOf, type ReadRequest } from '../read-request.ts';
import { bareWords, wordText } from './bare-words.ts';

/** Words of a value, and words of a query that are looked up, at most. */
const VALUE_WORDS = 4;
const WORDS = 12;

/** The query with the values in quotes, and AND beside other words if rows have all. */
export async function valuePhrases(
  read: ReadRequest,
  total: number,
): Promise<Reasoned | undefined> {
  const { context, checked } = read;
  const { request } = checked;
  const lists = bareWords(read);
  const phrases = await valuesIn(read, lists);
  const meant = meantQuery(request.query ?? '', phrases);
  if (meant === undefined) return undefined;
  for (const query of [...inAll(request.query ?? '', lists, phrases), meant.query]) {
    const found = await totalWith(context, request, 'query', query);
    if (found && found !== total) return { why: meant.why, query, total: found };
  }
  return undefined;
}

/** The query with AND between its phrases and words; none: it has other clauses. */
function inAll(
  text: string,
  lists: readonly (readonly Written[])[],
  phrases: readonly Correction[],
): readonly string[] {
  const [words, ...others] = lists;
  if (others.length > 0 || text.trim() !== text.slice(words[0].from, words.at(-1)?.to)) return [];
  const single = words.filter(
    ({ from }) => !phrases.some((one) => one.from <= from && from < one.to),
  );
  const parts = [...phrases, ...single.map(({ from, raw }) => ({ from, text: raw }))];
  const sorted = parts.toSorted((a, b) => a.from - b.from);
  return sorted.length < 2 ? [] : [sorted.map((part) => part.text).join(' AND ')];
}

/** The whole values among the words as phrases, the longest first. */
async function valuesIn(
  read: ReadRequest,
  lists: readonly (readonly Written[])[],
): Promise<readonly Correction[]> {
  const runs = lists.flatMap((words) => runsOf(words.slice(0, WORDS)));
  const values = runs.flatMap((run) => asValues(read, run));
  if ((await countOf(read, values)) === 0) return [];
  const found: Correction[] = [];
  for (const run of runs) {
    const [from, to] = [run[0].from, run[run.length - 1].to];
    if (found.some((one) => from < one.to && one.from < to)) continue;
    const words = textOf(run);
    for (const value of asValues(read, run)) {
      if ((await countOf(read, [value])) === 0) continue;
      found.push({ from, to, text: quote(words), why: `${words} is a value of ${value.field}` });
      break;
    }
  }
  return found;
}

/** The words in all runs of two words or more, the longest first. */
const runsOf = (words: readonly Written[]): readonly (readonly Written[])[] =>
  Array.from({ length: VALUE_WORDS - 1 }, (_, i) => VALUE_WORDS - i).flatMap((length) =>
    words.flatMap((_, from) =>
      from + length > words.length ? [] : [words.slice(from, from + length)],
    ),
  );

const textOf = (run: readonly Written[]): string => run.map(wordText).join(' ');

/** The clauses of the fields of whole values that all words of a run are searched in. */
function asValues({ context }: ReadRequest, run: readonly Written[]) {
  const { plans, exact } = queryFields(context.mapping);
  const copies = new Set(exact?.values());
  const fields = run[0].fields.filter(
    (field) => plans.get(field)?.inverted?.kind === 'keyword' && !copies.has(field),
  );
  return fields.map((field) => ({ kind: 'term', field, value: textOf(run) }) as const);
}

/** The rows of the request that have one of the values. */
async function countOf(
  { context, checked }: ReadRequest,
  should: readonly Query[],
): Promise<number> {
  const { query: _, ...filters } = matchOf(checked.request);
  const ast = writeTree({ kind: 'bool', should, must: [], must_not: [], filter: [] });
  return should.length === 0 ? 0 : ((await totalIfValid(context, { ...filters, ast })) ?? 0);
}
