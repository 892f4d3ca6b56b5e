import type { Type } from '@lakehouse-search/lake';
import type { FieldDefinition, FieldType } from './definition.ts';

const TIMESTAMPS = ['timestamp', 'timestamptz', 'timestamp_ns', 'timestamptz_ns'] as const;

/** Column types that a field type can be made of; a list of them makes a multi-valued field. */
export const COLUMN_RULES: Readonly<Record<FieldType, readonly Type['kind'][]>> = Object.freeze({
  TEXT: ['string'],
  KEYWORD: ['string', 'uuid', 'int', 'long', 'boolean', 'decimal', 'date', 'time', ...TIMESTAMPS],
  LONG: ['int', 'long'],
  DOUBLE: ['float', 'double', 'int', 'long', 'decimal'],
  DATE: ['date', ...TIMESTAMPS, 'string', 'int', 'long'],
  IP: ['string'],
  BOOL: ['boolean'],
  VECTOR: ['string'],
});

/**
 * Why a column of `type` cannot give `field` (`is double: LONG needs int or long`), or null when it
 * can.
 */
export function columnFault(field: FieldDefinition, type: Type, joined: boolean): string | null {
  const list = type.kind === 'list';
  if (list && joined) return 'is a list: it cannot be joined with other columns';
  const element = list ? type.element : type;
  const name = list ? `a list of ${typeName(element)}` : typeName(element);
  if (isNested(type)) {
    const kind = element.kind === 'variant' ? 'VARIANT' : name;
    return `is ${kind}: name it under variants, not fields`;
  }
  if (field.type === 'VECTOR') return vectorFault(type, element, name);
  if (!COLUMN_RULES[field.type].includes(element.kind)) {
    return `is ${name}: ${field.type} needs ${listed(COLUMN_RULES[field.type])}`;
  }
  const counted = element.kind === 'int' || element.kind === 'long';
  if (field.type === 'DATE' && counted && field.format === undefined) {
    return `is ${name}: say how it counts, format: epoch_s, epoch_ms or epoch_us`;
  }
  if (field.format !== undefined && !counted) {
    return `is ${name}: format is for int and long columns`;
  }
  return null;
}

/** Whether a column holds values by path: a VARIANT, a struct, a map, or a list of them. */
export function isNested(type: Type): boolean {
  if (type.kind === 'list') return isNested(type.element);
  return ['variant', 'struct', 'map'].includes(type.kind);
}

/** Why a column cannot be indexed by path, or null when it can. */
export function nestedFault(type: Type): string | null {
  if (isNested(type)) return null;
  return `is ${typeName(type)}, not VARIANT, struct, map or a list of them`;
}

/** A VECTOR is made of texts by a model, or is what a list of floats holds. */
function vectorFault(type: Type, element: Type, name: string): string | null {
  const floats = element.kind === 'float' || element.kind === 'double';
  if (type.kind === 'list' ? floats : element.kind === 'string') return null;
  return `is ${name}: VECTOR needs string, list<float> or list<double>`;
}

/** A column type as people write it. */
export function typeName(type: Type): string {
  if (type.kind === 'decimal') return `decimal(${type.precision}, ${type.scale})`;
  if (type.kind === 'fixed') return `fixed[${type.length}]`;
  if (type.kind === 'list') return `list<${typeName(type.element)}>`;
  return type.kind;
}

function listed(names: readonly string[]): string {
  return names.length < 2
    ? names.join('')
    : `${names.slice(0, -1).join(', ')} or ${names[names.length - 1]}`;
}
