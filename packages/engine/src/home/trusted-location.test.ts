import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Definition } from '../schema/definition.ts';
import { requireTrusted } from './trusted-location.ts';

describe('a trusted location', () => {
  afterEach(() => vi.unstubAllEnvs());
  const source = {
    catalog: { type: 'rest', uri: 'https://c.test', token_env: 'KEY' },
    table: 'a.t',
  };
  const definition = { source } as Definition;

  it.each([
    ['s3://b/e2', 's3://b/e2/t', true],
    ['s3://b/e', 's3://b/e2/t', false],
    ['file:///lake/e2', 'file:///lake/e2/t', true],
    ['/lake/e2', 'file:///lake/e2/t', true],
    ['file:///lake/e2', 'file:///lake/e2/../e2x/t', false],
  ])('%s: %s', (trusted, location, isTrusted) => {
    vi.stubEnv('LHS_TRUSTED_LOCATIONS', `s3://other ${trusted}`);
    const check = () => requireTrusted(definition, location);
    if (isTrusted) expect(check).not.toThrow();
    else expect(check).toThrow(/the variable KEY to/);
  });
});
