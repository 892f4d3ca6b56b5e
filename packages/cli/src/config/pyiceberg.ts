/** Catalogs of PyIceberg: its file `.pyiceberg.yaml` and its variables `PYICEBERG_CATALOG__…`. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import { yamlOf } from './settings-text.ts';

/** A catalog as PyIceberg has it. */
export interface PyicebergCatalog {
  readonly name: string;
  /** The file, or the beginning of the variables. */
  readonly origin: string;
  readonly properties: Readonly<Record<string, string>>;
}

const VARIABLE = /^PYICEBERG_CATALOG__([^_].*?)__(.+)$/;

/** All catalogs. A variable takes precedence over the file. */
export function pyicebergCatalogs(env: NodeJS.ProcessEnv): readonly PyicebergCatalog[] {
  const found = new Map<string, PyicebergCatalog>();
  for (const catalog of fileCatalogs(env)) found.set(catalog.name, catalog);
  for (const [variable, value] of Object.entries(env)) {
    const [, upper, key] = VARIABLE.exec(variable) ?? [];
    if (upper === undefined || value === undefined) continue;
    const name = upper.toLowerCase();
    const origin = found.get(name)?.origin ?? `PYICEBERG_CATALOG__${upper}__*`;
    const property = key.toLowerCase().replaceAll('__', '.').replaceAll('_', '-');
    const properties = { ...found.get(name)?.properties, [property]: value };
    found.set(name, { name, origin, properties });
  }
  return [...found.values()];
}

function fileCatalogs(env: NodeJS.ProcessEnv): readonly PyicebergCatalog[] {
  const folders = [env.PYICEBERG_HOME, env.HOME || homedir()];
  const files = folders.filter(Boolean).map((folder) => join(String(folder), '.pyiceberg.yaml'));
  const file = files.find((path) => existsSync(path));
  if (file === undefined) return [];
  const whole = mapOf(yamlOf(file));
  return Object.entries(mapOf(whole.catalog)).map(([name, properties]) => {
    const texts = Object.entries(mapOf(properties)).map(([key, value]) => [key, String(value)]);
    return { name, origin: file, properties: Object.fromEntries(texts) };
  });
}

const mapOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};

/** Properties of PyIceberg and the settings of ours. All others are not read. */
const SETTINGS: Readonly<Record<string, string>> = {
  uri: 'uri',
  warehouse: 'warehouse',
  prefix: 'prefix',
  scope: 'scope',
  'oauth2-server-uri': 'oauth2_server_uri',
};
const S3: Readonly<Record<string, string>> = {
  's3.endpoint': 'endpoint',
  's3.region': 'region',
};
const SECRETS: Readonly<Record<string, string>> = {
  token: 'token_env',
  credential: 'credential_env',
};

/**
 * The settings of a catalog in our words. A token or credential of the file is put into an
 * environment variable of this process, which the settings name: definitions hold no secrets.
 * Throws unsupported for types of catalogs that cannot be read.
 */
export function translated(
  { name, origin, properties }: PyicebergCatalog,
  env: NodeJS.ProcessEnv,
): Readonly<Record<string, unknown>> {
  const type = typeOf(name, origin, properties);
  const settings: Record<string, unknown> = { type };
  const s3: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(properties)) {
    const isRestOnly = ['prefix', 'scope', 'oauth2-server-uri'].includes(key);
    if (key in SETTINGS && (type === 'rest' || !isRestOnly)) settings[SETTINGS[key]] = value;
    if (key in S3) s3[S3[key]] = value;
    if (key === 's3.path-style-access') s3.path_style = value === 'true';
    if (!(key in SECRETS) || type !== 'rest') continue;
    const variable = `PYICEBERG_CATALOG__${name.toUpperCase()}__${key.toUpperCase()}`;
    env[variable] ??= value;
    settings[SECRETS[key]] = variable;
  }
  if (type === 'sql') {
    settings.uri = String(settings.uri).replace(/^postgresql\+\w+:/, 'postgresql:');
    settings.name = name;
    settings.warehouse = folderOf(settings.warehouse);
  }
  if (settings.warehouse === undefined) delete settings.warehouse;
  return Object.keys(s3).length === 0 ? settings : { ...settings, s3 };
}

function typeOf(name: string, origin: string, properties: PyicebergCatalog['properties']): string {
  const { type, uri = '' } = properties;
  const guessed = /^https?:/.test(uri) ? 'rest' : /^(sqlite|postgresql)/.test(uri) ? 'sql' : '';
  const found = type ?? guessed;
  if (found === 'rest' || found === 'sql') return found;
  const message = `catalog "${name}" of ${origin} has type "${found}"`;
  throw new LhsError('unsupported', message, { hint: 'types that can be read: rest, sql' });
}

const folderOf = (warehouse: unknown): string | undefined =>
  warehouse === undefined ? undefined : String(warehouse).replace(/^file:(\/\/)?/, '');
