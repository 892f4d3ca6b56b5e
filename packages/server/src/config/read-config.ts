/**
 * The configuration file of a server: YAML without aliases and tags, checked against the table of
 * settings. Every error names file, line and column.
 */
import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import { type CatalogConfig, LhsError } from '@lakehouse-search/contract';
import {
  type Check,
  checkListTablesRequest,
  list,
  oneOf,
  orNull,
  record,
  text,
  utf8Text,
  whole,
  wrong,
  yamlFault,
} from '@lakehouse-search/contract/internal';
import { readCatalogFile } from '@lakehouse-search/engine/internal';
import { type Document, isMap, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import type { IssuerConfig, LicenseConfig, ServerConfig } from './server-config.ts';
import { checkSetting, isLoopback } from './setting-values.ts';
import { SERVER_SETTINGS, type SettingPath } from './settings.ts';

const FILE_BYTES = 256 * 1024;
const NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;

type Values = Readonly<Record<string, unknown>>;

/** Reads a configuration file. Throws not_found, invalid_argument with `file:line:column`. */
export function readServerConfig(path: string): ServerConfig {
  let content: Buffer;
  try {
    content = readFileSync(path);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new LhsError('not_found', `no file "${path}"`, { cause });
    const words = `cannot read "${path}": ${code === 'EISDIR' ? 'it is a folder' : message}`;
    throw new LhsError('invalid_argument', words, { cause });
  }
  return parseServerConfig(utf8Text(content, `"${path}"`), path);
}

/** The configuration of a text; relative paths begin at the folder of `path`. */
export function parseServerConfig(content: string, path: string): ServerConfig {
  const lines = new LineCounter();
  if (Buffer.byteLength(content) > FILE_BYTES) {
    throw new LhsError('limit_exceeded', `"${path}" has more than ${FILE_BYTES} bytes`);
  }
  const document = parseDocument(content, { lineCounter: lines, schema: 'core', merge: false });
  const [fault] = document.errors;
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${path}:${line}:${col}`;
  };
  if (fault !== undefined) throw invalid(at(fault.pos[0]), yamlFault(fault));
  try {
    const values = (document.toJS({ maxAliasCount: 0 }) ?? {}) as Values;
    return configOf(values, dirname(resolve(path)), path);
  } catch (error) {
    throw placed(error, document, at);
  }
}

function configOf(values: Values, folder: string, path: string): ServerConfig {
  record(FIELDS)(values, '');
  const {
    issuers = [],
    license,
    catalogs = {},
    roots = {},
    models = {},
  } = values as {
    readonly issuers?: readonly IssuerConfig[];
    readonly license?: LicenseConfig;
    readonly catalogs?: Readonly<Record<string, CatalogConfig>>;
    readonly roots?: Readonly<Record<string, string>>;
    readonly models?: Readonly<Record<string, string>>;
  };
  const folders = (named: Readonly<Record<string, string>>) =>
    mapped(named, (value) => resolve(folder, value));
  const places = (named: Readonly<Record<string, string>>) =>
    mapped(named, (value) => absolute(value, folder));
  return {
    values: singleValues(values, folder),
    names: {
      catalogs: mapped(catalogs, (one) => readCatalogFile(JSON.stringify(one), path, folder)),
      roots: places(roots),
      models: folders(models),
    },
    issuers: issuers.map((issuer) => withAbsoluteKeys(issuer, folder)),
    ...(license === undefined ? {} : { license }),
  };
}

function withAbsoluteKeys(issuer: IssuerConfig, folder: string): IssuerConfig {
  const { jwks } = issuer;
  return 'file' in jwks ? { ...issuer, jwks: { file: resolve(folder, jwks.file) } } : issuer;
}

/** Settings that name a folder or a part of an object store. */
const PLACES: ReadonlySet<string> = new Set(['backup_target', 'storage']);

function singleValues(values: Values, folder: string): ServerConfig['values'] {
  const found: Record<string, unknown> = {};
  for (const [path, { type }] of Object.entries(SERVER_SETTINGS)) {
    const value = path.split('.').reduce<unknown>((at, key) => (at as Values)?.[key], values);
    if (value === undefined) continue;
    const isPath = type === 'file' || type === 'folder' || PLACES.has(path);
    found[path] = isPath ? absolute(value as string, folder) : value;
  }
  return found as ServerConfig['values'];
}

const absolute = (path: string, folder: string): string =>
  isAbsolute(path) || /^[a-z][a-z0-9+.-]*:\/\//i.test(path) ? path : resolve(folder, path);

const mapped = <T, R>(from: Readonly<Record<string, T>>, to: (value: T) => R) =>
  Object.fromEntries(Object.entries(from).map(([name, value]) => [name, to(value)]));

/** A map from names to values. */
const namedBy =
  (check: Check): Check =>
  (value, field) => {
    record({})({}, field);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new LhsError('invalid_argument', `"${field}" must be a map from names to values`);
    }
    for (const [name, one] of Object.entries(value)) {
      const place = `${field}.${name}`;
      if (!NAME.test(name)) {
        const message = `"${place}" is no name: lower-case letters, digits, "-" and "_"`;
        throw new LhsError('invalid_argument', message);
      }
      check(one, place);
    }
  };

const catalog: Check = (value, field) => {
  try {
    checkListTablesRequest({ catalog: value });
  } catch (error) {
    if (!(error instanceof LhsError)) throw error;
    const message = error.message.replaceAll('"catalog', `"${field}`);
    throw new LhsError('invalid_argument', message, { cause: error });
  }
};

/** Keys must not be changed on their way: https, or this machine. */
const secureUrl: Check = (value, field) => {
  checkSetting({ type: 'url', meaning: '' })(value, field);
  const { protocol, hostname: host } = new URL(value as string);
  if (protocol === 'https:' || isLoopback({ host, port: 0 })) return;
  throw wrong(field, value, 'an address that begins with https://');
};

const jwks: Check = (value, field) => {
  record({ file: text, url: secureUrl })(value, field);
  if (Object.keys(value as object).length === 1) return;
  throw new LhsError('invalid_argument', `"${field}" needs either file or url`);
};
const claims = record({ subject: text, roles: text, indexes: text, tenant: text });
const roleNames = namedBy(oneOf('reader', 'operator', 'admin'));
const issuer = record(
  { name: text, issuer: text, audience: text, jwks, claims, role_names: roleNames },
  ['name', 'issuer', 'audience', 'jwks', 'claims'],
);
const license = record({ licensee: text, nodes_limit: orNull(whole(1, 1_000_000)) }, ['licensee']);

const FIELDS: Readonly<Record<string, Check>> = {
  ...singleChecks(),
  catalogs: namedBy(catalog),
  roots: namedBy(text),
  models: namedBy(text),
  issuers: list(issuer, 20),
  license,
};

/** The checks of single values, with those of a group under the group's name. */
function singleChecks(): Readonly<Record<string, Check>> {
  const checks: Record<string, Check> = {};
  const groups = new Map<string, Record<string, Check>>();
  for (const path of Object.keys(SERVER_SETTINGS) as SettingPath[]) {
    const check = checkSetting(SERVER_SETTINGS[path]);
    const [first, second] = path.split('.');
    if (second === undefined) checks[first] = check;
    else groups.set(first, { ...groups.get(first), [second]: check });
  }
  for (const [name, fields] of groups) checks[name] = record(fields);
  return checks;
}

const invalid = (place: string, message: string, cause?: unknown): LhsError =>
  new LhsError('invalid_argument', `${place}: ${message}`, { cause });

/** The error of a check with the place of the value that its message quotes first. */
function placed(error: unknown, document: Document, at: (offset: number) => string): unknown {
  if (error instanceof ReferenceError) return invalid(at(0), 'aliases are not allowed', error);
  if (!(error instanceof LhsError)) return error;
  const paths = pathsOf(document.contents as Node | null);
  const [quoted = '', second = ''] = [...error.message.matchAll(/"([^"]*)"/g)].map(([, t]) => t);
  const parts = `${quoted}.${second}`.split('.');
  const prefixes = parts.map((_, i) => parts.slice(0, parts.length - i).join('.'));
  const found = prefixes.map((prefix) => paths.find(({ path }) => path === prefix));
  const offset = found.find((one) => one !== undefined)?.offset ?? 0;
  const message = error.message
    .replace('unknown request field', 'unknown setting')
    .replace('unknown field of', 'unknown setting of');
  return invalid(at(offset), message, error);
}

/** The paths of all nodes, the deepest first. */
function pathsOf(
  node: Node | null,
  path = '',
): { readonly path: string; readonly offset: number }[] {
  const offset = node?.range?.[0] ?? 0;
  const own = { path, offset };
  if (isMap(node)) {
    const inner = node.items.flatMap((pair) => {
      const key = pair.key as { readonly value?: unknown; readonly range?: readonly number[] };
      const name = path === '' ? String(key.value) : `${path}.${key.value}`;
      const from = { path: name, offset: key.range?.[0] ?? offset };
      return [...pathsOf(pair.value as Node | null, name).filter((p) => p.path !== name), from];
    });
    return [...inner, own];
  }
  if (isSeq(node)) {
    return [...node.items.flatMap((item, i) => pathsOf(item as Node, `${path}[${i}]`)), own];
  }
  return [own];
}
