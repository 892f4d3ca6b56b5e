/** Highlights of fields that the index has no copy of: their texts are read from the table. */
import type { Highlight, Json, JsonObject } from '@lakehouse-search/contract';
import type { FieldPlan } from '../../schema/field-plan.ts';
import type { MappedField, Mapping } from '../../schema/mapping.ts';
import { createHighlighter } from '../../shard/fetch/highlight.ts';
import type { BoundRequest } from '../../shard/request/bind-request.ts';
import type { SearchContext } from '../context.ts';
import { type HydratedDoc, hydrate } from './hydrate.ts';
import type { RowCost } from './rows.ts';

/** The marks of a hit, or why there are none. */
export type RowHighlight = { readonly highlight: Highlight } | { readonly hydrate_error: string };

/** The highlights of documents by the texts of their rows, in order. */
export async function rowHighlights(
  context: SearchContext,
  bound: BoundRequest,
  docs: readonly HydratedDoc[],
  cost: RowCost,
): Promise<readonly RowHighlight[]> {
  const { mapping, deadline } = context;
  const { rowHighlight: fields, checked } = bound;
  const plans = fields.map(({ plan }) => plan);
  const marker = createHighlighter(bound.clause, plans, checked.highlight!, deadline);
  const byPlan = new Map(fields.map((field) => [field.plan, field]));
  const columns = [...new Set(fields.flatMap((field) => columnsOf(field, mapping)))];
  const rows = await hydrate(context, docs, columns, cost);
  return rows.map((found): RowHighlight => {
    if (!('row' in found)) return found;
    const texts = (plan: FieldPlan) => rowTexts(found.row, byPlan.get(plan)!, mapping);
    return { highlight: marker.highlight(texts) ?? {} };
  });
}

/** The names of the columns that hold the texts of a field. */
function columnsOf({ source }: MappedField, { columns }: Mapping): readonly string[] {
  if (source.kind === 'originals') return [];
  const own = source.kind === 'columns' ? source.columns : [source.column];
  return own.map((column) => columns[column].name);
}

function rowTexts(row: JsonObject, field: MappedField, mapping: Mapping): readonly string[] {
  const path = field.source.kind === 'variant_leaf' ? field.source.path : [];
  return columnsOf(field, mapping)
    .flatMap((name) => valueAt(row[name], path))
    .filter((value) => value !== null && value !== undefined && typeof value !== 'object')
    .map(String);
}

/** The values at a path of a variant; elements of a list count one by one. */
function valueAt(json: Json | undefined, path: readonly string[]): readonly (Json | undefined)[] {
  if (Array.isArray(json)) return json.flatMap((one: Json) => valueAt(one, path));
  const [name, ...others] = path;
  if (name === undefined) return [json];
  const isObject = typeof json === 'object' && json !== null;
  return isObject && Object.hasOwn(json, name) ? valueAt((json as JsonObject)[name], others) : [];
}
