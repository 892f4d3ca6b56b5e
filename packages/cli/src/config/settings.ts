import { closeSync, constants, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';

/** Origin of a value. The first origin with a value takes precedence. */
export type Origin = 'flag' | 'environment' | 'project' | 'user' | 'default';
/** The current value of a setting. `value` is undefined if no origin has one. */
export interface Setting {
  readonly key: SettingKey;
  readonly value: string | undefined;
  readonly origin: Origin;
  /** The file or the environment variable, if any. */
  readonly where?: string;
}

/** Every setting: its environment variable, and what it means. */
export const SETTINGS = {
  data_dir: {
    env: 'LHS_DATA_DIR',
    meaning: 'folder of the embedded engine: indexes and their registry',
  },
  backup_target: {
    env: 'LHS_BACKUP_TARGET',
    meaning: 'folder or s3://bucket/prefix for backups',
  },
  url: { env: 'LHS_URL', meaning: 'address of a service, instead of the embedded engine' },
} as const;
export type SettingKey = keyof typeof SETTINGS;
export const SETTING_KEYS = Object.keys(SETTINGS) as readonly SettingKey[];

/** Path of the user's own settings (XDG base directories). */
export function userConfigFile(env: NodeJS.ProcessEnv = process.env): string {
  const base = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config');
  return join(base, 'lhs', 'config.yaml');
}

/** The default data folder. */
export function defaultDataDir(env: NodeJS.ProcessEnv = process.env): string {
  const base = env.XDG_DATA_HOME || join(env.HOME || homedir(), '.local', 'share');
  return join(base, 'lhs');
}

/**
 * All settings with their origins: flags, then environment, then ./lhs.yaml, then the user's file,
 * then defaults.
 */
export function readSettings(
  flags: Partial<Record<SettingKey, string>> = {},
  env: NodeJS.ProcessEnv = process.env,
  folder = process.cwd(),
): readonly Setting[] {
  const project = join(folder, 'lhs.yaml');
  const user = userConfigFile(env);
  const files = [
    { origin: 'project' as const, where: project, values: readFile(project) },
    { origin: 'user' as const, where: user, values: readFile(user) },
  ];
  return SETTING_KEYS.map((key) => {
    if (flags[key] !== undefined) return { key, value: flags[key], origin: 'flag' as const };
    const variable = SETTINGS[key].env;
    if (env[variable])
      return { key, value: env[variable], origin: 'environment' as const, where: variable };
    for (const { origin, where, values } of files) {
      if (values[key] !== undefined) return { key, value: values[key], origin, where };
    }
    const value = key === 'data_dir' ? defaultDataDir(env) : undefined;
    return { key, value, origin: 'default' as const };
  });
}

/** The value of one setting. */
export function settingValue(settings: readonly Setting[], key: SettingKey): string | undefined {
  const value = settings.find((s) => s.key === key)?.value;
  return key === 'data_dir' && value !== undefined ? resolve(value) : value;
}

/** Refuses a key that is not a setting. */
export function settingKey(name: string): SettingKey {
  if ((SETTING_KEYS as readonly string[]).includes(name)) return name as SettingKey;
  throw new LhsError('invalid_argument', `"${name}" is not a setting`, {
    hint: `settings: ${SETTING_KEYS.join(', ')}`,
  });
}

/** The value of a YAML file. Throws invalid_argument with the place of a fault. */
function yamlOf(path: string): unknown {
  const { parse } = createRequire(import.meta.url)('yaml') as typeof import('yaml');
  const text = settingsText(path);
  try {
    return parse(text, { maxAliasCount: 0, prettyErrors: true });
  } catch (cause) {
    const { message, linePos } = cause as { message: string; linePos?: [{ line: number }] };
    const place = linePos === undefined ? path : `${path}:${linePos[0].line}`;
    const fault = message.split(/ at line |\n/)[0];
    throw new LhsError('invalid_argument', `${place} is not YAML: ${fault}`, { cause });
  }
}

function readFile(path: string): Partial<Record<SettingKey, string>> {
  if (!existsSync(path)) return {};
  const values = yamlOf(path) ?? {};
  if (typeof values !== 'object' || values === null || Array.isArray(values)) {
    throw new LhsError(
      'invalid_argument',
      `${path} should contain settings, one "key: value" per line`,
    );
  }
  for (const [key, value] of Object.entries(values)) {
    settingKey(key);
    if (typeof value !== 'string') {
      throw new LhsError('invalid_argument', `${path}: "${key}" should be a string`);
    }
  }
  return values as Partial<Record<SettingKey, string>>;
}

/** Bytes of a settings file, at most. */
const SETTINGS_BYTES = 64 * 1024;

/**
 * The text of a settings file. Pipes and devices are refused: anyone may have written `./lhs.yaml`.
 */
export function settingsText(path: string): string {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const bytes = Buffer.alloc(SETTINGS_BYTES + 1);
    const isFile = fstatSync(descriptor).isFile();
    const length = isFile ? readSync(descriptor, bytes) : bytes.length;
    if (length <= SETTINGS_BYTES) return bytes.toString('utf8', 0, length);
    const message = `"${path}" is not a regular file of at most ${SETTINGS_BYTES} bytes`;
    throw new LhsError('invalid_argument', message);
  } finally {
    closeSync(descriptor);
  }
}
