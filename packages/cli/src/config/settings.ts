import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import { SETTING_KEYS, SETTINGS, type SettingKey } from './setting-keys.ts';
import { readProjectFile, readUserFile, type UserFile } from './settings-file.ts';

/** Origin of a value. The first origin with a value takes precedence. */
export type Origin = 'flag' | 'environment' | 'project' | 'profile' | 'user' | 'default';

/** The current value of a setting. `value` is undefined if no origin has one. */
export interface Setting {
  readonly key: SettingKey;
  readonly value: string | undefined;
  readonly origin: Origin;
  /** The file, the environment variable or the profile, if any. */
  readonly where?: string;
}

/** Values that flags give; `profile` names a profile of the user's file. */
export type FlagSettings = Partial<Record<SettingKey | 'profile', string>>;

/** Values of one origin. */
interface Level {
  readonly origin: Origin;
  readonly where?: (key: SettingKey) => string;
  readonly values: Partial<Readonly<Record<SettingKey, string>>>;
}

/** The profile that is in force, and the origin of its name. */
export interface ProfileName {
  readonly name: string;
  readonly origin: Extract<Origin, 'flag' | 'environment' | 'profile'>;
}

/** The default data folder. */
export function defaultDataDir(env: NodeJS.ProcessEnv = process.env): string {
  const base = env.XDG_DATA_HOME || join(env.HOME || homedir(), '.local', 'share');
  return join(base, 'lhs');
}

/** The profile that `--profile`, LHS_PROFILE or the user's file names; undefined: none. */
export function profileInForce(
  flag: string | undefined,
  env: NodeJS.ProcessEnv,
  file: UserFile,
): ProfileName | undefined {
  if (flag !== undefined) return { name: flag, origin: 'flag' };
  if (env.LHS_PROFILE) return { name: env.LHS_PROFILE, origin: 'environment' };
  return file.profile === undefined ? undefined : { name: file.profile, origin: 'profile' };
}

/**
 * All settings with their origins: flags, then environment, then ./lhs.yaml, then the profile that
 * the user's file names, then the other values of that file, then defaults. A profile that a flag
 * or LHS_PROFILE names comes right after the flags or the environment variables.
 */
export function readSettings(
  flags: FlagSettings = {},
  env: NodeJS.ProcessEnv = process.env,
  folder = process.cwd(),
): readonly Setting[] {
  const levels = levelsOf(flags, env, folder);
  return SETTING_KEYS.map((key) => {
    const level = levels.find(({ values }) => values[key] !== undefined);
    if (level === undefined) return { key, value: undefined, origin: 'default' };
    const { origin, where, values } = level;
    return { key, value: values[key], origin, ...(where ? { where: where(key) } : {}) };
  });
}

/** The value of one setting. */
export function settingValue(settings: readonly Setting[], key: SettingKey): string | undefined {
  const value = settings.find((s) => s.key === key)?.value;
  return key === 'data_dir' && value !== undefined ? resolve(value) : value;
}

/**
 * The URL of the service that runs commands; undefined: the embedded engine runs them. The first
 * origin that has a URL or a data folder decides, and in one origin the URL. An empty URL in a flag
 * selects the embedded engine.
 */
export function serviceUrl(
  flags: FlagSettings = {},
  env: NodeJS.ProcessEnv = process.env,
  folder = process.cwd(),
): string | undefined {
  const decides = ({ values }: Level) => values.url !== undefined || values.data_dir !== undefined;
  return levelsOf(flags, env, folder).find(decides)?.values.url || undefined;
}

/**
 * The warehouse or the catalog of the first origin that has one of the two; in one origin the
 * warehouse. Undefined: none has.
 */
export function tablePlace(
  flags: FlagSettings = {},
  env: NodeJS.ProcessEnv = process.env,
  folder = process.cwd(),
): Pick<Level['values'], 'warehouse' | 'catalog'> | undefined {
  const decides = ({ values }: Level) => Boolean(values.warehouse || values.catalog);
  const found = levelsOf(flags, env, folder).find(decides)?.values;
  if (found === undefined) return undefined;
  return found.warehouse ? { warehouse: found.warehouse } : { catalog: found.catalog };
}

function levelsOf(flags: FlagSettings, env: NodeJS.ProcessEnv, folder: string): readonly Level[] {
  const { profile: named, ...values } = flags;
  const user = readUserFile(env);
  const profile = profileInForce(named, env, user);
  const at = (origin: Origin): readonly Level[] =>
    profile?.origin === origin ? [{ ...profileLevel(profile.name, user), origin }] : [];
  const project = readProjectFile(folder);
  return [
    { origin: 'flag', values },
    ...at('flag'),
    { origin: 'environment', values: variables(env), where: (key) => SETTINGS[key].env },
    ...at('environment'),
    { origin: 'project', values: project.values, where: () => project.file },
    ...at('profile'),
    { origin: 'user', values: user.values, where: () => user.file },
    { origin: 'default', values: { data_dir: defaultDataDir(env) } },
  ];
}

function variables(env: NodeJS.ProcessEnv): Level['values'] {
  const found = SETTING_KEYS.map((key) => [key, env[SETTINGS[key].env] || undefined]);
  return Object.fromEntries(found) as Level['values'];
}

function profileLevel(name: string, file: UserFile): Omit<Level, 'origin'> {
  return { values: profileValues(name, file), where: () => `profile "${name}"` };
}

/** The values of a profile. Throws invalid_argument if there is none of this name. */
export function profileValues(name: string, { profiles, file }: UserFile): Level['values'] {
  if (Object.hasOwn(profiles, name)) return profiles[name];
  const names = Object.keys(profiles);
  throw new LhsError('invalid_argument', `there is no profile "${name}" in ${file}`, {
    hint: names.length === 0 ? 'make one: lhs login --url URL' : `profiles: ${names.join(', ')}`,
  });
}
