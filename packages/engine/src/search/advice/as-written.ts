import type { Json } from '@lakehouse-search/contract';
import { checkSearchRequest } from '@lakehouse-search/contract/internal';
import { SIGNS } from '../../query/bind/leaf.ts';
import { isCompound, positiveQueries, type Query } from '../../query/query.ts';
import type { MappedField, Mapping } from '../../schema/mapping.ts';
import { searchIndex } from '../search.ts';
import { literalPattern } from './like-pattern.ts';
import { matchOf, type ReadRequest } from './read-request.ts';

/** Rows that are read to see how a text is written there. */
const ROWS = 100;

/**
 * How many of the rows that a query finds have its texts with signs as they are written there:
 * fields with stems compare `np.float` with `np floats`. The rows are read.
 */
export async function asWritten(
  { context, checked, tree, filterTree }: ReadRequest,
  total: number,
): Promise<readonly string[]> {
  const texts = new Map<string, MappedField[]>();
  for (const leaf of total > ROWS ? [] : [tree, filterTree ?? []].flat().flatMap(leavesIn)) {
    if ((leaf.kind !== 'term' && leaf.kind !== 'phrase') || !SIGNS.test(leaf.value)) continue;
    const field = stemmedField(leaf.field, context.mapping);
    if (field !== undefined) texts.set(leaf.value, [...(texts.get(leaf.value) ?? []), field]);
  }
  const notes: string[] = [];
  for (const [text, fields] of texts) {
    const columns = [...new Set(fields.flatMap(columnsOf(context.mapping)))];
    const rows = { limit: total, fields: [], hydrate: true, hydrate_columns: columns };
    const { hits } = await searchIndex(
      context,
      checkSearchRequest({ ...matchOf(checked.request), ...rows }),
    );
    const pattern = wholeText(text);
    if (hits.some(({ row }) => row === undefined)) continue;
    const found = hits.filter(({ row }) => holds(row, pattern)).length;
    notes.push(`${found} of the ${total} rows have "${text}" as it is written`);
  }
  return notes;
}

const leavesIn = (query: Query): readonly Query[] =>
  isCompound(query) ? positiveQueries(query).flatMap(leavesIn) : [query];

const columnsOf =
  ({ columns }: Mapping) =>
  ({ source }: MappedField): readonly string[] =>
    source.kind === 'columns' ? source.columns.map((at) => columns[at].name) : [];

function stemmedField(name: string, { fields }: Mapping): MappedField | undefined {
  const field = fields.find(({ plan }) => plan.name === name);
  const inverted = field?.plan.inverted;
  return inverted?.kind === 'text' && inverted.analyzer.isStemmed === true ? field : undefined;
}

/** True if a value or a part of it has a text that matches. */
function holds(value: Json | undefined, pattern: RegExp): boolean {
  if (typeof value === 'string') return pattern.test(value);
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).some((part: Json) => holds(part, pattern))
  );
}

/** A text in any case, where no word goes on before or after it. */
const wholeText = (text: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}_])${literalPattern(text)}(?![\\p{L}\\p{N}_])`, 'iu');
