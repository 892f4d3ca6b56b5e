/**
 * A definition resolved against a table's schema: which columns are read, and what each becomes.
 *
 * 1. The key: partition columns, then identifier columns (by default the table's identifier
 *    fields).
 * 2. Each field: its columns must exist and be able to give its type (`COLUMN_RULES`); a list
 *    column is several values.
 * 3. Each flattened variant: its catch-all TEXT field and its hidden path field (variant-terms.ts).
 */

import { type DefinitionIssue, LhsError } from '@lakehouse-search/contract';
import type { Field, Schema } from '@lakehouse-search/lake';
import type { Analyzer } from '../analysis/analyzer.ts';
import { columnFault, nestedFault } from './column-rules.ts';
import { type ColumnTable, columnTable, type Fault } from './column-table.ts';
import type { Definition, FieldDefinition, VariantDefinition } from './definition.ts';
import type { BuiltAs, FieldPlan, VectorPlan } from './field-plan.ts';
import type { KeySpec } from './keys/key.ts';
import { numberColumns } from './keys/key-types.ts';
import { resolveKey } from './keys/resolve-key.ts';
import { defaultFieldsOf } from './parse/default-fields.ts';
import type { DefinitionPlaces, ParsedDefinition } from './parse/parse-definition.ts';
import { createReport } from './parse/yaml-tree.ts';
import { originalsField } from './values/folded-keyword.ts';
import { pathField } from './variant-terms.ts';
import { planShapeVector, planVector, type VectorPlanning } from './vector-plan.ts';
import type { WindowLayout } from './windows.ts';

/** Where a field's values come from. Columns are indexes into `Mapping.columns`. */
export type FieldSource =
  | { readonly kind: 'columns'; readonly columns: readonly number[] }
  | { readonly kind: 'variant_text'; readonly column: number }
  | { readonly kind: 'variant_paths'; readonly column: number }
  | {
      readonly kind: 'variant_leaf';
      readonly column: number;
      readonly path: readonly string[];
      /** The shape's selection: the discriminator's text is one of `values`. null: every row. */
      readonly when: null | {
        readonly path: readonly string[];
        /** The table's own column of that name: read where the variant has nothing at the path. */
        readonly column: number | null;
        readonly values: ReadonlySet<string>;
      };
    }
  | {
      /** The originals of a folded field (folded-keyword.ts). */
      readonly kind: 'originals';
      readonly definition: FieldDefinition;
      readonly of: ValueSource;
    };

/** Where the values of a field of the definition come from. */
export type ValueSource = Extract<FieldSource, { readonly kind: 'columns' | 'variant_leaf' }>;

/** A field with its structures and where its values come from. */
export interface MappedField {
  readonly plan: FieldPlan;
  /** null for the fields that the definition does not name: those of variants, and originals. */
  readonly definition: FieldDefinition | null;
  readonly source: FieldSource;
  /** A document may hold several values. */
  readonly multiValued: boolean;
}

/** A definition over a table. */
export interface Mapping {
  readonly definition: Definition;
  readonly key: KeySpec;
  /** Top-level columns to read, key columns first, each once. */
  readonly columns: readonly Field[];
  /** How many of `columns` are the key. */
  readonly keyColumns: number;
  readonly fields: readonly MappedField[];
  /** The fields that bare words search; empty without an indexed TEXT or KEYWORD field. */
  readonly defaultFields: readonly string[];
  /** How the index is cut into windows; absent: it has none. */
  readonly windows?: WindowLayout;
}

/** How an index of this mapping spreads its documents over segments. */
export const layoutOf = ({ definition, key, windows }: Mapping) => ({
  shards: definition.shards ?? 1,
  map: definition.map,
  windows: windows ?? null,
  keyNumbers: key.numbers ?? [],
});

/** Analyzers by name: built-in ones and the definition's own. */
export type AnalyzerOf = (name: string) => Analyzer;

/**
 * The mapping of `definition` over `schema`. `built`: of the generation that it is for; without it,
 * as a build makes it: fields are numbered by position, and keys sort their numbers. Throws
 * invalid_definition with every fault in `details.faults` if the table cannot provide a column.
 */
export function createMapping(
  definition: Definition,
  schema: Schema,
  table: string,
  analyzerOf: AnalyzerOf,
  built?: BuiltAs,
): Mapping {
  const faults: string[] = [];
  const fault: Fault = (_, message) => void faults.push(message);
  const mapping = resolve(definition, schema, table, analyzerOf, fault, built);
  if (mapping !== null) return mapping;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  throw new LhsError('invalid_definition', `${faults[0]}${more}`, {
    hint: 'a check of the definition against its table lists every fault with its place',
    next: [{ step: 'validate_definition' }],
    details: { faults },
  });
}

/**
 * Issues of a parsed definition against the table: its own and those of the mapping, in the order
 * of the text.
 */
export function checkAgainstTable(
  parsed: ParsedDefinition,
  text: string,
  schema: Schema,
  table: string,
): readonly DefinitionIssue[] {
  if (parsed.draft === null) return parsed.issues;
  const report = createReport(text);
  const none: AnalyzerOf = () => {
    throw new LhsError('internal', 'a check asked for an analyzer');
  };
  resolve(parsed.draft, schema, table, none, (target, message) =>
    report.error(placeOf(target, parsed.places), message),
  );
  const byPlace = (a: DefinitionIssue, b: DefinitionIssue) =>
    a.line - b.line || a.column - b.column;
  return [...parsed.issues, ...report.issues].sort(byPlace);
}

function placeOf(target: Parameters<Fault>[0], places: DefinitionPlaces): number {
  if ('key' in target) return places.key.get(target.key) ?? places.source;
  if ('variant' in target) return places.variants.get(target.variant) ?? places.source;
  if ('whole' in target) return places.source;
  const field = places.fields.get(target.field);
  if (field === undefined) return places.source;
  if (target.setting !== undefined) return field.settings.get(target.setting) ?? field.type;
  return target.column === undefined ? field.type : (field.columns.get(target.column) ?? field.at);
}

function resolve(
  definition: Definition,
  schema: Schema,
  table: string,
  analyzerOf: AnalyzerOf,
  fault: Fault,
  built?: BuiltAs,
): Mapping | null {
  let failed = false;
  const tell: Fault = (target, message) => {
    failed = true;
    fault(target, message);
  };
  const columns = columnTable(schema, table, tell);
  const names = resolveKey(definition, schema, columns, table, tell);
  const keyWidth = columns.used.length;
  const numbers = built?.keyNumbers ?? numberColumns(names, columns.used);
  const key = Object.freeze(numbers.length === 0 ? names : { ...names, numbers });
  const ids = built?.ids ?? new Map<string, number>();
  const sources = [
    ...definition.fields.map((field) =>
      withOriginals(field, resolveField(field, definition, columns, tell)),
    ),
    ...definition.variants.map((variant) => resolveVariant(variant, columns, tell)),
  ].flat();
  if (failed) return null;
  const fresh = Math.max(-1, ...ids.values()) + 1;
  const numbered = new Map(sources.map(({ name }, i) => [name, ids.get(name) ?? fresh + i]));
  const fields = sources.map((source) => finishField(source, numbered, analyzerOf));
  const checked = { definition, key, columns: columns.used, keyColumns: keyWidth, fields };
  const windows = resolveWindows(definition, fields, tell);
  if (failed) return null;
  const defaultFields = defaultFieldsOf(definition, sources.filter(isSearched));
  return Object.freeze({ ...checked, defaultFields, ...(windows && { windows }) });
}

/** Not one of the hidden fields. */
const isSearched = ({ source }: FoundField): boolean =>
  source.kind !== 'originals' && source.kind !== 'variant_paths';

function resolveWindows(
  { windows }: Definition,
  fields: readonly MappedField[],
  fault: Fault,
): WindowLayout | undefined {
  const field = fields.find(({ plan }) => plan.name === windows?.field);
  if (windows === undefined || field === undefined) return undefined;
  if (field.multiValued) {
    const problem = 'a row may have several values, and a window needs one';
    fault({ field: windows.field }, `windows.field "${windows.field}": ${problem}`);
  }
  return { field: field.plan.id, every: windows.every };
}

/** A field that is found in the table, before its plan has a number. */
interface FoundField {
  readonly name: string;
  readonly type: FieldPlan['type'];
  readonly indexed: boolean;
  readonly fast: boolean;
  readonly cached: boolean;
  readonly analyzer: string | undefined;
  readonly bestDocuments?: false | undefined;
  readonly definition: FieldDefinition | null;
  readonly source: FieldSource;
  readonly multiValued: boolean;
  readonly vector?: VectorPlan;
}

/** A folded field has a hidden one beside it. */
function withOriginals(definition: FieldDefinition, found: readonly FoundField[]) {
  if (definition.folded !== true) return found;
  return found.flatMap((field): FoundField[] => [
    field,
    {
      ...field,
      name: originalsField(field.name),
      indexed: field.indexed || field.fast,
      fast: false,
      cached: field.cached || field.fast,
      definition: null,
      source: { kind: 'originals', definition, of: field.source as ValueSource },
    },
  ]);
}

function resolveField(
  field: FieldDefinition,
  definition: Definition,
  columns: ColumnTable,
  fault: Fault,
): FoundField[] {
  const found = field.source.map((name) => columns.use(name, { field: field.name, column: name }));
  if (field.path !== undefined) {
    const variant = definition.variants.find((v) => v.column === field.source[0]);
    return leafField(field, field.path, variant, found[0], columns, fault);
  }
  let multiValued = false;
  let sound = true;
  found.forEach((at, i) => {
    const type = at === null ? null : columns.used[at].type;
    if (type === null) return;
    multiValued ||= type.kind === 'list' && found.length === 1 && field.type !== 'VECTOR';
    const problem = columnFault(field, type, found.length > 1);
    if (problem !== null) {
      sound = false;
      fault({ field: field.name }, `column "${field.source[i]}" ${problem}`);
    }
  });
  if (found.includes(null) || !sound) return [];
  const source: FieldSource = { kind: 'columns', columns: found as number[] };
  const types = source.columns.map((at) => columns.used[at].type);
  const vector = field.type === 'VECTOR' && plannedVector(field, planVector(field, types), fault);
  return [{ ...settingsOf(field), definition: field, source, multiValued, ...vector }];
}

function plannedVector(
  field: FieldDefinition,
  planned: VectorPlanning,
  fault: Fault,
): { readonly vector?: VectorPlan } {
  if (planned.plan !== undefined) return { vector: planned.plan };
  fault({ field: field.name, setting: planned.key }, planned.fault);
  return {};
}

function settingsOf(field: FieldDefinition) {
  const { name, type, indexed, fast, cached, analyzer, bestDocuments } = field;
  return { name, type, indexed, fast, cached, analyzer, bestDocuments };
}

function leafField(
  field: FieldDefinition,
  path: readonly string[],
  variant: VariantDefinition | undefined,
  column: number | null,
  columns: ColumnTable,
  fault: Fault,
): FoundField[] {
  if (column === null) return [];
  const vector = field.type === 'VECTOR' && plannedVector(field, planShapeVector(field), fault);
  const selector = variant?.discriminator;
  const own = selector?.length === 1 && columns.has(selector[0]) ? selector[0] : null;
  const when =
    field.when === undefined || selector === undefined
      ? null
      : {
          path: selector,
          column: own === null ? null : columns.use(own, { variant: own }),
          values: new Set(field.when),
        };
  const source: FieldSource = { kind: 'variant_leaf', column, path, when };
  const multiValued = field.type !== 'VECTOR';
  return [{ ...settingsOf(field), definition: field, source, multiValued, ...vector }];
}

function resolveVariant(
  variant: VariantDefinition,
  columns: ColumnTable,
  fault: Fault,
): FoundField[] {
  const column = columns.use(variant.column, { variant: variant.column });
  if (column === null) return [];
  const why = nestedFault(columns.used[column].type);
  if (why !== null) fault({ variant: variant.column }, `column "${variant.column}" ${why}`);
  if (!variant.flatten) return [];
  const common = { definition: null, multiValued: true, indexed: true, fast: false, cached: false };
  return [
    {
      ...common,
      name: variant.column,
      type: 'TEXT',
      analyzer: variant.analyzer,
      source: { kind: 'variant_text', column },
    },
    {
      ...common,
      name: pathField(variant.column),
      type: 'KEYWORD',
      analyzer: undefined,
      source: { kind: 'variant_paths', column },
    },
  ];
}

/**
 * Structures of a field. Numbers, dates, booleans and addresses are queried through their column,
 * so they have one as soon as they are indexed, fast or cached.
 */
function finishField(
  found: FoundField,
  ids: ReadonlyMap<string, number>,
  analyzerOf: AnalyzerOf,
): MappedField {
  const { name, type, indexed, fast, cached, vector } = found;
  const originals = found.definition?.folded ? ids.get(originalsField(name)) : undefined;
  const textual = type === 'TEXT' || type === 'KEYWORD';
  const column = textual ? fast : indexed || fast || cached;
  const plan: FieldPlan = {
    id: ids.get(name)!,
    name,
    type,
    inverted: !indexed || !textual ? null : invertedOf(found, analyzerOf),
    column: !column ? null : type === 'KEYWORD' || type === 'IP' ? 'ordinal' : 'numeric',
    stored: cached && !column && originals === undefined,
    ...(originals === undefined ? {} : { folded: { originals } }),
    ...(vector === undefined ? {} : { vector }),
  };
  const { definition, source, multiValued } = found;
  return Object.freeze({ plan, definition, source, multiValued });
}

function invertedOf(found: FoundField, analyzerOf: AnalyzerOf): FieldPlan['inverted'] {
  const { type, analyzer = 'standard', bestDocuments } = found;
  if (type === 'KEYWORD') return { kind: 'keyword' };
  return {
    kind: 'text',
    get analyzer() {
      return analyzerOf(analyzer);
    },
    ...(bestDocuments === false && { bestDocs: false }),
  };
}
