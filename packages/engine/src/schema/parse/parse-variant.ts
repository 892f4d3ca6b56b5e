import { LIMITS } from '../../base/limits.ts';
import type { FieldDefinition, VariantDefinition } from '../definition.ts';
import {
  type AnalyzerNames,
  fieldNameFault,
  parseFieldSettings,
  readAnalyzer,
  SHAPE_FIELD_KEYS,
} from './parse-field.ts';
import { readFlag, readList, readMap, readScalarText, readText } from './tree-reading.ts';
import type { Report, Tree } from './yaml-tree.ts';

/** A field of a shape, its entry and its position in the text. */
export interface PlacedField {
  readonly field: FieldDefinition;
  readonly tree: Tree;
  readonly at: number;
}
/** A variant, its place, and the fields of its shapes. */
export interface ParsedVariant {
  readonly variant: VariantDefinition;
  readonly at: number;
  readonly fields: readonly PlacedField[];
}

/**
 * One entry of `variants`: a flattened column, shapes with typed fields `<column>.<path>`, or both.
 */
export function parseVariant(
  tree: Tree,
  analyzers: AnalyzerNames,
  report: Report,
): ParsedVariant | undefined {
  const keys = ['column', 'flatten', 'analyzer', 'discriminator', 'shapes'] as const;
  const map = readMap(tree, 'a variant', keys, report);
  if (map === undefined) return undefined;
  if (map.column === undefined) report.error(tree.at, 'a variant needs a column');
  const column = map.column && readText(map.column, 'column', report);
  const flatten = readFlag(map.flatten, 'flatten', true, report);
  const discriminator = map.discriminator && readPath(map.discriminator, 'discriminator', report);
  const shapes = map.shapes ? (readList(map.shapes, 'shapes', report) ?? []) : [];
  if (column === undefined) return undefined;
  const analyzer = map.analyzer && readAnalyzer(map.analyzer, analyzers, report);
  if (map.analyzer !== undefined && !flatten) {
    const what = 'analyzer is for the words of flattened columns';
    report.error(map.analyzer.at, `${what}; "${column}" is not flattened`);
  }
  const fault = fieldNameFault(column);
  if (fault !== null) report.error(map.column!.at, fault);
  const fields = shapes.flatMap((shape) =>
    parseShape(shape, column, map.discriminator !== undefined, analyzers, report),
  );
  if (!flatten && fields.length === 0) {
    report.warning(tree.at, `"${column}" is neither flattened nor shaped: it does nothing`);
  }
  refuseSameShapeName(shapes, report);
  const variant = {
    ...{ column, flatten },
    ...(analyzer === undefined || analyzer === 'standard' ? {} : { analyzer }),
    ...(discriminator ? { discriminator } : {}),
  };
  return { variant, at: map.column!.at, fields: mergeSameFields(fields, report) };
}

function readPath(tree: Tree, what: string, report: Report): readonly string[] | undefined {
  const text = readText(tree, what, report);
  if (text === undefined) return undefined;
  const path = text.split('.');
  if (!path.includes('') && path.length <= LIMITS.definitionDepth) return path;
  report.error(tree.at, `${what} must be a path such as "a.b", not "${text}"`);
  return undefined;
}

function parseShape(
  tree: Tree,
  column: string,
  discriminated: boolean,
  analyzers: AnalyzerNames,
  report: Report,
): PlacedField[] {
  const map = readMap(tree, 'a shape', ['name', 'when', 'fields'], report);
  if (map === undefined) return [];
  if (map.name === undefined) report.error(tree.at, 'a shape needs a name');
  else readText(map.name, 'name', report);
  if (discriminated && map.when === undefined) {
    report.error(tree.at, 'a shape needs "when": the discriminator values that select it');
  } else if (!discriminated && map.when !== undefined) {
    report.error(map.when.at, `"when" needs a discriminator on variant "${column}"`);
  }
  const when = map.when && readWhen(map.when, report);
  if (map.fields === undefined) report.error(tree.at, 'a shape needs fields');
  const trees = map.fields ? (readList(map.fields, 'fields', report) ?? []) : [];
  return trees.flatMap((item) => parseShapeField(item, column, when, analyzers, report));
}

function readWhen(tree: Tree, report: Report): readonly string[] {
  const items = tree.kind === 'list' ? tree.items : [tree];
  return items.map((item) => readScalarText(item, 'when', report)).filter((t) => t !== undefined);
}

function parseShapeField(
  tree: Tree,
  column: string,
  when: readonly string[] | undefined,
  analyzers: AnalyzerNames,
  report: Report,
): PlacedField[] {
  const map = readMap(tree, "a shape's field", SHAPE_FIELD_KEYS, report);
  if (map === undefined) return [];
  if (map.path === undefined) {
    report.error(tree.at, "a shape's field needs a path");
    return [];
  }
  const path = readPath(map.path, 'path', report);
  if (path === undefined) return [];
  const name = `${column}.${path.join('.')}`;
  const fault = fieldNameFault(name);
  if (fault !== null) report.error(map.path.at, fault);
  const settings = parseFieldSettings(tree, map, name, analyzers, report);
  if (settings === undefined) return [];
  const field = { name, source: [column], path, ...(when ? { when } : {}), ...settings };
  return [{ field, tree, at: map.path.at }];
}

function refuseSameShapeName(shapes: readonly Tree[], report: Report): void {
  const seen = new Set<string>();
  for (const shape of shapes) {
    const name = shape.kind === 'map' ? shape.entries.find((e) => e.key === 'name') : undefined;
    if (name?.value.kind !== 'scalar' || typeof name.value.value !== 'string') continue;
    if (seen.has(name.value.value)) {
      report.error(name.value.at, `two shapes have the name "${name.value.value}"`);
    }
    seen.add(name.value.value);
  }
}

/**
 * Several shapes may declare one path alike: one field then, for the rows of each. Unlike
 * declarations are refused.
 */
function mergeSameFields(fields: readonly PlacedField[], report: Report): readonly PlacedField[] {
  const byName = new Map<string, PlacedField>();
  for (const placed of fields) {
    const first = byName.get(placed.field.name);
    if (first === undefined) {
      byName.set(placed.field.name, placed);
    } else if (settingsText(first.field) !== settingsText(placed.field)) {
      report.error(placed.at, `"${placed.field.name}" is declared differently in another shape`);
    } else {
      const when = [...new Set([...(first.field.when ?? []), ...(placed.field.when ?? [])])];
      const open = first.field.when === undefined || placed.field.when === undefined;
      const field = { ...first.field, when: open ? undefined : when };
      byName.set(field.name, { ...first, field });
    }
  }
  return [...byName.values()];
}

function settingsText(field: FieldDefinition): string {
  return JSON.stringify({ ...field, when: null });
}
