/**
 * The key that a first definition proposes.
 *
 * 1. The columns that the caller names, or the table's identifier fields.
 * 2. Else columns whose values differ in each row of the sample and are never NULL: one column that
 *    is named like an identifier or a code, else the first column or a date if they differ in the
 *    whole table, else two or three that are named like parts of a key, else two columns of
 *    integers that count all rows of the table: chapters and their verses; if one column of codes
 *    differs, too, it is the key. Else two or three short columns with few combinations, of which
 *    each comes once in the whole table: countries and years.
 * 3. The candidates are compared in up to 100,000 rows. A comment says in how many rows, and how
 *    likely the key is: a name like `id` says more than values that happen to differ.
 */

import { LhsError } from '@lakehouse-search/contract';
import { didYouMean, withCommas } from '@lakehouse-search/contract/internal';
import type { SourceTable, Value } from '@lakehouse-search/lake';
import { keyTypeFault } from '../keys/key-types.ts';
import { parseIp } from '../values/ip-value.ts';
import { isPersonName, keyRank } from './key-names.ts';
import { KEY_COLUMN, sameAsKey } from './same-values.ts';
import {
  KEY_SAMPLE_ROWS,
  keyCandidates,
  partCandidates,
  readSample,
  type Sample,
} from './sample-columns.ts';

/** The key that a definition proposes, and why: a comment. */
export interface ProposedKey {
  /** Empty: no columns are known that tell the rows apart, so rows are known by their location. */
  readonly columns: readonly string[];
  readonly why: string;
}

/** Longer texts are no keys, on average. */
const KEY_CHARS = 64;
/** With fewer rows, values of columns that are not named like keys differ by chance. */
const FEW_ROWS = 10;
/** With fewer rows, values of several columns differ by chance. */
const FEW_ROWS_OF_PARTS = 100;
const MAX_PARTS = 6;
const MAX_CANDIDATES = 8;

interface Candidate {
  readonly columns: readonly string[];
  readonly how: 'likely' | 'a guess';
  /** Only if the whole table was compared. */
  readonly needsAll: boolean;
}

/** Proposes a key. Throws invalid_argument if `requested` names columns that cannot be a key. */
export async function proposeKey(
  table: SourceTable,
  sample: Sample,
  requested?: readonly string[],
): Promise<ProposedKey> {
  const { fields, identifierFieldIds: ids } = table.schema;
  if (requested !== undefined) return requestedKey(table, requested);
  const declared = fields.filter(({ id }) => ids.includes(id)).map(({ name }) => name);
  if (declared.length > 0) return { columns: declared, why: "the table's identifier fields" };
  if (keyCandidates(table).length === 0)
    return { columns: [], why: 'no column is a text, a whole number or a date' };
  if (sample.rows === 0) return { columns: [], why: 'no rows were read that show a key' };
  const counting = countingColumns(table, sample);
  const candidates = [
    ...singleColumns(table, sample, sample.rows < FEW_ROWS ? [0, 1] : [0, 1, 2, 3]),
    ...severalColumns(table, sample),
    ...(counting.length === 0 ? [] : singleColumns(table, sample, [CODES])),
    ...counting,
  ];
  const names = [...new Set(candidates.flatMap(({ columns }) => columns))];
  const isEnough = sample.isAll || names.length === 0;
  const larger = isEnough ? sample : await readSample(table, names, KEY_SAMPLE_ROWS);
  const found = candidates.find(({ columns, needsAll }) => {
    return (larger.isAll || !needsAll) && !hasShared(larger, columns);
  });
  if (found !== undefined) {
    const { how } = found;
    const same = sameAsKey(table, sample);
    const columns = found.columns.map((name) => (name === KEY_COLUMN ? (same ?? name) : name));
    return { columns, why: `${how}: ${different(columns)} in ${rowsOf(larger)}` };
  }
  const why = `no columns that look like a key differ in ${rowsOf(larger)}`;
  return (await combinedColumns(table, sample)) ?? { columns: [], why };
}

/** The columns that the caller names, with what the first rows say about them. */
async function requestedKey(table: SourceTable, columns: readonly string[]): Promise<ProposedKey> {
  const { fields } = table.schema;
  if (columns.length === 0) throw noKey('name at least one column');
  for (const name of columns) {
    const field = fields.find((one) => one.name === name);
    const near = didYouMean(
      name,
      fields.map((one) => one.name),
    );
    if (field === undefined) {
      const hint = `columns: ${fields.map((one) => one.name).join(', ')}`;
      throw noKey(`column "${name}" is not in ${table.name}${near}`, hint);
    }
    const fault = keyTypeFault(field.type);
    if (fault !== null) throw noKey(`column "${name}" is ${fault}`);
  }
  const sample = await readSample(table, columns, KEY_SAMPLE_ROWS);
  const shared = sharedRows(sample, columns);
  if (sample.rows === 0) return { columns, why: 'as requested; no rows were read' };
  if (shared === 0) return { columns, why: `${different(columns)} in ${rowsOf(sample)}` };
  const count = withCommas(shared);
  const why = `WRONG: in ${rowsOf(sample)}, ${count} have a NULL or the key of an earlier row`;
  return { columns, why };
}

const noKey = (message: string, hint?: string) =>
  new LhsError('invalid_argument', `key: ${message}`, hint === undefined ? {} : { hint });

const different = (columns: readonly string[]): string =>
  columns.length === 1 ? 'the values differ' : 'the values together differ';

function rowsOf({ rows, isAll }: Sample): string {
  const count = withCommas(rows);
  return isAll ? `all ${count} rows` : `the first ${count} rows`;
}

/** Columns of different values without NULL: the most likely first. */
function singleColumns(
  table: SourceTable,
  sample: Sample,
  ranks: readonly number[],
): readonly Candidate[] {
  return keyCandidates(table)
    .map(({ name }, at) => ({ name, rank: singleRank(name, at) }))
    .filter(({ rank }) => ranks.includes(rank))
    .filter(({ name, rank }) => rank < CODES || areWords(sample.columns.get(name) ?? []))
    .filter(({ name }) => isShort(sample.columns.get(name) ?? []))
    .filter(({ name }) => !hasAddresses(sample.columns.get(name) ?? []))
    .filter(({ name }) => !hasShared(sample, [name]))
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, MAX_CANDIDATES)
    .map(({ name, rank }) => {
      const how = rank <= LIKELY ? 'likely' : 'a guess';
      return { columns: [name], how, needsAll: rank > LIKELY };
    });
}

/** Ranks of one column: named like an identifier, 0, or a code, 1; the first one, 2; a date, 3; others. */
function singleRank(name: string, at: number): number {
  const rank = ['identifier', 'code'].indexOf(keyRank(name));
  if (rank >= 0) return rank;
  if (at === 0 && !isPersonName(name)) return 2;
  return keyRank(name) === 'part' ? 3 : CODES;
}
const LIKELY = 1;
const CODES = 4;

const areWords = (values: readonly Value[]): boolean =>
  values.every((value) => typeof value === 'string' && !/\s/.test(value));

function isShort(values: readonly Value[]): boolean {
  const texts = values.filter((value) => typeof value === 'string');
  return texts.reduce((sum, text) => sum + text.length, 0) <= KEY_CHARS * texts.length;
}

/** Addresses of clients come back sooner or later. */
const hasAddresses = (values: readonly Value[]): boolean =>
  values.some((value) => typeof value === 'string' && parseIp(value) !== null);

/** Two columns of integers: within each group of the first one, the second one grows. */
function countingColumns({ schema }: SourceTable, sample: Sample): readonly Candidate[] {
  if (sample.rows < FEW_ROWS_OF_PARTS) return [];
  const integers = schema.fields
    .filter(({ type, name }) => /^(int|long)$/.test(type.kind) && sample.columns.has(name))
    .slice(0, MAX_PARTS)
    .map(({ name }) => name);
  return integers
    .flatMap((a, i) => integers.slice(i + 1).map((b) => [a, b]))
    .filter(([a, b]) => areCounting(sample.columns.get(a)!, sample.columns.get(b)!))
    .map((columns) => ({ columns, how: 'a guess', needsAll: true }));
}

function areCounting(groups: readonly Value[], numbers: readonly Value[]): boolean {
  const repeats = (values: readonly Value[]) => new Set(values).size * 2 <= values.length;
  const isNext = (i: number) =>
    groups[i] === groups[i - 1] ? numbers[i]! > numbers[i - 1]! : groups[i]! > groups[i - 1]!;
  if ([...groups, ...numbers].includes(null) || !repeats(groups) || !repeats(numbers)) return false;
  return groups.every((_, i) => i === 0 || isNext(i));
}

/** Two or three columns that are named like parts of a key, in the order of the table. */
function severalColumns(table: SourceTable, sample: Sample): readonly Candidate[] {
  if (sample.rows < FEW_ROWS_OF_PARTS) return [];
  const parts = keyCandidates(table)
    .map(({ name }) => name)
    .filter((name) => keyRank(name) !== 'none')
    .filter((name) => !sample.columns.get(name)!.includes(null))
    .slice(0, MAX_PARTS);
  return combinations(parts)
    .filter((columns) => columns.some((name) => keyRank(name) !== 'part'))
    .filter((columns) => !hasShared(sample, columns))
    .slice(0, MAX_CANDIDATES)
    .map((columns) => ({ columns, how: 'a guess', needsAll: false }));
}

/** All pairs of names, then all threes, in their order. */
function combinations(names: readonly string[]): readonly (readonly string[])[] {
  const pairs = names.flatMap((a, i) => names.slice(i + 1).map((b) => [a, b]));
  const threes = pairs.flatMap(([a, b]) => names.slice(names.indexOf(b) + 1).map((c) => [a, b, c]));
  return [...pairs, ...threes];
}

/**
 * Two or three columns of short texts, times, and numbers that are named like parts of a key, of
 * which no combination comes twice in the whole table.
 */
async function combinedColumns(
  table: SourceTable,
  sample: Sample,
): Promise<ProposedKey | undefined> {
  const names = partCandidates(table)
    .filter(({ name, type }) => !/^(int|long)$/.test(type.kind) || keyRank(name) !== 'none')
    .map(({ name }) => name)
    .filter((name) => mayBePart(sample.columns.get(name) ?? []))
    .slice(0, MAX_PARTS);
  if (names.length < 2) return undefined;
  const larger = sample.isAll ? sample : await readSample(table, names, KEY_SAMPLE_ROWS);
  if (!larger.isAll || larger.rows < FEW_ROWS_OF_PARTS) return undefined;
  const distinct = new Map(names.map((name) => [name, new Set(larger.columns.get(name)).size]));
  const isGroup = (count = 0) => count > 1 && count * 2 <= larger.rows;
  const groups = names.filter((name) => isGroup(distinct.get(name)));
  const columns = combinations(groups).find((some) => {
    const all = some.reduce((product, name) => product * (distinct.get(name) ?? 0), 1);
    return larger.rows ** 2 / (2 * all) >= MIN_REPEATS && !hasShared(larger, some);
  });
  if (columns === undefined) return undefined;
  return { columns, why: `a guess: ${different(columns)} in ${rowsOf(larger)}` };
}

/** Repeats that random values would be expected to have: that none repeats is a rule of the table. */
const MIN_REPEATS = 20;

const mayBePart = (values: readonly Value[]): boolean =>
  !values.includes(null) && isShort(values) && !hasAddresses(values);

const hasShared = (sample: Sample, names: readonly string[]): boolean =>
  sharedRows(sample, names, 1) > 0;

/** Rows of a sample whose columns have a NULL, or the values of an earlier row; at most `most`. */
function sharedRows(
  { columns, rows }: Sample,
  names: readonly string[],
  most = Number.POSITIVE_INFINITY,
): number {
  const values = names.map((name) => columns.get(name) ?? []);
  const seen = new Set<unknown>();
  let shared = 0;
  for (let row = 0; row < rows && shared < most; row++) {
    const own = values.map((column) => column[row]);
    const key = own.length === 1 ? own[0] : JSON.stringify(own.map(String));
    if (own.includes(null) || seen.has(key)) shared++;
    else seen.add(key);
  }
  return shared;
}
