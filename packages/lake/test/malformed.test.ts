import { readdirSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { LakeError, type LakeErrorCode } from '../src/base/errors.ts';
import type { ParquetEngine } from '../src/scan/file-rows.ts';
import { openTable } from '../src/table.ts';
import { hasShared, ICEBERG } from './truth-form.ts';

/** What each broken table must be refused with, and a part of the name of the file at fault. */
const EXPECTED: Readonly<Record<string, readonly [LakeErrorCode, RegExp]>> = {
  metadata_truncated: ['metadata_invalid', /v5\.metadata\.json/],
  metadata_missing: ['table_not_found', /metadata/],
  format_version_9: ['unsupported', /v5\.metadata\.json/],
  current_schema_missing: ['metadata_invalid', /v5\.metadata\.json/],
  current_snapshot_missing: ['metadata_invalid', /v5\.metadata\.json/],
  manifest_list_missing: ['manifest_invalid', /snap-.*\.avro/],
  manifest_list_bad_magic: ['manifest_invalid', /snap-.*\.avro/],
  manifest_missing: ['manifest_invalid', /-m0\.avro/],
  manifest_truncated: ['manifest_invalid', /-m0\.avro/],
  manifest_bad_sync: ['manifest_invalid', /-m0\.avro/],
  record_count_wrong: ['data_file_invalid', /\.parquet/],
  data_missing: ['data_file_missing', /\.parquet/],
  data_truncated: ['data_file_invalid', /\.parquet/],
  data_empty: ['data_file_invalid', /\.parquet/],
  data_page_corrupt: ['data_file_invalid', /\.parquet/],
  data_footer_length: ['data_file_invalid', /\.parquet/],
  delete_missing: ['delete_file_missing', /deletes\.parquet/],
  path_escape: ['path_refused', /etc\/passwd/],
  path_elsewhere: ['path_refused', /etc\/passwd/],
  path_http: ['path_refused', /http/],
  snapshot_cycle: ['metadata_invalid', /v5\.metadata\.json/],
  not_an_object: ['metadata_invalid', /v5\.metadata\.json/],
};

/** Its manifest says half of a data file's length. */
const READ = 'file_size_wrong';
/** What cannot be read of them is one column, or a partition field that no reader needs. */
const READ_IN_PART = ['unknown_type', 'unknown_transform'];
const seen: string[] = [];

async function readAll(name: string, engine: ParquetEngine): Promise<number> {
  const path = `${ICEBERG}malformed/${name}/metadata/v5.metadata.json`;
  const table = await openTable({ path }, { engine });
  let rows = 0;
  for (const snapshot of table.snapshots) table.ancestry(snapshot.id);
  for await (const batch of table.scan()) rows += batch.rows;
  return rows;
}

describe.skipIf(!hasShared)('the malformed tables', () => {
  const names = hasShared
    ? readdirSync(`${ICEBERG}malformed`).filter((name) => !name.endsWith('.md'))
    : [];

  it('are all known here', () => {
    expect(names.sort()).toEqual([...Object.keys(EXPECTED), READ, ...READ_IN_PART].sort());
  });

  it.each(READ_IN_PART)('%s has as many rows as the table that it was made of', async (name) => {
    const rows = await readAll(READ, 'own');
    for (const engine of ['auto', 'own'] as const) expect(await readAll(name, engine)).toBe(rows);
  });

  it.each(['auto', 'own'] as const)(
    'with a wrong length in a manifest is read, with one warning (%s)',
    async (engine) => {
      const warnings: Error[] = [];
      const note = (warning: Error) => void warnings.push(warning);
      process.on('warning', note);
      expect(await readAll(READ, engine)).toBeGreaterThan(0);
      await new Promise((resolve) => setImmediate(resolve));
      process.off('warning', note);
      expect(warnings.filter(({ message }) => message.includes(READ)).length).toBeLessThan(2);
    },
  );

  it.each(names.filter((name) => name !== READ && !READ_IN_PART.includes(name)))(
    '%s is refused, naming the file',
    { timeout: 120_000 },
    async (name) => {
      for (const engine of ['auto', 'own'] as const) {
        const error = await readAll(name, engine).then(
          (rows) => new Error(`no error, ${rows} rows`),
          (e: unknown) => e as Error,
        );
        expect(error, error.stack).toBeInstanceOf(LakeError);
        const [code, file] = EXPECTED[name];
        expect((error as LakeError).reason, error.message).toBe(code);
        expect(error.message).toMatch(file);
        expect((error as LakeError).file ?? '').toMatch(file);
      }
      seen.push(name);
    },
  );
});

afterAll(() => console.log(`malformed: ${seen.length} tables refused by name`));
