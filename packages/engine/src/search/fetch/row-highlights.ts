/** Highlights of fields that the index has no copy of: their texts are read from the table. */
import type { Highlight, Json, JsonObject } from '@lakehouse-search/contract';
import type { FieldPlan } from '../../schema/field-plan.ts';
import type { MappedField, Mapping } from '../../schema/mapping.ts';
import { columnOfPaths, partsOfTerm, pathTerm } from '../../schema/variant-terms.ts';
import { createHighlighter } from '../../shard/fetch/highlight.ts';
import type { BoundRequest } from '../../shard/request/bind-request.ts';
import type { SearchContext } from '../context.ts';
import { type HydratedDoc, hydrate } from './hydrate.ts';
import { jsonLeaves } from './json-leaves.ts';
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
  const settings = checked.highlight!;
  const isOfPaths = ({ source }: MappedField) => source.kind === 'variant_paths';
  const markerOf = (own: readonly MappedField[], max: number) => {
    const plans = own.map(({ plan }) => plan);
    return createHighlighter(bound.clause, plans, { ...settings, maxFragments: max }, deadline);
  };
  const marker = markerOf(
    fields.filter((field) => !isOfPaths(field)),
    settings.maxFragments,
  );
  const pathMarker = markerOf(fields.filter(isOfPaths), MAX_PATHS);
  const byPlan = new Map(fields.map((field) => [field.plan, field]));
  const columns = [...new Set(fields.flatMap((field) => columnsOf(field, mapping)))];
  const rows = await hydrate(context, docs, columns, cost);
  return rows.map((found): RowHighlight => {
    if (!('row' in found)) return found;
    const texts = (plan: FieldPlan) => rowTexts(found.row, byPlan.get(plan)!, mapping);
    const ofPaths = byPath(pathMarker.highlight(texts) ?? {}, settings.maxFragments);
    return { highlight: { ...marker.highlight(texts), ...ofPaths } };
  });
}

/** Values of paths that are marked in one row. */
const MAX_PATHS = 100;

/** The marked terms of paths as values by the names of their paths. */
function byPath(marked: Highlight, count: number): Highlight {
  const found = new Map<string, Highlight[string][number][]>();
  for (const [field, terms] of Object.entries(marked)) {
    for (const term of terms) {
      const { path, value } = partsOfTerm(term.map(({ text }) => text).join(''));
      const name = `${columnOfPaths(field)}.${path}`;
      const values = found.get(name) ?? [];
      if (values.length < count) values.push([{ text: value, marked: true }]);
      found.set(name, values);
    }
  }
  return Object.fromEntries(found);
}

/** The names of the columns that hold the texts of a field. */
function columnsOf({ source }: MappedField, { columns }: Mapping): readonly string[] {
  if (source.kind === 'originals') return [];
  const own = source.kind === 'columns' ? source.columns : [source.column];
  return own.map((column) => columns[column].name);
}

function rowTexts(row: JsonObject, field: MappedField, mapping: Mapping): readonly string[] {
  const { source } = field;
  if (source.kind === 'variant_text' || source.kind === 'variant_paths') {
    const { name, type } = mapping.columns[source.column];
    const leaves = jsonLeaves(type, row[name] ?? null);
    return source.kind === 'variant_paths'
      ? leaves.map(({ path, text }) => pathTerm(path, text))
      : leaves.filter(({ path, isText }) => isText || path === '').map(({ text }) => text);
  }
  const path = source.kind === 'variant_leaf' ? source.path : [];
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
