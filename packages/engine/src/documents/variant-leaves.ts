import type { VariantNode } from '@lakehouse-search/lake';
import type { FieldDefinition } from '../schema/definition.ts';
import { formatDay, formatTime, formatTimestamp, parseDate } from '../schema/values/date-value.ts';
import { parseIp } from '../schema/values/ip-value.ts';
import { decimalText, escapePathKey } from '../schema/variant-terms.ts';
import { dateScale, toMicros } from './number-fields.ts';
import { type Coerced, limitKeyword, limitText } from './scalar-value.ts';

type Leaf = Exclude<VariantNode, { kind: 'array' } | { kind: 'object' }>;

/** Calls `visit` for every leaf with its path (keys joined by "."; arrays add nothing). */
export function eachLeaf(
  node: VariantNode,
  visit: (path: string, leaf: Leaf) => unknown,
  path = '',
): void {
  if (node.kind === 'array') {
    for (const element of node.elements) eachLeaf(element, visit, path);
  } else if (node.kind === 'object') {
    for (const [key, value] of node.fields) {
      const name = escapePathKey(key);
      eachLeaf(value, visit, path === '' ? name : `${path}.${name}`);
    }
  } else visit(path, node);
}

/**
 * The leaves at `path`, through arrays; a key may itself hold dots. Objects at the path give none.
 */
export function leavesAt(node: VariantNode, path: readonly string[]): readonly Leaf[] {
  if (node.kind === 'array') return node.elements.flatMap((element) => leavesAt(element, path));
  if (node.kind !== 'object') return path.length === 0 ? [node] : [];
  const found: Leaf[] = [];
  for (let taken = 1; taken <= path.length; taken++) {
    const value = node.fields.get(path.slice(0, taken).join('.'));
    if (value !== undefined) found.push(...leavesAt(value, path.slice(taken)));
  }
  return found;
}

/** As `leavesAt`, but an array at the end of the path is one node. Objects there are left out. */
export function nodesAt(node: VariantNode, path: readonly string[]): readonly VariantNode[] {
  if (path.length === 0) return node.kind === 'object' ? [] : [node];
  if (node.kind === 'array') return node.elements.flatMap((element) => nodesAt(element, path));
  if (node.kind !== 'object') return [];
  const found: VariantNode[] = [];
  for (let taken = 1; taken <= path.length; taken++) {
    const value = node.fields.get(path.slice(0, taken).join('.'));
    if (value !== undefined) found.push(...nodesAt(value, path.slice(taken)));
  }
  return found;
}

/** The canonical text of a leaf (schema/variant-terms.ts says which). */
export function leafText(leaf: Leaf): string {
  switch (leaf.kind) {
    case 'null':
      return 'null';
    case 'decimal':
      return decimalText(leaf.unscaled, leaf.scale);
    case 'float':
    case 'double':
      return leaf.value === 0 ? '0' : String(leaf.value);
    case 'date':
      return formatDay(leaf.value);
    case 'time':
      return formatTime(leaf.value, 6);
    case 'timestamp':
    case 'timestamptz':
      return formatTimestamp(leaf.value, 6) + (leaf.kind === 'timestamptz' ? 'Z' : '');
    case 'timestamp_ns':
    case 'timestamptz_ns':
      return formatTimestamp(leaf.value, 9) + (leaf.kind === 'timestamptz_ns' ? 'Z' : '');
    case 'binary':
      return Buffer.from(leaf.value).toString('base64');
    default:
      return String(leaf.value);
  }
}

/** A leaf (not a variant null) as a value of a shape's field. */
export function coerceLeaf(field: FieldDefinition, leaf: Leaf): Coerced {
  switch (field.type) {
    case 'TEXT':
      return limitText(field, leafText(leaf));
    case 'KEYWORD':
      return limitKeyword(field, leafText(leaf));
    case 'BOOL':
      return leaf.kind === 'boolean' ? (leaf.value ? 1n : 0n) : 'bad';
    case 'IP':
      return leaf.kind === 'string' ? (parseIp(leaf.value) ?? 'bad') : 'bad';
    case 'DOUBLE':
      return leafNumber(leaf) ?? 'bad';
    case 'LONG':
      return leafInteger(leaf) ?? 'bad';
    case 'DATE':
      return leafDate(field, leaf) ?? 'bad';
    case 'VECTOR':
      return 'bad';
  }
}

/** A number of any width as a double; null for other leaves. */
export function leafNumber(leaf: Leaf): number | null {
  switch (leaf.kind) {
    case 'int8':
    case 'int16':
    case 'int32':
    case 'int64':
    case 'float':
    case 'double':
      return Number(leaf.value);
    case 'decimal':
      return Number(decimalText(leaf.unscaled, leaf.scale));
    default:
      return null;
  }
}

function leafInteger(leaf: Leaf): bigint | null {
  switch (leaf.kind) {
    case 'int8':
    case 'int16':
    case 'int32':
    case 'int64':
      return BigInt(leaf.value);
    case 'float':
    case 'double':
      return Number.isSafeInteger(leaf.value) ? BigInt(leaf.value) : null;
    case 'decimal': {
      const text = decimalText(leaf.unscaled, leaf.scale);
      const whole = text.includes('.') ? null : BigInt(text);
      return whole !== null && BigInt.asIntN(64, whole) === whole ? whole : null;
    }
    default:
      return null;
  }
}

function leafDate(field: FieldDefinition, leaf: Leaf): bigint | null {
  switch (leaf.kind) {
    case 'date':
    case 'timestamp':
    case 'timestamptz':
    case 'timestamp_ns':
    case 'timestamptz_ns':
      return toMicros(BigInt(leaf.value), dateScale({ kind: leaf.kind }, undefined));
    case 'string':
      return parseDate(leaf.value);
    default: {
      const count = field.format === undefined ? null : leafInteger(leaf);
      return count === null ? null : toMicros(count, dateScale({ kind: 'long' }, field.format));
    }
  }
}
