import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SERVER_SETTINGS, type SettingPath, settingVariable } from './settings.ts';

const page = readFileSync(new URL('../../../../docs/serve.md', import.meta.url), 'utf8');

describe('the page about servers', () => {
  it('lists every setting with its meaning, and the rule of their variables', () => {
    const [, section] = page.split('## Configuration file\n');
    const [list] = section.split('\n\nThe file alone ');
    const rows = [...list.replace(/\n {2}/g, ' ').matchAll(/^- `([\w.]+)`: (.*)$/gm)];
    const paths = Object.keys(SERVER_SETTINGS) as SettingPath[];
    expect(rows.map(([, path, meaning]) => [path, meaning])).toEqual(
      paths.map((path) => [path, SERVER_SETTINGS[path].meaning]),
    );
    const [, path, variable] = /`([\w.]+)` is `(LHS_\w+)`/.exec(page) ?? [];
    expect(settingVariable(path as SettingPath)).toBe(variable);
  });
});
