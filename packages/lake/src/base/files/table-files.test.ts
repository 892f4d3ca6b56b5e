import { describe, expect, it } from 'vitest';
import { createTableFiles, normalizeRecorded } from './table-files.ts';

const files = createTableFiles({
  location: 'file:///lake/warehouse/ns/t',
  root: '/now/t',
  mappings: [{ recorded: 'file:/lake/warehouse', real: '/now' }],
  allowedRoots: ['/extra'],
});

describe('normalizeRecorded', () => {
  it('gives one spelling to each local path and keeps other schemes apart', () => {
    const spellings = [
      'file:/a/b',
      'file:///a/b',
      'file://localhost/a/b',
      '/a/b',
      '/a//b/',
      '/a/./b',
    ];
    expect(new Set(spellings.map(normalizeRecorded))).toEqual(new Set(['/a/b']));
    expect(['./a', 'a', 'file:./a', './/a/.'].map(normalizeRecorded)).toEqual(Array(4).fill('a'));
    expect(['.', './', '/', '/./'].map(normalizeRecorded)).toEqual(['.', '.', '/', '/']);
    expect(normalizeRecorded('s3://bucket//k/')).toBe('s3://bucket/k');
    expect(normalizeRecorded('gcs://bucket/k')).toBe('gs://bucket/k');
    expect(normalizeRecorded('wasbs://c@lake.blob.core.windows.net/k//j')).toBe(
      'abfss://c@lake.dfs.core.windows.net/k/j',
    );
    expect(normalizeRecorded('abfs://c/k')).toBe('az://c/k');
    expect(normalizeRecorded('/a%20b/c+d')).toBe('/a%20b/c+d');
  });
});

describe('createTableFiles', () => {
  it('resolves paths below a relative location, with and without a leading "./"', () => {
    for (const location of ['./wh/t', 'wh/t']) {
      const relative = createTableFiles({ location, root: '/now/t' });
      expect(relative.resolve('wh/t/data/x')).toBe('/now/t/data/x');
      expect(relative.resolve('./wh/t/data/x')).toBe('/now/t/data/x');
    }
  });

  it.each([
    ['file:/lake/warehouse/ns/t/data/a%2Fb/x.parquet', '/now/t/data/a%2Fb/x.parquet'],
    ['file:///lake/warehouse/ns/t/data/x y.parquet', '/now/t/data/x y.parquet'],
    ['/lake/warehouse/ns/t/metadata/s.avro', '/now/t/metadata/s.avro'],
    ['file:/lake/warehouse/blobs/1.parquet', '/now/blobs/1.parquet'],
    ['/extra/x.parquet', '/extra/x.parquet'],
    ['/now/t/data/x.parquet', '/now/t/data/x.parquet'],
  ])('resolves %s', (recorded, real) => {
    expect(files.resolve(recorded)).toBe(real);
  });

  it.each([
    '/etc/passwd',
    'file:/etc/passwd',
    'file:///lake/warehouse/ns/t/../../../etc/passwd',
    'file:///lake/warehouse/ns/t/data/..',
    '/extra/../etc/passwd',
    '/extrapolated/x',
    'file:///lake/warehouse-other/x',
    'http://127.0.0.1/x',
    'https://example.org/x.parquet',
    'data/x.parquet',
    'file://server/lake/warehouse/ns/t/x',
    '/now/t/data/\0x',
    '..\\x',
    '',
    `/now/t/${'x'.repeat(40_000)}`,
  ])('refuses %s by name', (recorded) => {
    expect(() => files.resolve(recorded)).toThrow(
      expect.objectContaining({ reason: 'path_refused', file: recorded }),
    );
  });

  it.each(['oss', 'hdfs'])('says of %s that it cannot be read', (scheme) => {
    expect(() => files.resolve(`${scheme}://bucket/x`)).toThrow(
      expect.objectContaining({
        code: 'unsupported',
        message: expect.stringContaining(
          `"${scheme}://bucket/x" lies on a store that cannot be read: tables may lie on local`,
        ),
      }),
    );
  });

  it.each(['s3', 's3a', 'gs', 'az'])('refuses %s beside the location by name', (scheme) => {
    expect(() => files.resolve(`${scheme}://bucket/x`)).toThrow(
      expect.objectContaining({ reason: 'path_refused', file: `${scheme}://bucket/x` }),
    );
  });

  it('maps a copied object store location to where it lies now', () => {
    const copied = createTableFiles({ location: 's3://bucket/wh/t', root: '/copy/t' });
    expect(copied.resolve('s3://bucket/wh/t/data/x')).toBe('/copy/t/data/x');
    expect(() => copied.resolve('s3://other/wh/t/data/x')).toThrow(/is refused/);
    expect(copied.record('data/y')).toBe('s3://bucket/wh/t/data/y');
  });
});

describe('a table on S3', () => {
  const far = createTableFiles({ location: 's3a://b/wh/t/', root: 's3://b/wh/t' });

  it.each([
    ['s3://b/wh/t/data/x', 's3://b/wh/t/data/x'],
    ['s3a://b/wh/t/data/x', 's3://b/wh/t/data/x'],
    // keys may hold doubled slashes
    ['s3a://b/wh/t//data//x', 's3://b/wh/t//data//x'],
  ])('reads %s at %s', (recorded, real) => {
    expect(far.resolve(recorded)).toBe(real);
  });

  it.each([
    's3://b/wh/t2/data/x',
    's3://b/wh/t/../t2/x',
    's3://other/wh/t/data/x',
    's3://b/wh/t',
    '/etc/passwd',
    'http://169.254.169.254/latest/meta-data',
  ])('refuses %s', (recorded) => {
    expect(() => far.resolve(recorded)).toThrow(
      expect.objectContaining({ reason: 'path_refused' }),
    );
  });

  it('reads in buckets and folders that are allowed', () => {
    const allowedRoots = ['s3://other/files', '/mnt/lake'];
    const more = createTableFiles({ location: 's3://b/t', root: 's3://b/t', allowedRoots });
    expect(more.resolve('s3a://other/files/x')).toBe('s3://other/files/x');
    expect(more.resolve('/mnt/lake/x')).toBe('/mnt/lake/x');
    expect(() => more.resolve('s3://other/filesystem/x')).toThrow(/is refused/);
  });
});
