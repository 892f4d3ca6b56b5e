// @module-tag campaign
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { byEffort } from '../../../test/support/effort.ts';
import { seededBelow } from '../../../test/support/random.ts';
import { LakeError } from '../src/base/errors.ts';
import type { ParquetEngine } from '../src/scan/file-rows.ts';
import { valueAt } from '../src/scan/vectors.ts';
import type { Field, Schema, Value } from '../src/schema/type.ts';
import { valueToJson } from '../src/schema/value-json.ts';
import type { Row, SourceTable } from '../src/source-table.ts';
import { openTable } from '../src/table.ts';

/**
 * The small tables of fixtures/tables, written by pyiceberg (scripts/fixtures.py) and by our writer
 * (scripts/fixtures.ts), against truth.json: what pyiceberg reads, and what plain arrays held. They
 * stand in a clone, so this test needs nothing else.
 */
const TABLES = fileURLToPath(new URL('../../../fixtures/tables/', import.meta.url));
const NAMES = readdirSync(TABLES);
const ENGINES = ['auto', 'own'] as const;
const MUTANTS_PER_TABLE = byEffort(8, 25);
const counted = { snapshots: 0, rows: 0, pairs: 0, changes: 0, lookups: 0, mutants: 0, refused: 0 };

type PlainRow = Readonly<Record<string, unknown>>;
interface Truth {
  readonly writer: string;
  readonly key: readonly string[];
  readonly snapshots: readonly {
    readonly id: string;
    readonly rows: readonly PlainRow[];
    readonly rows_current?: readonly PlainRow[];
  }[];
}

const truthOf = (name: string): Truth =>
  JSON.parse(readFileSync(join(TABLES, name, 'truth.json'), 'utf8'));

function open(name: string, engine: ParquetEngine, root = TABLES): Promise<SourceTable> {
  return openTable({ path: join(root, name) }, { engine });
}

function text(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(text).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  const object = value as Record<string, unknown>;
  return `{${keys.map((k) => `${JSON.stringify(k)}:${text(object[k])}`).join(',')}}`;
}

const json = (row: Row, fields: readonly Field[]): PlainRow =>
  Object.fromEntries(fields.map((f) => [f.name, valueToJson(f.type, row[f.name] ?? null)]));

async function rowsAt(table: SourceTable, snapshotId: bigint, schema: Schema): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const batch of table.scan({ snapshotId, schema })) {
    for (let i = 0; i < batch.rows; i++) {
      const values = batch.columns.map((column) => valueAt(column, i));
      rows.push(Object.fromEntries(schema.fields.map((f, c) => [f.name, values[c]])));
    }
  }
  return rows;
}

const sorted = (rows: readonly PlainRow[]) => rows.map(text).sort();

/** Net changes by key, by plain comparison of two arrays of rows. */
function difference(key: readonly string[], from: readonly PlainRow[], to: readonly PlainRow[]) {
  const keyOf = (row: PlainRow) => text(key.map((name) => row[name]));
  const before = new Map(from.map((row) => [keyOf(row), text(row)]));
  const after = new Map(to.map((row) => [keyOf(row), text(row)]));
  const lines: string[] = [];
  for (const [k, row] of before) {
    if (!after.has(k)) lines.push(`delete ${k} ${row}`);
    else if (after.get(k) !== row) lines.push(`update ${k} ${row} ${after.get(k)}`);
  }
  for (const [k, row] of after) if (!before.has(k)) lines.push(`insert ${k} ${row}`);
  return lines.sort();
}

async function foundChanges(table: SourceTable, key: readonly string[], from: bigint, to: bigint) {
  const { fields } = table.schema;
  const columns = fields.map((f) => f.name).filter((name) => !key.includes(name));
  const lines: string[] = [];
  for await (const change of table.rowChanges({ from, to, key, columns })) {
    const at = json(change.key, fields);
    const parts = [change.op, text(key.map((name) => at[name]))];
    if (change.op !== 'insert') parts.push(text(json(change.before, fields)));
    if (change.op !== 'delete') parts.push(text(json(change.after, fields)));
    lines.push(parts.join(' '));
  }
  return lines.sort();
}

async function checkLookups(table: SourceTable, truth: Truth, id: bigint, rows: readonly Row[]) {
  const { fields } = table.schema;
  const columns = fields.map((f) => f.name);
  const keys = rows.map((row) => truth.key.map((name) => row[name] as Value));
  const found = await table.lookupKeys(truth.key, keys, columns, { snapshotId: id });
  const places = found.map((one) => one!.locator);
  const again = await table.lookup(places, columns, { snapshotId: id });
  rows.forEach((row, i) => {
    expect(text(json(found[i]!.row, fields))).toBe(text(json(row, fields)));
    expect(text(json(again[i]!, fields))).toBe(text(json(row, fields)));
  });
  counted.lookups += rows.length;
}

describe.each(NAMES)('fixture %s', (name) => {
  const truth = truthOf(name);

  it.each(ENGINES)('has the rows of every snapshot (%s)', async (engine) => {
    const table = await open(name, engine);
    expect(truth.snapshots.map((s) => s.id).sort()).toEqual(
      table.snapshots.map((s) => String(s.id)).sort(),
    );
    for (const snapshot of truth.snapshots) {
      const id = BigInt(snapshot.id);
      const { fields } = table.schemaOf(id);
      const rows = await rowsAt(table, id, table.schemaOf(id));
      expect(sorted(rows.map((row) => json(row, fields)))).toEqual(sorted(snapshot.rows));
      const current = await rowsAt(table, id, table.schema);
      const expected = snapshot.rows_current ?? snapshot.rows;
      expect(sorted(current.map((row) => json(row, table.schema.fields)))).toEqual(
        sorted(expected),
      );
      await checkLookups(table, truth, id, current.slice(0, 200));
      counted.snapshots++;
      counted.rows += rows.length;
    }
    await table.close();
  });

  it.each(ENGINES)('has the net changes of every pair of ancestors (%s)', async (engine) => {
    const table = await open(name, engine);
    const rows = new Map(truth.snapshots.map((s) => [s.id, s.rows_current ?? s.rows]));
    for (const { id: to } of truth.snapshots) {
      for (const { id: from } of table.ancestry(BigInt(to))) {
        const before = rows.get(String(from));
        if (before === undefined) continue;
        const expected = difference(truth.key, before, rows.get(to)!);
        expect(await foundChanges(table, truth.key, from, BigInt(to))).toEqual(expected);
        counted.pairs++;
        counted.changes += expected.length;
      }
    }
    await table.close();
  });
});

describe('broken copies of the fixtures', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lhs-broken-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const files = (root: string) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(parquet|avro|puffin|json)$/.test(path) && !path.endsWith('truth.json'))
      .sort();

  /** All rows of all snapshots, or the error. */
  async function outcome(name: string, engine: ParquetEngine): Promise<string | LakeError> {
    let table: SourceTable | undefined;
    try {
      table = await open(name, engine, folder);
      const texts: string[] = [];
      for (const { id } of table.snapshots) {
        const { fields } = table.schemaOf(id);
        const rows = await rowsAt(table, id, table.schemaOf(id));
        texts.push(`${id} ${sorted(rows.map((row) => json(row, fields))).join()}`);
      }
      return texts.sort().join('\n');
    } catch (error) {
      expect(error, (error as Error).stack).toBeInstanceOf(LakeError);
      return error as LakeError;
    } finally {
      await table?.close();
    }
  }

  it.each(['own_positions', 'own_vectors', 'own_avro'])(
    '%s: a file that is gone or cut short is named',
    async (name) => {
      cpSync(join(TABLES, name), join(folder, name), { recursive: true });
      const whole = await outcome(name, 'auto');
      for (const [i, file] of files(join(TABLES, name)).entries()) {
        if (file.endsWith('.json')) continue; // older metadata is not read
        cpSync(join(TABLES, name), join(folder, name), { recursive: true });
        const path = join(folder, name, file);
        const bytes = readFileSync(path);
        if (i % 2 === 0) rmSync(path);
        else writeFileSync(path, bytes.subarray(0, Math.floor(bytes.length * 0.7)));
        const error = await outcome(name, i % 3 === 0 ? 'own' : 'auto');
        // a vector that lies whole before the cut is read by its offset
        if (file.endsWith('.puffin') && error === whole) continue;
        expect(error, file).toBeInstanceOf(LakeError);
        expect((error as LakeError).message).toContain(file.split('/').at(-1));
        counted.refused++;
      }
    },
  );

  it.each(ENGINES)('with one byte changed answer as before or name a file (%s)', async (engine) => {
    const random = seededBelow(20261121);
    for (const name of ['own_positions', 'own_vectors', 'own_avro', 'py_types', 'py_version1']) {
      cpSync(join(TABLES, name), join(folder, name), { recursive: true });
      const checked = files(join(TABLES, name)).filter((path) => /\.(avro|puffin)$/.test(path));
      for (let i = 0; i < MUTANTS_PER_TABLE; i++) {
        const path = join(folder, name, checked[random(checked.length)]);
        const intact = readFileSync(path);
        const mutant = Buffer.from(intact);
        mutant[random(mutant.length)] ^= 1 << random(8);
        writeFileSync(path, mutant);
        await outcome(name, engine); // an answer or a LakeError, in bounded time
        counted.mutants++;
        writeFileSync(path, intact);
      }
    }
  });
});

afterAll(() => console.log(`fixtures: ${NAMES.length} tables, ${JSON.stringify(counted)}`));
