/**
 * A good first definition for a table, with comments.
 *
 * 1. A sample of the newest rows is read: for each string column the share of distinct values, the
 *    average length, whether every value is an address, a URL-like identifier or JSON.
 * 2. Each column gets the type that its own type and its sample suggest; long text that comes first
 *    is the default field.
 *    Prose with accents gets an analyzer without them.
 * 3. Structs and maps are indexed by path, the numbers, dates and booleans of structs with types.
 * 4. A table without identifier fields gets the key that its sample suggests (propose-key.ts).
 * 5. What cannot be indexed (binary) is named in a comment, so nothing is left out
 *    in silence. In a wide table the first columns make up the definition, as many as its limits
 *    allow; a comment says how many are left out.
 */
import {
  type Field,
  isReadable,
  type S3Config,
  type SourceTable,
  type TableConfig,
  type Type,
  type Value,
} from '@lakehouse-search/lake';
import { foldToAscii } from '../analysis/filter/ascii-folding.ts';
import { LIMITS } from '../base/limits.ts';
import { COLUMN_RULES, isNested, typeName } from './column-rules.ts';
import type { FieldType } from './definition.ts';
import { parseIp } from './ip-value.ts';
import { fieldNameFault } from './parse-field.ts';
import { type ProposedKey, proposeKey } from './propose-key.ts';
import { NO_SAMPLE, sampleColumns } from './sample-columns.ts';

/** Texts at least this long on average, with several words, are prose. */
const PROSE_CHARS = 40;
/** Typed leaves of one struct column. */
const MOST_LEAVES = 50;
/** At least this share of texts with accents makes a text be found without them. */
const ACCENT_SHARE = 0.01;
/** The analyzer of prose with accents. */
const FOLDED = 'folded';
/** At most this share of distinct values makes a string a category. */
const CATEGORY_SHARE = 0.2;

/** How the definition names its table, and what it is called. */
export interface InitOptions {
  readonly source: TableConfig;
  /** Name of the index; default the table's last name, made legal. */
  readonly name?: string;
  /** Columns of the key. Default: proposed. */
  readonly key?: readonly string[] | undefined;
}

/**
 * The definition's YAML text. Reads up to 2,000 rows of the table; where they cannot be read, a
 * comment says why.
 */
export async function initDefinition(table: SourceTable, options: InitOptions): Promise<string> {
  const read = await sampleColumns(table).catch((error: Error) => error);
  const sample = read instanceof Error ? NO_SAMPLE : read;
  const proposals = table.schema.fields.map((field) =>
    propose(field, sample.columns.get(field.name) ?? []),
  );
  const key = await proposeKey(table, sample, options.key);
  const title = titleOf(proposals);
  return [
    '# What is indexed of the table, and how. docs/definition.md explains every key.',
    ...(read instanceof Error ? [`# no rows could be read: ${oneLine(read.message)}`] : []),
    'version: 1',
    `index: ${options.name ?? indexName(table.name)}`,
    'source:',
    ...sourceLines(options.source),
    ...keyLines(key),
    ...analyzerLines(proposals),
    ...defaultFieldsLine(proposals, title),
    ...fitting('fields', fieldLines(proposals, title, key.columns), FIELD_BYTES),
    ...meaningLines(proposals, title),
    ...fitting('variants', variantLines(proposals), OTHER_BYTES),
    ...fitting('columns that cannot be indexed', skippedLines(proposals), OTHER_BYTES),
    '',
  ].join('\n');
}

/** Bytes that each kind of lines may take, so that the whole stays below `definitionBytes`. */
const FIELD_BYTES = Math.floor(LIMITS.definitionBytes / 2);
const OTHER_BYTES = Math.floor(LIMITS.definitionBytes / 8);

/** At most as many entries below a heading as a definition may have; a comment counts the rest. */
function fitting(what: string, lines: readonly string[], bytes: number): readonly string[] {
  let left = bytes;
  const over = lines.findIndex((line, i) => {
    left -= Buffer.byteLength(line) + 1;
    return left < 0 || i > LIMITS.definitionFields;
  });
  if (over < 0) return lines;
  const most = LIMITS.definitionBytes;
  const limit = `a definition holds ${LIMITS.definitionFields} fields and ${most} bytes`;
  return [...lines.slice(0, over), `# ${lines.length - over} more ${what} left out: ${limit}`];
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

/** A legal index name from a table's name. */
function indexName(table: string): string {
  const last = table.split('.').at(-1) ?? table;
  const legal = last
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '_')
    .replace(/^[^a-z0-9]+/, '');
  return legal.slice(0, 128) || 'index';
}

function sourceLines(source: TableConfig): string[] {
  if ('path' in source) return [`  path: ${quote(source.path)}`, ...s3Lines(source.s3)];
  const entries = Object.entries(source.catalog).map(([key, value]) => `${key}: ${written(value)}`);
  return [`  catalog: { ${entries.join(', ')} }`, `  table: ${quote(source.table)}`];
}

const s3Lines = (s3: S3Config | undefined) => (s3 === undefined ? [] : [`  s3: ${written(s3)}`]);

function written(value: string | boolean | readonly string[] | S3Config): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `[${value.map(quote).join(', ')}]`;
  const entries = Object.entries(value as S3Config).map(([key, v]) => `${key}: ${written(v)}`);
  return `{ ${entries.join(', ')} }`;
}

function keyLines({ columns, why }: ProposedKey): string[] {
  return ['key:', `  identifier: [${columns.map(quote).join(', ')}]     # ${why}`];
}

/** A YAML scalar: plain where it is plainly a string, else in JSON quotes. */
function quote(text: string): string {
  const plain =
    /^[\p{L}_][\p{L}\p{N}_.-]*$/u.test(text) &&
    !/^(true|false|null|yes|no|on|off|y|n)$/i.test(text);
  return plain ? text : JSON.stringify(text);
}

/** A leaf of a struct that has a type of its own, by its path. */
interface TypedLeaf {
  readonly path: string;
  readonly type: FieldType;
}

/** What to make of a column. */
type Proposal =
  | {
      readonly kind: 'field';
      readonly column: string;
      readonly type: FieldType;
      readonly why: string;
      readonly cached: boolean;
      /** Texts with accents are found without them. */
      readonly folded?: boolean;
    }
  | { readonly kind: 'variant'; readonly column: string; readonly leaves: readonly TypedLeaf[] }
  | { readonly kind: 'skipped'; readonly column: string; readonly why: string };

function propose({ name, type }: Field, sample: readonly Value[]): Proposal {
  const element = type.kind === 'list' ? type.element : type;
  const field = (as: FieldType, why = ''): Proposal => {
    return { kind: 'field', column: name, type: as, why, cached: as === 'DATE' };
  };
  if (!isReadable(type))
    return { kind: 'skipped', column: name, why: `${typeName(type)} is not read` };
  if (isNested(type)) {
    return fieldNameFault(name) === null
      ? { kind: 'variant', column: name, leaves: typedLeaves(type).slice(0, MOST_LEAVES) }
      : { kind: 'skipped', column: name, why: 'a query cannot write its name' };
  }
  switch (element.kind) {
    case 'string':
      return proposeText(name, type, sample);
    case 'uuid':
      return field('KEYWORD', 'uuid');
    case 'int':
    case 'long':
      return field('LONG');
    case 'float':
    case 'double':
      return field('DOUBLE');
    case 'decimal':
      return field('DOUBLE', `${typeName(element)}, as the nearest double`);
    case 'boolean':
      return field('BOOL');
    case 'time':
      return field('KEYWORD', 'time of day');
    default:
      return COLUMN_RULES.DATE.includes(element.kind)
        ? field('DATE')
        : { kind: 'skipped', column: name, why: `${typeName(type)} cannot be indexed` };
  }
}

/** The leaves of structs, also in lists, that are numbers, dates and booleans. */
function typedLeaves(type: Type, path: readonly string[] = []): readonly TypedLeaf[] {
  if (type.kind === 'list') return typedLeaves(type.element, path);
  if (type.kind === 'struct') {
    const named = type.fields.filter(({ name }) => fieldNameFault(name) === null);
    return named.flatMap((field) => typedLeaves(field.type, [...path, field.name]));
  }
  const own = (['LONG', 'DOUBLE', 'BOOL', 'DATE'] as const).find((one) =>
    COLUMN_RULES[one].includes(type.kind),
  );
  return own === undefined || type.kind === 'string' || path.length === 0
    ? []
    : [{ path: path.join('.'), type: own }];
}

function proposeText(column: string, type: Type, sample: readonly Value[]): Proposal {
  const texts = sample
    .flat()
    .filter((value) => typeof value === 'string' && value !== '') as string[];
  const field = (as: FieldType, why: string, cached = false): Proposal => {
    return { kind: 'field', column, type: as, why, cached };
  };
  if (texts.length === 0) return field('KEYWORD', 'no values seen');
  if (texts.every((text) => parseIp(text) !== null)) return field('IP', 'addresses');
  if (texts.every(looksLikeJson)) return field('TEXT', 'JSON text');
  const average = texts.reduce((sum, text) => sum + text.length, 0) / texts.length;
  const words = texts.filter((text) => /\S\s+\S/.test(text)).length / texts.length;
  const distinct = new Set(texts).size / texts.length;
  const length = Math.round(average);
  const shown = `${Math.round(distinct * 100)} % distinct, ${length} characters on average`;
  const prose = words > 0.5 && (average >= PROSE_CHARS || distinct > CATEGORY_SHARE);
  const accents = texts.filter((text) => foldToAscii(letters(text)) !== letters(text));
  const folded = accents.length >= ACCENT_SHARE * texts.length && accents.length > 0;
  return prose && type.kind !== 'list'
    ? { kind: 'field', column, type: 'TEXT', why: shown, cached: false, folded }
    : field('KEYWORD', shown, distinct <= CATEGORY_SHARE);
}

/** A text without punctuation, which folding changes too. */
const letters = (text: string): string => text.replace(/\p{P}/gu, '');

function looksLikeJson(text: string): boolean {
  return /^\s*[{[][\s\S]*[}\]]\s*$/.test(text);
}

/** The column that bare words should search: the first prose column, titles before bodies. */
function titleOf(proposals: readonly Proposal[]): string | null {
  const texts = proposals.filter(
    (p) => p.kind === 'field' && p.type === 'TEXT' && p.why !== 'JSON text',
  );
  const named = texts.find((p) => /^(title|subject|headline|name|summary)$/i.test(p.column));
  return (named ?? texts[0])?.column ?? null;
}

/** The analyzer that the fields with accents use. */
function analyzerLines(proposals: readonly Proposal[]): string[] {
  if (!proposals.some((p) => p.kind === 'field' && p.folded === true)) return [];
  return [
    'analyzers:     # accents in the sample: words are found with and without them',
    `  - { name: ${FOLDED}, tokenizer: standard, filters: [lowercase, ascii_folding] }`,
  ];
}

/** Bare words search all prose, the title first. */
function defaultFieldsLine(proposals: readonly Proposal[], title: string | null): string[] {
  const names = proposals
    .filter((p) => p.kind === 'field' && p.type === 'TEXT' && p.why !== 'JSON text')
    .map(({ column }) => column)
    .filter((column) => fieldNameFault(column) === null && column !== title)
    .slice(0, LIMITS.defaultFields - 1);
  if (title === null || names.length === 0 || fieldNameFault(title) !== null) return [];
  return [`default_fields: [${[title, ...names].map(quote).join(', ')}]     # of bare words`];
}

function fieldLines(
  proposals: readonly Proposal[],
  title: string | null,
  keys: readonly string[],
): string[] {
  const fields = proposals.filter((p) => p.kind === 'field');
  if (fields.length === 0) return [];
  const sorted = fields.toSorted((a, b) => rank(a.column, title) - rank(b.column, title));
  const taken = new Set(proposals.map((proposal) => proposal.column));
  const lines = sorted.map((field) => {
    const text = fieldLine(field, title, taken);
    const note = field.column === title ? 'bare words search this field' : field.why;
    const why = keys.includes(field.column) && field.why === '' ? 'part of the key' : note;
    return why === '' ? text : `${text.padEnd(64)} # ${why}`;
  });
  return ['fields:', ...lines];
}

/** A VECTOR field to take in: it makes a reindex longer and the index larger. */
function meaningLines(proposals: readonly Proposal[], title: string | null): string[] {
  if (title === null || proposals.some(({ column }) => column === 'meaning')) return [];
  return [
    '  # semantic and hybrid search (docs/definition.md, vectors):',
    `  # - { name: meaning, type: VECTOR, source: ${quote(title)} }`,
  ];
}

function rank(column: string, title: string | null): number {
  return column === title ? 0 : 1;
}

function fieldLine(
  field: Extract<Proposal, { kind: 'field' }>,
  title: string | null,
  taken: Set<string>,
): string {
  const legal = fieldNameFault(field.column) === null;
  const name = legal ? field.column : legalName(field.column, taken);
  const source = legal ? '' : `, source: ${quote(field.column)}`;
  const cached = field.cached || field.column === title ? ', cached: true' : '';
  const fast = field.type === 'KEYWORD' ? ', fast: true' : '';
  const analyzer = field.folded === true ? `, analyzer: ${FOLDED}` : '';
  return `  - { name: ${quote(name)}${source}, type: ${field.type}${analyzer}${fast}${cached} }`;
}

/** A field name for a column whose own name the query syntax cannot carry. */
function legalName(column: string, taken: Set<string>): string {
  const base = `f_${column.replace(/[^\p{L}\p{N}_-]+/gu, '_')}`.slice(0, 100);
  let name = base;
  for (let i = 2; taken.has(name); i++) name = `${base}_${i}`;
  taken.add(name);
  return name;
}

function variantLines(proposals: readonly Proposal[]): string[] {
  const variants = proposals.filter((p) => p.kind === 'variant');
  if (variants.length === 0) return [];
  const lines = variants.flatMap(({ column, leaves }) => {
    const note = `# found as ${column}.<path>:<value> and ${column}:<text>`;
    if (leaves.length === 0) return [`  - { column: ${quote(column)}, flatten: true }     ${note}`];
    return [
      `  - column: ${quote(column)}     ${note}`,
      '    flatten: true',
      '    shapes:',
      '      - name: typed     # ranges, sorts and aggregations',
      '        fields:',
      ...leaves.map(({ path, type }) => `          - { path: ${quote(path)}, type: ${type} }`),
    ];
  });
  return ['variants:', ...lines];
}

function skippedLines(proposals: readonly Proposal[]): string[] {
  return proposals
    .filter((p) => p.kind === 'skipped')
    .map(({ column, why }) => `# not indexed: ${JSON.stringify(column)}: ${why}`);
}
