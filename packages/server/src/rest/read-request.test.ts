import { METHODS } from '@lakehouse-search/client/internal';
import { describe, expect, it } from 'vitest';
import { requestReader } from './read-request.ts';

describe('a request', () => {
  it.each([
    ['dropIndex', undefined, { index: 'own' }, { index: 'other' }, { index: 'own' }],
    ['setRoles', { roles: [] }, { subject: 'ann' }, {}, { subject: 'ann', roles: [] }],
    ['setRoles', { subject: 'bob', roles: [] }, { subject: 'ann' }, {}, { subject: 'ann' }],
    ['listJobs', undefined, {}, { index: 'a', limit: '5' }, { index: 'a', limit: 5 }],
  ] as const)('%s: what the path names is not named otherwise', (name, body, path, query, read) => {
    expect(requestReader(METHODS[name])(body, path, query)).toMatchObject(read);
  });

  it.each(['search', 'setRoles', 'status', 'createIndex', 'reindex'] as const)(
    '%s has no fields in the URL',
    (name) => {
      const read = requestReader(METHODS[name]);
      expect(() => read({}, { subject: 'ann' }, { index: 'a' })).toThrow(
        'unknown parameter "index"',
      );
    },
  );
});
