/** The formats of rows: one row per line or per record, without a head. */
export const ROW_FORMATS = ['ndjson', 'csv', 'arrow', 'arrows', 'parquet'] as const;
export type RowFormat = (typeof ROW_FORMATS)[number];
