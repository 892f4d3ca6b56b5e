import { describe, expect, test } from 'vitest';
import { checkDescribeSourceRequest } from './check.ts';

const S3 = { endpoint: 'http://127.0.0.1:7070', region: 'eu-north-1', path_style: true };

describe('the source of a request', () => {
  test.each([
    { path: 's3://lake/t', s3: S3 },
    { catalog: { type: 'filesystem', warehouse: 's3://lake', s3: S3 }, table: 'a.t' },
    { catalog: { type: 'rest', uri: 'https://catalog.example', s3: {} }, table: 'a.t' },
  ])('may say how its object store is reached (%j)', (source) => {
    expect(checkDescribeSourceRequest({ source })).toEqual({ source });
  });

  test.each([
    [{ bucket: 'lake' }, 'bucket'],
    [{ path_style: 'yes' }, 'path_style'],
    [{ region: 7 }, 'region'],
  ])('refuses %j for an object store', (s3, field) => {
    const source = { path: 's3://lake/t', s3 };
    expect(() => checkDescribeSourceRequest({ source })).toThrow(field);
  });
});
