import { isDeepStrictEqual } from 'node:util';
import type { Definition } from '@lakehouse-search/engine';
import { INCLUDED_MODEL, isBelowRoot, refused } from './definition-gate.ts';
import type { SourceNames } from './server-config.ts';

/**
 * Judges definitions that come out of backups which this server has not signed: whoever may write
 * the objects of a backup has no other rights than a caller over the network. Its paths must be
 * resolved. Its catalog must be one of the configured ones, with equal settings; folders must be in
 * configured roots, and models configured ones.
 */
export function admitDefinition(names: SourceNames): (definition: Definition) => void {
  return ({ source, storage, fields }) => {
    if ('path' in source) {
      const isPlain = source.s3 === undefined && isBelowRoot(source.path, names);
      if (!isPlain) throw notAdmitted('a folder that is in no configured root', names);
    } else if (!Object.values(names.catalogs).some((one) => sameCatalog(one, source.catalog))) {
      throw notAdmitted('a catalog that is none of the configured ones', names);
    }
    if (storage !== undefined && !isBelowRoot(storage, names)) {
      throw notAdmitted('a storage that is in no configured root', names);
    }
    const models = new Set([INCLUDED_MODEL, ...Object.values(names.models)]);
    if (fields.some(({ vector }) => vector?.model !== undefined && !models.has(vector.model))) {
      throw notAdmitted('a model that is none of the configured ones', names);
    }
  };
}

/** Equal settings; what is absent is undefined in neither. */
const sameCatalog = (a: object, b: object): boolean =>
  isDeepStrictEqual(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b)));

const notAdmitted = (what: string, names: SourceNames) =>
  refused(`this server has not signed the backup, and its definition names ${what}`, names);
