import { isDeepStrictEqual } from 'node:util';
import { LhsError } from '@lakehouse-search/contract';
import type { Definition } from '@lakehouse-search/engine';
import type { CatalogConfig } from '@lakehouse-search/lake';
import { catalogNames, namedCatalog } from './catalogs.ts';

/**
 * Judges the definition of a backup that this data folder has not signed. Whoever may write the
 * bucket could name a host and the secret that is sent there: settings that send secrets of the
 * environment must be those of a catalog in the configuration. Throws permission_denied.
 */
export function admitCatalog({ source }: Definition): void {
  if ('path' in source || !sendsSecrets(source.catalog)) return;
  const { catalog } = source;
  if (catalogNames().some((name) => isDeepStrictEqual(plain(configured(name)), plain(catalog)))) {
    return;
  }
  const message = 'the definition of the backup sends secrets of this machine to a catalog';
  throw new LhsError('permission_denied', `${message} that is not configured here`, {
    hint: 'docs/backup.md says how to name that catalog in the configuration',
  });
}

/** Tokens of the environment go to REST catalogs, PGPASSWORD to PostgreSQL. */
const sendsSecrets = (catalog: CatalogConfig): boolean =>
  Object.keys(catalog).some((key) => key.endsWith('_env')) ||
  (catalog.type === 'sql' && /^postgres/i.test(catalog.uri));

/** A catalog whose settings are wrong is no reason for or against a backup. */
function configured(name: string): CatalogConfig | undefined {
  try {
    return namedCatalog(name);
  } catch (error) {
    if (error instanceof LhsError) return undefined;
    throw error;
  }
}

const plain = (catalog: CatalogConfig | undefined): unknown =>
  JSON.parse(JSON.stringify(catalog ?? null));
