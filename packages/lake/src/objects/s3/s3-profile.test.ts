import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { profileFault } from './s3-profile.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-profile-'));
  writeFileSync(join(folder, 'config'), '[default]\n[profile dev]\nregion = eu-north-1\n');
});
afterEach(() => rmSync(folder, { recursive: true }));

const faultOf = (AWS_PROFILE?: string) =>
  profileFault({
    AWS_PROFILE,
    AWS_CONFIG_FILE: join(folder, 'config'),
    AWS_SHARED_CREDENTIALS_FILE: join(folder, 'credentials'),
  });

describe('the profile of the environment', () => {
  it('is named with the files that lack it', () => {
    expect(faultOf('dve')).toBe(
      'AWS_PROFILE is "dve", but no profile of this name is in ' +
        `${join(folder, 'credentials')} or ${join(folder, 'config')}`,
    );
  });

  it('may be there without credentials, or not be named', () => {
    for (const name of ['default', 'dev']) expect(faultOf(name)).toMatch(/gives no credentials/);
    expect(faultOf()).toBeNull();
  });
});
