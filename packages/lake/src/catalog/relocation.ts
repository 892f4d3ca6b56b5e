import { basename, dirname } from 'node:path';
import { LakeError } from '../base/errors.ts';
import type { FileStore } from '../base/files/file-store.ts';
import {
  below,
  createTableFiles,
  normalizeRecorded,
  type PathMapping,
  type TableFiles,
} from '../base/files/table-files.ts';
import { resolvePlace } from '../base/place.ts';
import type { TableMetadata } from '../metadata/table-metadata.ts';

/** What is known about a table's place beside its metadata. */
export interface KnownPlace {
  /** The folder that the catalog gives to this table, if it gives one. */
  readonly folder?: string | null;
  readonly warehouse?: string | null;
  readonly allowedRoots?: readonly string[];
  /** Default: the file systems of this machine. */
  readonly store?: FileStore | undefined;
}

/**
 * The current folder of a table. The metadata file was found at `metadataPath`. Its recorded folder
 * (`write.metadata.path`, else `<location>/metadata`) shows which folder `location` is now. If
 * table and warehouse were moved together, the warehouse gets a mapping too, for data that was
 * written beside the table's folder.
 *
 * Metadata is input: it must not choose which folders are opened. The folder that follows from it
 * is used only if it is the parent of the metadata folder, the folder that the catalog names, or in
 * the warehouse or an allowed root. Throws path_refused.
 */
export function relocate(
  metadata: TableMetadata,
  metadataPath: string,
  known: KnownPlace = {},
): TableFiles {
  const real = dirname(resolvePlace(metadataPath));
  const recorded = recordedMetadataFolder(metadata);
  const home = basename(real) === 'metadata' ? dirname(real) : real;
  const root = claimedRoot(metadata, real) ?? home;
  const warehouse = known.warehouse == null ? null : resolvePlace(known.warehouse);
  const roots = [...(warehouse === null ? [] : [warehouse]), ...(known.allowedRoots ?? [])];
  const sure = [home, dirname(real), ...(known.folder == null ? [] : [resolvePlace(known.folder)])];
  const isSure = sure.includes(root);
  if (!isSure && !roots.some((allowed) => isWithin(root, resolvePlace(allowed)))) {
    throw rootRefused(recorded, root, real);
  }
  const mappings: PathMapping[] = [{ recorded, real }];
  const moved = warehouse === null ? null : warehouseMapping(metadata, root, warehouse);
  if (moved !== null) mappings.push(moved);
  const { location } = metadata;
  const own = isSure ? root : home;
  const { store } = known;
  return createTableFiles({ location, root, own, mappings, allowedRoots: roots, store });
}

function recordedMetadataFolder({ properties, location }: TableMetadata): string {
  return normalizeRecorded(properties['write.metadata.path'] ?? `${location}/metadata`);
}

/** The folder of `location` if the metadata folder, found at `real`, is inside it. */
function claimedRoot(metadata: TableMetadata, real: string): string | null {
  const inside = below(recordedMetadataFolder(metadata), normalizeRecorded(metadata.location));
  return inside === null ? null : stripSuffix(real, inside);
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || below(path, folder) !== null;
}

function rootRefused(recorded: string, root: string, real: string): LakeError {
  return new LakeError(
    'path_refused',
    `write.metadata.path "${recorded}" is refused: it makes "${root}" the folder of the ` +
      'table, which is ' +
      `not the parent of "${real}" and not in the warehouse; if you trust the table, add ` +
      `"${root}" to "allowed_roots" of the catalog or to LHS_ALLOWED_ROOTS`,
    { file: recorded, details: { path: recorded, root } },
  );
}

function stripSuffix(path: string, suffix: string): string | null {
  return path.endsWith(`/${suffix}`) ? path.slice(0, -suffix.length - 1) || '/' : null;
}

/**
 * If `/lake/wh/ns/t` is at `/real/ns/t` under the warehouse `/real`, then `/lake/wh` is at `/real`.
 */
function warehouseMapping(
  metadata: TableMetadata,
  root: string,
  warehouse: string,
): PathMapping | null {
  const inside = below(root, warehouse);
  if (inside === null) return null;
  const recorded = stripSuffix(normalizeRecorded(metadata.location), inside);
  return recorded === null || recorded === '/' ? null : { recorded, real: warehouse };
}
