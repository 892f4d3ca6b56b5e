import type { ServerConfig } from '../config/server-config.ts';
import { openStore, type Store, type StoreLocation } from '../store/open-store.ts';
import type { Release } from './releases.ts';

/**
 * The store of a server, with the license that its configuration names. `startsWithout`: control
 * planes write the license to a database that cannot be reached now. Throws as `openStore`.
 */
export async function openLicensedStore(
  location: StoreLocation,
  license: ServerConfig['license'],
  later: (release: Release) => void,
  startsWithout = false,
): Promise<Store> {
  const store = await openStore(location, startsWithout);
  later(() => store.close());
  if (license !== undefined) {
    const { licensee, nodes_limit = null } = license;
    const set = store.setLicense({ licensee, nodeLimit: nodes_limit, expiresMs: null });
    await (startsWithout ? set.catch(() => {}) : set);
  }
  return store;
}
