/**
 * The files with settings: `./lhs.yaml`, and the user's own, which also has profiles (named groups
 * of settings) and the name of the profile in force.
 */
import { existsSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import type { Document } from 'yaml';
import { profileName, type SettingKey, settingKey } from './setting-keys.ts';
import { settingsText, yamlOf } from './settings-text.ts';

type Values = Partial<Readonly<Record<SettingKey, string>>>;

/** The user's file. */
export interface UserFile {
  readonly file: string;
  readonly values: Values;
  readonly profiles: Readonly<Record<string, Values>>;
  /** Catalogs by name, as the file has them (config/catalogs.ts checks them). */
  readonly catalogs: Readonly<Record<string, unknown>>;
  /** The profile in force, unless a flag or LHS_PROFILE names another one. */
  readonly profile: string | undefined;
}

/** Folder of the user's own files of `lhs` (XDG base directories). */
export function userConfigFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'lhs');
}

/** Path of the user's own settings. */
export const userConfigFile = (env: NodeJS.ProcessEnv = process.env): string =>
  join(userConfigFolder(env), 'config.yaml');

/** Reads the user's file. Throws invalid_argument with its path. */
export function readUserFile(env: NodeJS.ProcessEnv = process.env): UserFile {
  const file = userConfigFile(env);
  const { profiles = {}, profile, catalogs = {}, ...values } = mapOf(file);
  if (profile !== undefined && typeof profile !== 'string') throw notText(file, 'profile');
  if (!isMap(profiles)) throw notSettings(`${file}: "profiles"`);
  if (!isMap(catalogs)) throw notSettings(`${file}: "catalogs"`);
  const named = Object.entries(profiles).map(([name, group]) => {
    const place = `${file}: profile "${profileName(name)}"`;
    if (!isMap(group)) throw notSettings(place);
    return [name, checked(group, place)] as const;
  });
  const checkedValues = checked(values, file);
  return { file, values: checkedValues, profiles: Object.fromEntries(named), catalogs, profile };
}

/** Reads `./lhs.yaml`, which has settings alone. Throws invalid_argument with its path. */
export function readProjectFile(folder: string): {
  readonly file: string;
  readonly values: Values;
} {
  const file = join(folder, 'lhs.yaml');
  return { file, values: checked(mapOf(file), file) };
}

/**
 * Changes the user's file; its comments stay. Replaced by rename. `edit` gets the document with
 * all values checked. Returns the path of the file and the result of `edit`.
 */
export async function editUserFile<T>(
  edit: (document: Document) => T,
): Promise<{ readonly file: string; readonly result: T }> {
  const { parseDocument } = await import('yaml');
  const { makeFolder } = await import('@lakehouse-search/lake/internal');
  const { file } = readUserFile();
  const document = parseDocument(existsSync(file) ? settingsText(file) : '');
  const result = edit(document);
  await makeFolder(dirname(file));
  await writeFile(`${file}.tmp`, document.toString(), { mode: 0o600 });
  await rename(`${file}.tmp`, file);
  return { file, result };
}

function mapOf(path: string): Record<string, unknown> {
  if (!existsSync(path)) return {};
  const values = yamlOf(path) ?? {};
  if (isMap(values)) return values;
  throw notSettings(path);
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function checked(values: Record<string, unknown>, place: string): Values {
  for (const [key, value] of Object.entries(values)) {
    settingKey(key);
    if (typeof value !== 'string') throw notText(place, key);
  }
  return values as Values;
}

const notText = (place: string, key: string): LhsError =>
  new LhsError('invalid_argument', `${place}: "${key}" should be a string`);

const notSettings = (place: string): LhsError =>
  new LhsError('invalid_argument', `${place} should contain settings, one "key: value" per line`);
