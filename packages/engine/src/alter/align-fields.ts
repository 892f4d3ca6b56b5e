/**
 * Which components of a commit serve the fields of a new definition (ADR "alter-by-field"). A field
 * keeps its id, and with it its files, if its values and terms would be the same and the commit has
 * every structure that the new definition asks for. Any other field is built, under a new id.
 */
import { resolve } from 'node:path';
import {
  type Commit,
  type CommittedField,
  committedField,
  nextFieldId,
} from '../index/commits/commit.ts';
import type { Definition } from '../schema/definition.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import type { FieldSource, MappedField, Mapping } from '../schema/mapping.ts';

/** A mapping and the folder that its relative paths begin at. */
export interface LocatedMapping {
  readonly mapping: Mapping;
  readonly baseDir: string;
}

/** The fields of a new definition over the files of a commit. */
export interface AlignedFields {
  /** Field ids by name. */
  readonly ids: ReadonlyMap<string, number>;
  /** Names of the fields that have to be built. */
  readonly built: ReadonlySet<string>;
  /** Names of fields of the commit that the new definition does not have. */
  readonly dropped: ReadonlySet<string>;
}

/** Aligns the fields of a mapping with a commit, whose own mapping is `now`. */
export function alignFields(
  commit: Pick<Commit, 'fields' | 'next_field'>,
  now: LocatedMapping,
  next: LocatedMapping,
): AlignedFields {
  const committed = new Map(commit.fields.map((field) => [field.name, field]));
  const before = new Map(now.mapping.fields.map((field) => [field.plan.name, field]));
  const ids = new Map<string, number>();
  const built = new Set<string>();
  let fresh = nextFieldId(commit);
  for (const field of next.mapping.fields) {
    const { name } = field.plan;
    const [own, former] = [committed.get(name), before.get(name)];
    const kept =
      own !== undefined &&
      former !== undefined &&
      hasStructures(own, committedField(field.plan)) &&
      contentOf(now, former, own.inverted) === contentOf(next, field, own.inverted);
    if (!kept) built.add(name);
    ids.set(name, kept ? own.id : fresh++);
  }
  const dropped = new Set([...committed.keys()].filter((name) => !ids.has(name)));
  return { ids, built, dropped };
}

/**
 * The first column that the key uses and that is not the same in both mappings; null: the keys are
 * equal.
 */
export function changedKeyColumn(now: Mapping, next: Mapping): string | null {
  const [before, after] = [now, next].map(({ columns, keyColumns, key }) => {
    const names = [...key.partition, ...key.identifier];
    return columns.slice(0, keyColumns).map(({ id }, i) => ({ id, name: names[i] }));
  });
  if (before.length !== after.length) return after.at(-1)?.name ?? '';
  return (
    after.find(({ id, name }, i) => before[i].id !== id || before[i].name !== name)?.name ?? null
  );
}

/** Whether a commit has every structure of a field. */
function hasStructures(own: CommittedField, wanted: CommittedField): boolean {
  const inverted =
    wanted.inverted === null ||
    (wanted.inverted === own.inverted &&
      wanted.analyzer === own.analyzer &&
      wanted.stems === own.stems &&
      wanted.best_documents === own.best_documents);
  const column = wanted.column === null || wanted.column === own.column;
  const vector = (wanted.vector === undefined) === (own.vector === undefined);
  return inverted && column && vector && (own.stored || !wanted.stored);
}

/** One text for what the structures of a field contain: equal texts, equal contents. */
function contentOf(
  { mapping, baseDir }: LocatedMapping,
  { plan, definition, source, multiValued }: MappedField,
  inverted: CommittedField['inverted'],
): string {
  const { type, vector } = plan;
  const analyzed = inverted === 'text' && plan.inverted !== null;
  return JSON.stringify({
    ...{ type, multiValued, source: sourceOf(mapping, source), format: definition?.format },
    folded: definition?.folded,
    analyzer: analyzed ? analyzerOf(mapping.definition, plan) : null,
    vector: vector && {
      ...vector,
      model: modelOf(vector.model, baseDir),
      checksum: undefined,
      search: undefined,
    },
  });
}

/** The source with columns by their Iceberg field ids. */
function sourceOf({ columns }: Pick<Mapping, 'columns'>, source: FieldSource): unknown {
  const id = (column: number | null) => (column === null ? null : columns[column].id);
  if (source.kind === 'columns') return source.columns.map(id);
  if (source.kind === 'originals')
    return { kind: source.kind, of: sourceOf({ columns }, source.of) };
  if (source.kind !== 'variant_leaf') return { kind: source.kind, column: id(source.column) };
  const { column, path, when } = source;
  const chosen = when && { ...when, column: id(when.column), values: [...when.values].sort() };
  return { column: id(column), path, when: chosen };
}

/** The analyzer of a field: its settings if the definition has it, else its name. */
function analyzerOf({ fields, analyzers }: Definition, { name }: FieldPlan): unknown {
  const own = fields.find((field) => field.name === name)?.analyzer;
  const custom = analyzers.find((analyzer) => analyzer.name === own);
  return custom === undefined ? own : sorted(custom);
}

/** A value with the properties of its objects by name. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, own]) => [name, sorted(own)]));
}

const modelOf = (model: string | null, baseDir: string): string | null =>
  model === null || model === 'default' ? model : resolve(baseDir, model);
