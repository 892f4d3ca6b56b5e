import { resolve } from 'node:path';
import { Args } from '@oclif/core';
import type { Document } from 'yaml';
import { catalogNames, isCatalogName } from './catalogs.ts';
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
 * means the same everywhere. Returns what users should know: a setting that was replaced, a catalog
 * that has no settings yet.
 */
export function storeSetting(
  document: Document,
  path: readonly string[],
  key: SettingKey,
  value: string,
): readonly string[] {
  if (value === '') {
    document.deleteIn([...path, key]);
    return [];
  }
  const notes = key === 'catalog' ? catalogNotes(value) : [];
  const other = INSTEAD[key];
  if (other !== undefined && document.hasIn([...path, other])) {
    notes.push(
      `the setting ${other} (${document.getIn([...path, other])}) is removed: ${key} replaces it`,
    );
    document.deleteIn([...path, other]);
  }
  const isFolder = key === 'warehouse' && !/^[a-z0-9+]+:\/\//i.test(value);
  document.setIn([...path, key], isFolder ? resolve(value) : value);
  return notes;
}

function catalogNotes(name: string): string[] {
  if (!isCatalogName(name) || catalogNames().includes(name)) return [];
  return [`no catalog is called "${name}" yet: lhs help command-line describes named catalogs`];
}
