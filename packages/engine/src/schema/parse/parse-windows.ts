import { didYouMean } from '@lakehouse-search/contract/internal';
import { isObjectPath, objectAddress } from '@lakehouse-search/lake/internal';
import { LIMITS } from '../../base/limits.ts';
import { hasEmptyParts } from '../../base/location-url.ts';
import type { FieldDefinition, WindowsDefinition } from '../definition.ts';
import { WINDOW_UNITS } from '../windows.ts';
import { readChoice, readMap, readText, readWhole } from './tree-reading.ts';
import type { Report, Tree } from './yaml-tree.ts';

/** The block `windows`; undefined where it has a fault, which is reported. */
export function parseWindows(
  tree: Tree,
  fields: readonly FieldDefinition[],
  report: Report,
): WindowsDefinition | undefined {
  const map = readMap(tree, 'windows', ['field', 'every', 'hot'], report);
  if (map === undefined) return undefined;
  for (const key of ['field', 'every'] as const) {
    if (map[key] === undefined) report.error(tree.at, `windows needs "${key}"`);
  }
  const field = map.field && readField(map.field, fields, report);
  const every = map.every && readChoice(map.every, 'windows.every', WINDOW_UNITS, report);
  const hot = map.hot && readWhole(map.hot, 'windows.hot', 0, LIMITS.windows, report);
  if (field === undefined || every === undefined) return undefined;
  return Object.freeze({ field, every, ...(hot === undefined ? {} : { hot }) });
}

function readField(
  tree: Tree,
  fields: readonly FieldDefinition[],
  report: Report,
): string | undefined {
  const name = readText(tree, 'windows.field', report);
  if (name === undefined) return undefined;
  const field = fields.find((one) => one.name === name);
  if (field === undefined) {
    const names = fields.map((one) => one.name);
    const near = didYouMean(name, names);
    report.error(tree.at, `windows.field "${name}" is not a field of this definition${near}`);
  } else if (field.type !== 'DATE' || !field.fast) {
    report.error(tree.at, `windows.field "${name}" must be a fast DATE field`);
  }
  return name;
}

/**
 * The setting `storage`: where cold windows are, or commits of an index without windows are
 * published. Faults are reported.
 */
export function parseStorage(
  tree: Tree | undefined,
  windows: { readonly tree: Tree; readonly hot: number | undefined } | undefined,
  report: Report,
): string | undefined {
  if (tree === undefined) {
    if (windows?.hot === undefined) return undefined;
    report.error(windows.tree.at, 'windows.hot needs "storage", the place of the other windows');
    return undefined;
  }
  const storage = readText(tree, 'storage', report);
  if (storage === undefined) return undefined;
  const fault = faultOfPlace(storage);
  if (fault !== null) report.error(tree.at, `storage "${storage}" ${fault}`);
  return storage;
}

/** What is wrong with a place; null: nothing. */
function faultOfPlace(storage: string): string | null {
  if (storage.startsWith('~')) return 'begins with "~", which is not replaced: write the path';
  if (!/^[a-z][a-z0-9+.-]*:/i.test(storage) || /^file:\/\/\//.test(storage)) return null;
  if (!isObjectPath(storage)) {
    return 'must be a folder, or a place on s3://, gs://, az:// or abfss://';
  }
  if (hasEmptyParts(storage)) return 'has parts that are empty or dots: write it without';
  try {
    objectAddress(storage);
    return null;
  } catch {
    return 'names no bucket: expected s3://bucket/prefix';
  }
}
