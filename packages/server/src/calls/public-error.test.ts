import { LhsError } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import { publicError } from './public-error.ts';

const shown = (error: unknown) => {
  const { code, message, hint, details } = publicError(error);
  return { code, message, hint, details };
};

describe('an error that a client sees', () => {
  it('names a file of the service without its folders', () => {
    const path = '/srv/lhs/data/index-7/segment-1.seg';
    const error = new LhsError('io_error', `cannot read "${path}": it exists already (EEXIST)`, {
      hint: `free space on the disk that holds "${path}"`,
      details: { path, errno: 'EEXIST' },
    });
    expect(shown(error)).toEqual({
      code: 'io_error',
      message: 'cannot read "segment-1.seg": it exists already (EEXIST)',
      hint: 'free space on the disk that holds "segment-1.seg"',
      details: { path: 'segment-1.seg', errno: 'EEXIST' },
    });
    expect(publicError(error).cause).toBe(error);
  });

  it('names a folder of the service without those above it', () => {
    const path = '/srv/lhs/data/lhs.db';
    const message = 'data folder "/srv/lhs/data": "lhs.db" was removed';
    const error = new LhsError('io_error', message, { details: { path, gone: true } });
    expect(shown(error)).toMatchObject({
      message: 'data folder "data": "lhs.db" was removed',
      details: { path: 'lhs.db', gone: true },
    });
  });

  it('keeps its words where the file is in the topmost folder', () => {
    const error = new LhsError('io_error', 'cannot read or write "/x"', {
      details: { path: '/x' },
    });
    expect(publicError(error).message).toBe('cannot read or write "/x"');
  });

  it.each(['corrupt_index', 'disk_full', 'disk_short', 'model_unavailable'] as const)(
    'of code %s has no folder of the service',
    (code) => {
      const error = new LhsError(code, '"/srv/lhs/a.seg" is damaged', {
        details: { file: '/srv/lhs/a.seg' },
      });
      expect(shown(error)).toMatchObject({
        message: '"a.seg" is damaged',
        details: { file: 'a.seg' },
      });
    },
  );

  it('keeps the path of a file of a table, and a place in a query', () => {
    for (const error of [
      new LhsError('source_invalid', 'x', { details: { file: '/lake/t/v1.json' } }),
      new LhsError('invalid_query', 'x', { details: { path: '/must/0' } }),
    ]) {
      expect(publicError(error)).toBe(error);
    }
  });

  it('says nothing of a cause that is not an error of the contract', () => {
    const { message, details } = publicError(new Error('ENOENT: /srv/lhs/secret'));
    expect([message, details]).toEqual([
      'internal error: the log of the service has the cause',
      {},
    ]);
  });
});
