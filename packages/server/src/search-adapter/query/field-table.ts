import type { IndexDescription } from '@lakehouse-search/contract';

/** A field of an index, as queries of the adapter see it. */
export interface TableField {
  /** Its name in the query tree. */
  readonly name: string;
  /** The type of the definition (`TEXT`, `KEYWORD`, `DATE`, …); `PATH`: inside a variant. */
  readonly type: string;
  readonly analyzer?: string;
  /** Values are compared without case and accents. */
  readonly folded?: boolean;
  /** It has terms or a column of values that can be looked up. */
  readonly indexed: boolean;
  /** It has ranges and sorts. */
  readonly fast: boolean;
  /** Documents may have several values. */
  readonly multiValued?: boolean;
}

/** The fields of an index and what else a translation depends on. */
export interface FieldTable {
  readonly index: string;
  readonly fields: ReadonlyMap<string, TableField>;
  /** VARIANT columns whose paths are fields. */
  readonly variants: readonly string[];
  /** Columns of the key, partition first. */
  readonly key: {
    readonly partition: readonly string[];
    readonly identifier: readonly string[];
  };
  /** The fields of query strings that name none. */
  readonly defaultFields: readonly string[];
  /** What `now` means: milliseconds since 1970. */
  readonly now: number;
}

/** The table of a described index; `now` in milliseconds since 1970. */
export function fieldTable(description: IndexDescription, now: number): FieldTable {
  const fields = description.fields.map((field): TableField => {
    const { name, type, analyzer, folded, indexed, fast, multi_valued: multiValued } = field;
    const own = {
      name,
      type,
      indexed,
      fast,
      ...(folded && { folded }),
      ...(multiValued && { multiValued }),
    };
    return { ...own, ...(analyzer !== undefined && { analyzer }) };
  });
  return {
    index: description.index,
    fields: new Map(fields.map((field) => [field.name, field])),
    variants: description.variants.filter(({ flatten }) => flatten).map(({ column }) => column),
    key: description.key,
    defaultFields: description.default_fields,
    now,
  };
}

const KEYWORD_SUFFIX = '.keyword';

/** A field by its name; `f.keyword` is the field `f` if that holds exact values. */
export function findExactField(table: FieldTable, name: string): TableField | undefined {
  if (!name.endsWith(KEYWORD_SUFFIX) || table.fields.has(name)) return findTableField(table, name);
  const base = findTableField(table, name.slice(0, -KEYWORD_SUFFIX.length));
  return base?.type === 'TEXT' ? undefined : base;
}

/** A field by its name, or a path of a flattened variant; undefined: the index has no such field. */
export function findTableField(table: FieldTable, name: string): TableField | undefined {
  const field = table.fields.get(name);
  if (field !== undefined) return field;
  const column = table.variants.find((variant) => name.startsWith(`${variant}.`));
  return column === undefined ? undefined : { name, type: 'PATH', indexed: true, fast: false };
}
