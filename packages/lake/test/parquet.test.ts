// @module-tag campaign
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, it } from 'vitest';
import { byEffort } from '../../../test/support/effort.ts';
import { seededBelow } from '../../../test/support/random.ts';
import { LakeError } from '../src/base/errors.ts';
import { openParquet, openParquetFile, type ParquetFile } from '../src/parquet/parquet-file.ts';
import { planColumns, type ReadPlan } from '../src/parquet/read-plan.ts';
import type { Field, Value } from '../src/schema/type.ts';
import { memoryFile } from './memory-file.ts';
import { duckColumn, fieldOf, sameAsDuck } from './parquet-oracle.ts';
import { readRows, readWhole } from './read-parquet.ts';

/**
 * Our Parquet reader over every Parquet file of ../shared/iceberg, written by three other writers.
 */
const shared = fileURLToPath(new URL('../../../../shared/iceberg/', import.meta.url));
const here = existsSync(shared);

function parquetFiles(): string[] {
  const found: string[] = [];
  for (const table of readdirSync(shared)) {
    if (table === 'malformed' || table === 'catalogs' || table === 'README.md') continue;
    const files = readdirSync(`${shared}${table}`, { recursive: true })
      .map(String)
      .filter((file) => file.endsWith('.parquet'))
      .sort();
    // the big table: its first data file and one delete file are enough
    const kept = table === 'git.commits' ? [files[0], files.at(-1)!] : files;
    const chosen = kept.filter((_, i) => i % byEffort(6, 1) === 0);
    found.push(...chosen.map((file) => `${shared}${table}/${file}`));
  }
  return found;
}

function fieldsOf(file: ParquetFile): readonly Field[] {
  const fields = file.schema.root.children.map(fieldOf);
  return fields.filter((field) => field !== null);
}

function plansOf(file: ParquetFile, fields: readonly Field[]): readonly ReadPlan[] {
  return planColumns(file.schema, fields, { by: 'name' }, file.place);
}

describe('parquet files of one table, stored in five ways', () => {
  const fixtures = fileURLToPath(new URL('../../../fixtures/parquet/', import.meta.url));
  const names = readdirSync(fixtures).filter((name) => name.endsWith('.parquet'));

  it('hold the same values, those that DuckDB reads', async () => {
    const duck = await (await DuckDBInstance.create(':memory:')).connect();
    expect(names).toHaveLength(5);
    let first: readonly (readonly Value[])[] | undefined;
    for (const name of names) {
      const file = await openParquet(`${fixtures}${name}`);
      const fields = fieldsOf(file);
      const plans = plansOf(file, fields);
      const columns = await readWhole(file, plans);
      first ??= columns;
      expect(columns, name).toEqual(first);
      for (const [c, field] of fields.entries()) {
        if (name !== 'v2_brotli.parquet') continue;
        const theirs = await duckColumn(duck, `${fixtures}${name}`, field.name);
        const wrong = theirs.findIndex((json, i) => !sameAsDuck(field.type, columns[c][i], json));
        expect(wrong, field.name).toBe(-1);
      }
      const positions = Int32Array.of(399, 0, 251, 251, 17);
      const points = await readRows(file, plans, positions);
      expect(points).toEqual(columns.map((values) => Array.from(positions, (p) => values[p])));
      await file.close();
    }
  });
});

describe.skipIf(!here)('own parquet reader', () => {
  it('reads every file of the shared tables as DuckDB does', async () => {
    const duck = await (await DuckDBInstance.create(':memory:')).connect();
    await duck.run("SET TimeZone = 'UTC'");
    const counts = { files: 0, columns: 0, variants: 0, refusedByDuck: 0 };
    for (const path of parquetFiles()) {
      const file = await openParquet(path);
      const fields = fieldsOf(file);
      expect(fields.length, path).toBe(file.schema.root.children.length);
      const columns = await readWhole(file, plansOf(file, fields));
      counts.files++;
      for (const [c, field] of fields.entries()) {
        if (field.type.kind === 'variant') {
          counts.variants++;
          continue;
        }
        let theirs: readonly unknown[];
        try {
          theirs = await duckColumn(duck, path, field.name);
        } catch {
          counts.refusedByDuck++;
          continue;
        }
        expect(columns[c].length, path).toBe(theirs.length);
        const wrong = theirs.findIndex((json, i) => !sameAsDuck(field.type, columns[c][i], json));
        expect(wrong, `${path}, column ${field.name}, row`).toBe(-1);
        counts.columns++;
      }
      await file.close();
    }
    process.stdout.write(`parquet files read as DuckDB reads them: ${JSON.stringify(counts)}\n`);
    expect(counts.files).toBeGreaterThan(byEffort(75, 500));
    // Hadoop-framed LZ4 is what DuckDB refuses: four files of nine columns
    expect(counts.refusedByDuck).toBeLessThanOrEqual(36);
  });

  it('reads single rows as it reads whole files, and touches few bytes', async () => {
    const random = seededBelow(20261121);
    for (const path of parquetFiles()) {
      const file = await openParquet(path);
      if (file.rows === 0) {
        await file.close();
        continue;
      }
      const plans = plansOf(file, fieldsOf(file));
      const whole = await readWhole(file, plans);
      const fresh = await openParquet(path);
      const positions = Int32Array.from({ length: 5 }, () => random(file.rows));
      const points = await readRows(fresh, plans, positions);
      points.forEach((values, c) => {
        const expected = Array.from(positions, (position) => whole[c][position]);
        expect(values, `${path}, column ${c}`).toEqual(expected);
      });
      await file.close();
      await fresh.close();
    }
  });

  it('reads one row of a file with small pages from few bytes', async () => {
    const table = `${shared}rowgroups_small/data/`;
    const name = readdirSync(table).find((file) => file.endsWith('.parquet'));
    const file = await openParquet(`${table}${name}`);
    const cost = { bytes: 0, requests: 0 };
    await readRows(file, plansOf(file, fieldsOf(file)), Int32Array.of(file.rows >> 1), cost);
    expect(cost.bytes).toBeGreaterThan(0);
    expect(cost.bytes).toBeLessThan(file.size / 20);
    await file.close();
  });

  it('refuses rows outside the file', async () => {
    const file = await openParquet(parquetFiles()[0]);
    const plans = plansOf(file, fieldsOf(file));
    await expect(readRows(file, plans, Int32Array.of(file.rows))).rejects.toThrow(/outside/);
    await file.close();
  });
});

/**
 * Small files with many features: shredded variants, nested types, every codec, both page versions.
 */
function mutants(): string[] {
  const tables = ['events_variant_shredded', 'types_v3', 'people_evolved', 'py_imported'];
  return ['codecs_mixed', 'rowgroups_small', ...tables].flatMap((table) =>
    parquetFiles()
      .filter((path) => path.startsWith(`${shared}${table}/`))
      .slice(-8),
  );
}

async function readMutant(bytes: Uint8Array): Promise<'read' | 'refused'> {
  try {
    const file = await openParquetFile(memoryFile(bytes));
    const fields = fieldsOf(file);
    if (file.rows < 1_000_000) await readWhole(file, plansOf(file, fields));
    return 'read';
  } catch (error) {
    if (!(error instanceof LakeError)) throw error;
    return 'refused';
  }
}

describe.skipIf(!here)('damaged parquet files', () => {
  it('are refused by name when cut anywhere', async () => {
    const random = seededBelow(7);
    for (const path of mutants()) {
      const bytes = readFileSync(path);
      for (let round = 0; round < 4; round++) {
        const cut = bytes.subarray(0, random(bytes.length));
        expect(await readMutant(cut), `${path} cut at ${cut.length}`).toBe('refused');
      }
    }
  });

  it('never hang or crash when bytes are changed', async () => {
    const random = seededBelow(11);
    const seen = { read: 0, refused: 0 };
    for (const path of mutants()) {
      const bytes = readFileSync(path);
      for (let round = 0; round < 12; round++) {
        const bad = Uint8Array.from(bytes);
        const changes = 1 + random(3);
        // half of the changes hit the footer, where a byte means most
        const from = round % 2 === 0 ? 0 : Math.max(0, bytes.length - 3000);
        for (let i = 0; i < changes; i++) bad[from + random(bytes.length - from)] = random(256);
        seen[await readMutant(bad)]++;
      }
    }
    process.stdout.write(`damaged parquet files: ${JSON.stringify(seen)}\n`);
    expect(seen.refused).toBeGreaterThan(seen.read / 4);
  });
});
