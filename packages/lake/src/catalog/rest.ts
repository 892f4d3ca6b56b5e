import { LakeError } from '../base/errors.ts';
import { createTableFiles, normalizeRecorded, type TableFiles } from '../base/files/table-files.ts';
import { type JsonObject, parseJson } from '../base/json.ts';
import { LIMITS } from '../base/limits.ts';
import { isObjectPath, refuseOtherStores } from '../base/object-storage.ts';
import { createSecrets, type Secrets, shownUri } from '../base/secrets.ts';
import type { TableMetadata } from '../metadata/table-metadata.ts';
import { openFiles } from '../objects/open-files.ts';
import type { VendedSettings } from '../objects/s3/s3-settings.ts';
import type { RestCatalogConfig } from './config.ts';
import { answerJson, errorMessage, type HttpAnswer, shownUrl } from './rest-http.ts';
import { openRestSession, type RestSession } from './rest-session.ts';
import { type LoadedTable, parseLoadTable } from './rest-table.ts';
import { changeOf, creationOf, type RestChange } from './rest-updates.ts';
import { settled } from './settled-options.ts';
import {
  afterCommit,
  type LoadOptions,
  type SettledOptions,
  type TableHandle,
} from './table-handle.ts';
import {
  splitTableName,
  type TableNames,
  tableExists,
  type UnreadNamespace,
} from './table-name.ts';

/**
 * The REST catalog (open-api/rest-catalog-open-api.yaml). A table's files must be on S3 or on this
 * machine. Other tables can be loaded, described and listed; reading their files is refused by
 * name.
 */

/** Levels of a namespace are one path segment, with the session's separator between them. */
function namespacePath({ separator }: RestSession, levels: readonly string[]): string {
  return `namespaces/${encodeURIComponent(levels.join(separator))}`;
}

/**
 * Loads `namespace.table`. Throws table_not_found, catalog_refused, catalog_unreachable,
 * metadata_invalid, unsupported.
 */
export async function loadRestTable(
  config: RestCatalogConfig,
  table: string,
  options: SettledOptions,
): Promise<TableHandle> {
  const secrets = createSecrets();
  return secrets.guard(async () => {
    const session = await openRestSession(config, options, secrets);
    const place = { session, table, options, secrets, catalog: config };
    return handleOf(place, await fetchTable(place, undefined));
  });
}

interface Place {
  readonly catalog: RestCatalogConfig;
  readonly session: RestSession;
  readonly table: string;
  readonly options: SettledOptions;
  readonly secrets: Secrets;
}

/**
 * Requests the table, each time in full: catalogs derive ETags from the metadata location, and what
 * a caller may read changes without a new one.
 */
async function fetchTable(place: Place, token: string | undefined): Promise<LoadedTable> {
  const { session, table } = place;
  const path = tablePath(place);
  const query = { snapshots: 'all' };
  const answer = await session.get(path, query, { headers: DELEGATION, token });
  const url = session.url(path, query);
  if (answer.status === 404) throw notInCatalog(table, answer, url);
  return loadedFrom(place, answer, url);
}

function tablePath({ session, table }: Place): string {
  const name = splitTableName(table);
  const namespace = namespacePath(session, name.namespace.split('.'));
  return `${namespace}/tables/${encodeURIComponent(name.table)}`;
}

const DELEGATION = { 'x-iceberg-access-delegation': 'vended-credentials' };

function loadedFrom(place: Place, answer: HttpAnswer, url: URL): LoadedTable {
  const loaded = parseLoadTable(answerJson(answer, url));
  place.secrets.add(loaded.token ?? '');
  for (const [key, value] of Object.entries(loaded.config)) {
    if (SECRET_SETTING.test(key)) place.secrets.add(value);
  }
  return loaded;
}

const SECRET_SETTING = /secret|token|password|access-key|credential/i;

function handleOf(place: Place, loaded: LoadedTable): TableHandle {
  const { metadata, config, restrictions, token } = loaded;
  const commitMetadata = (json: string) =>
    place.secrets.guard(async () => {
      const change = changeOf(metadata, parseJson(json) as JsonObject);
      return handleOf(place, { ...loaded, metadata: await sendChange(place, change, token) });
    });
  const handle: TableHandle = Object.freeze({
    name: place.table,
    metadata,
    files: filesAt(place, loaded),
    config,
    restrictions,
    commit: restrictions === undefined ? { commitMetadata } : null,
    refresh: () =>
      place.secrets.guard(async () => {
        const now = await fetchTable(place, token);
        const same =
          now.metadata.file === metadata.file &&
          now.metadata.lastUpdatedMs === metadata.lastUpdatedMs &&
          now.restrictions?.digest === restrictions?.digest;
        return same ? handle : handleOf(place, now);
      }),
  });
  return handle;
}

/** Commits a change; returns the new metadata. Throws commit_conflict, table_not_found. */
async function sendChange(
  place: Place,
  { requirements, updates }: RestChange,
  token: string | undefined,
): Promise<TableMetadata> {
  const { session, table } = place;
  const { namespace, table: name } = splitTableName(table);
  const identifier = { namespace: namespace.split('.'), name };
  const path = tablePath(place);
  const answer = await session.post(path, { identifier, requirements, updates }, { token });
  const url = session.url(path);
  if (answer.status === 409) {
    const message = `table "${table}" has moved on while this commit was made`;
    throw new LakeError('commit_conflict', `${message} (${errorMessage(answer)})`, {
      file: shownUrl(url),
    });
  }
  if (answer.status === 404) throw notInCatalog(table, answer, url);
  return afterCommit(async () => parseLoadTable(answerJson(answer, url)).metadata);
}

/** Removes a table from the catalog and returns the folder of its files. Throws as loading does. */
export async function dropRestTable(
  config: RestCatalogConfig,
  table: string,
  options: SettledOptions,
): Promise<string> {
  const secrets = createSecrets();
  return secrets.guard(async () => {
    const session = await openRestSession(config, options, secrets);
    const place = { session, table, options, secrets, catalog: config };
    const { metadata, token } = await fetchTable(place, undefined);
    const path = tablePath(place);
    const answer = await session.delete(path, token === undefined ? {} : { token });
    if (answer.status === 404) throw notInCatalog(table, answer, session.url(path));
    return metadata.location;
  });
}

/**
 * Lets the catalog prepare a new table: its location, its numbers of columns, its credentials. A
 * namespace that is missing is made. Throws table_exists.
 */
export async function stageRestTable(
  config: RestCatalogConfig,
  table: string,
  first: JsonObject,
): Promise<StagedRestTable> {
  const secrets = createSecrets();
  return secrets.guard(async () => {
    const options = settled({}, config);
    const session = await openRestSession(config, options, secrets);
    const place = { session, table, options, secrets, catalog: config };
    const loaded = await stage(place, first);
    const { metadata, token } = loaded;
    return {
      metadata,
      files: filesAt(place, loaded),
      create: (next) =>
        secrets.guard(async () => {
          const made = await sendChange(place, creationOf(metadata, next), token).catch(
            (error: unknown) => {
              const isTaken = error instanceof LakeError && error.reason === 'commit_conflict';
              throw isTaken ? tableExists(table) : error;
            },
          );
          return handleOf(place, { ...loaded, metadata: made });
        }),
    };
  });
}

/** A table that the catalog has prepared and does not list yet. */
interface StagedRestTable {
  readonly metadata: TableMetadata;
  readonly files: TableFiles;
  create(metadata: JsonObject): Promise<TableHandle>;
}

async function stage(place: Place, first: JsonObject): Promise<LoadedTable> {
  const { session, table } = place;
  const { namespace, table: name } = splitTableName(table);
  const levels = namespace.split('.');
  const path = `${namespacePath(session, levels)}/tables`;
  const version = { 'format-version': String(first['format-version']) };
  const body = {
    name,
    'stage-create': true,
    schema: (first.schemas as readonly JsonObject[])[0],
    'partition-spec': (first['partition-specs'] as readonly JsonObject[])[0],
    properties: { ...(first.properties as JsonObject), ...version },
  };
  const staged = () => session.post(path, body, { headers: DELEGATION });
  let answer = await staged();
  if (answer.status === 404) {
    await session.post('namespaces', { namespace: levels, properties: {} });
    answer = await staged();
  }
  const url = session.url(path);
  if (answer.status === 409) throw tableExists(table);
  if (answer.status === 404) throw notInCatalog(table, answer, url);
  return loadedFrom(place, answer, url);
}

function notInCatalog(table: string, answer: HttpAnswer, url: URL): LakeError {
  return new LakeError(
    'table_not_found',
    `table "${table}" is not in catalog "${shownUrl(url)}" (${errorMessage(answer)})`,
    { details: { table } },
  );
}

function filesAt(place: Place, { metadata, config, endpoint, token }: LoadedTable): TableFiles {
  const { location } = metadata;
  const root = normalizeRecorded(location);
  const { options, catalog } = place;
  const renew = () => place.secrets.guard(async () => (await fetchTable(place, token)).config);
  const vended: VendedSettings = { config, endpoint, renew };
  const s3 = { ...catalog.s3, ...options.s3 };
  const store = openFiles({ s3, env: options.env, vended });
  const isLocal = root.startsWith('/') && root !== '/';
  if ((isLocal || isObjectPath(root)) && !/(^|\/)\.\.(\/|$)/.test(root)) {
    return createTableFiles({ location, root, allowedRoots: options.allowedRoots, store });
  }
  const refuse = (recorded: string): never => {
    refuseOtherStores(location);
    throw new LakeError(
      'path_refused',
      `file "${recorded}" lies in "${location}"; only files on this machine and on s3:// are read`,
      { file: recorded },
    );
  };
  return Object.freeze({
    root,
    own: root,
    location,
    store,
    resolve: refuse,
    read: async (recorded: string) => refuse(recorded),
    record: refuse,
  });
}

/**
 * The tables of all namespaces. A namespace that the catalog does not list is named, and the others
 * are listed. Throws catalog_unreachable, catalog_refused if there is no namespace at all.
 */
export async function listRestTables(
  config: RestCatalogConfig,
  options: LoadOptions,
): Promise<TableNames> {
  const secrets = createSecrets();
  return secrets.guard(async () => {
    const session = await openRestSession(config, options, secrets);
    const { tables, unread } = await tablesOf(session, shownUri(config.uri));
    const masked = unread.map((one) => ({ ...one, reason: secrets.mask(one.reason) }));
    return { tables, unread: masked };
  });
}

async function tablesOf(session: RestSession, shown: string): Promise<TableNames> {
  const tables: string[] = [];
  const unread: UnreadNamespace[] = [];
  const waiting: (readonly string[])[] = [[]];
  const known = new Set<string>();
  for (let levels = waiting.pop(); levels !== undefined; levels = waiting.pop()) {
    const key = levels.join(session.separator);
    if (known.has(key)) continue;
    known.add(key);
    const namespaces = () => listNamespaces(session, key, (inner) => waiting.push(inner));
    if (levels.length === 0) await namespaces();
    else {
      const fault = await faultOf(listTablesOf(session, levels, tables));
      const other = await faultOf(namespaces());
      const reason = (fault ?? other)?.message;
      if (reason !== undefined) unread.push({ namespace: levels.join('.'), reason });
    }
    if (tables.length > LIMITS.catalogTables || known.size > LIMITS.catalogTables) {
      throw new LakeError('limit_exceeded', `catalog "${shown}" lists too many tables`);
    }
  }
  return { tables: tables.sort(), unread };
}

/** The error of a listing, if the catalog is there and does not answer this request. */
async function faultOf(list: Promise<void>): Promise<LakeError | null> {
  try {
    await list;
    return null;
  } catch (error) {
    if (error instanceof LakeError && PARTIAL.has(error.reason)) return error;
    throw error;
  }
}

const PARTIAL: ReadonlySet<string> = new Set([
  'catalog_refused',
  'catalog_invalid',
  'catalog_unreachable',
]);

async function listNamespaces(
  session: RestSession,
  parent: string,
  found: (levels: readonly string[]) => void,
): Promise<void> {
  await session.pages('namespaces', parent === '' ? {} : { parent }, (page) => {
    for (const item of page.get('namespaces').optional((n) => n.items()) ?? []) {
      const levels = item.items().map((level) => level.string());
      const { separator } = session;
      const inside = parent === '' || levels.join(separator).startsWith(parent + separator);
      if (inside) found(levels);
    }
  });
}

async function listTablesOf(
  session: RestSession,
  levels: readonly string[],
  into: string[],
): Promise<void> {
  await session.pages(`${namespacePath(session, levels)}/tables`, {}, (page) => {
    for (const item of page.get('identifiers').optional((n) => n.items()) ?? []) {
      into.push([...levels, item.get('name').string()].join('.'));
    }
  });
}
