import { type JsonObject, LhsError } from '@lakehouse-search/contract';
import type { AgentContext } from '../base/agent-backend.ts';
import { coordinatesOfText, keyName } from '../base/key-text.ts';
import { type Citation, citationOf, citationUri, hashOf, parseCitation } from './citation.ts';

/** What has become of a cited row. */
export interface CitationCheck {
  readonly citation: string;
  readonly status: 'unchanged' | 'changed' | 'deleted';
  /** The snapshot at which the row was read again; null: the table is empty. */
  readonly snapshot: string | null;
  /** A citation of the row as it is now. Absent: it is deleted. */
  readonly current?: string;
  /** Cited columns that the table no longer has. Absent: it has all. */
  readonly missing_columns?: readonly string[];
}

/** Cited rows of one index with the same columns: they are read with one call. */
interface Group {
  readonly index: string;
  readonly columns: readonly string[];
  readonly members: { readonly at: number; readonly uri: string; readonly citation: Citation }[];
}

/**
 * Reads cited rows again from the table and compares the hash of their cited columns, in order.
 * Throws invalid_argument for a text that is no citation, and what reading rows by key throws.
 */
export async function checkCitations(
  uris: readonly string[],
  { backend, call }: AgentContext,
): Promise<readonly CitationCheck[]> {
  const checks: CitationCheck[] = [];
  for (const group of groupsOf(uris)) {
    const { rows, snapshot } = await readRows(group, backend, call);
    group.members.forEach(({ at, uri, citation }, i) => {
      checks[at] = compare(uri, citation, rows[i], snapshot);
    });
  }
  return checks;
}

function groupsOf(uris: readonly string[]): readonly Group[] {
  const groups = new Map<string, Group>();
  uris.forEach((uri, at) => {
    const citation = parseCitation(uri);
    const { index, columns } = citation;
    const name = JSON.stringify([index, columns]);
    const group = groups.get(name) ?? { index, columns, members: [] };
    group.members.push({ at, uri, citation });
    groups.set(name, group);
  });
  return [...groups.values()];
}

interface Rows {
  /** Of each member; undefined: the table has no such row. */
  readonly rows: readonly (JsonObject | undefined)[];
  readonly snapshot: string | null;
}

async function readRows(
  { index, columns, members }: Group,
  backend: AgentContext['backend'],
  call: AgentContext['call'],
): Promise<Rows> {
  const keys = members.map(({ citation }) => coordinatesOfText(citation.key));
  const read = async (named: readonly string[]): Promise<Rows> => {
    const { rows, snapshot } = await backend.getKeys({ index, keys, columns: named }, call);
    const byKey = new Map(rows.map(({ key, fields }) => [keyName(key), fields]));
    return { rows: keys.map((key) => byKey.get(keyName(key))), snapshot };
  };
  try {
    return await read(columns);
  } catch (error) {
    // a cited column may be gone: then the whole rows say so
    if (!(error instanceof LhsError) || error.code !== 'invalid_argument') throw error;
    return read([]);
  }
}

function compare(
  uri: string,
  citation: Citation,
  row: JsonObject | undefined,
  snapshot: string | null,
): CitationCheck {
  if (row === undefined) return { citation: uri, status: 'deleted', snapshot };
  const { columns, hash, index, key } = citation;
  const missing = columns.filter((name) => !Object.hasOwn(row, name));
  const left = columns.filter((name) => Object.hasOwn(row, name));
  const now = citationOf({ index, key, snapshot: snapshot ?? citation.snapshot }, row, left);
  return {
    citation: uri,
    status: hashOf(row, columns) === hash ? 'unchanged' : 'changed',
    snapshot,
    current: citationUri(now),
    ...(missing.length === 0 ? {} : { missing_columns: missing }),
  };
}
