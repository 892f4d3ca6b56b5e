import type { Batch, Field } from '@lakehouse-search/lake';
import { describe, expect, it } from 'vitest';
import { batchRows, rowJson } from './row-json.ts';

const NAMES = ['__proto__', 'constructor', 'toString'];
const fields = NAMES.map(
  (name, i): Field => ({ id: i + 1, name, required: false, type: { kind: 'string' } }),
);
const entries = NAMES.map((name, i) => [name, `value ${i}`] as const);

describe('columns with names of JavaScript', () => {
  it('keep their values in the rows of a batch', () => {
    const columns = entries.map(([, value]) => ({ kind: 'values' as const, values: [value] }));
    const batch = { rows: 1, columns } as unknown as Batch;
    const [row] = batchRows(batch, fields);
    expect(Object.entries(row ?? {})).toEqual(entries);
  });

  it('keep their values in a row, and are left out where the row has none', () => {
    expect(Object.entries(rowJson(Object.fromEntries(entries), fields))).toEqual(entries);
    expect(Object.entries(rowJson({}, fields))).toEqual([]);
  });
});
