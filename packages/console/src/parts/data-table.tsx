import type { ComponentChildren, VNode } from 'preact';

/** A column of a table. */
export interface Column<T> {
  readonly head: string;
  readonly cell: (row: T) => ComponentChildren;
  /** Figures are aligned to the right. */
  readonly isFigure?: boolean;
}

/** A table that scrolls sideways on narrow screens. `empty`: what stands in place of no rows. */
export function DataTable<T>({
  caption,
  columns,
  rows,
  keyOf,
  empty,
}: {
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  readonly empty: string | VNode;
}) {
  if (rows.length === 0) return typeof empty === 'string' ? <p class="quiet">{empty}</p> : empty;
  const classOf = ({ isFigure }: Column<T>) => (isFigure === true ? 'figure' : undefined);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it on narrow screens
    <section class="scroll" aria-label={caption} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.head} scope="col" class={classOf(column)}>
                {column.head === '' ? <span class="hidden">Action</span> : column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.head} class={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Names and values, one below the other. Absent values are left out. */
export function Facts({
  facts,
}: {
  readonly facts: readonly (readonly [name: string, value: ComponentChildren])[];
}) {
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== undefined && value !== '' && value !== null)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
