import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '@lakehouse-search/contract';
import { isMap, parseDocument } from 'yaml';
import { rootOf } from './definition-gate.ts';
import type { SourceNames } from './server-config.ts';

/**
 * A source as callers over the network see it, and may send it again: by the names of the
 * configuration. Settings of catalogs without a name are not shown, nor are folders above a path.
 */
export function shownSource(source: JsonObject, names: SourceNames): JsonObject {
  const { catalog, path, s3: _, ...others } = source;
  if (typeof path === 'string') return { ...others, ...shownPath(path, names) };
  if (typeof catalog !== 'object' || catalog === null) return source;
  const { type } = catalog as JsonObject;
  return { ...others, catalog: nameOf(catalog, names) ?? { type: type as string } };
}

function shownPath(path: string, names: SourceNames): JsonObject {
  const found = rootOf(path, names);
  return found === null ? { path: basename(path) } : { root: found.root, path: found.path };
}

/** The name of a catalog with these settings; undefined: it has none. */
function nameOf(catalog: object, { catalogs }: SourceNames): string | undefined {
  const isSame = (one: object) => isDeepStrictEqual(plain(one), plain(catalog));
  return Object.keys(catalogs).find((name) => isSame(catalogs[name]));
}

const plain = (value: object): unknown => JSON.parse(JSON.stringify(value));

/** The text of a definition with the name of its catalog in place of the settings. */
export function withNamedCatalog(text: string, names: SourceNames): string {
  const document = parseDocument(text);
  const node = document.getIn(['source', 'catalog'], true);
  if (!isMap(node) || !node.range) return text;
  const name = nameOf(node.toJSON() as object, names);
  const [from, to] = node.range;
  return name === undefined ? text : `${text.slice(0, from)}${name}${text.slice(to)}`;
}
