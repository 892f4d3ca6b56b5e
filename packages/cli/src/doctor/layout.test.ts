import type { FileLayout, TableLayout } from '@lakehouse-search/lake';
import { describe, expect, it } from 'vitest';
import { layoutFindings } from './layout.ts';

/** A file as our own writer makes it. */
const GOOD: FileLayout = {
  path: 'a.parquet',
  rows: 40_000,
  rowGroups: 2,
  groupRows: 20_480,
  groupBytes: 9_000_000,
  columns: 7,
  withoutOffsetIndex: 0,
  rowBytes: 900_000,
};

const layout = (...looked: FileLayout[]): TableLayout => ({ files: 99, rows: 1e6, looked });
const kinds = (...looked: FileLayout[]) =>
  layoutFindings(layout(...looked)).map(({ kind, files }) => [kind, files]);

describe("the doctor's findings about slow row reads", () => {
  it('is nothing in small row groups with an offset index', () => {
    expect(kinds(GOOD, GOOD)).toEqual([]);
    expect(kinds()).toEqual([]);
  });

  it('is each layout by its name, in so many files', () => {
    expect(kinds(GOOD, { ...GOOD, withoutOffsetIndex: 1 })).toEqual([['no_offset_index', 1]]);
    expect(kinds({ ...GOOD, withoutOffsetIndex: 7, groupBytes: 100_000 })).toEqual([]);
    expect(kinds({ ...GOOD, groupRows: 131_073 })).toEqual([['large_row_groups', 1]]);
    expect(kinds({ ...GOOD, groupBytes: 32_000_001 })).toEqual([['large_row_groups', 1]]);
    expect(kinds({ ...GOOD, rowBytes: 4_000_001 })).toEqual([['large_pages', 1]]);
  });

  it('is said with the worst figure and the settings that help', () => {
    const pyarrow = { ...GOOD, groupRows: 446_015, groupBytes: 57e6, withoutOffsetIndex: 7 };
    const [index, groups] = layoutFindings(layout(pyarrow, { ...pyarrow, groupRows: 200_000 }));
    expect(index.detail).toMatch(/^2 of 2 files have no offset index/);
    expect(index.advice).toContain('write_page_index=True');
    expect(groups.detail).toContain('the largest has 446,015 rows, 57.0 MB');
    expect(groups.advice).toContain('row_group_size=20480');
  });
});
