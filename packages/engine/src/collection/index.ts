export {
  type Changed,
  Collection,
  type CollectionHit,
  type CollectionResponse,
  type CollectionSearch,
} from './collection.ts';
export type { CollectionChange, CollectionFollow } from './collection-changes.ts';
export {
  type Column,
  type ColumnKind,
  type ColumnSpec,
  type Columns,
  type ColumnValues,
  date,
  list,
  type NewRowOf,
  optional,
  type RowOf,
  text,
} from './columns.ts';
export { type CollectionOptions, openCollection } from './open-collection.ts';
