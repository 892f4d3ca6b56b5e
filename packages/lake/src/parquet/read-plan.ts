/**
 * How the columns of an Iceberg schema come out of a file's schema (format/spec.md, "Column
 * Projection"):
 *
 * 1. A file column is found by its field id; if it has none, by the name mapping; at the
 *    caller's wish, by name.
 * 2. A column that the file lacks has its initial default, or null; a required one without a
 *    default is an error.
 * 3. Inside structs the same rules hold for each child; list elements, map keys and values follow
 *    their container.
 * 4. Lists have three levels, or two in older files (parquet-format LogicalTypes.md,
 *    "Backward-compatibility rules").
 */
import { withoutFieldIds } from '../base/without-field-ids.ts';
import { mappedField, type NameMapping } from '../schema/name-mapping.ts';
import type { Field, ListType, MapType, Type, Value, VariantNode } from '../schema/type.ts';
import { type Convert, converter, variantConverter } from './convert.ts';
import type { PhysicalValue } from './encodings/page-values.ts';
import { type FaultPlace, parquetFault } from './fault.ts';
import type { GroupNode, LeafNode, ParquetNode, SchemaTree } from './schema-tree.ts';

/**
 * What is read for one column, or for a part of one. `definition` is the level at which the part is
 * there.
 */
export type ReadPlan =
  | { readonly kind: 'constant'; readonly value: Value }
  | { readonly kind: 'leaf'; readonly leaf: LeafNode; readonly convert: Convert }
  | {
      readonly kind: 'struct';
      readonly definition: number;
      /** A leaf below the struct, whose levels tell whether the struct is there. */
      readonly witness: LeafNode;
      /**
       * Set if no child reads the witness: its entries up to this repetition level are passed.
       */
      readonly drain: number | null;
      readonly children: readonly (readonly [name: string, plan: ReadPlan])[];
    }
  | ({ readonly kind: 'list'; readonly element: ReadPlan } & RepeatedPlan)
  | ({ readonly kind: 'map'; readonly key: ReadPlan; readonly value: ReadPlan } & RepeatedPlan)
  | {
      readonly kind: 'variant';
      readonly definition: number;
      readonly metadata: LeafNode;
      readonly shredded: ShreddedPlan;
    };

/**
 * Levels of a repeated group: of its container, of one of its items, and the repetition of items.
 */
export interface RepeatedPlan {
  readonly definition: number;
  readonly itemDefinition: number;
  readonly repeat: number;
  readonly witness: LeafNode;
}

/** A `value` / `typed_value` pair of a shredded variant; either may be absent. */
export interface ShreddedPlan {
  readonly value: LeafNode | null;
  readonly typed: ShreddedTypedPlan | null;
}
export type ShreddedTypedPlan =
  | {
      readonly kind: 'scalar';
      readonly leaf: LeafNode;
      readonly convert: (value: PhysicalValue) => VariantNode;
    }
  | ({ readonly kind: 'array'; readonly element: ShreddedPlan } & RepeatedPlan)
  | {
      readonly kind: 'object';
      readonly definition: number;
      readonly witness: LeafNode;
      readonly fields: readonly (readonly [name: string, plan: ShreddedPlan])[];
    };

/** How columns are found in the file. */
export type ColumnLookup =
  | { readonly by: 'id'; readonly nameMapping: NameMapping | null }
  | { readonly by: 'name' };

/** Plans `fields`, one plan each. Throws the file's `*_invalid` error. */
export function planColumns(
  schema: SchemaTree,
  fields: readonly Field[],
  lookup: ColumnLookup,
  place: FaultPlace,
): readonly ReadPlan[] {
  const mapping = lookup.by === 'id' ? lookup.nameMapping : null;
  if (lookup.by === 'id' && mapping === null && fields.length > 0 && !someId(schema.root)) {
    throw withoutFieldIds('parquet', place.path);
  }
  const planner = new Planner(lookup.by === 'name' ? 'name' : 'id', place);
  return fields.map((field) => planner.field(schema.root, field, mapping));
}

/** Whether the file has a top-level column for `fieldId`. */
export function hasColumn(
  schema: SchemaTree,
  fieldId: number,
  nameMapping: NameMapping | null,
): boolean {
  return schema.root.children.some((node) => idOf(node, nameMapping) === fieldId);
}

function someId(node: ParquetNode): boolean {
  return node.fieldId !== null || (node.kind === 'group' && node.children.some(someId));
}

function idOf(node: ParquetNode, mapping: NameMapping | null): number | null {
  if (node.fieldId !== null || mapping === null) return node.fieldId;
  return mappedField(mapping, node.name)?.fieldId ?? null;
}

function below(mapping: NameMapping | null, name: string): NameMapping | null {
  return mapping === null ? null : (mappedField(mapping, name)?.fields ?? []);
}

class Planner {
  readonly #by: 'id' | 'name';
  readonly #place: FaultPlace;

  constructor(by: 'id' | 'name', place: FaultPlace) {
    this.#by = by;
    this.#place = place;
  }

  /** The plan of a field that, if the file has it, is a child of `group`. */
  field(group: GroupNode, field: Field, mapping: NameMapping | null): ReadPlan {
    const node = group.children.find((child) =>
      this.#by === 'name' ? child.name === field.name : idOf(child, mapping) === field.id,
    );
    if (node !== undefined && field.type.kind !== 'unknown') {
      return this.node(node, field.type, below(mapping, node.name));
    }
    if (field.initialDefault !== undefined)
      return { kind: 'constant', value: field.initialDefault };
    if (!field.required || field.type.kind === 'unknown') return { kind: 'constant', value: null };
    throw this.fault(`it lacks the required column "${field.name}" (field id ${field.id})`);
  }

  node(node: ParquetNode, type: Type, mapping: NameMapping | null): ReadPlan {
    if (node.repetition === 'repeated' && type.kind !== 'list') {
      throw this.fault(`"${node.path}" is repeated, expected "${type.kind}"`);
    }
    return this.#present(node, type, mapping);
  }

  /** As `node`, inside a repeated group: the result is one item. */
  #present(node: ParquetNode, type: Type, mapping: NameMapping | null): ReadPlan {
    switch (type.kind) {
      case 'struct': {
        const group = this.#group(node, 'struct');
        const children = type.fields.map(
          (field) => [field.name, this.field(group, field, mapping)] as const,
        );
        const used = children.map(([, child]) => leafOf(child)).find((leaf) => leaf !== null);
        const witness = used ?? this.#witness(group);
        const drain = used === undefined ? group.repeat : null;
        return { kind: 'struct', definition: group.definition, witness, drain, children };
      }
      case 'list':
        return this.#list(node, type, mapping);
      case 'map':
        return this.#map(node, type, mapping);
      case 'variant':
        return this.#variant(this.#group(node, 'variant'));
      default:
        if (node.kind !== 'leaf') throw this.fault(`"${node.path}" is a group, not ${type.kind}`);
        return { kind: 'leaf', leaf: node, convert: converter(node, type, this.#place) };
    }
  }

  #list(node: ParquetNode, type: ListType, mapping: NameMapping | null): ReadPlan {
    const repeated = this.#repeatedOf(node);
    const element = elementOf(node, repeated);
    const inner = below(mapping, 'element');
    const plan =
      element === repeated
        ? this.#present(element, type.element, inner)
        : this.node(element, type.element, inner);
    return { kind: 'list', ...this.#levels(node, repeated, leafOf(plan)), element: plan };
  }

  #map(node: ParquetNode, type: MapType, mapping: NameMapping | null): ReadPlan {
    const repeated = this.#repeatedOf(node);
    const entry = this.#group(repeated, 'map entry');
    if (entry.children.length !== 2) {
      throw this.fault(`map "${node.path}" has ${entry.children.length} columns, expected 2`);
    }
    const key = this.node(entry.children[0], type.key, below(mapping, 'key'));
    const value = this.node(entry.children[1], type.value, below(mapping, 'value'));
    return { kind: 'map', ...this.#levels(node, repeated, leafOf(key)), key, value };
  }

  #variant(group: GroupNode): ReadPlan {
    const metadata = child(group, 'metadata');
    if (metadata?.kind !== 'leaf' || metadata.physical !== 'byte_array') {
      throw this.fault(`variant "${group.path}" has no column "metadata"`);
    }
    const { definition } = group;
    return { kind: 'variant', definition, metadata, shredded: this.#shredded(group) };
  }

  #shredded(group: GroupNode): ShreddedPlan {
    const value = child(group, 'value') ?? null;
    const typed = child(group, 'typed_value') ?? null;
    if (value !== null && (value.kind !== 'leaf' || value.physical !== 'byte_array')) {
      throw this.fault(`variant column "${value.path}" is not binary`);
    }
    if (value === null && typed === null) {
      throw this.fault(`variant "${group.path}" has neither "value" nor "typed_value"`);
    }
    return { value, typed: typed === null ? null : this.#typed(typed) };
  }

  #typed(node: ParquetNode): ShreddedTypedPlan {
    if (node.kind === 'leaf') {
      return { kind: 'scalar', leaf: node, convert: variantConverter(node, this.#place) };
    }
    if (node.logical.kind === 'list') {
      const repeated = this.#repeatedOf(node);
      const element = this.#group(elementOf(node, repeated), 'shredded element');
      const levels = this.#levels(node, repeated, this.#witness(element));
      return { kind: 'array', ...levels, element: this.#shredded(element) };
    }
    const fields = node.children.map(
      (field) => [field.name, this.#shredded(this.#group(field, 'shredded field'))] as const,
    );
    const { definition } = node;
    return { kind: 'object', definition, witness: this.#witness(node), fields };
  }

  #levels(node: ParquetNode, repeated: ParquetNode, witness: LeafNode | null): RepeatedPlan {
    if (witness === null) throw this.fault(`"${node.path}" has items that cannot be read`);
    return {
      definition: node === repeated ? repeated.definition - 1 : node.definition,
      itemDefinition: repeated.definition,
      repeat: repeated.repeat,
      witness,
    };
  }

  /**
   * The repeated node of a list or map: its only child, or, without a container around it, the node
   * itself.
   */
  #repeatedOf(node: ParquetNode): ParquetNode {
    if (node.repetition === 'repeated') return node;
    const group = this.#group(node, 'list or map');
    const [repeated] = group.children;
    if (group.children.length !== 1 || repeated.repetition !== 'repeated') {
      throw this.fault(`list or map "${node.path}" has no repeated column inside`);
    }
    return repeated;
  }

  #witness(group: GroupNode): LeafNode {
    let node: ParquetNode | undefined = group;
    while (node?.kind === 'group') node = node.children[0];
    if (node === undefined) throw this.fault(`group "${group.path}" has no columns`);
    return node;
  }

  #group(node: ParquetNode, what: string): GroupNode {
    if (node.kind === 'group') return node;
    throw this.fault(`"${node.path}" is ${node.physical}, expected a group (${what})`);
  }

  fault(what: string): Error {
    return parquetFault(this.#place, what);
  }
}

/** A leaf that the plan reads, or null for a constant. */
function leafOf(plan: ReadPlan): LeafNode | null {
  switch (plan.kind) {
    case 'constant':
      return null;
    case 'leaf':
      return plan.leaf;
    case 'variant':
      return plan.metadata;
    default:
      return plan.witness;
  }
}

function child(group: GroupNode, name: string): ParquetNode | undefined {
  return group.children.find((node) => node.name === name);
}

function elementOf(list: ParquetNode, repeated: ParquetNode): ParquetNode {
  if (list === repeated || repeated.kind === 'leaf') return repeated;
  if (repeated.children.length !== 1) return repeated;
  const [only] = repeated.children;
  const isItem =
    only.repetition === 'repeated' ||
    repeated.name === 'array' ||
    repeated.name === `${list.name}_tuple`;
  return isItem ? repeated : only;
}
