import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';
import { valueAt } from '../src/scan/vectors.ts';
import { typeName } from '../src/schema/schema-json.ts';
import { valueToJson } from '../src/schema/value-json.ts';
import { openTable } from '../src/table.ts';
import { type ImportOptions, importIntoTable } from '../src/write/import/import-files.ts';
import type { InputReading } from '../src/write/input/input.ts';
import type { InputNote } from '../src/write/input/input-notes.ts';
import type { ReadingOptions } from '../src/write/input/reading-options.ts';

/** A temporary folder of files to import, and imports that return what became of them. */
export function importFolder(name: string) {
  const folder = mkdtempSync(join(tmpdir(), `lhs-${name}-`));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const catalog = { type: 'filesystem', warehouse: join(folder, 'lake') } as const;
  let tables = 0;

  const file = (path: string, bytes: string | Uint8Array): string => {
    const full = join(folder, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, bytes);
    return full;
  };

  const imported = async (
    paths: readonly string[] | string,
    reading: ReadingOptions = {},
    more: Partial<ImportOptions> = {},
  ) => {
    const table = `t.n${tables++}`;
    const notes: InputNote[] = [];
    let read: InputReading | undefined;
    const onRead = (seen: InputReading) => {
      read = seen;
    };
    const onNote = (note: InputNote) => void notes.push(note);
    const files = [paths].flat();
    await importIntoTable({ catalog, table, files, reading, onRead, onNote, ...more });
    const source = await openTable({ catalog, table });
    const { fields } = source.schema;
    const types = Object.fromEntries(fields.map(({ name, type }) => [name, typeName(type)]));
    const rows: unknown[][] = [];
    for await (const batch of source.scan()) {
      for (let row = 0; row < batch.rows; row++) {
        rows.push(
          batch.columns.map((column, i) => valueToJson(fields[i].type, valueAt(column, row))),
        );
      }
    }
    await source.close();
    return { types, rows, notes, read };
  };

  return { folder, file, imported };
}
