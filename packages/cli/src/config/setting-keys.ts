import { LhsError } from '@lakehouse-search/contract';

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
  warehouse: {
    env: 'LHS_WAREHOUSE',
    meaning: 'folder of tables, where a command names no other place',
  },
  catalog: {
    env: 'LHS_CATALOG',
    meaning: 'name or file of a catalog, where a command names no other place',
  },
  prices: {
    env: 'LHS_PRICES',
    meaning: 'dollars of an object store: a GB and month, a million reads (0.023,0.4)',
  },
  url: { env: 'LHS_URL', meaning: 'address of a service, instead of the embedded engine' },
} as const;
/** Name of a setting. */
export type SettingKey = keyof typeof SETTINGS;
/** The names of all settings. */
export const SETTING_KEYS = Object.keys(SETTINGS) as readonly SettingKey[];

/** Refuses a key that is not a setting. */
export function settingKey(name: string): SettingKey {
  if ((SETTING_KEYS as readonly string[]).includes(name)) return name as SettingKey;
  throw new LhsError('invalid_argument', `"${name}" is not a setting`, {
    hint: `settings: ${SETTING_KEYS.join(', ')}`,
  });
}

const PROFILE = /^[a-z0-9][a-z0-9_.-]{0,62}$/i;

/** Refuses a name that no profile can have. */
export function profileName(name: string): string {
  if (PROFILE.test(name)) return name;
  throw new LhsError('invalid_argument', `"${name}" is no name of a profile`, {
    hint: 'use letters, digits, "-", "_" and "."',
  });
}
