import type { TableLayout } from '@lakehouse-search/lake';

/** The layout of the data files that rows of an index are read from. */
export interface SourceLayout {
  /** The table's name and the snapshot; null where it has none. */
  readonly table: string;
  readonly snapshot: bigint | null;
  readonly layout: TableLayout;
}
