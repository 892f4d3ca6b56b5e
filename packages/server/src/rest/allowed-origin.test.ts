import { describe, expect, it } from 'vitest';
import { requireAllowed } from './allowed-origin.ts';

const LAN = '192.168.1.5';

function isAllowed(host: string, localAddress: string, hosts: string[], isOpen: boolean): boolean {
  try {
    requireAllowed({ host, origin: undefined, localAddress }, { hosts, isOpen });
    return true;
  } catch {
    return false;
  }
}

describe('the name in Host', () => {
  it.each([
    ['localhost:8080', '127.0.0.1', [], true, true],
    ['[::1]:8080', '::1', [], true, true],
    ['gateway', '127.0.0.1', [], true, false],
    ['192.168.1.5', '127.0.0.1', [], true, false],
    ['search.example.com', '127.0.0.1', [], false, false],
    ['search.example.com', '127.0.0.1', ['search.example.com'], false, true],
    // an open service at another address: a page can be given each name with a dot
    ['192.168.1.5:8080', LAN, [], true, true],
    ['[fe80::1]', LAN, [], true, true],
    ['gateway:8080', LAN, [], true, true],
    ['evil.example', LAN, [], true, false],
    ['192.168.1.5.evil.example', LAN, [], true, false],
    ['search.example.com', LAN, ['search.example.com'], true, true],
    ['gateway', LAN, ['search.example.com'], true, false],
    // callers of a closed service have credentials that no page of another site has
    ['any.example', LAN, [], false, true],
    ['any.example', LAN, ['search.example.com'], false, false],
    ['192.168.1.5', LAN, ['search.example.com'], false, true],
  ] as const)('%s at %s with hosts %j, open: %j: %j', (host, address, hosts, isOpen, allowed) => {
    expect(isAllowed(host, address, [...hosts], isOpen)).toBe(allowed);
  });
});

describe('the page in Origin', () => {
  const names = { hosts: ['search.example.com'], isOpen: true };
  it.each([
    [undefined, undefined, true],
    [undefined, 'same-origin', true],
    [undefined, 'none', true],
    [undefined, 'cross-site', false],
    ['http://localhost:3000', 'cross-site', true],
    ['https://search.example.com', undefined, true],
    ['https://evil.example', 'same-origin', false],
    ['https://search.example.com.evil.example', undefined, false],
    ['null', undefined, false],
    ['', undefined, false],
  ])('%j with Sec-Fetch-Site %j: %j', (origin, site, allowed) => {
    const place = { host: 'localhost', localAddress: '127.0.0.1', origin, site };
    const check = expect(() => requireAllowed(place, names));
    if (allowed) check.not.toThrow();
    else check.toThrow(/the header "(origin|sec-fetch-site)"/);
  });
});
