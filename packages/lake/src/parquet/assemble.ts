/**
 * Rows put together from columns (record assembly after Melnik et al., "Dremel", VLDB 2010). A
 * reader takes exactly the entries of one value from each of its columns:
 *
 * 1. A part that is not there (definition level below its own) has one entry in each column: all
 *    are skipped.
 * 2. An item of a list is followed by another one while the next entry repeats at the list's level.
 */
import { MapValue, type StructValue, type Value, VariantValue } from '../schema/type.ts';
import { assembleVariant, type ShreddedNode, type ShreddedTyped } from '../variant/shredded.ts';
import { isPlainText } from './convert.ts';
import type { LeafCursor } from './leaf-cursor.ts';
import type { ReadPlan, RepeatedPlan, ShreddedPlan, ShreddedTypedPlan } from './read-plan.ts';
import type { LeafNode } from './schema-tree.ts';

/** The cursor of a leaf; the same one for the same leaf. */
export type CursorOf = (leaf: LeafNode) => LeafCursor;
/** Reads the value at the cursors' places and moves them past it. */
type Read<T> = () => T;

/** A reader of one column. `file` is named in errors of variants. */
export function assembler(plan: ReadPlan, cursorOf: CursorOf, file: string): Read<Value> {
  switch (plan.kind) {
    case 'constant':
      return () => plan.value;
    case 'leaf': {
      const cursor = cursorOf(plan.leaf);
      const { convert } = plan;
      if (isPlainText(convert)) return () => cursor.takeText();
      return () => {
        const value = cursor.take();
        return value === null ? null : convert(value);
      };
    }
    case 'struct': {
      const children = plan.children.map(
        ([name, child]) => [name, assembler(child, cursorOf, file)] as const,
      );
      const { drain } = plan;
      const witness = cursorOf(plan.witness);
      return whenThere(plan, plan.witness, cursorOf, () => {
        if (drain !== null) pass(witness, drain);
        return structOf(children);
      });
    }
    case 'list':
      return repeated(plan, plan, cursorOf, assembler(plan.element, cursorOf, file));
    case 'map': {
      const key = assembler(plan.key, cursorOf, file);
      const value = assembler(plan.value, cursorOf, file);
      const entries = repeated(plan, plan, cursorOf, () => [key(), value()] as const);
      return () => {
        const read = entries();
        return read === null ? null : new MapValue(read);
      };
    }
    case 'variant': {
      const metadata = cursorOf(plan.metadata);
      const shredded = shreddedReader(plan.shredded, cursorOf);
      return whenThere(plan, plan.metadata, cursorOf, () => {
        const bytes = (metadata.take() ?? NO_BYTES) as Uint8Array;
        return new VariantValue(assembleVariant(bytes, shredded(), file));
      });
    }
  }
}

/** Skips one item's entries in a column that is not read. */
function pass(cursor: LeafCursor, repeat: number): void {
  do cursor.skip();
  while (cursor.repetition() > repeat);
}

const NO_BYTES = new Uint8Array(0);

function structOf(children: readonly (readonly [string, Read<Value>])[]): StructValue {
  const struct: Record<string, Value> = {};
  for (const [name, read] of children) {
    const value = read();
    if (name !== '__proto__') struct[name] = value;
    else Object.defineProperty(struct, name, { value, enumerable: true });
  }
  return struct;
}

/** `read` if the part is there, else null with one entry of every column skipped. */
function whenThere<T>(
  plan: (ReadPlan | ShreddedTypedPlan) & { readonly definition: number },
  witness: LeafNode,
  cursorOf: CursorOf,
  read: Read<T>,
): Read<T | null> {
  const seen = cursorOf(witness);
  const cursors = [...cursorsOf(plan, cursorOf)];
  return () => {
    if (seen.definition() >= plan.definition) return read();
    for (const cursor of cursors) cursor.skip();
    return null;
  };
}

function repeated<T>(
  levels: RepeatedPlan,
  plan: ReadPlan | ShreddedTypedPlan,
  cursorOf: CursorOf,
  read: Read<T>,
): Read<readonly T[] | null> {
  const witness = cursorOf(levels.witness);
  const cursors = [...cursorsOf(plan, cursorOf)];
  return () => {
    const definition = witness.definition();
    if (definition < levels.itemDefinition) {
      for (const cursor of cursors) cursor.skip();
      return definition < levels.definition ? null : [];
    }
    const items: T[] = [];
    do items.push(read());
    while (witness.repetition() === levels.repeat);
    return items;
  };
}

function shreddedReader(plan: ShreddedPlan, cursorOf: CursorOf): Read<ShreddedNode> {
  const value = plan.value === null ? null : cursorOf(plan.value);
  const typed = plan.typed === null ? null : typedReader(plan.typed, cursorOf);
  return () => ({
    value: value === null ? null : value.takeEncoded(),
    typed: typed === null ? null : typed(),
  });
}

function typedReader(plan: ShreddedTypedPlan, cursorOf: CursorOf): Read<ShreddedTyped | null> {
  switch (plan.kind) {
    case 'scalar': {
      const cursor = cursorOf(plan.leaf);
      return () => {
        const value = cursor.take();
        return value === null ? null : { kind: 'scalar', node: plan.convert(value) };
      };
    }
    case 'array': {
      const read = repeated(plan, plan, cursorOf, shreddedReader(plan.element, cursorOf));
      return () => {
        const elements = read();
        return elements === null ? null : { kind: 'array', elements };
      };
    }
    case 'object': {
      const fields = plan.fields.map(
        ([name, field]) => [name, shreddedReader(field, cursorOf)] as const,
      );
      return whenThere(plan, plan.witness, cursorOf, () => ({
        kind: 'object',
        fields: fields.map(([name, read]) => [name, read()] as const),
      }));
    }
  }
}

/** The cursors of all columns that a plan reads, each once, the witnesses among them. */
export function cursorsOf(
  plan: ReadPlan | ShreddedTypedPlan,
  cursorOf: CursorOf,
): ReadonlySet<LeafCursor> {
  const leaves = new Set<LeafCursor>();
  collect(plan, (leaf) => leaves.add(cursorOf(leaf)));
  return leaves;
}

function collect(plan: ReadPlan | ShreddedTypedPlan, found: (leaf: LeafNode) => void): void {
  switch (plan.kind) {
    case 'constant':
      return;
    case 'leaf':
    case 'scalar':
      found(plan.leaf);
      return;
    case 'struct':
      found(plan.witness);
      for (const [, child] of plan.children) collect(child, found);
      return;
    case 'list':
      found(plan.witness);
      collect(plan.element, found);
      return;
    case 'map':
      found(plan.witness);
      collect(plan.key, found);
      collect(plan.value, found);
      return;
    case 'variant':
      found(plan.metadata);
      collectShredded(plan.shredded, found);
      return;
    case 'array':
      found(plan.witness);
      collectShredded(plan.element, found);
      return;
    case 'object':
      found(plan.witness);
      for (const [, field] of plan.fields) collectShredded(field, found);
      return;
  }
}

function collectShredded(plan: ShreddedPlan, found: (leaf: LeafNode) => void): void {
  if (plan.value !== null) found(plan.value);
  if (plan.typed !== null) collect(plan.typed, found);
}
