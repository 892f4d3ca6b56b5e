import { didYouMean } from '@lakehouse-search/contract/internal';
import { FIELD_TYPES, type FieldDefinition, type FieldType } from '../definition.ts';
import { parseSynonyms } from './parse-synonyms.ts';
import { parseVectorSettings, refuseVectorKeys, VECTOR_KEYS } from './parse-vector.ts';
import {
  type KnownEntries,
  readChoice,
  readDescription,
  readFlag,
  readMap,
  readText,
  readTexts,
  readWhole,
} from './tree-reading.ts';
import type { Report, Tree } from './yaml-tree.ts';

const SETTINGS = [
  'type',
  'description',
  'indexed',
  'fast',
  'cached',
  'sensitive',
  'max_bytes',
  'folded',
  'analyzer',
  'synonyms',
  'best_documents',
  'format',
] as const;
export const FIELD_KEYS = ['name', 'source', ...SETTINGS, ...VECTOR_KEYS] as const;
export const SHAPE_FIELD_KEYS = ['path', ...SETTINGS, ...VECTOR_KEYS] as const;
const FAST_BY_DEFAULT: readonly FieldType[] = ['DATE', 'LONG', 'DOUBLE', 'BOOL', 'IP'];

/** Keys of a field besides its name and source. */
export type FieldSettings = Omit<FieldDefinition, 'name' | 'source' | 'path' | 'when'>;

/** Analyzer names that a definition may use. */
export type AnalyzerNames = ReadonlySet<string>;

/**
 * A name that the query syntax can carry: letters, digits, `_`, `-` and `.`, from a letter, digit
 * or `_`.
 */
export function fieldNameFault(name: string): string | null {
  if (name.length > 128) return 'a field name is at most 128 characters';
  if (name === '_score' || name === '_key')
    return `"${name}" is reserved: it sorts by score or key`;
  return /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.-]*$/u.test(name)
    ? null
    : `"${name}" is not a field name: letters, digits, _ - and . only, from a letter, digit or _`;
}

/** One entry of `fields`. undefined when it cannot be used; what is wrong is in the report. */
export function parseField(
  tree: Tree,
  analyzers: AnalyzerNames,
  report: Report,
): FieldDefinition | undefined {
  const map = readMap(tree, 'a field', FIELD_KEYS, report);
  if (map === undefined) return undefined;
  if (map.name === undefined) report.error(tree.at, 'a field needs a name');
  const name = map.name && readText(map.name, 'name', report);
  const fault = name === undefined ? null : fieldNameFault(name);
  if (fault !== null) report.error(map.name!.at, fault);
  const settings = parseFieldSettings(tree, map, name ?? 'a field', analyzers, report);
  const source = map.source
    ? readTexts(map.source, 'source', report).map((s) => s.text)
    : undefined;
  if (name === undefined || settings === undefined) return undefined;
  const joins = settings.type === 'TEXT' || settings.type === 'VECTOR';
  if (source !== undefined && source.length > 1 && !joins) {
    const message = `only TEXT and VECTOR join several columns; "${name}" is ${settings.type}`;
    report.error(map.source!.at, message);
  }
  return { name, source: source ?? [name], ...settings };
}

/** Type and settings of a field, or of a shape's field. */
export function parseFieldSettings(
  tree: Tree,
  map: KnownEntries<(typeof SETTINGS)[number] | (typeof VECTOR_KEYS)[number]>,
  name: string,
  analyzers: AnalyzerNames,
  report: Report,
): FieldSettings | undefined {
  if (map.type?.kind === 'scalar' && map.type.value === 'VECTOR') {
    return parseVectorSettings(tree, map, name, report);
  }
  const settings = parseSettings(tree, map, name, analyzers, report);
  if (settings !== undefined) refuseVectorKeys(map, settings.type, name, report);
  return settings;
}

/** Type and flags of a field that is no VECTOR. */
function parseSettings(
  tree: Tree,
  map: KnownEntries<(typeof SETTINGS)[number]>,
  name: string,
  analyzers: AnalyzerNames,
  report: Report,
): FieldSettings | undefined {
  if (map.type === undefined) {
    report.error(tree.at, `"${name}" needs a type: ${FIELD_TYPES.join(', ')}`);
    return undefined;
  }
  const type = readChoice(map.type, 'type', FIELD_TYPES, report);
  if (type === undefined) return undefined;
  const fast = readFlag(map.fast, 'fast', FAST_BY_DEFAULT.includes(type), report);
  if (fast && type === 'TEXT') {
    report.error(map.fast!.at, `TEXT cannot be fast; make "${name}" a KEYWORD to sort or count it`);
  }
  const flags = {
    indexed: readFlag(map.indexed, 'indexed', true, report),
    fast,
    cached: readFlag(map.cached, 'cached', false, report),
    sensitive: readFlag(map.sensitive, 'sensitive', false, report),
  };
  if (!flags.indexed && !flags.fast && !flags.cached) {
    report.warning(tree.at, `"${name}" is neither indexed, fast nor cached: it does nothing`);
  }
  return {
    type,
    ...described(map, report),
    ...flags,
    ...parseTypeSettings(map, type, name, analyzers, report),
  };
}

/** The description of a field, if it has one. */
export function described(
  { description: tree }: KnownEntries<'description'>,
  report: Report,
): Pick<FieldDefinition, 'description'> {
  const description = tree && readDescription(tree, report);
  return description === undefined ? {} : { description };
}

type TypeSettings = Pick<
  FieldSettings,
  'maxBytes' | 'folded' | 'analyzer' | 'synonyms' | 'bestDocuments' | 'format'
>;

function parseTypeSettings(
  map: KnownEntries<'max_bytes' | 'folded' | 'analyzer' | 'synonyms' | 'best_documents' | 'format'>,
  type: FieldType,
  name: string,
  analyzers: AnalyzerNames,
  report: Report,
): TypeSettings {
  const settings: { -readonly [Key in keyof TypeSettings]: TypeSettings[Key] } = {};
  const onlyFor = (tree: Tree, key: string, types: string) =>
    report.error(tree.at, `${key} is for ${types}; "${name}" is ${type}`);
  if (map.max_bytes !== undefined) {
    if (type === 'TEXT' || type === 'KEYWORD') {
      settings.maxBytes = readWhole(map.max_bytes, 'max_bytes', 1, 1_073_741_824, report);
    } else onlyFor(map.max_bytes, 'max_bytes', 'TEXT and KEYWORD');
  }
  if (map.folded !== undefined && type !== 'KEYWORD') onlyFor(map.folded, 'folded', 'KEYWORD');
  else if (readFlag(map.folded, 'folded', false, report)) settings.folded = true;
  if (map.format !== undefined) {
    if (type === 'DATE') {
      const formats = ['epoch_s', 'epoch_ms', 'epoch_us'] as const;
      settings.format = readChoice(map.format, 'format', formats, report);
    } else onlyFor(map.format, 'format', 'DATE');
  }
  if (map.analyzer !== undefined && type !== 'TEXT') onlyFor(map.analyzer, 'analyzer', 'TEXT');
  else if (type === 'TEXT') {
    settings.analyzer =
      map.analyzer === undefined ? 'standard' : readAnalyzer(map.analyzer, analyzers, report);
  }
  if (map.synonyms !== undefined) {
    if (type === 'TEXT') settings.synonyms = parseSynonyms(map.synonyms, report);
    else onlyFor(map.synonyms, 'synonyms', 'TEXT');
  }
  const best = map.best_documents;
  if (best !== undefined && type !== 'TEXT') onlyFor(best, 'best_documents', 'TEXT');
  else if (!readFlag(best, 'best_documents', true, report)) settings.bestDocuments = false;
  return settings;
}

/** The name of a known analyzer. */
export function readAnalyzer(
  tree: Tree,
  analyzers: AnalyzerNames,
  report: Report,
): string | undefined {
  const name = readText(tree, 'analyzer', report);
  if (name === undefined || analyzers.has(name)) return name;
  const near = didYouMean(name, analyzers);
  const known = near === '' ? `; known: ${[...analyzers].join(', ')}` : near;
  report.error(tree.at, `unknown analyzer "${name}"${known}`);
  return undefined;
}
