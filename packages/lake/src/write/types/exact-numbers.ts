/**
 * Numbers that a column of another type would change. A cast of DuckDB rounds `1.5` to a whole
 * number, and a whole number above 2^53 to a floating-point number, without an error.
 */
import { quoteName } from '../../scan/duckdb/quoting.ts';
import type { Type } from '../../schema/type.ts';

const WHOLE: ReadonlySet<string> = new Set(['int', 'long']);

/** Whether a type is one of floating-point numbers. */
export const isFloating = ({ kind }: Type): boolean => kind === 'float' || kind === 'double';

/** Whether a cast between two plain types keeps each value or fails. Floats take any fraction. */
export function isExactCast(source: Type, target: Type): boolean {
  const scale = source.kind === 'decimal' ? source.scale : WHOLE.has(source.kind) ? 0 : null;
  if (target.kind === 'decimal') return scale !== null && scale <= target.scale;
  if (WHOLE.has(target.kind)) return WHOLE.has(source.kind);
  if (isFloating(target)) return isFloating(source) || source.kind === 'int';
  return source.kind === target.kind;
}

/** The least whole number next to one that a floating-point number cannot have. */
const LARGE: Readonly<Record<string, number>> = { float: 2 ** 24, double: 2 ** 53 };

/** SQL: whether a column that is read as this type may have lost digits of a whole number. */
export function mayBeChanged(key: string, type: Type): string | null {
  const found = largeIn(type, quoteName(key), 0);
  return found.length === 0 ? null : `coalesce(bool_or(${found.join(' OR ')}), false)`;
}

function largeIn(type: Type, value: string, level: number): readonly string[] {
  switch (type.kind) {
    case 'float':
    case 'double':
      return [`abs(${value}) >= ${LARGE[type.kind]}`];
    case 'struct':
      return type.fields.flatMap((field) =>
        largeIn(field.type, `${value}.${quoteName(field.name)}`, level),
      );
    case 'list':
      return largeInList(type.element, value, level);
    case 'map':
      return largeInList(type.value, `map_values(${value})`, level);
    default:
      return [];
  }
}

function largeInList(element: Type, list: string, level: number): readonly string[] {
  if (isFloating(element)) {
    return [
      `list_max(${list}) >= ${LARGE[element.kind]}`,
      `list_min(${list}) <= -${LARGE[element.kind]}`,
    ];
  }
  const item = `e${level}`;
  return largeIn(element, item, level + 1).map(
    (large) => `list_bool_or(list_transform(${list}, lambda ${item}: ${large}))`,
  );
}
