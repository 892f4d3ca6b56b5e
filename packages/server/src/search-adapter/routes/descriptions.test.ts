import { type IndexDescription, LhsError, type Principal } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import { Descriptions } from './descriptions.ts';

const description = { index: 'rows' } as IndexDescription;
const denied = async (): Promise<IndexDescription> => {
  throw new LhsError('permission_denied', 'no');
};
const caller: Principal = { subject: 'issuer:ada', scopes: ['search'] };

describe('remembered descriptions of indexes', () => {
  it('are those of one caller', async () => {
    const known = new Descriptions();
    await known.of(caller, 'rows', async () => description);
    expect(await known.of({ ...caller }, 'rows', denied)).toBe(description);
    await expect(known.of({ ...caller, subject: 'issuer:bo' }, 'rows', denied)).rejects.toThrow();
  });

  it.each([
    ['indexes', { indexes: ['other'] }],
    ['a tenant', { tenant: 'acme' }],
    ['scopes', { scopes: [] }],
  ])('are not those of another token of the same subject with other %s', async (_, other) => {
    const known = new Descriptions();
    await known.of(caller, 'rows', async () => description);
    await expect(known.of({ ...caller, ...other }, 'rows', denied)).rejects.toThrow('no');
  });

  it('are used while the nodes of the index are away', async () => {
    const known = new Descriptions();
    await known.of(caller, 'rows', async () => description);
    const away = async (): Promise<IndexDescription> => {
      throw new LhsError('unreachable', 'away');
    };
    expect(await known.of(caller, 'rows', away)).toBe(description);
    await expect(known.of(caller, 'other', away)).rejects.toThrow('away');
  });
});
