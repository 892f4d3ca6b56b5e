import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSettings, settingValue } from './settings.ts';

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
        message: expect.stringMatching(/lhs\.yaml:3 is not YAML: Flow map /),
      }),
    );
  });
});
