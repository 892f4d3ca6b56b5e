/**
 * Definitions that arrive over the network. They name catalogs, roots and models of the server's
 * configuration; the gate writes the configured values in their place. It refuses everything else
 * that could lead to a file, a host or a folder.
 *
 *     source: { catalog: NAME, table: namespace.table, ref: BRANCH }
 *     source: { root: NAME, path: relative/folder, ref: BRANCH }
 *     storage: NAME of a root, or NAME/relative/folder
 *     fields: [{ name: v, type: VECTOR, source: body, model: NAME or default, … }]
 */
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type JsonObject, LhsError, type TableConfig } from '@lakehouse-search/contract';
import { didYouMean } from '@lakehouse-search/contract/internal';
import { inTurns, readingYaml } from '@lakehouse-search/engine/internal';
import { isMap, isScalar, isSeq, LineCounter, type Node, type YAMLMap } from 'yaml';
import type { SourceNames } from './server-config.ts';

/** As the engine's own limit of a definition. */
const DEFINITION_BYTES = 256 * 1024;
/** The model that every server has. */
export const INCLUDED_MODEL = 'default';

/** The source of an index that a definition is for, as it is registered and as callers see it. */
export interface FormerSource {
  readonly source: JsonObject;
  readonly shown: readonly JsonObject[];
}

/** A value that replaces a part of the text. */
export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly value: unknown;
}

/**
 * The definition with the configured values for its names. Lines stay where they are. It is parsed
 * in several turns of the event loop. Throws invalid_definition, limit_exceeded.
 */
export async function gateDefinition(
  text: string,
  names: SourceNames,
  former?: FormerSource,
): Promise<string> {
  if (Buffer.byteLength(text) > DEFINITION_BYTES) {
    throw new LhsError('limit_exceeded', `a definition has at most ${DEFINITION_BYTES} bytes`);
  }
  const lines = new LineCounter();
  const document = await parseGated(text, lines);
  if (!isMap(document)) throw refusedDefinition('a definition is a map: source, key and fields');
  const at = (node: Node | undefined) => {
    const { line, col } = lines.linePos(node?.range?.[0] ?? 0);
    return { line, column: col };
  };
  const place = <T>(node: Node | undefined, work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw error instanceof LhsError ? withPlace(error, at(node)) : error;
    }
  };
  const source = entry(document, 'source');
  const storage = entry(document, 'storage');
  const edits = [
    place(source, () => formerEdit(source, former) ?? sourceEdit(source, names)),
    ...(storage === undefined ? [] : [place(storage, () => storageEdit(storage, names))]),
    ...modelNodes(document).map((node) => place(node, () => modelEdit(node, names))),
  ];
  return edited(text, edits);
}

/** The table that a request names. Throws invalid_argument. */
export function gateTable(source: unknown, names: SourceNames): TableConfig {
  if (typeof source !== 'object' || source === null) throw notNamed(names);
  const { catalog, table, root, path, ...others } = source as Readonly<Record<string, unknown>>;
  const [other] = Object.keys(others);
  if (other !== undefined) throw refused(`"source.${other}" is not for requests`, names);
  if (root !== undefined) {
    if (catalog !== undefined || table !== undefined) throw notNamed(names);
    return { path: pathBelow(root, path, names) };
  }
  if (path !== undefined || typeof table !== 'string') throw notNamed(names);
  return { catalog: namedCatalog(catalog, names), table };
}

/**
 * The catalog of a name. A server with a single catalog needs no name. Throws invalid_argument.
 */
export function namedCatalog(name: unknown, names: SourceNames) {
  const known = Object.keys(names.catalogs);
  if (name === undefined && known.length === 1) return names.catalogs[known[0]];
  if (typeof name !== 'string') throw notNamed(names);
  if (Object.hasOwn(names.catalogs, name)) return names.catalogs[name];
  throw refused(`there is no catalog "${name}"${didYouMean(name, known)}`, names);
}

/** The nodes of a definition; `entry` finds the repeated keys that matter. */
export async function parseGated(text: string, lines: LineCounter): Promise<Node | null> {
  const document = await inTurns(readingYaml(text, { lineCounter: lines }));
  if ('fault' in document) throw refusedDefinition(document.fault);
  const [fault] = document.errors;
  if (fault !== undefined) throw refusedDefinition(fault.message.split('\n')[0]);
  return document.contents as Node | null;
}

/** The only entry of a key: with two of them, the engine could read the other one. */
export function entry(map: YAMLMap, key: string): Node | undefined {
  const found = map.items.filter((pair) => isScalar(pair.key) && pair.key.value === key);
  if (found.length > 1) throw refusedDefinition(`"${key}" is given twice`);
  return (found[0]?.value ?? undefined) as Node | undefined;
}

/** A source that is the present one needs no name; null: it is another one. */
function formerEdit(node: Node | undefined, former: FormerSource | undefined): Edit | null {
  if (former === undefined || !isMap(node)) return null;
  const given: unknown = node.toJSON();
  const isSame = [former.source, ...former.shown].some((one) => isDeepStrictEqual(given, one));
  return isSame ? replacement(node, former.source) : null;
}

function sourceEdit(node: Node | undefined, names: SourceNames): Edit {
  if (node === undefined || !isMap(node)) throw notNamed(names);
  const values: Record<string, unknown> = {};
  for (const pair of node.items) {
    const { key, value } = pair as { readonly key: unknown; readonly value: unknown };
    if (!isScalar(key) || typeof key.value !== 'string' || !isScalar(value)) throw notNamed(names);
    if (Object.hasOwn(values, key.value)) {
      throw refusedDefinition(`"source.${key.value}" is given twice`);
    }
    values[key.value] = value.value;
  }
  const { ref, ...source } = values;
  const gated = gateTable(source, names);
  return replacement(node, ref === undefined ? gated : { ...gated, ref });
}

/** Cold windows are in a root, or in a folder below one. */
function storageEdit(node: Node, names: SourceNames): Edit {
  return replacement(node, gateStorage(isScalar(node) ? String(node.value) : '', names));
}

/**
 * The folder or address of `root` or `root/folder`; the address of a bucket that is in a root stays
 * as it is. Throws invalid_argument.
 */
export function gateStorage(storage: string, names: SourceNames): string {
  if (isUrl(storage) && rootOf(storage, names) !== null) return storage;
  const [root, ...path] = storage.split('/');
  const known = Object.keys(names.roots);
  if (known.includes(root)) return pathBelow(root, path.join('/'), names);
  const message = `"${storage}" names no root of the server${didYouMean(root, known)}`;
  const hint =
    known.length === 0
      ? 'add a root to the configuration of the server (roots: {NAME: s3://bucket/prefix})'
      : `name one of its roots, or a folder below it: ${known.join(', ')}, ${known[0]}/FOLDER`;
  throw new LhsError('invalid_argument', message, { hint });
}

/** The scalars of `model` in all fields, also in those of shapes. */
export function modelNodes(document: YAMLMap): readonly Node[] {
  const shapes = mapsOf(document, 'variants').flatMap((variant) => mapsOf(variant, 'shapes'));
  const fields = [document, ...shapes].flatMap((map) => mapsOf(map, 'fields'));
  return fields.flatMap((field) => entry(field, 'model') ?? []);
}

/** The maps in the list of a key. */
function mapsOf(map: YAMLMap, key: string): readonly YAMLMap[] {
  const list = entry(map, key);
  return isSeq(list) ? list.items.filter((item) => isMap(item)) : [];
}

function modelEdit(node: Node, names: SourceNames): Edit {
  const name = isScalar(node) ? node.value : undefined;
  if (name === INCLUDED_MODEL) return replacement(node, name);
  if (typeof name === 'string' && Object.hasOwn(names.models, name)) {
    return replacement(node, names.models[name]);
  }
  const known = [INCLUDED_MODEL, ...Object.keys(names.models)];
  const message = `there is no model "${String(name)}"${didYouMean(String(name), known)}`;
  throw new LhsError('invalid_definition', message, { hint: `models: ${known.join(', ')}` });
}

/** A value in place of a node. */
export function replacement(node: Node, value: unknown): Edit {
  const [from, to] = node.range ?? [0, 0];
  return { from, to, value };
}

/** JSON is YAML. Line ends of a replaced text follow it, so that later lines keep their number. */
export function edited(text: string, edits: readonly Edit[]): string {
  let result = text;
  for (const { from, to, value } of edits.toSorted((a, b) => b.from - a.from)) {
    const ends = '\n'.repeat(result.slice(from, to).split('\n').length - 1);
    result = `${result.slice(0, from)}${JSON.stringify(value)}${ends}${result.slice(to)}`;
  }
  return result;
}

/**
 * The absolute path of a folder below a root, or the URL of a place below one in an object store.
 * Links that lead out of the root are refused.
 */
function pathBelow(root: unknown, path: unknown, names: SourceNames): string {
  const known = Object.keys(names.roots);
  if (typeof root !== 'string' || typeof path !== 'string') throw notNamed(names);
  if (!Object.hasOwn(names.roots, root)) {
    throw refused(`there is no root "${root}"${didYouMean(root, known)}`, names);
  }
  const folder = names.roots[root];
  const isPlain = !isAbsolute(path) && !/[\0\\]|^[a-z][a-z0-9+.-]*:/i.test(path);
  const isOut = isUrl(folder) ? !isPlainKey(path) : !isBelow(resolve(folder, path), folder);
  if (!isPlain || isOut) throw refused(`"${path}" leads out of the root "${root}"`, names);
  if (isUrl(folder))
    return [folder.replace(/\/+$/, ''), path].filter((part) => part !== '').join('/');
  const full = resolve(folder, path);
  const [real, realFolder] = [full, folder].map(realPath);
  if (!isBelow(real, realFolder)) {
    throw refused(`"${path}" leads by a link out of the root "${root}"`, names);
  }
  return real;
}

/** Whether an absolute path or a URL is in a configured root, also behind links. */
export const isBelowRoot = (place: string, names: SourceNames): boolean =>
  rootOf(place, names) !== null;

/** The configured root that a path or URL is in, and the path below it; null: there is none. */
export function rootOf(
  place: string,
  { roots }: SourceNames,
): { readonly root: string; readonly path: string } | null {
  for (const [root, folder] of Object.entries(roots)) {
    const path = isUrl(folder) ? keyBelow(place, folder) : pathFrom(folder, place);
    if (path !== null) return { root, path };
  }
  return null;
}

function keyBelow(place: string, url: string): string | null {
  const folder = `${url.replace(/\/+$/, '')}/`;
  const key = place.slice(folder.length);
  return `${place}/`.startsWith(folder) && isPlainKey(key) ? key : null;
}

function pathFrom(folder: string, place: string): string | null {
  if (isUrl(place) || !isAbsolute(place)) return null;
  const [from, to] = [realPath(folder), realPath(place)];
  return isBelow(to, from) ? relative(from, to) : null;
}

/** True for the URL of an object store. */
export const isUrl = (place: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(place);

/** Keys of an object store are no paths: nothing resolves their dots. */
const isPlainKey = (path: string): boolean =>
  path === '' || path.split('/').every((part) => !['', '.', '..'].includes(part));

/** A path with all links resolved, as far as it exists. */
function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const parent = dirname(path);
  return parent === path ? path : join(realPath(parent), basename(path));
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** The error of a source that is not named as the server names it. */
export function notNamed(names: SourceNames): LhsError {
  return refused('a source over the network needs a catalog by its name, and a table', names);
}

/** The error of a name that the server does not have, with those that it has. */
export function refused(message: string, { catalogs, roots }: SourceNames): LhsError {
  const known = [
    ...Object.keys(catalogs).map((name) => `catalog ${name}`),
    ...Object.keys(roots).map((name) => `root ${name}`),
  ];
  const hint =
    known.length === 0
      ? 'the configuration of the server names no catalog: add it there (catalogs: {NAME: …})'
      : `the server has: ${known.join(', ')}`;
  return new LhsError('invalid_argument', message, { hint });
}

const refusedDefinition = (message: string): LhsError =>
  new LhsError('invalid_definition', message);

function withPlace(
  { message, hint }: LhsError,
  { line, column }: { readonly line: number; readonly column: number },
): LhsError {
  const issues = [{ severity: 'error', line, column, message }];
  return new LhsError('invalid_definition', `${line}:${column}: ${message}`, {
    ...(hint === undefined ? {} : { hint }),
    details: { issues },
  });
}
