import { LakeError } from '../../base/errors.ts';
import type { Environment, VendedSettings } from '../s3/s3-settings.ts';

/** Where a container is, and how requests to its account are signed. */
export interface AzureSettings {
  readonly container: string;
  /** The account, as messages show it. */
  readonly account: string;
  readonly access: AzureAccess;
}

/** What signs requests. */
export type AzureAccess =
  | { readonly kind: 'connection'; readonly text: string }
  | { readonly kind: 'key'; readonly url: string; readonly key: string }
  | { readonly kind: 'sas'; readonly url: string; readonly sas: string }
  | { readonly kind: 'identity'; readonly url: string };

/** Hosts of accounts: credentials are sent nowhere else. */
const HOSTS =
  /\.(blob|dfs)\.(core\.windows\.net|core\.chinacloudapi\.cn|core\.usgovcloudapi\.net|fabric\.microsoft\.com)$/;

/**
 * The settings of a container: `container@account.dfs.core.windows.net`, or `container` of the
 * account in the environment. What a catalog sent for the account comes first, then the variables
 * of the `az` command, then the identity of the machine. Throws invalid_argument without an
 * account, path_refused for a host that is not of Azure.
 */
export function azureSettings(
  bucket: string,
  env: Environment,
  vended: VendedSettings | null,
): AzureSettings {
  const [container, host] = bucket.split('@');
  const connection = env.AZURE_STORAGE_CONNECTION_STRING ?? '';
  const own = env.AZURE_STORAGE_ACCOUNT || accountOf(connection);
  const account = host?.split('.')[0] ?? own;
  if (account === undefined || account === '') throw noAccount(bucket);
  if (host !== undefined && !HOSTS.test(host)) throw foreignHost(host);
  const blobHost = host?.replace(/(?<=^[^.]+)\.dfs\./, '.blob.');
  const url = `https://${blobHost ?? `${account}.blob.core.windows.net`}`;
  const place = { container, account };
  const sent = sentAccess(account, url, vended?.config ?? {});
  if (sent !== null) return { ...place, access: sent };
  const isOwn = account === own;
  if (isOwn && connection !== '')
    return { ...place, access: { kind: 'connection', text: connection } };
  const { AZURE_STORAGE_KEY: key = '', AZURE_STORAGE_SAS_TOKEN: sas = '' } = env;
  if (isOwn && key !== '') return { ...place, access: { kind: 'key', url, key } };
  if (isOwn && sas !== '') return { ...place, access: { kind: 'sas', url, sas } };
  return { ...place, access: { kind: 'identity', url } };
}

/** The account of a connection string: that of the emulator has a short form. */
function accountOf(connection: string): string | undefined {
  if (/UseDevelopmentStorage=true/i.test(connection)) return 'devstoreaccount1';
  return /(?:^|;)AccountName=([^;]+)/i.exec(connection)?.[1];
}

/** Credentials of a REST catalog, by names of Iceberg's ADLS FileIO. */
function sentAccess(
  account: string,
  url: string,
  config: Readonly<Record<string, string>>,
): AzureAccess | null {
  const names = [account, ...['dfs', 'blob'].map((kind) => `${account}.${kind}.core.windows.net`)];
  const find = (property: string) =>
    names.map((name) => config[`adls.${property}.${name}`]).find((value) => value !== undefined);
  const sas = find('sas-token');
  if (sas !== undefined) return { kind: 'sas', url, sas };
  const text = find('connection-string');
  return text === undefined ? null : { kind: 'connection', text };
}

const noAccount = (bucket: string): LakeError =>
  new LakeError(
    'invalid_argument',
    `"az://${bucket}" names no account; set AZURE_STORAGE_ACCOUNT, or write ` +
      `abfss://${bucket}@ACCOUNT.dfs.core.windows.net/…`,
  );

const foreignHost = (host: string): LakeError =>
  new LakeError(
    'path_refused',
    `"${host}" is not a host of Azure Blob Storage (ACCOUNT.dfs.core.windows.net)`,
  );
