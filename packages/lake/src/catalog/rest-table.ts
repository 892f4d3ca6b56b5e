import { LakeError } from '../base/errors.ts';
import { normalizeRecorded } from '../base/files/table-files.ts';
import { JsonNode } from '../base/json-node.ts';
import { parseTableMetadata, type TableMetadata } from '../metadata/table-metadata.ts';
import {
  RESTRICTED,
  type ReadRestrictions,
  readRestrictions,
} from '../restrictions/read-restrictions.ts';

/** What `GET …/tables/{table}` answers (LoadTableResult), with its settings made safe. */
export interface LoadedTable {
  readonly metadata: TableMetadata;
  /**
   * The table's settings: `config`, and over it the storage credentials of the longest prefix that
   * fits the location.
   */
  readonly config: Readonly<Record<string, string>>;
  readonly restrictions: ReadRestrictions | undefined;
  /** A bearer token for further calls about this table, if the catalog handed one out. */
  readonly token: string | undefined;
  /** The S3 settings that the catalog returns for the table's objects. */
  readonly endpoint: string | undefined;
}

/**
 * Settings that would send us, and our credentials, elsewhere. A server's word is not enough for
 * that (apache/iceberg#16482): they are left out of a table's settings.
 */
function redirects(key: string): boolean {
  return /(^|[.-])(uri|endpoint|url)$|^header\.|proxy/i.test(key);
}

/**
 * Parses a LoadTableResult. Throws metadata_invalid, unsupported, catalog_unreachable for a wrong
 * shape.
 */
export function parseLoadTable(node: JsonNode): LoadedTable {
  const location = node.get('metadata-location').optional((n) => n.string());
  const file = location ?? node.file;
  const metadata = parseTableMetadata(new JsonNode(node.get('metadata').value, '', file));
  const sent: Readonly<Record<string, string>> = {
    ...(node.get('config').optional((n) => n.stringMap()) ?? {}),
    ...storageCredentials(node.get('storage-credentials'), metadata.location),
  };
  refuseServerPlanning(sent, file);
  const { token, ...rest } = sent as Record<string, string> & { token?: string };
  const kept = Object.entries(rest).filter(([key]) => !redirects(key));
  const config = Object.freeze(Object.fromEntries(kept));
  const asSent = new JsonNode(node.get('read-restrictions').value, 'read-restrictions', file);
  const restrictions = readRestrictions(asSent, metadata) ?? undefined;
  return Object.freeze({ metadata, config, restrictions, token, endpoint: sent['s3.endpoint'] });
}

function refuseServerPlanning(config: Readonly<Record<string, string>>, file: string): void {
  if (config['scan-planning-mode'] !== 'server') return;
  throw new LakeError(
    'unsupported',
    `the catalog demands that it plans the scans of "${file}" itself; that is not supported`,
    { file, details: RESTRICTED },
  );
}

function storageCredentials(node: JsonNode, location: string): Readonly<Record<string, string>> {
  const place = normalizeRecorded(location);
  let best: { prefix: string; config: Readonly<Record<string, string>> } | null = null;
  for (const item of node.optional((n) => n.items()) ?? []) {
    const prefix = normalizeRecorded(item.get('prefix').string());
    const fits = place.startsWith(prefix) || location.startsWith(prefix);
    if (!fits || (best !== null && best.prefix.length >= prefix.length)) continue;
    best = { prefix, config: item.get('config').stringMap() };
  }
  return best?.config ?? {};
}
