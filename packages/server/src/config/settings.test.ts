import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SERVER_SETTINGS, type SettingPath, settingVariable } from './settings.ts';

const page = readFileSync(new URL('../../../../docs/serve.md', import.meta.url), 'utf8');

describe('the page about servers', () => {
  it('lists every setting with its variable and meaning', () => {
    const rows = [...page.matchAll(/^\| `([\w.]+)` \| `(LHS_\w+)` \| (.*) \|$/gm)];
    const paths = Object.keys(SERVER_SETTINGS) as SettingPath[];
    expect(rows.map(([, path, variable, meaning]) => [path, variable, meaning])).toEqual(
      paths.map((path) => [path, settingVariable(path), SERVER_SETTINGS[path].meaning]),
    );
  });
});
