import { basename, dirname, resolve as resolvePath } from 'node:path';
import {
  below,
  createTableFiles,
  normalizeRecorded,
  type PathMapping,
  type TableFiles,
} from '../base/table-files.ts';
import type { TableMetadata } from '../metadata/table-metadata.ts';

/**
 * Where a table lies now. The metadata file was found at `metadataPath`; from the place that the
 * metadata gives itself (`write.metadata.path`, else `<location>/metadata`) follows the folder
 * that `location` means now. Where table and warehouse were moved together, the warehouse's
 * mapping follows too, for data that was written beside the table's folder.
 */
export function relocate(
  metadata: TableMetadata,
  metadataPath: string,
  options: { readonly warehouse?: string | null; readonly allowedRoots?: readonly string[] } = {},
): TableFiles {
  const location = normalizeRecorded(metadata.location);
  const real = dirname(resolvePath(metadataPath));
  const recorded = normalizeRecorded(
    metadata.properties['write.metadata.path'] ?? `${metadata.location}/metadata`,
  );
  const inside = below(recorded, location);
  const root = inside === null ? null : stripSuffix(real, inside);
  const mappings: PathMapping[] = [{ recorded, real }];
  const tableRoot = root ?? (basename(real) === 'metadata' ? dirname(real) : real);
  const warehouse = options.warehouse == null ? null : resolvePath(options.warehouse);
  const moved = warehouse === null ? null : warehouseMapping(location, tableRoot, warehouse);
  if (moved !== null) mappings.push(moved);
  return createTableFiles({
    location: metadata.location,
    root: tableRoot,
    mappings,
    allowedRoots: [...(warehouse === null ? [] : [warehouse]), ...(options.allowedRoots ?? [])],
  });
}

function stripSuffix(path: string, suffix: string): string | null {
  return path.endsWith(`/${suffix}`) ? path.slice(0, -suffix.length - 1) || '/' : null;
}

/**
 * `/lake/wh/ns/t` lying at `/real/ns/t` under the warehouse `/real`: then `/lake/wh` lies at
 * `/real`.
 */
function warehouseMapping(location: string, root: string, warehouse: string): PathMapping | null {
  const inside = below(root, warehouse);
  if (inside === null) return null;
  const recorded = stripSuffix(location, inside);
  return recorded === null || recorded === '/' ? null : { recorded, real: warehouse };
}
