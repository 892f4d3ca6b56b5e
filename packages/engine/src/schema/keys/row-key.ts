import type { Field } from '@lakehouse-search/lake';

/** Iceberg reserves the field ids from here on for columns that no schema of a table lists. */
const RESERVED_IDS = 2_147_483_447;

/** Whether a column is the key of `key: row`: `_row_id` in format 3, else `_row`. */
export const isRowKey = ({ id }: Pick<Field, 'id'>): boolean => id >= RESERVED_IDS;
