import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ExportedDocument } from '@lakehouse-search/engine';
import type { LocalEngine } from '@lakehouse-search/engine/local/internal';
import { expect } from 'vitest';
import { expectVectors } from '../../../../../test/support/expect-vectors.ts';
import { exportedRow, keyDigest } from '../../../../../test/support/shared-tables.ts';
import { openSnapshot } from '../../../src/index/index-snapshot.ts';
import { currentGeneration } from '../../../src/open/index-folder.ts';
import { coordinatesOf } from '../../../src/schema/keys/key.ts';
import { openLocalDirectory } from '../../../src/storage/local-directory.ts';
import type { TruthTable } from './truth-table.ts';

/**
 * The export of the only index equals the table at a snapshot: as many documents, in the order of
 * their keys, each with the row's values; and the truth's digest where it has one.
 */
export async function expectSnapshot(
  backend: LocalEngine,
  table: TruthTable,
  id: string,
): Promise<void> {
  const documents = await Array.fromAsync(backend.exportDocuments({}));
  const snapshot = table.snapshot(id);
  expect(documents, `documents at ${id}`).toHaveLength(snapshot.row_count);
  const keys = documents.map((d) => d.coordinates.identifier.map((part) => part.value));
  for (let i = 1; i < keys.length; i++) {
    if (!isBefore(table, keys[i - 1], keys[i]))
      expect.fail(`${keys[i - 1]} is not before ${keys[i]}`);
  }
  const rows = await table.rowsAt(id);
  for (const [i, { fields }] of documents.entries()) {
    const row = rows.get(JSON.stringify(keys[i]));
    expect(row, `a row for ${keys[i]}`).toBeDefined();
    expect(JSON.parse(JSON.stringify(fields))).toEqual(exportedRow(table.schema, row!));
  }
  if (snapshot.digest !== undefined) expectDigest(table, id, documents);
  if (table.meaning !== null) await expectMeaning(backend, table, id);
}

/** Every document has the vector of its row's text. */
async function expectMeaning(backend: LocalEngine, table: TruthTable, id: string): Promise<void> {
  const { key } = await backend.describeIndex({});
  const indexes = join(backend.dataDir, 'indexes');
  const live = currentGeneration(join(indexes, readdirSync(indexes)[0]));
  const texts = [...(await table.rowsAt(id))].map(([name, row]) => {
    return [name, (row[table.meaning!] ?? null) as string | null] as const;
  });
  const nameOf = (bytes: Uint8Array) =>
    JSON.stringify(coordinatesOf(key, bytes).identifier.map(({ value }) => value));
  const snapshot = openSnapshot(openLocalDirectory(live!.path));
  expectVectors(snapshot, 'meaning_of_it', new Map(texts), nameOf);
  snapshot.release();
}

function isBefore(table: TruthTable, a: readonly string[], b: readonly string[]): boolean {
  const kinds = table.key.map(
    (name) => table.schema.fields.find((f) => f.name === name)?.type.kind,
  );
  const order = a.map((text, i) => {
    const isNumber = /^(int|long|decimal)$/.test(kinds[i] ?? '');
    return isNumber
      ? Number(text) - Number(b[i])
      : Buffer.compare(Buffer.from(text), Buffer.from(b[i]));
  });
  return (order.find((c) => c !== 0) ?? 0) < 0;
}

function expectDigest(table: TruthTable, id: string, documents: readonly ExportedDocument[]): void {
  const { digest } = table.snapshot(id);
  const own = table.truth.identifier_columns;
  if (own.length > 0) {
    const ids = documents.map((d) => own.map((name) => d.fields[name]));
    expect(keyDigest(ids)).toBe(digest!.key_sha256);
  }
  for (const [name, { nulls }] of Object.entries(digest!.columns)) {
    const values = documents.map((d) => d.fields[name]).filter((value) => value !== undefined);
    if (values.length === 0 || Array.isArray(values[0])) continue;
    expect(documents.length - values.length, `NULLs of ${name}`).toBe(nulls);
  }
}
