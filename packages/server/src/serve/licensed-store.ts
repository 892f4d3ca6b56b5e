import type { ServerConfig } from '../config/server-config.ts';
import { openStore, type Store, type StoreLocation } from '../store/open-store.ts';
import type { Release } from './releases.ts';

/** The store of a server, with the license that its configuration names. Throws as `openStore`. */
export async function openLicensedStore(
  location: StoreLocation,
  license: ServerConfig['license'],
  later: (release: Release) => void,
): Promise<Store> {
  const store = await openStore(location);
  later(() => store.close());
  if (license !== undefined) {
    const { licensee, nodes_limit = null } = license;
    await store.setLicense({ licensee, nodeLimit: nodes_limit, expiresMs: null });
  }
  return store;
}
