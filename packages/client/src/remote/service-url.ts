import { LhsError } from '@lakehouse-search/contract';

/**
 * The URL of a service, which has one of these protocols. Throws invalid_argument for another one,
 * and for credentials in it.
 */
export function serviceUrl(url: string, protocols: readonly string[]): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !protocols.includes(parsed.protocol.slice(0, -1))) {
    const message = `"url" is "${url}": expected ${protocols.join(', ')}`;
    throw new LhsError('invalid_argument', message);
  }
  if (parsed.username + parsed.password === '') return parsed;
  const message = '"url" has a user name or a password: use "token" or "apiKey"';
  throw new LhsError('invalid_argument', message);
}
