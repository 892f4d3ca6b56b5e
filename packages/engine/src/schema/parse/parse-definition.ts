/**
 * Parses a definition's YAML text into a checked `Definition`. Reports all faults at once, each
 * with its line and column.
 *
 * 1. Parse the YAML within limits (yaml-tree.ts).
 * 2. Read each block with its own reader. Unknown keys get the nearest known one as a hint.
 * 3. Check rules that span blocks: duplicate fields, the tenant field, the key.
 *
 * The parser reads nothing from the environment and expands nothing: `${HOME}` is seven characters.
 */

import { type DefinitionIssue, LhsError } from '@lakehouse-search/contract';
import { allSteps, didYouMean } from '@lakehouse-search/contract/internal';
import { LIMITS } from '../../base/limits.ts';
import type {
  AnalyzerDefinition,
  Definition,
  FieldDefinition,
  KeepPrevious,
} from '../definition.ts';
import { parseDefaultFields } from './default-fields.ts';
import { parseHybrid } from './hybrid-defaults.ts';
import { type AnalyzerCatalog, parseAnalyzers } from './parse-analyzers.ts';
import { type AnalyzerNames, parseField } from './parse-field.ts';
import { parseSharding } from './parse-sharding.ts';
import { parseSource } from './parse-source.ts';
import { parseSynonyms } from './parse-synonyms.ts';
import { type ParsedVariant, type PlacedField, parseVariant } from './parse-variant.ts';
import { parseStorage, parseWindows } from './parse-windows.ts';
import {
  type KnownEntries,
  readChoice,
  readDescription,
  readList,
  readMap,
  readText,
  readTexts,
  readWhole,
} from './tree-reading.ts';
import { createReport, type Report, readingTree, type Tree } from './yaml-tree.ts';

export const DEFINITION_KEYS = [
  'version',
  'index',
  'description',
  'source',
  'key',
  'on_duplicate_key',
  'on_bad_row',
  'freshness_ms',
  'keep_previous',
  'tenant_field',
  'default_fields',
  'hybrid',
  'fields',
  'variants',
  'analyzers',
  'synonyms',
  'sharding',
  'windows',
  'storage',
  'replicas',
] as const;
type Entries = KnownEntries<(typeof DEFINITION_KEYS)[number]>;

/**
 * What parsing found. `definition` is null when there is an error; `draft` is what could be read in
 * spite of errors, for further checks only; `places` are UTF-16 offsets for later messages.
 */
export interface ParsedDefinition {
  readonly definition: Definition | null;
  readonly draft: Definition | null;
  readonly issues: readonly DefinitionIssue[];
  readonly places: DefinitionPlaces;
}
/** Positions in the text, for checks against the table. */
export interface DefinitionPlaces {
  readonly source: number;
  readonly key: ReadonlyMap<string, number>;
  /** By field name: the field's own place and those of its source columns and type. */
  readonly fields: ReadonlyMap<string, FieldPlaces>;
  readonly variants: ReadonlyMap<string, number>;
}
/** UTF-16 offsets of a field's parts. */
export interface FieldPlaces {
  readonly at: number;
  readonly type: number;
  readonly columns: ReadonlyMap<string, number>;
  /** Values of all keys of the field. */
  readonly settings: ReadonlyMap<string, number>;
}

/** Checks an index name: `^[a-z0-9][a-z0-9_-]{0,127}$`. Returns what is wrong, or null. */
export function indexNameFault(name: string): string | null {
  return /^[a-z0-9][a-z0-9_-]{0,127}$/.test(name) && name.length <= LIMITS.nameChars
    ? null
    : `"${name.slice(0, 140)}" is not an index name: a-z, 0-9, _ and -, up to 128 ` +
        'characters, from a letter or digit';
}

/** Parses and checks `text`. Reports faults of the text instead of throwing. */
export const parseDefinition = (text: string, catalog: AnalyzerCatalog): ParsedDefinition =>
  allSteps(parsingDefinition(text, catalog));

/** The same in steps: other work may have its turn between them. */
export function* parsingDefinition(
  text: string,
  catalog: AnalyzerCatalog,
): Generator<void, ParsedDefinition, undefined> {
  const report = createReport(text);
  const places = { source: 0, key: new Map(), fields: new Map(), variants: new Map() };
  const tree = yield* readingTree(text, report);
  const map = tree === null ? undefined : readMap(tree, 'a definition', DEFINITION_KEYS, report);
  const draft =
    tree === null || map === undefined ? null : readAll(tree, map, text, catalog, places, report);
  return { definition: report.failed() ? null : draft, draft, issues: report.issues, places };
}

/**
 * The definition, or invalid_definition with the first error as message and all of them in
 * `details.issues`.
 */
export const requireDefinition = (text: string, catalog: AnalyzerCatalog): Definition =>
  definitionOf(parseDefinition(text, catalog));

/** The definition that was parsed. Throws as `requireDefinition`. */
export function definitionOf({ definition, issues }: ParsedDefinition): Definition {
  if (definition !== null) return definition;
  throw invalidDefinition(issues);
}

/** invalid_definition for issues of which at least one is an error. */
export function invalidDefinition(issues: readonly DefinitionIssue[]): LhsError {
  const errors = issues.filter((issue) => issue.severity === 'error');
  const { line, column, message } = errors[0];
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return new LhsError('invalid_definition', `line ${line}, column ${column}: ${message}${more}`, {
    hint: 'a check of the definition lists every error with its place',
    next: [{ step: 'validate_definition' }],
    details: { issues },
  });
}

function readAll(
  tree: Tree,
  map: Entries,
  text: string,
  catalog: AnalyzerCatalog,
  places: MutablePlaces,
  report: Report,
): Definition | null {
  for (const key of ['version', 'index', 'source'] as const) {
    if (map[key] === undefined) report.error(tree.at, `a definition needs "${key}"`);
  }
  if (map.fields === undefined && map.variants === undefined) {
    report.error(tree.at, 'a definition needs fields (or variants)');
  }
  if (map.version !== undefined) readVersion(map.version, report);
  const index = map.index && readIndexName(map.index, report);
  const description = map.description && readDescription(map.description, report);
  const source = map.source && parseSource(map.source, report);
  places.source = map.source?.at ?? tree.at;
  const key = readKey(map.key, places, report);
  const onDuplicateKey = map.on_duplicate_key
    ? readChoice(map.on_duplicate_key, 'on_duplicate_key', ['refuse', 'last'] as const, report)
    : 'refuse';
  const onBadRow = map.on_bad_row
    ? readChoice(map.on_bad_row, 'on_bad_row', ['refuse', 'skip'] as const, report)
    : 'refuse';
  const freshnessMs =
    map.freshness_ms && readWhole(map.freshness_ms, 'freshness_ms', 0, LIMITS.pollMillis, report);
  const keepPrevious = map.keep_previous && readKeepPrevious(map.keep_previous, report);
  const analyzers = parseAnalyzers(map.analyzers, catalog, report);
  const names = new Set([...analyzers.map((a) => a.name), ...catalog.names]);
  const { fields, variants } = readFields(map, names, places, report);
  const tenantField = map.tenant_field && readTenant(map.tenant_field, fields, report);
  const defaultFields =
    map.default_fields && parseDefaultFields(map.default_fields, fields, variants, report);
  const synonyms = map.synonyms && parseSynonyms(map.synonyms, report);
  const hybrid = map.hybrid && parseHybrid(map.hybrid, report);
  const sharding = parseSharding(map.sharding, report);
  const windows = map.windows && parseWindows(map.windows, fields, report);
  const cut = map.windows && { tree: map.windows, hot: windows?.hot };
  const storage = parseStorage(map.storage, cut, report);
  const replicas = parseReplicas(map, report);
  if (map.storage && !cut && sharding.only !== undefined) {
    report.error(map.storage.at, 'an index on several nodes gets no storage: create another one');
  }
  if (index === undefined || source === undefined) return null;
  if (onDuplicateKey === undefined || onBadRow === undefined) return null;
  return Object.freeze({
    version: 1,
    index,
    ...(description === undefined ? {} : { description }),
    source,
    key,
    onDuplicateKey,
    onBadRow,
    ...(freshnessMs === undefined ? {} : { freshnessMs }),
    ...(keepPrevious === undefined ? {} : { keepPrevious }),
    ...(tenantField === undefined ? {} : { tenantField }),
    ...(defaultFields === undefined ? {} : { defaultFields }),
    ...(synonyms === undefined || synonyms.length === 0 ? {} : { synonyms }),
    ...(hybrid === undefined ? {} : { hybrid }),
    ...sharding,
    ...(windows === undefined ? {} : { windows }),
    ...(storage === undefined ? {} : { storage }),
    ...(replicas === undefined ? {} : { replicas }),
    fields: fields.map((placed) => Object.freeze(placed)),
    variants,
    analyzers: analyzers as readonly AnalyzerDefinition[],
    text,
  });
}

function parseReplicas({ replicas, storage }: Entries, report: Report) {
  if (!replicas) return undefined;
  if (!storage) report.error(replicas.at, 'replicas are of an index with storage');
  return readWhole(replicas, 'replicas', 0, LIMITS.replicas, report);
}

interface MutablePlaces extends DefinitionPlaces {
  source: number;
  readonly key: Map<string, number>;
  readonly fields: Map<string, FieldPlaces>;
  readonly variants: Map<string, number>;
}

function readVersion(tree: Tree, report: Report): void {
  if (tree.kind === 'scalar' && tree.value === 1) return;
  const written = tree.kind === 'scalar' ? `, not ${tree.source}` : '';
  report.error(tree.at, `version must be 1${written}: this lhs knows no other`);
}

const UNITS_MS: Readonly<Record<string, number>> = { s: 1e3, m: 6e4, h: 3.6e6, d: 8.64e7 };

/** A duration such as `24h`, or a number of generations. */
function readKeepPrevious(tree: Tree, report: Report): KeepPrevious | undefined {
  const value = tree.kind === 'scalar' ? tree.value : undefined;
  const { keptGenerations, keptMillis } = LIMITS;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) {
    if (value <= keptGenerations) return Object.freeze({ generations: value });
  }
  const [, digits, unit] = /^(\d{1,9})([smhd])$/.exec(typeof value === 'string' ? value : '') ?? [];
  const millis = Number(digits) * (UNITS_MS[unit] ?? 0);
  if (millis > 0 && millis <= keptMillis) return Object.freeze({ millis });
  const written = tree.kind === 'scalar' ? `, not ${tree.source}` : '';
  const forms = `a duration up to ${keptMillis / UNITS_MS.d}d (90m, 24h, 7d)`;
  const message = `keep_previous must be ${forms} or a number up to ${keptGenerations}${written}`;
  report.error(tree.at, message);
  return undefined;
}

function readIndexName(tree: Tree, report: Report): string | undefined {
  const name = readText(tree, 'index', report);
  const fault = name === undefined ? null : indexNameFault(name);
  if (fault !== null) report.error(tree.at, fault);
  return name;
}

function readKey(tree: Tree | undefined, places: MutablePlaces, report: Report): Definition['key'] {
  if (tree?.kind === 'scalar') {
    if (tree.value !== 'row') {
      report.error(tree.at, 'key must be row, or a map of partition, identifier');
    }
    return Object.freeze({ partition: [], identifier: [], row: true });
  }
  const map = tree && readMap(tree, 'key', ['partition', 'identifier'], report);
  const columns = (part: Tree | undefined, what: string) => {
    const texts = part === undefined ? [] : readTexts(part, what, report);
    for (const { text, at } of texts) {
      if (places.key.has(text)) report.error(at, `"${text}" stands twice in the key`);
      places.key.set(text, at);
    }
    return texts.map((t) => t.text);
  };
  return Object.freeze({
    partition: columns(map?.partition, 'key.partition'),
    identifier: columns(map?.identifier, 'key.identifier'),
  });
}

function readFields(
  map: Entries,
  analyzers: AnalyzerNames,
  places: MutablePlaces,
  report: Report,
): Pick<Definition, 'fields' | 'variants'> {
  const taken = new Set<string>();
  const placed: PlacedField[] = [];
  const claim = (name: string, at: number) => {
    if (taken.has(name)) report.error(at, `field "${name}" is given twice`);
    taken.add(name);
  };
  for (const tree of (map.fields && readList(map.fields, 'fields', report)) ?? []) {
    const field = parseField(tree, analyzers, report);
    if (field === undefined) continue;
    claim(field.name, entryAt(tree, 'name'));
    placed.push({ field, tree, at: entryAt(tree, 'name') });
    places.fields.set(field.name, placesOf(tree));
  }
  const variants: ParsedVariant[] = [];
  for (const tree of (map.variants && readList(map.variants, 'variants', report)) ?? []) {
    const parsed = parseVariant(tree, analyzers, report);
    if (parsed === undefined) continue;
    const { column, flatten } = parsed.variant;
    if (places.variants.has(column)) report.error(parsed.at, `variant "${column}" is given twice`);
    else if (flatten) claim(column, parsed.at);
    places.variants.set(column, parsed.at);
    variants.push(parsed);
    for (const one of parsed.fields) {
      claim(one.field.name, one.at);
      placed.push(one);
      places.fields.set(one.field.name, { ...placesOf(one.tree), at: one.at });
    }
  }
  if (placed.length > LIMITS.definitionFields) {
    report.error(placed[LIMITS.definitionFields].at, `at most ${LIMITS.definitionFields} fields`);
  }
  if (map.fields?.kind === 'list' && map.fields.items.length + variants.length === 0) {
    report.error(map.fields.at, 'a definition needs at least one field');
  }
  return { fields: placed.map((p) => p.field), variants: variants.map((v) => v.variant) };
}

function entryAt(tree: Tree, key: string): number {
  if (tree.kind !== 'map') return tree.at;
  return tree.entries.find((entry) => entry.key === key)?.value.at ?? tree.at;
}

function placesOf(tree: Tree): FieldPlaces {
  const columns = new Map<string, number>();
  const entries = tree.kind === 'map' ? tree.entries : [];
  const source = entries.find((entry) => entry.key === 'source')?.value;
  const items = source?.kind === 'list' ? source.items : source === undefined ? [] : [source];
  for (const item of items) {
    if (item.kind === 'scalar') columns.set(String(item.value), item.at);
  }
  const settings = new Map(entries.map(({ key, value }) => [key, value.at]));
  return { at: entryAt(tree, 'name'), type: entryAt(tree, 'type'), columns, settings };
}

function readTenant(
  tree: Tree,
  fields: readonly FieldDefinition[],
  report: Report,
): string | undefined {
  const name = readText(tree, 'tenant_field', report);
  if (name === undefined) return undefined;
  const field = fields.find((f) => f.name === name);
  if (field === undefined) {
    const near = didYouMean(
      name,
      fields.map((f) => f.name),
    );
    report.error(tree.at, `tenant_field "${name}" is not a field of this definition${near}`);
  } else if (field.type !== 'KEYWORD' || !field.indexed) {
    report.error(tree.at, `tenant_field "${name}" must be an indexed KEYWORD field`);
  } else if (field.folded) {
    report.error(
      tree.at,
      `tenant_field "${name}" must not be folded: tenants are compared exactly`,
    );
  }
  return name;
}
