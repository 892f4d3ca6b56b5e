import {
  type Coordinates,
  type IndexDescription,
  type JsonObject,
  LhsError,
} from '@lakehouse-search/contract';
import type { AgentContext } from '../base/agent-backend.ts';
import { keyName, keyText } from '../base/key-text.ts';
import { citationOf, citationUri, SHORT_HASH } from '../citations/citation.ts';

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
 * Reads rows by key and cites `columns` of them (none: all). A table that cannot be read is a fault
 * of the response. Throws invalid_argument for columns that the table does not have.
 */
export async function citedRows(
  index: string,
  keys: readonly Coordinates[],
  columns: readonly string[],
  { backend, call }: AgentContext,
): Promise<CitedRows> {
  if (keys.length === 0) return NO_ROWS;
  try {
    const {
      rows,
      snapshot,
      lag_snapshots: lag,
    } = await backend.getKeys({ index, keys, columns }, call);
    const state = { index, snapshot: snapshot ?? '0' };
    const cited = rows.map(({ key, fields, newer }): [string, CitedRow] => {
      const place = { ...state, key: keyText(key) };
      const citation = citationOf(place, fields, Object.keys(fields));
      const hash = citation.hash.slice(0, SHORT_HASH);
      const mark = newer ? { newer } : {};
      return [keyName(key), { row: fields, ...mark, citation: citationUri(citation), hash }];
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

/**
 * The columns that a hit cites: those of the fields that it shows, or of all fields if it shows
 * none.
 */
export function citedColumns(
  { fields, key }: IndexDescription,
  shown: readonly string[] | undefined,
): readonly string[] {
  const named = fields.filter(({ name, cached }) => shown?.includes(name) ?? cached);
  const sources = (named.length > 0 ? named : fields).flatMap(({ source }) => source);
  return [...new Set([...key.partition, ...key.identifier, ...sources])];
}
