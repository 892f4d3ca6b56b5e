import type { Field, Type } from '@lakehouse-search/lake';
import { type KeySpec, keyColumns } from './key.ts';

/** The key columns of integers and decimals, by their places in the key. */
export function numberColumns(key: KeySpec, columns: readonly Field[]): readonly number[] {
  const typeOf = new Map(columns.map(({ name, type }) => [name, type.kind]));
  const isNumber = (name: string) => NUMBER_KINDS.includes(typeOf.get(name) ?? '');
  return keyColumns(key).flatMap((name, i) => (isNumber(name) ? [i] : []));
}

const NUMBER_KINDS: readonly string[] = ['int', 'long', 'decimal'];

/** Why a column of a type cannot be part of a key; null: it can. */
export function keyTypeFault(type: Type): string | null {
  const never = ['float', 'double', 'struct', 'list', 'map', 'variant', 'unknown'];
  return never.includes(type.kind) ? `a ${type.kind}: it cannot be part of a key` : null;
}
