/** A column of a source table. */
export interface SourceColumn {
  /** Field id. */
  readonly id: number;
  readonly name: string;
  /** The type as Iceberg writes it. */
  readonly type: string;
  readonly required: boolean;
}

/** The schema of a source table and its current state. */
export interface SourceDescription {
  /** Namespace and name, or the path. */
  readonly table: string;
  readonly uuid: string;
  readonly format_version: number;
  readonly location: string;
  /** The current snapshot; null: none yet. */
  readonly snapshot: string | null;
  /** Number of snapshots. */
  readonly snapshots: number;
  /** Names of the identifier columns. */
  readonly identifier: readonly string[];
  readonly columns: readonly SourceColumn[];
  /** Absent if the catalog lets its caller read everything. */
  readonly read_restrictions?: ReadRestrictionsDescription;
}

/** What a catalog lets its caller read of the rows of a table. */
export interface ReadRestrictionsDescription {
  /** SHA-256, hexadecimal; another one with each change. */
  readonly digest: string;
  /** True if rows are hidden by a filter. */
  readonly row_filter: boolean;
  readonly masked: readonly MaskedColumn[];
}

/** A column whose values are masked. */
export interface MaskedColumn {
  readonly column: string;
  /** The action of the catalog, such as `mask-alphanum`. */
  readonly action: string;
}

/** The tables of a catalog: `namespace.table`, sorted. */
export interface TableList {
  readonly tables: readonly string[];
  /** Namespaces whose tables the catalog did not list; absent if it listed all. */
  readonly unread?: readonly UnreadNamespace[];
}

/** A namespace whose tables could not be listed. */
export interface UnreadNamespace {
  readonly namespace: string;
  readonly reason: string;
}

/** The YAML of a definition. */
export interface DefinitionText {
  readonly definition: string;
}
