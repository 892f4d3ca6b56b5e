import { LhsError } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import { withLeftFiles } from './backups.ts';

describe('a backup that fails', () => {
  it('says of a full target that a prune deletes what was copied', () => {
    const full = new LhsError('disk_full', 'the disk is full', { details: { path: '/b' } });
    expect(withLeftFiles(full)).toMatchObject({
      ...{ code: 'disk_full', message: 'the disk is full', details: { path: '/b' } },
      hint: expect.stringContaining('a prune of the backups deletes them'),
    });
    const other = new LhsError('interrupted', 'stopped');
    expect(withLeftFiles(other)).toBe(other);
  });
});
