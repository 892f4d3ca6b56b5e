import { LakeError } from '../base/errors.ts';
import { LIMITS } from '../base/limits.ts';
import { isS3, refuseOtherStores } from '../base/object-storage.ts';
import { createSecrets, type Secrets, shownUri } from '../base/secrets.ts';
import { createTableFiles, normalizeRecorded, type TableFiles } from '../base/table-files.ts';
import { openFiles } from '../objects/open-files.ts';
import type { VendedSettings } from '../objects/s3-settings.ts';
import type { RestCatalogConfig } from './config.ts';
import { answerJson, errorMessage, shownUrl } from './rest-http.ts';
import { openRestSession, type RestSession } from './rest-session.ts';
import { type LoadedTable, parseLoadTable } from './rest-table.ts';
import type { LoadOptions, SettledOptions, TableHandle } from './table-handle.ts';
import { splitTableName, type TableNames, type UnreadNamespace } from './table-name.ts';

/**
 * The REST catalog (open-api/rest-catalog-open-api.yaml), for reading. A table's files must be on
 * S3 or readable on this machine. Other tables can be loaded, described and listed; reading their
 * files is refused by name.
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
  const name = splitTableName(table);
  const namespace = namespacePath(session, name.namespace.split('.'));
  const path = `${namespace}/tables/${encodeURIComponent(name.table)}`;
  const query = { snapshots: 'all' };
  const headers = { 'x-iceberg-access-delegation': 'vended-credentials' };
  const answer = await session.get(path, query, { headers, token });
  const url = session.url(path, query);
  if (answer.status === 404) {
    throw new LakeError(
      'table_not_found',
      `table "${table}" is not in catalog "${shownUrl(url)}" (${errorMessage(answer)})`,
      { details: { table } },
    );
  }
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
  const handle: TableHandle = Object.freeze({
    name: place.table,
    metadata,
    files: filesAt(place, loaded),
    config,
    restrictions,
    commit: null,
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

function filesAt(place: Place, { metadata, config, endpoint, token }: LoadedTable): TableFiles {
  const { location } = metadata;
  const root = normalizeRecorded(location);
  const { options, catalog } = place;
  const renew = () => place.secrets.guard(async () => (await fetchTable(place, token)).config);
  const vended: VendedSettings = { config, endpoint, renew };
  const s3 = { ...catalog.s3, ...options.s3 };
  const store = openFiles({ s3, env: options.env, vended });
  const isLocal = root.startsWith('/') && root !== '/';
  if ((isLocal || isS3(root)) && !/(^|\/)\.\.(\/|$)/.test(root)) {
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
    if (error instanceof LakeError && PARTIAL.has(error.code)) return error;
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
