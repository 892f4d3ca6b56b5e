import {
  type Coordinates,
  type IndexDescription,
  type Json,
  type JsonObject,
  LhsError,
} from '@lakehouse-search/contract';
import type { AgentContext } from '../../base/agent-backend.ts';
import { keyName, keyText } from '../../base/key-text.ts';
import { citationOf, citationUri, SHORT_HASH } from '../../citations/citation.ts';
import { type RowPath, rowPath, valueAt } from './row-paths.ts';

/** A row of the table with its citation. */
export interface CitedRow {
  readonly row: JsonObject;
  /** The row was written after the snapshot of the index. */
  readonly newer?: true;
  readonly citation: string;
  /** The start of the citation's hash, which is enough for a check. */
  readonly hash: string;
}

/** Rows by the names of their keys, and why there are none. */
export interface CitedRows {
  readonly rows: ReadonlyMap<string, CitedRow>;
  readonly snapshot: string | null;
  /** Snapshots by which the index is behind the table; null: unknown. */
  readonly lag: number | null;
  /** Citations of the rows, with `{key}` and `{hash}` in the place of a row's own. */
  readonly citation?: string;
  /** The table could not be read. */
  readonly fault?: string;
}

const NO_ROWS: CitedRows = { rows: new Map(), snapshot: null, lag: null };

/** Errors that leave hits as they are: the index answers without its table. */
const WITHOUT_TABLE = ['source_unreachable', 'source_not_found', 'source_invalid', 'unreachable'];

/**
 * Reads rows by key and cites `columns` of them (none: all), the whole column of a path. A table
 * that cannot be read is a fault of the response. Throws invalid_argument for columns that the
 * table does not have.
 */
export async function citedRows(
  description: IndexDescription,
  keys: readonly Coordinates[],
  columns: readonly string[],
  { backend, call }: AgentContext,
): Promise<CitedRows> {
  if (keys.length === 0) return NO_ROWS;
  const { index } = description;
  const paths = new Map(columns.map((name) => [name, rowPath(name, description)]));
  const whole = new Set(columns.map((name) => paths.get(name)?.column ?? name));
  try {
    const {
      rows,
      snapshot,
      lag_snapshots: lag,
    } = await backend.getKeys({ index, keys, columns: [...whole] }, call);
    const state = { index, snapshot: snapshot ?? '0' };
    const cited = rows.map(({ key, fields, newer }): [string, CitedRow] => {
      const place = { ...state, key: keyText(key) };
      const citation = citationOf(place, fields, Object.keys(fields));
      const hash = citation.hash.slice(0, SHORT_HASH);
      const mark = newer ? { newer } : {};
      return [
        keyName(key),
        { row: cutToPaths(fields, paths), ...mark, citation: citationUri(citation), hash },
      ];
    });
    const [first] = rows;
    if (first === undefined) return { rows: new Map(), snapshot, lag };
    const shared = citationOf({ ...state, key: '{key}' }, {}, Object.keys(first.fields));
    const citation = citationUri({ ...shared, hash: '{hash}' });
    return { rows: new Map(cited), snapshot, lag, citation };
  } catch (error) {
    if (!(error instanceof LhsError) || !WITHOUT_TABLE.includes(error.code)) throw error;
    return { ...NO_ROWS, fault: error.message };
  }
}

/** The row with the values of paths in the place of their columns. */
function cutToPaths(row: JsonObject, paths: ReadonlyMap<string, RowPath | undefined>): JsonObject {
  const named = [...paths].map(([name, at]): [string, Json] => [
    name,
    at === undefined ? row[name] : valueAt(row[at.column], at.path),
  ]);
  const isCut = [...paths.values()].some((at) => at !== undefined);
  return isCut ? Object.fromEntries(named) : row;
}

/**
 * The columns that a hit cites: those of the fields that it shows, or of all fields if it shows
 * none.
 */
export function citedColumns(
  index: IndexDescription,
  shown: readonly string[] | undefined,
): readonly string[] {
  const { fields, key } = index;
  const ofPaths = (shown ?? []).flatMap((name) => rowPath(name, index)?.column ?? []);
  const named = fields.filter(({ name, cached }) => shown?.includes(name) ?? cached);
  const of = named.length + ofPaths.length > 0 ? named : fields;
  const sources = of.flatMap(({ source }) => source);
  return [...new Set([...key.partition, ...key.identifier, ...sources, ...ofPaths])];
}
