import { afterAll, describe, expect, it, vi } from 'vitest';

// the paths of Windows, by Node's own functions
vi.resetModules();
vi.doMock('node:path', async () => {
  const { win32 } = await vi.importActual<typeof import('node:path')>('node:path');
  return { ...win32, default: win32 };
});
const { joinPlace, resolvePlace } = await import('../place.ts');
const { createTableFiles, normalizeRecorded } = await import('./table-files.ts');

afterAll(() => {
  vi.doUnmock('node:path');
  vi.resetModules();
});

describe('places on Windows', () => {
  it('have slashes', () => {
    expect(resolvePlace('C:\\lake\\wh\\')).toBe('C:/lake/wh');
    expect(resolvePlace('\\\\server\\share\\lake')).toBe('//server/share/lake');
    expect(joinPlace('C:/lake', 'ops', 'incidents')).toBe('C:/lake/ops/incidents');
    expect(joinPlace('s3://bucket/lake', 'ops')).toBe('s3://bucket/lake/ops');
  });

  it.each([
    ['C:\\lake\\t\\data\\a.parquet'],
    ['C:/lake/t//data/./a.parquet'],
    ['file:///C:/lake/t/data/a.parquet'],
    ['file:/C:/lake/t/data/a.parquet'],
    ['file://localhost/C:/lake/t/data/a.parquet'],
  ])('are one for each spelling: %s', (recorded) => {
    expect(normalizeRecorded(recorded)).toBe('C:/lake/t/data/a.parquet');
  });

  it.each(['file:///C:/old/t', 'C:\\old\\t', '/old/t', 's3://bucket/t'])(
    'follow a table that was moved from %s',
    (location) => {
      const files = createTableFiles({ location, root: 'D:\\lake\\t' });
      expect(files.resolve(`${location}/data/a.parquet`)).toBe('D:/lake/t/data/a.parquet');
      expect(files.record('data/b.parquet')).toBe(`${location}/data/b.parquet`);
    },
  );

  it('are refused outside of the table', () => {
    const files = createTableFiles({ location: 'file:///C:/lake/t', root: 'C:\\lake\\t' });
    for (const path of [
      'C:\\Users\\a.txt',
      'D:/lake/t/a',
      'C:\\lake\\t\\..\\b',
      '\\\\host\\a\\b',
    ]) {
      expect(() => files.resolve(path), path).toThrow(/is refused/);
    }
    const allowed = createTableFiles({
      location: 'file:///C:/lake/t',
      root: 'C:\\lake\\t',
      allowedRoots: ['D:\\more'],
    });
    expect(allowed.resolve('D:\\more\\a.parquet')).toBe('D:/more/a.parquet');
  });
});
