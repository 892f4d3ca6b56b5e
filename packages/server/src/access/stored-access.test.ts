import { describe, expect, it } from 'vitest';
import type { StoredToken } from '../store/tokens.ts';
import { apiTokenText, hashSecret, newApiToken } from './api-tokens.ts';
import { StoredAccess, type StoredAccessOptions } from './stored-access.ts';

const token = newApiToken();
const stored: StoredToken = {
  ...{ id: token.id, name: 'ci', secretHash: hashSecret(token.secret), roles: ['reader'] },
  ...{ indexes: null, tenant: null, createdBy: '', createdMs: 1, expiresMs: null },
};

describe('a verified header', () => {
  it('is not remembered if accounts have changed while it was verified', async () => {
    const reading = Promise.withResolvers<StoredToken | undefined>();
    const reads: Promise<StoredToken | undefined>[] = [reading.promise, Promise.resolve(undefined)];
    const store = { tokens: { get: () => reads.shift() } };
    const access = new StoredAccess({ store } as unknown as StoredAccessOptions);
    const header = `ApiKey ${apiTokenText(token)}`;
    const first = access.authenticate(header);
    access.forget();
    reading.resolve(stored);
    await first;
    await expect(access.authenticate(header)).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});
