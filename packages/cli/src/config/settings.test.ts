import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSettings, serviceUrl, settingValue } from './settings.ts';

function home(user: string | undefined, project: string | undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'lhs-settings-'));
  const env = { XDG_CONFIG_HOME: join(folder, 'config'), XDG_DATA_HOME: join(folder, 'data') };
  mkdirSync(join(folder, 'config', 'lhs'), { recursive: true });
  if (user !== undefined) writeFileSync(join(folder, 'config', 'lhs', 'config.yaml'), user);
  if (project !== undefined) writeFileSync(join(folder, 'lhs.yaml'), project);
  return { folder, env };
}

describe('settings', () => {
  it('takes flags, then environment, then ./lhs.yaml, then the user’s file, then defaults', () => {
    const { folder, env } = home('data_dir: /user\n', 'data_dir: /project\n');
    const dir = (flags: object, more: object, at: string) =>
      readSettings(flags, { ...env, ...more }, at).find((s) => s.key === 'data_dir');
    expect(dir({ data_dir: '/flag' }, { LHS_DATA_DIR: '/env' }, folder)).toMatchObject({
      value: '/flag',
      origin: 'flag',
    });
    expect(dir({}, { LHS_DATA_DIR: '/env' }, folder)).toMatchObject({
      value: '/env',
      origin: 'environment',
    });
    expect(dir({}, {}, folder)).toMatchObject({ value: '/project', origin: 'project' });
    expect(dir({}, {}, tmpdir())).toMatchObject({ value: '/user', origin: 'user' });
  });

  it('falls back to the XDG data folder', () => {
    const { folder, env } = home(undefined, undefined);
    expect(settingValue(readSettings({}, env, folder), 'data_dir')).toBe(
      join(folder, 'data', 'lhs'),
    );
  });

  it('refuses what is no setting, naming those that are', () => {
    const { folder, env } = home(undefined, 'datadir: /x\n');
    expect(() => readSettings({}, env, folder)).toThrow('"datadir" is not a setting');
  });

  it('names the file and the line that is not YAML', () => {
    const { folder, env } = home(undefined, 'data_dir: /x\nurl: {{{\n');
    expect(() => readSettings({}, env, folder)).toThrow(
      expect.objectContaining({
        code: 'invalid_argument',
        message: expect.stringMatching(/lhs\.yaml:3 is not YAML: flow map /),
      }),
    );
  });
});

const PROFILES = 'profile: b\nprofiles:\n  a: { url: http://a }\n  b: { data_dir: /b }\n';

describe('profiles', () => {
  const { folder, env } = home(PROFILES, 'url: http://project\n');
  const origins = (flags: object, more: object, at: string) => {
    const found = readSettings(flags, { ...env, ...more }, at);
    return found.filter(({ value }) => value !== undefined).map((s) => [s.key, s.value, s.origin]);
  };

  it('rank where they are named: by a flag, by the environment, in the file', () => {
    const variables = { LHS_URL: 'http://env', LHS_DATA_DIR: '/env' };
    expect(origins({ profile: 'a' }, variables, folder)).toEqual([
      ['data_dir', '/env', 'environment'],
      ['url', 'http://a', 'flag'],
    ]);
    expect(origins({}, { LHS_PROFILE: 'a', LHS_DATA_DIR: '/env' }, folder)).toEqual([
      ['data_dir', '/env', 'environment'],
      ['url', 'http://a', 'environment'],
    ]);
    expect(origins({}, {}, folder)).toEqual([
      ['data_dir', '/b', 'profile'],
      ['url', 'http://project', 'project'],
    ]);
  });

  it('decide between a service and the embedded engine where one of the two is named', () => {
    const url = (flags: object, more: object, at = tmpdir()) =>
      serviceUrl(flags, { ...env, ...more }, at);
    expect(url({}, {})).toBe(undefined);
    expect(url({}, {}, folder)).toBe('http://project');
    expect(url({ profile: 'a' }, { LHS_DATA_DIR: '/env' })).toBe('http://a');
    expect(url({ profile: 'b' }, { LHS_URL: 'http://env' })).toBe(undefined);
    expect(url({ profile: 'a', data_dir: '/flag' }, {})).toBe(undefined);
    expect(url({ data_dir: '/flag' }, { LHS_URL: 'http://env' })).toBe(undefined);
    expect(url({ url: '' }, { LHS_URL: 'http://env' })).toBe(undefined);
  });

  it('that do not exist are refused with the names of those that do', () => {
    expect(() => readSettings({ profile: 'c' }, env, folder)).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/no profile "c" in .*config\.yaml/),
        hint: 'profiles: a, b',
      }),
    );
  });

  it('are no part of ./lhs.yaml, which anyone may have written', () => {
    const foreign = home(undefined, 'profile: a\n');
    expect(() => readSettings({}, foreign.env, foreign.folder)).toThrow('is not a setting');
  });
});
