import { quoteName } from '../../scan/duckdb/quoting.ts';
import type { Type } from '../../schema/type.ts';
import type { WriterSession } from '../writer-session.ts';
import type { StagedInput } from './input.ts';

/** Rows that are looked at before all are. */
const SAMPLE_ROWS = 100;

/** Types of elements by what DuckDB calls them, from narrow to wide. */
const ELEMENTS: readonly (readonly [names: string, Type])[] = [
  ['NULL BOOLEAN', { kind: 'boolean' }],
  ['NULL BIGINT UBIGINT', { kind: 'long' }],
  ['NULL BIGINT UBIGINT DOUBLE', { kind: 'double' }],
  ['NULL VARCHAR', { kind: 'string' }],
];

/** The types of the columns of CSV, by key, of which each value is a JSON list of plain values. */
export async function csvLists(
  session: WriterSession,
  { relation }: StagedInput,
  columns: readonly string[],
): Promise<ReadonlyMap<string, Type>> {
  if (columns.length === 0) return new Map();
  const names = columns.map(quoteName).join(', ');
  const sample = await session.rows(`SELECT ${names} FROM ${relation} LIMIT ${SAMPLE_ROWS}`);
  const likely = columns.filter(
    (_, i) => sample.length > 0 && sample.every((row) => isList(row[i])),
  );
  if (likely.length === 0) return new Map();
  // one expression for all columns: thousands of copies of it would take DuckDB minutes
  const all = `list_transform([${likely.map(quoteName).join(', ')}]::VARCHAR[],
    lambda x: ${structureOf('x')})`;
  const found = await session.rows(
    `SELECT DISTINCT place, structure FROM (
       SELECT unnest(found) AS structure, generate_subscripts(found, 1) AS place
       FROM (SELECT ${all} AS found FROM ${relation})) WHERE structure IS NOT NULL`,
  );
  return new Map(
    likely.flatMap((column, i) => {
      const own = found.filter(([place]) => Number(place) === i + 1);
      const element = elementOf(own.map(([, structure]) => String(structure)));
      return element === undefined
        ? []
        : [[column, { kind: 'list', elementId: 0, elementRequired: false, element }]];
    }),
  );
}

const isList = (text: unknown): boolean => text === null || /^\[.*\]$/s.test(String(text));

/** SQL for the structure of a list; empty if it is none, or has whole numbers that may not fit. */
const structureOf = (text: string): string => `CASE WHEN NOT json_valid(${text}) THEN ''
  WHEN json_structure(${text})::VARCHAR = '["UBIGINT"]' AND regexp_matches(${text}, '[0-9]{19}')
  THEN '' ELSE json_structure(${text})::VARCHAR END`;

/** The type of the elements of lists with these structures, such as `["VARCHAR"]`. */
function elementOf(structures: readonly string[]): Type | undefined {
  const names = structures.map((text) => /^\["([A-Z]+)"\]$/.exec(text)?.[1] ?? '?');
  if (names.every((name) => name === 'NULL')) return undefined;
  return ELEMENTS.find(([known]) => names.every((name) => known.split(' ').includes(name)))?.[1];
}
