import type { Field } from '@lakehouse-search/lake';
import type { FieldSource, MappedField, Mapping } from '../schema/mapping.ts';

/** What is read of each row. */
export interface Wanted {
  /** Names of fields. */
  readonly fields: ReadonlySet<string>;
  /** Iceberg field ids of columns that are read besides those of the fields. */
  readonly columns: ReadonlySet<number>;
  /** Also the key. */
  readonly key: boolean;
}

/**
 * The mapping with some of its fields alone, over the columns that they need: what converts batches
 * of these columns. Without the key it encodes none.
 */
export function reducedMapping(mapping: Mapping, { fields, columns, key }: Wanted): Mapping {
  const chosen = mapping.fields.filter(({ plan }) => fields.has(plan.name));
  const used = new Set(chosen.flatMap(({ source }) => columnsOf(source)));
  const keyColumns = key ? mapping.keyColumns : 0;
  const numbers = new Map<number, number>();
  const own: Field[] = [];
  mapping.columns.forEach((column, number) => {
    if (number >= keyColumns && !used.has(number) && !columns.has(column.id)) return;
    numbers.set(number, own.push(column) - 1);
  });
  return Object.freeze({
    ...mapping,
    columns: own,
    key: key ? mapping.key : { partition: [], identifier: [] },
    keyColumns,
    fields: chosen.map((field): MappedField => {
      return { ...field, source: renumbered(field.source, (column) => numbers.get(column)!) };
    }),
  });
}

/** Numbers of the columns that a field reads. */
export function columnsOf(source: FieldSource): readonly number[] {
  if (source.kind === 'columns') return source.columns;
  if (source.kind === 'originals') return columnsOf(source.of);
  const selector = source.kind === 'variant_leaf' ? (source.when?.column ?? null) : null;
  return selector === null ? [source.column] : [source.column, selector];
}

function renumbered<Source extends FieldSource>(
  source: Source,
  numberOf: (column: number) => number,
): Source {
  if (source.kind === 'columns') return { ...source, columns: source.columns.map(numberOf) };
  if (source.kind === 'originals') return { ...source, of: renumbered(source.of, numberOf) };
  const column = numberOf(source.column);
  if (source.kind !== 'variant_leaf' || source.when === null) return { ...source, column };
  const own = source.when.column;
  return {
    ...source,
    column,
    when: { ...source.when, column: own === null ? null : numberOf(own) },
  };
}
