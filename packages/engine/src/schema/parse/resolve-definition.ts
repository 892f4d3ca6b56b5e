import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ANALYZER_CATALOG } from '../../analysis/registry.ts';
import type { Definition, FieldDefinition } from '../definition.ts';
import { requireDefinition } from './parse-definition.ts';
import { resolveCatalog, resolvePath } from './resolve-catalog.ts';

/** The definition with its relative paths resolved, so that two folders can be compared. */
export function resolvedDefinition({
  definition,
  baseDir,
}: {
  readonly definition: Definition;
  readonly baseDir: string;
}): Definition {
  const { source } = definition;
  const resolved =
    'path' in source
      ? { ...source, path: resolvePath(source.path, baseDir) }
      : { ...source, catalog: resolveCatalog(source.catalog, baseDir) };
  const fields = definition.fields.map((field) => withModel(field, baseDir));
  const { storage } = definition;
  const place = storage === undefined ? {} : { storage: storagePlace(storage, baseDir) };
  return { ...definition, source: resolved, fields, ...place };
}

/** The place that `storage` of a definition names. Throws as `resolvePath`. */
export const storagePlace = (storage: string, baseDir: string): string =>
  resolvePath(storage.startsWith('file:') ? fileURLToPath(storage) : storage, baseDir);

/** The place in which the commits of an index are published; null: nowhere. Throws as above. */
export const homePlace = ({ storage }: Definition, baseDir = ''): string | null =>
  storage === undefined ? null : storagePlace(storage, baseDir);

function withModel(field: FieldDefinition, baseDir: string): FieldDefinition {
  const model = field.vector?.model;
  if (field.vector === undefined || model === undefined || model === 'default') return field;
  return { ...field, vector: { ...field.vector, model: resolve(baseDir, model) } };
}

/** The definition of a text (YAML), without a look at its table. Throws invalid_definition. */
export const registeredDefinition = (text: string): Definition =>
  requireDefinition(text, ANALYZER_CATALOG);

/** The definition of a text, its relative paths resolved. Throws invalid_definition. */
export const definitionAt = (text: string, baseDir: string): Definition =>
  resolvedDefinition({ definition: registeredDefinition(text), baseDir });
