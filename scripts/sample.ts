/**
 * Writes fixtures/incidents.parquet, the sample of the README: the reports of `lhs demo`.
 * `node scripts/sample.ts`
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { incidents } from '../packages/cli/src/demo/incidents.ts';

const ROWS = 5000;
const { DuckDBInstance } = createRequire(import.meta.resolve('../packages/lake/src/index.ts'))(
  '@duckdb/node-api',
);
const folder = mkdtempSync(join(tmpdir(), 'lhs-sample-'));
const json = join(folder, 'incidents.ndjson');
const parquet = fileURLToPath(new URL('../fixtures/incidents.parquet', import.meta.url));
const rows = incidents(0, ROWS).map(({ details: _, ...report }) => `${JSON.stringify(report)}\n`);
writeFileSync(json, rows.join(''));
const columns = [
  ...["id: 'BIGINT'", "title: 'VARCHAR'", "narrative: 'VARCHAR'", "service: 'VARCHAR'"],
  ...["severity: 'INTEGER'", "opened_at: 'TIMESTAMP'", "minutes: 'INTEGER'", "host: 'VARCHAR'"],
  "resolved: 'BOOLEAN'",
];
const duckdb = await (await DuckDBInstance.create()).connect();
await duckdb.run(
  `COPY (FROM read_json('${json}', columns = {${columns.join(', ')}}) ORDER BY id)
   TO '${parquet}' (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 19)`,
);
rmSync(folder, { recursive: true });
