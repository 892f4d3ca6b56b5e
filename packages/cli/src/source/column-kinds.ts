import type { Type } from '@lakehouse-search/lake';
import type { ColumnKind } from '../output/columns.ts';

/**
 * How a column of a table is printed in typed formats; what has no plain type there is text or
 * JSON.
 */
export function columnKind(type: Type): ColumnKind {
  switch (type.kind) {
    case 'boolean':
      return 'bool';
    case 'int':
      return 'int';
    case 'long':
      return 'long';
    case 'float':
    case 'double':
      return 'double';
    case 'timestamp':
    case 'timestamptz':
      return 'timestamp';
    case 'struct':
    case 'list':
    case 'map':
    case 'variant':
      return 'json';
    default:
      return 'text';
  }
}
