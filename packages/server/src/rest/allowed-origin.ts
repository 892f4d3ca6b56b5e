import { isIP } from 'node:net';
import { LhsError } from '@lakehouse-search/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A probe, which is answered under any name. */
    readonly isProbe?: boolean;
  }
}

/** Under which names a service is called. */
export interface ServiceNames {
  /** Names besides those of this machine: setting `hosts`. Default: none. */
  readonly hosts?: readonly string[];
  /** The service requires no credentials. */
  readonly isOpen: boolean;
}

/** What tells where a request of a browser comes from. */
export interface RequestPlace {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** `Sec-Fetch-Site`. */
  readonly site?: string | undefined;
  /** The address of this machine that the request arrived at. */
  readonly localAddress: string | undefined;
}

/** Paths of the page of the console: a link of another site may lead there. */
export const PAGES: ReadonlySet<string> = new Set(['/', '/console', '/console/']);

/**
 * Refuses requests that a page of another site may have sent, on all routes but probes. Throws
 * permission_denied.
 */
export function refuseOtherSites(rest: FastifyInstance, names: ServiceNames): void {
  // programs repeat one name and send nothing else
  let allowed = '';
  rest.addHook('onRequest', (request, _reply, done) => {
    if (request.routeOptions.config.isProbe === true) return done();
    const place = placeOf(request);
    const { host, origin, site, localAddress } = place;
    const name = `${host} ${localAddress}`;
    if (name !== allowed || origin !== undefined || site !== undefined) {
      requireAllowed(place, names);
      allowed = name;
    }
    done();
  });
}

function placeOf({ headers, socket, method, url }: FastifyRequest): RequestPlace {
  const { host, origin, 'sec-fetch-site': site, 'sec-fetch-mode': mode } = headers;
  const isLink = method === 'GET' && mode === 'navigate' && PAGES.has(url);
  const { localAddress } = socket;
  return { host, origin, localAddress, site: isLink ? undefined : site?.toString() };
}

/**
 * Refuses requests that a page of another site may have sent. Throws permission_denied.
 *
 * - `Host`: a name of this machine or one of `hosts`. A page whose name was pointed to this service
 *   (DNS rebinding) has its own name in `Host`. If a service was reached at another address than
 *   loopback, it also accepts addresses and, without `hosts`, further names: all if it requires
 *   credentials, else those without a dot, which no page of another site has.
 * - `Origin`: loopback, one of `hosts`, or equal to `Host`. Without it, `Sec-Fetch-Site` must not
 *   be `cross-site`. Browsers send both headers, and pages cannot change them.
 */
export function requireAllowed(place: RequestPlace, names: ServiceNames): void {
  const { host, origin, site } = place;
  const name = host === undefined ? undefined : nameOf(`http://${host}`);
  if (name === undefined || !isAllowedHost(name, place.localAddress, names)) {
    const message = `the header "host" is ${JSON.stringify(host ?? '')}: it names another service`;
    throw new LhsError('permission_denied', message, { hint: 'add the name to "hosts"' });
  }
  if (origin === undefined ? site !== 'cross-site' : isOwnOrigin(origin, host!, names)) return;
  const shown = origin === undefined ? 'sec-fetch-site' : 'origin';
  const value = JSON.stringify((origin ?? site ?? '').slice(0, 200));
  const hint = 'pages of other sites may not call this service; "hosts" adds names';
  throw new LhsError('permission_denied', `the header "${shown}" is ${value}`, { hint });
}

function isAllowedHost(
  name: string,
  localAddress: string | undefined,
  { hosts = [], isOpen }: ServiceNames,
): boolean {
  if (isLoopbackName(name) || hosts.includes(name)) return true;
  if (localAddress === undefined || isLoopbackName(localAddress)) return false;
  return isIP(name) !== 0 || (hosts.length === 0 && !(isOpen && name.includes('.')));
}

function isOwnOrigin(origin: string, host: string, { hosts = [] }: ServiceNames): boolean {
  const name = nameOf(origin);
  if (name === undefined) return false;
  if (isLoopbackName(name) || hosts.includes(name)) return true;
  return new URL(origin).host === host.toLowerCase();
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
