import { isIP } from 'node:net';
import { LhsError } from '@lakehouse-search/contract';
import type { SettingPath } from '../config/settings.ts';

/** What tells where a request of a browser comes from. */
export interface RequestPlace {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** The address of this machine that the request arrived at. */
  readonly localAddress: string | undefined;
}

/**
 * Refuses requests that a page of another site may have sent. `hosts`: names that the service is
 * known by, from `setting`. Throws permission_denied.
 *
 * - `Host`: a name of this machine or one of `hosts`. Without `hosts`, a service that was reached
 *   at another address than loopback accepts every name. A page whose name was pointed to this
 *   machine (DNS rebinding) has its own name in `Host`.
 * - `Origin`, which browsers send: loopback, or equal to `Host`.
 */
export function requireAllowed(
  { host, origin, localAddress }: RequestPlace,
  hosts: readonly string[],
  setting: SettingPath,
): void {
  const name = host === undefined ? undefined : nameOf(`http://${host}`);
  if (name === undefined || !isAllowedHost(name, localAddress, hosts)) {
    const message = `the header "host" is ${JSON.stringify(host ?? '')}: it names another service`;
    throw new LhsError('permission_denied', message, { hint: `add the name to "${setting}"` });
  }
  if (origin === undefined || isOwnOrigin(origin, host as string)) return;
  const message = `the header "origin" is ${JSON.stringify(origin.slice(0, 200))}`;
  const hint = 'pages of other sites may not call this endpoint';
  throw new LhsError('permission_denied', message, { hint });
}

function isAllowedHost(
  name: string,
  localAddress: string | undefined,
  hosts: readonly string[],
): boolean {
  if (isLoopbackName(name) || hosts.includes(name)) return true;
  return hosts.length === 0 && localAddress !== undefined && !isLoopbackName(localAddress);
}

function isOwnOrigin(origin: string, host: string): boolean {
  const name = nameOf(origin);
  if (name === undefined) return false;
  return isLoopbackName(name) || new URL(origin).host === host.toLowerCase();
}

/** The host's name in a URL without brackets; undefined if it is no plain origin. */
function nameOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { hostname, pathname, username, search, hash, protocol } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') return undefined;
  if (pathname !== '/' || `${username}${search}${hash}` !== '') return undefined;
  return hostname.replace(/^\[|\]$/g, '');
}

function isLoopbackName(name: string): boolean {
  if (name === 'localhost' || name === '::1') return true;
  const plain = name.replace(/^::ffff:/, '');
  return isIP(plain) === 4 && plain.startsWith('127.');
}
