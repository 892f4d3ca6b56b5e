import { didYouMean } from '@lakehouse-search/contract';
import type { FieldDefinition, WindowsDefinition } from './definition.ts';
import { readChoice, readMap, readText } from './tree-reading.ts';
import { WINDOW_UNITS } from './windows.ts';
import type { Report, Tree } from './yaml-tree.ts';

/** The block `windows`; undefined where it has a fault, which is reported. */
export function parseWindows(
  tree: Tree,
  fields: readonly FieldDefinition[],
  report: Report,
): WindowsDefinition | undefined {
  const map = readMap(tree, 'windows', ['field', 'every'], report);
  if (map === undefined) return undefined;
  for (const key of ['field', 'every'] as const) {
    if (map[key] === undefined) report.error(tree.at, `windows needs "${key}"`);
  }
  const field = map.field && readField(map.field, fields, report);
  const every = map.every && readChoice(map.every, 'windows.every', WINDOW_UNITS, report);
  return field === undefined || every === undefined ? undefined : Object.freeze({ field, every });
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
