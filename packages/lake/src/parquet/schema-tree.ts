/**
 * The schema of a Parquet file as a tree (parquet-format parquet.thrift, SchemaElement;
 * LogicalTypes.md). The footer lists the nodes depth first. Each node knows its definition and
 * repetition level; each leaf its column's index.
 */
import { LIMITS } from '../base/limits.ts';
import {
  numberAt,
  structAt,
  type ThriftStruct,
  type ThriftValue,
  textAt,
} from './encodings/thrift.ts';
import { type FaultPlace, parquetFault, parquetLimit } from './fault.ts';

/** Physical types, in the order of parquet.thrift. */
export const PHYSICAL = [
  'boolean',
  'int32',
  'int64',
  'int96',
  'float',
  'double',
  'byte_array',
  'fixed',
] as const;
export type Physical = (typeof PHYSICAL)[number];

/** What a node means, from its logical type or its older converted type. */
export type ParquetLogicalType =
  | { readonly kind: 'none' }
  | { readonly kind: 'string' | 'list' | 'map' | 'date' | 'uuid' | 'variant' | 'other' }
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number }
  | { readonly kind: 'int'; readonly bits: number; readonly signed: boolean }
  | { readonly kind: 'time'; readonly unit: TimeUnit }
  | { readonly kind: 'timestamp'; readonly unit: TimeUnit; readonly utc: boolean };
export type TimeUnit = 'ms' | 'us' | 'ns';

interface NodeBase {
  readonly name: string;
  /** Dotted, for messages. */
  readonly path: string;
  readonly fieldId: number | null;
  readonly repetition: 'required' | 'optional' | 'repeated';
  /** Levels at which this node is present. */
  readonly definition: number;
  readonly repeat: number;
  readonly logical: ParquetLogicalType;
}
/** A column: a node that holds values. */
export interface LeafNode extends NodeBase {
  readonly kind: 'leaf';
  /** Index among the leaves: of the column chunk in every row group. */
  readonly column: number;
  readonly physical: Physical;
  /** Bytes of a `fixed` value. */
  readonly length: number;
}
/** A node that holds other nodes. */
export interface GroupNode extends NodeBase {
  readonly kind: 'group';
  readonly children: readonly ParquetNode[];
}
export type ParquetNode = LeafNode | GroupNode;

/** A file's schema: the root's children, and all leaves in column order. */
export interface SchemaTree {
  readonly root: GroupNode;
  readonly leaves: readonly LeafNode[];
}

/** Builds the tree from the footer's flat list. Throws the file's `*_invalid` error. */
export function buildSchemaTree(elements: readonly ThriftValue[], place: FaultPlace): SchemaTree {
  if (elements.length > LIMITS.parquetSchemaElements) {
    throw parquetLimit(place, `${elements.length} schema elements`);
  }
  const builder = new TreeBuilder(elements, place);
  const root = builder.node({ path: '', definition: 0, repeat: 0 }, 0, true);
  if (root.kind !== 'group') throw parquetFault(place, 'its schema has no root group');
  builder.finish();
  return { root, leaves: builder.leaves };
}

interface Parent {
  readonly path: string;
  readonly definition: number;
  readonly repeat: number;
}

class TreeBuilder {
  readonly leaves: LeafNode[] = [];
  readonly #elements: readonly ThriftValue[];
  readonly #place: FaultPlace;
  #next = 0;

  constructor(elements: readonly ThriftValue[], place: FaultPlace) {
    this.#elements = elements;
    this.#place = place;
  }

  node(parent: Parent, depth: number, isRoot: boolean): ParquetNode {
    if (depth > LIMITS.parquetSchemaDepth) {
      throw parquetLimit(this.#place, `schema deeper than ${LIMITS.parquetSchemaDepth}`);
    }
    const element = this.#elements[this.#next++];
    if (!(element instanceof Map)) throw this.#fault('its schema ends too early');
    const base = isRoot ? rootBase(element) : this.#base(element, parent);
    const childCount = numberAt(element, 5);
    const physical = numberAt(element, 1);
    if (childCount === null || (childCount === 0 && physical !== null)) {
      return this.#leaf(base, element, physical);
    }
    if (childCount < 0 || childCount > this.#elements.length) {
      throw this.#fault(`"${base.path}" claims ${childCount} children`);
    }
    const children: ParquetNode[] = [];
    for (let i = 0; i < childCount; i++) children.push(this.node(base, depth + 1, false));
    return { kind: 'group', ...base, children };
  }

  finish(): void {
    if (this.#next !== this.#elements.length) throw this.#fault('its schema has loose elements');
  }

  #base(element: ThriftStruct, parent: Parent): NodeBase {
    const name = textAt(element, 4);
    const repetition = (['required', 'optional', 'repeated'] as const)[numberAt(element, 3) ?? 0];
    if (name === null || repetition === undefined) throw this.#fault('a schema element is broken');
    return {
      name,
      path: parent.path === '' ? name : `${parent.path}.${name}`,
      fieldId: numberAt(element, 9),
      repetition,
      definition: parent.definition + (repetition === 'required' ? 0 : 1),
      repeat: parent.repeat + (repetition === 'repeated' ? 1 : 0),
      logical: logicalOf(element),
    };
  }

  #leaf(base: NodeBase, element: ThriftStruct, physicalId: number | null): LeafNode {
    const physical = PHYSICAL[physicalId ?? -1];
    if (physical === undefined) throw this.#fault(`"${base.path}" has no known physical type`);
    const length = numberAt(element, 2) ?? 0;
    if (physical === 'fixed' && (length < 0 || length > LIMITS.parquetPageBytes)) {
      throw this.#fault(`"${base.path}" has the fixed length ${length}`);
    }
    const leaf: LeafNode = { kind: 'leaf', ...base, column: this.leaves.length, physical, length };
    this.leaves.push(leaf);
    return leaf;
  }

  #fault(what: string): Error {
    return parquetFault(this.#place, what);
  }
}

function rootBase(element: ThriftStruct): NodeBase {
  return {
    name: textAt(element, 4) ?? '',
    path: '',
    fieldId: null,
    repetition: 'required',
    definition: 0,
    repeat: 0,
    logical: { kind: 'none' },
  };
}

function logicalOf(element: ThriftStruct): ParquetLogicalType {
  const logical = structAt(element, 10);
  const scale = numberAt(element, 7) ?? 0;
  const precision = numberAt(element, 8) ?? 0;
  if (logical === null) return convertedOf(numberAt(element, 6), precision, scale);
  const [id] = logical.keys();
  const inner = id === undefined ? null : structAt(logical, id);
  if (id === undefined || inner === null) return { kind: 'none' };
  switch (id) {
    case 5:
      return {
        kind: 'decimal',
        precision: numberAt(inner, 2) ?? precision,
        scale: numberAt(inner, 1) ?? scale,
      };
    case 7:
      return { kind: 'time', unit: unitOf(inner) };
    case 8:
      return { kind: 'timestamp', unit: unitOf(inner), utc: inner.get(1) === true };
    case 10:
      return { kind: 'int', bits: numberAt(inner, 1) ?? 32, signed: inner.get(2) === true };
    default:
      return { kind: LOGICAL_BY_ID[id] ?? 'other' };
  }
}

const LOGICAL_BY_ID: Readonly<
  Record<number, 'string' | 'list' | 'map' | 'date' | 'uuid' | 'variant'>
> = {
  1: 'string',
  2: 'map',
  3: 'list',
  4: 'string',
  6: 'date',
  12: 'string',
  14: 'uuid',
  16: 'variant',
};

function unitOf(struct: ThriftStruct): TimeUnit {
  const unit = structAt(struct, 2);
  if (unit?.has(1)) return 'ms';
  return unit?.has(3) ? 'ns' : 'us';
}

function convertedOf(id: number | null, precision: number, scale: number): ParquetLogicalType {
  if (id === null) return { kind: 'none' };
  if (id >= 11 && id <= 18) {
    return { kind: 'int', bits: 8 << ((id - 11) % 4), signed: id >= 15 };
  }
  if (id === 5) return { kind: 'decimal', precision, scale };
  if (id === 7 || id === 8) return { kind: 'time', unit: id === 7 ? 'ms' : 'us' };
  if (id === 9 || id === 10) return { kind: 'timestamp', unit: id === 9 ? 'ms' : 'us', utc: true };
  return { kind: CONVERTED_BY_ID[id] ?? 'other' };
}

const CONVERTED_BY_ID: Readonly<Record<number, 'string' | 'list' | 'map' | 'date'>> = {
  0: 'string',
  1: 'map',
  2: 'map',
  3: 'list',
  4: 'string',
  6: 'date',
  19: 'string',
};
