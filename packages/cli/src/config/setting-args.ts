import { resolve } from 'node:path';
import { Args } from '@oclif/core';
import type { Document } from 'yaml';
import { SETTING_KEYS, type SettingKey } from './setting-keys.ts';

/** The arguments of commands that store a setting. */
export const settingArgs = {
  key: Args.string({
    ignoreStdin: true,
    description: SETTING_KEYS.join(', '),
    required: true,
  }),
  value: Args.string({
    ignoreStdin: true,
    description: 'value; an empty one removes the setting',
    required: true,
  }),
};

const INSTEAD: Partial<Record<SettingKey, SettingKey>> = {
  warehouse: 'catalog',
  catalog: 'warehouse',
};

/**
 * Stores a setting below a path of the user's file; an empty value removes it. A warehouse takes
 * the place of a catalog and the other way round. A folder is stored by its whole path, so that it
 * means the same everywhere.
 */
export function storeSetting(
  document: Document,
  path: readonly string[],
  key: SettingKey,
  value: string,
): void {
  if (value === '') {
    document.deleteIn([...path, key]);
    return;
  }
  const other = INSTEAD[key];
  if (other !== undefined && document.hasIn([...path, other])) document.deleteIn([...path, other]);
  const isFolder = key === 'warehouse' && !/^[a-z0-9+]+:\/\//i.test(value);
  document.setIn([...path, key], isFolder ? resolve(value) : value);
}
