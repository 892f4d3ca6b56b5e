import { describe, expect, it } from 'vitest';
import { withStorage } from './rename-definition.ts';

describe('a definition in no store', () => {
  it('has no settings of stores', () => {
    const text =
      'index: a\nwindows: { field: at, every: day, hot: 3 }\nstorage: s3://b/x\nreplicas: 2\n';
    const local = 'index: a\nwindows: { field: at, every: day }\n';
    expect(withStorage(text, undefined)).toBe(local);
    expect(withStorage(text, 's3://b/y')).toBe(text.replace('b/x', 'b/y'));
  });
});
