/**
 * A good first definition for a table, with comments.
 *
 * 1. A sample of the newest rows is read: for each string column the share of distinct values, the
 *    average length, whether every value is an address, a URL-like identifier or JSON.
 * 2. Each column gets the type that its own type and its sample suggest; long text that comes first
 *    is the default field.
 *    Bare words search all texts and names, in upper and lower case, with and without accents.
 * 3. Structs and maps are indexed by path; numbers, dates, booleans and categories of structs have
 *    types.
 * 4. A table without identifier fields gets the key that its sample suggests (propose-key.ts).
 * 5. What cannot be indexed (binary) is named in a comment, so nothing is left out
 *    in silence. In a wide table the first columns make up the definition, as many as its limits
 *    allow; a comment says how many are left out.
 */
import type { Field, SourceTable, TableConfig, Type, Value } from '@lakehouse-search/lake';
import { isReadable } from '@lakehouse-search/lake/internal';
import { LIMITS } from '../../base/limits.ts';
import { COLUMN_RULES, isNested, typeName } from '../column-rules.ts';
import type { FieldType } from '../definition.ts';
import { fieldNameFault } from '../parse/parse-field.ts';
import { type DefaultField, defaultFieldsLine, WEIGHTS } from './default-fields.ts';
import { epochFormat } from './propose-epoch.ts';
import { type ProposedKey, proposeKey } from './propose-key.ts';
import { type FieldNames, fieldNames, freeName, nameOf } from './propose-names.ts';
import { type ProposedText, proposeText } from './propose-text.ts';
import { KEY_COLUMN, sameAsKey } from './same-values.ts';
import { NO_SAMPLE, sampleColumns } from './sample-columns.ts';
import { sourceLines, yamlScalar } from './source-lines.ts';
import { leafLine, proposedLeaves, type TypedLeaf } from './struct-leaves.ts';
import { NO_TITLE, titleRank } from './title-names.ts';

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
  const same = options.key === undefined ? sameAsKey(table, sample) : undefined;
  const proposals = table.schema.fields.map((field) =>
    field.name === KEY_COLUMN && same !== undefined
      ? { kind: 'skipped' as const, column: field.name, why: `its values are those of ${same}` }
      : propose(field, sample.columns.get(field.name) ?? []),
  );
  const key = await proposeKey(table, sample, options.key);
  const names = fieldNames(
    table.schema.fields.map(({ name }) => name),
    proposals.flatMap(({ kind, column }) => (kind === 'field' ? [column] : [])),
  );
  const searched = searchedOf(proposals);
  const title = searched.find(isTitle);
  return [
    '# What is indexed of the table, and how. docs/definition.md explains every key.',
    ...(read instanceof Error ? [`# no rows could be read: ${oneLine(read.message)}`] : []),
    'version: 1',
    `index: ${options.name ?? indexName(table.name)}`,
    'source:',
    ...sourceLines(options.source),
    ...keyLines(key),
    ...analyzerLines(searched),
    ...defaultFieldsLine(weightedFields(searched, proposals, title, names)),
    ...fitting('fields', fieldLines(proposals, title, key.columns, names), FIELD_BYTES),
    ...meaningLines(proposals, title),
    ...fitting('variants', variantLines(proposals, title?.column), OTHER_BYTES),
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

const oneLine = (text: string): string => text.replace(/\s+/g, ' ');

/** A legal index name from a table's name. */
function indexName(table: string): string {
  const last = table.split('.').at(-1) ?? table;
  const legal = last
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '_')
    .replace(/^[^a-z0-9]+/, '');
  return legal.slice(0, 128) || 'index';
}

function keyLines({ columns, why }: ProposedKey): string[] {
  if (columns.length === 0) return [`key: row     # ${why}`];
  return ['key:', `  identifier: [${columns.map(yamlScalar).join(', ')}]     # ${why}`];
}

/** What to make of a column. */
type Proposal =
  | {
      readonly kind: 'field';
      readonly column: string;
      readonly type: FieldType;
      readonly why: string;
      readonly cached: boolean;
      readonly text?: ProposedText;
      /** How a DATE counts. */
      readonly format?: string;
    }
  | {
      readonly kind: 'variant';
      readonly column: string;
      readonly leaves: readonly TypedLeaf[];
      /** A text that is the title of a table without another one. */
      readonly title?: TypedLeaf;
      readonly hasTexts: boolean;
    }
  | { readonly kind: 'skipped'; readonly column: string; readonly why: string };

function propose({ name, type }: Field, sample: readonly Value[]): Proposal {
  const element = type.kind === 'list' ? type.element : type;
  const field = (as: FieldType, why = ''): FieldProposal => {
    return { kind: 'field', column: name, type: as, why, cached: as === 'DATE' };
  };
  if (!isReadable(type))
    return { kind: 'skipped', column: name, why: `${typeName(type)} is not read` };
  if (isNested(type)) {
    return fieldNameFault(name) === null
      ? { kind: 'variant', column: name, ...proposedLeaves(type, sample), hasTexts: hasTexts(type) }
      : { kind: 'skipped', column: name, why: 'a query cannot write its name' };
  }
  switch (element.kind) {
    case 'string':
      return textProposal(name, sample);
    case 'uuid':
      return field('KEYWORD', 'uuid');
    case 'int':
    case 'long':
      return numberProposal(field, name, element === type ? sample : []);
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

/** Whole numbers count time or are numbers. */
function numberProposal(
  field: (type: FieldType, why?: string) => FieldProposal,
  name: string,
  sample: readonly Value[],
): FieldProposal {
  const format = epochFormat(name, sample);
  return format === undefined ? field('LONG') : { ...field('DATE'), format };
}

function hasTexts(type: Type): boolean {
  if (type.kind === 'list') return hasTexts(type.element);
  if (type.kind === 'map') return hasTexts(type.value);
  if (type.kind === 'struct') return type.fields.some((field) => hasTexts(field.type));
  return type.kind === 'string' || type.kind === 'variant';
}

function textProposal(column: string, sample: readonly Value[]): Proposal {
  const text = proposeText(sample);
  return { kind: 'field', column, type: text.type, why: text.why, cached: text.cached, text };
}

type FieldProposal = Extract<Proposal, { kind: 'field' }>;

/** The columns that bare words search: titles, names and prose, then whole values. */
function searchedOf(proposals: readonly Proposal[]): readonly FieldProposal[] {
  const all = proposals.filter((p) => p.kind === 'field');
  const texts = all.filter(({ text }) => text?.analyzer !== undefined);
  const values = all.filter(({ text }) => text?.type === 'KEYWORD');
  const short = texts.findIndex(({ text, cached }) => cached && !text?.hasFacet);
  const ranked = texts.map((field, i) => ({
    field,
    rank: titleOrder(field, short >= 0 && short < i),
  }));
  return [...ranked.toSorted((a, b) => a.rank - b.rank).map(({ field }) => field), ...values];
}

/**
 * By name. Of columns that are not named like titles, those whose values differ come first; a name
 * of groups (`admin_name`) comes behind a short text to its left whose values differ.
 */
function titleOrder({ column, text }: FieldProposal, isBehindShort: boolean): number {
  const rank = titleRank(column);
  if (!text?.hasFacet) return rank;
  return 0.5 + (isBehindShort && rank > 0 ? NO_TITLE : rank);
}

/** A text that is named like a title, or whose values differ from row to row. */
const isTitle = ({ column, text }: FieldProposal): boolean =>
  text?.analyzer !== undefined && (isNamed(column) || !text.hasFacet);

const isNamed = (column: string): boolean => titleRank(column) < NO_TITLE;

/** The analyzers that are not built in. */
function analyzerLines(searched: readonly FieldProposal[]): string[] {
  const analyzers = searched.flatMap(({ text }) => text?.analyzer ?? []);
  const lines = new Map(
    analyzers.flatMap(({ name, entry, note = '' }) =>
      entry === undefined ? [] : [[name, withNote(`  - { name: ${name}, ${entry} }`, note)]],
    ),
  );
  return lines.size === 0 ? [] : ['analyzers:', ...lines.values()];
}

/** The flattened columns with texts. */
const wordyColumns = (proposals: readonly Proposal[]): readonly string[] =>
  proposals.flatMap((p) => (p.kind === 'variant' && p.hasTexts ? [p.column] : []));

/** The columns that bare words search, with their weights. */
function weightedFields(
  searched: readonly FieldProposal[],
  proposals: readonly Proposal[],
  title: FieldProposal | undefined,
  names: FieldNames,
): readonly DefaultField[] {
  const columns = wordyColumns(proposals);
  const first = [...(title === undefined ? [] : [title.column]), ...columns.filter(isNamed)]
    .toSorted((a, b) => titleRank(a) - titleRank(b))
    .at(0);
  const weighted = (column: string, text?: ProposedText): DefaultField => {
    const ofNames = isNamed(column) && text?.type !== 'KEYWORD' ? WEIGHTS.name : 1;
    const ofWords = column === first ? WEIGHTS.title : ofNames;
    const weight = text?.isCode ? WEIGHTS.code : ofWords;
    return { name: nameOf(names, column), weight };
  };
  return [
    ...searched.map(({ column, text }) => weighted(column, text)),
    ...columns.map((column) => weighted(column)),
  ];
}

function fieldLines(
  proposals: readonly Proposal[],
  title: FieldProposal | undefined,
  keys: readonly string[],
  names: FieldNames,
): string[] {
  const fields = proposals.filter((p) => p.kind === 'field');
  if (fields.length === 0) return [];
  const sorted = fields.toSorted((a, b) => Number(b === title) - Number(a === title));
  const taken = new Set(names.values());
  const numbers = fields.filter(isNumber).filter(({ column }) => !keys.includes(column));
  const shown = [title, ...numbers.slice(0, SHOWN_NUMBERS)];
  const lines = sorted.flatMap((field) => {
    const isKey = keys.includes(field.column) && field.why === '';
    const line = fieldLine(field, shown.includes(field), names);
    const twin = field.text?.hasFacet ? [exactLine(field, names, taken)] : [];
    return [withNote(line, isKey ? 'part of the key' : field.why), ...twin];
  });
  return ['fields:', ...lines];
}

/** Numbers that hits have beside their title; the columns that filter them give their values. */
const SHOWN_NUMBERS = 6;
const isNumber = ({ type }: FieldProposal): boolean => ['LONG', 'DOUBLE', 'BOOL'].includes(type);

const withNote = (line: string, note: string): string =>
  note === '' ? line : `${line.padEnd(64)} # ${note}`;

/** A VECTOR field to take in: it makes a reindex longer and the index larger. */
function meaningLines(proposals: readonly Proposal[], title: FieldProposal | undefined): string[] {
  if (title === undefined || proposals.some(({ column }) => column === 'meaning')) return [];
  return [
    '  # semantic and hybrid search (docs/definition.md, vectors):',
    `  # - { name: meaning, type: VECTOR, source: ${yamlScalar(title.column)} }`,
  ];
}

function fieldLine(field: FieldProposal, isShown: boolean, names: FieldNames): string {
  const { column, type, text, format } = field;
  const counts = format === undefined ? '' : `, format: ${format}`;
  const analyzer = text?.analyzer === undefined ? '' : `, analyzer: ${text.analyzer.name}`;
  const folded = text?.folded ? ', folded: true' : '';
  const fast = type === 'KEYWORD' && text?.fast !== false ? ', fast: true' : '';
  const cached = field.cached || isShown ? ', cached: true' : '';
  const head = namePart(column, nameOf(names, column));
  return `  - { ${head}, type: ${type}${counts}${analyzer}${folded}${fast}${cached} }`;
}

/** The whole values of a TEXT field, for facets and sorts. */
function exactLine({ column }: FieldProposal, names: FieldNames, taken: Set<string>): string {
  const head = namePart(column, freeName(`${nameOf(names, column)}_exact`, taken));
  return withNote(`  - { ${head}, type: KEYWORD, folded: true, fast: true }`, 'facets, sorts');
}

const namePart = (column: string, name: string): string =>
  name === column
    ? `name: ${yamlScalar(name)}`
    : `name: ${yamlScalar(name)}, source: ${yamlScalar(column)}`;

/** `title`: the column that is the title of hits; a leaf that has a better name is shown, too. */
function variantLines(proposals: readonly Proposal[], title: string | undefined): string[] {
  const variants = proposals.filter((p) => p.kind === 'variant');
  if (variants.length === 0) return [];
  const rank = title === undefined ? Number.POSITIVE_INFINITY : titleRank(title);
  const titled = variants.find(
    ({ column, title: leaf }) => leaf && titleRank(`${column}.${leaf.path}`) < rank,
  );
  const lines = variants.flatMap((variant) => {
    const { column } = variant;
    const words = variant.hasTexts ? ['analyzer: folded'] : [];
    const own = variant === titled && variant.title ? [variant.title] : [];
    const leaves = [...own, ...variant.leaves];
    const head = `column: ${yamlScalar(column)}, flatten: true`;
    const note = `# found as ${column}.<path>:<value> and ${column}:<text>`;
    if (leaves.length === 0) return [`  - { ${[head, ...words].join(', ')} }     ${note}`];
    return [
      `  - column: ${yamlScalar(column)}     ${note}`,
      '    flatten: true',
      ...words.map((line) => `    ${line}`),
      '    shapes:',
      '      - name: typed     # ranges, sorts and aggregations',
      '        fields:',
      ...leaves.map(leafLine),
    ];
  });
  return ['variants:', ...lines];
}

function skippedLines(proposals: readonly Proposal[]): string[] {
  return proposals
    .filter((p) => p.kind === 'skipped')
    .map(({ column, why }) => `# not indexed: ${JSON.stringify(column)}: ${why}`);
}
