import { fileURLToPath } from 'node:url';
import { hidePlace } from '../config/private-places.ts';
import type { SourceNames } from '../config/server-config.ts';
import type { Release } from './releases.ts';
import type { ServerOptions } from './server-options.ts';

/** The options that name places. */
type HiddenOptions = Pick<ServerOptions, 'dataDir' | 'storage' | 'backupTarget' | 'store'>;

/** Hides the folders and addresses of a server from its callers until it stops. */
export function hidePlaces(
  { dataDir, storage, backupTarget, store }: HiddenOptions,
  { catalogs, roots }: Pick<SourceNames, 'catalogs' | 'roots'>,
  later: (release: Release) => void,
): void {
  const hide = (text: unknown, name: string): void => {
    if (typeof text === 'string') later(hidePlace(text, name));
  };
  hide(dataDir, 'data folder');
  hide(storage, 'storage');
  if (storage?.startsWith('file:')) hide(fileURLToPath(storage), 'storage');
  hide(backupTarget, 'backup target');
  if ('postgres' in store) hide(hostOf(store.postgres), 'database');
  for (const [name, path] of Object.entries(roots)) hide(path, `root ${name}`);
  for (const [name, catalog] of Object.entries(catalogs)) {
    const { warehouse, uri, s3 }: Readonly<Record<string, unknown>> = { ...catalog };
    for (const text of [warehouse, uri]) hide(text, `catalog ${name}`);
    hide(hostOf(uri), `catalog ${name}`);
    hide(hostOf((s3 as { readonly endpoint?: unknown } | undefined)?.endpoint), 'object store');
  }
}

/** HOST:PORT of a URL: errors of a connection have no more. */
function hostOf(url: unknown): string | undefined {
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).host : undefined;
}
