import { pathToFileURL } from 'node:url';
import { LhsError } from '@lakehouse-search/contract';
import type { Definition } from '../schema/definition.ts';

const VARIABLE = 'LHS_TRUSTED_LOCATIONS';

/**
 * Throws permission_denied if the definition of a published index would let whoever wrote it choose
 * where secrets of this process are sent, unless LHS_TRUSTED_LOCATIONS names a prefix of the
 * location (several with blanks between them).
 */
export function requireTrusted({ source }: Definition, location: string): void {
  const named = whatTakesSecrets(source);
  if (named.length === 0 || isTrusted(location)) return;
  const place = location.slice(0, location.lastIndexOf('/'));
  const message = `the definition of "${location}" sends secrets of this machine`;
  throw new LhsError('permission_denied', `${message}: ${named.join(', ')}`, {
    hint: `if you trust all who write there: ${VARIABLE}=${place}`,
  });
}

const isTrusted = (location: string): boolean =>
  (process.env[VARIABLE] ?? '').split(/\s+/).some((prefix) => {
    return prefix !== '' && `${plainUrl(location)}/`.startsWith(`${plainUrl(prefix)}/`);
  });

/** A location without `..` and a slash at its end; a path of a folder as a URL. */
function plainUrl(location: string): string {
  const isUrl = /^[a-z][a-z0-9+.-]*:/i.test(location);
  const url = isUrl ? location : pathToFileURL(location).href;
  return (url.startsWith('file:') ? new URL(url).href : url).replace(/\/+$/, '');
}

/** The settings of a source that lead secrets of the environment to an address of its own. */
function whatTakesSecrets(source: Definition['source']): readonly string[] {
  const { s3 } = 'catalog' in source ? source.catalog : source;
  const endpoint = s3?.endpoint === undefined ? [] : [`to the endpoint ${s3.endpoint}`];
  if (!('catalog' in source)) return endpoint;
  const { catalog } = source;
  if (catalog.type === 'sql') {
    const isFile = /^(?:jdbc:)?sqlite/.test(catalog.uri);
    return isFile ? endpoint : [...endpoint, 'to a database'];
  }
  if (catalog.type !== 'rest') return endpoint;
  const { token_env = '', credential_env = '' } = catalog;
  const secrets = [token_env, credential_env].filter((name) => name !== '');
  return [...endpoint, ...secrets.map((name) => `the variable ${name} to ${catalog.uri}`)];
}
