import { LakeError } from '@lakehouse-search/lake';
import { describe, expect, it } from 'vitest';
import { adviceOf } from './import-advice.ts';

describe('the way out of twin keys', () => {
  it.each([
    [{ pairs: 1, path: '', isKeyed: true }, '--rename id=NAME renames "id"; --rename id=Id reads'],
    [{ pairs: 2, path: '', isKeyed: true }, '--type value=json reads each object'],
    [{ pairs: 2, path: '', isKeyed: true, rowsAt: 'api' }, '--type value=json reads each object'],
    [
      { pairs: 1, path: '', isKeyed: true, rowsAt: 'api' },
      '--rows-at api reads its members; --ren',
    ],
    [{ pairs: 3, path: 'a.b', isKeyed: false }, '--type a.b=json reads the object'],
  ])('renames one pair first, and reads several whole: %j', (more, way) => {
    const details = { option: 'twins', keys: ['Id', 'id'], rows: [1, 2], ...more };
    const error = adviceOf(new LakeError('invalid_argument', 'twins', { details }));
    expect(error).toMatchObject({ hint: expect.stringMatching(new RegExp(`^${way}`)) });
  });
});
