/** The rows of erased keys in the table: at its head, in older snapshots, and the texts of both. */
import { type ErasureSnapshot, LhsError } from '@lakehouse-search/contract';
import type { Locator, SourceTable } from '@lakehouse-search/lake';
import { rowsToBlock } from '../documents/rows-to-block.ts';
import type { Mapping } from '../schema/mapping.ts';
import { keyNames, keyValues } from '../search/fetch/rows.ts';
import { fromSource, refuseAborted } from '../source/source-errors.ts';
import { followedSnapshot } from '../source/source-table.ts';
import type { ErasedKeys } from './erased-keys.ts';
import type { Findings } from './findings.ts';

/** Snapshots that are looked at, the newest ones. */
const MOST_SNAPSHOTS = 1000;

/** What the table has of the keys. */
export interface TableRows {
  readonly head: bigint | null;
  readonly inHead: readonly number[];
  readonly snapshots: readonly ErasureSnapshot[];
  /** UTF-8 texts that VECTOR fields of the rows embed, with the number of the key. */
  readonly texts: readonly { readonly key: number; readonly text: Uint8Array }[];
}

/** Looks the keys up in every snapshot. Throws source_invalid, source_unreachable, interrupted. */
export async function searchTable(
  table: SourceTable,
  mapping: Mapping,
  keys: ErasedKeys,
  findings: Findings,
  signal?: AbortSignal,
): Promise<TableRows> {
  requireAllRows(table);
  const head = followedSnapshot(table, mapping.definition.source.ref);
  const texts = new Map<string, { key: number; text: Uint8Array }>();
  const others: ErasureSnapshot[] = [];
  let inHead: readonly number[] = [];
  const all = table.snapshots.toSorted((a, b) => b.timestampMs - a.timestampMs);
  if (all.length > MOST_SNAPSHOTS) {
    const left = all.length - MOST_SNAPSHOTS;
    findings.note(`${left} older snapshots of the table were not examined`);
  }
  const examined = all.slice(0, MOST_SNAPSHOTS);
  for (const { id, timestampMs } of examined) {
    refuseAborted(signal);
    findings.examined.snapshots++;
    const found = await rowsOf(table, mapping, keys, id);
    for (const one of await textsOf(table, mapping, id, found, findings)) {
      texts.set(`${one.key} ${Buffer.from(one.text).toString('latin1')}`, one);
    }
    const numbers = found.map(({ key }) => key);
    if (id === head) inHead = numbers;
    else if (numbers.length > 0) {
      const committed_at = new Date(timestampMs).toISOString();
      others.push({ snapshot: String(id), committed_at, keys: numbers });
    }
  }
  return { head, inHead, snapshots: others, texts: [...texts.values()] };
}

/** Rows that the catalog hides may hold the keys. Throws unsupported. */
function requireAllRows({ name, restrictions }: SourceTable): void {
  if (restrictions === undefined) return;
  const message = `the catalog restricts the reads of "${name}": hidden rows may hold the keys`;
  throw new LhsError('unsupported', message, {
    hint: 'erase with a catalog account that may read every row',
  });
}

interface FoundRow {
  readonly key: number;
  readonly locator: Locator;
}

async function rowsOf(
  table: SourceTable,
  mapping: Mapping,
  keys: ErasedKeys,
  snapshotId: bigint,
): Promise<readonly FoundRow[]> {
  const names = keyNames(table, mapping);
  const values = keys.texts.map((texts) => keyValues(table, names, texts));
  const possible = values.flatMap((own, key) => (own === null ? [] : [{ key, own }]));
  if (possible.length === 0) return [];
  const wanted = possible.map(({ own }) => own);
  const rows = await fromSource(() => table.lookupKeys(names, wanted, names, { snapshotId }));
  return rows.flatMap((row, i) =>
    row === null ? [] : [{ key: possible[i].key, locator: row.locator }],
  );
}

/** The texts that the rows' VECTOR fields embed. */
async function textsOf(
  table: SourceTable,
  mapping: Mapping,
  snapshotId: bigint,
  found: readonly FoundRow[],
  findings: Findings,
) {
  const fields = mapping.fields.filter(({ plan }) => plan.vector?.model);
  if (fields.length === 0 || found.length === 0) return [];
  const set = await fromSource(() => table.files(snapshotId));
  const texts: { key: number; text: Uint8Array }[] = [];
  for (const { key, locator } of found) {
    const scan = set.files.find((file) => file.data.path === locator.file);
    if (scan === undefined) continue;
    const only = Int32Array.of(locator.position);
    const columns = mapping.columns.map(({ name }) => name);
    for await (const batch of table.read([{ scan, only }], { columns })) {
      const block = rowsToBlock(mapping, batch, 0, new Map());
      for (const { plan } of fields) {
        const field = block.fields.get(plan.name);
        if (field?.kind !== 'bytes') continue;
        for (let i = 0; i < field.starts[batch.rows]; i++) {
          const text = field.bytes.slice(field.offsets[i], field.offsets[i + 1]);
          if (text.length > 0) texts.push({ key, text });
        }
      }
    }
  }
  findings.examined.texts += texts.length;
  return texts;
}
