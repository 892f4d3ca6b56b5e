/**
 * Every limit of this package, with its unit in its name: what a hostile or broken table may cost
 * at most.
 */
export const LIMITS = Object.freeze({
  versionHintBytes: 1024,
  metadataBytes: 256 * 1024 * 1024,
  manifestBytes: 1024 * 1024 * 1024,
  avroDataBytes: 2 * 1024 * 1024 * 1024 - 1,
  avroHeaderBytes: 64 * 1024 * 1024,
  avroBlockBytes: 256 * 1024 * 1024,
  avroSchemaDepth: 128,
  /** Types of a schema with every name written out: each takes time in every row. */
  avroSchemaTypes: 200_000,
  /** Items of an array that take no bytes at all (nulls), a block. */
  avroEmptyItems: 65_536,
  /** Lists, maps and structs inside one another in a column of a table. */
  nestedLevels: 32,
  schemaFields: 50_000,
  snapshots: 1_000_000,
  manifestsPerSnapshot: 1_000_000,
  filesPerSnapshot: 20_000_000,
  pathChars: 32_768,
  decimalDigits: 38,
  catalogBodyBytes: 256 * 1024 * 1024,
  catalogPages: 10_000,
  catalogTimeoutMs: 30_000,
  catalogRetries: 3,
  catalogTables: 1_000_000,
  /** Requests to an object store: at a time, attempts of each, and how long these may take. */
  storeRequests: 24,
  storeAttempts: 7,
  storeConnectMs: 10_000,
  storeAttemptMs: 60_000,
  storeWholeMs: 300_000,
  /** Parts in which objects are sent and fetched, and how many of one object at a time. */
  storePartBytes: 8 * 1024 * 1024,
  storePartsAtOnce: 6,
  /** Blocks of objects that are kept for reads by range, in all and each. */
  objectBlocksBytes: 64 * 1024 * 1024,
  objectBlockBytes: 64 * 1024,
  /** Bytes of a file on an object store that are requested before they are read. */
  readAheadBytes: 32 * 1024 * 1024,
  /** Local copies of data files, unless LHS_OBJECT_CACHE_BYTES is set. */
  objectCacheBytes: 8 * 1024 * 1024 * 1024,
  /** Row ordinals in one data file are 32-bit signed integers here. */
  rowsPerFile: 2_147_483_647,
  /** Different keys of the equality delete files of one data file, and their texts. */
  equalityKeys: 16_000_000,
  equalityKeyBytes: 1024 * 1024 * 1024,
  /** Deleted positions of one data file, once expanded (4 bytes each). */
  deletedPositionsPerFile: 134_217_728,
  vectorBytes: 512 * 1024 * 1024,
  variantDepth: 500,
  variantBytes: 128 * 1024 * 1024,
  variantDictionaryEntries: 1_000_000,
  parquetFooterBytes: 256 * 1024 * 1024,
  parquetSchemaElements: 65_536,
  /** A list or map takes two levels of a file's schema, a shredded variant up to four. */
  parquetSchemaDepth: 128,
  parquetPageHeaderBytes: 8 * 1024 * 1024,
  parquetPageBytes: 256 * 1024 * 1024,
  parquetPagesPerChunk: 4_000_000,
  parquetValuesPerPage: 16 * 1024 * 1024,
  thriftDepth: 32,
  /** Values of a batch, unless it is a single row. */
  batchBytes: 64 * 1024 * 1024,
  /** Size of a chunk of rows that DuckDB may read; DuckDB holds several at a time. */
  duckdbChunkBytes: 128 * 1024 * 1024,
  /** Values of a row of a data or delete file. */
  rowBytes: 256 * 1024 * 1024,
  /** Values of the rows that one look-up returns. */
  lookupBytes: 512 * 1024 * 1024,
  /** Decoded pages that the columns of one read hold at the same time. */
  loadedPagesBytes: 1024 * 1024 * 1024,
  pageCacheBytes: 256 * 1024 * 1024,
  rowCacheBytes: 32 * 1024 * 1024,
  openDataFiles: 64,
  /** Memory of the DuckDB of one scan. */
  scanMemoryBytes: 2 * 1024 * 1024 * 1024,
  /** Memory of the DuckDB that parses a condition. */
  conditionMemoryBytes: 256 * 1024 * 1024,
  /** Memory of the DuckDB that evaluates a condition over one batch. */
  filterMemoryBytes: 1024 * 1024 * 1024,
  /** Memory of the DuckDB that writes data files. */
  writerMemoryBytes: 768 * 1024 * 1024,
  /** What a DuckDB that only reads may spill to the temporary folder. */
  readSpillBytes: 4 * 1024 * 1024 * 1024,
  /** What a DuckDB that writes may spill beside the data files. */
  writerSpillBytes: 256 * 1024 * 1024 * 1024,
  /** Partition files that a write keeps open at once. */
  openPartitionFiles: 128,
  /** Rows that a write collects before it distributes them to partition files. */
  bufferedPartitionRows: 262_144,
  partitionsPerWrite: 20_000,
  /** Input bytes (of Parquet) that go into one data file. */
  dataFileBytes: 512 * 1024 * 1024,
  /**
   * One text or binary value of an import: together with the values before it in its page, it must
   * stay below `parquetPageBytes`.
   */
  importValueBytes: 128 * 1024 * 1024,
  /**
   * Lists and maps inside one another: DuckDB's Parquet reader takes twice as long for each level.
   */
  importListDepth: 20,
  /** Values of a row inside of objects that become struct fields of a new table; others are JSON. */
  importLeaves: 1000,
  /** Different keys inside of objects of JSON for which DuckDB looks for types. */
  importKeys: 20_000,
  /** Keys of an input that are compared in this process; more are compared by DuckDB, on disk. */
  keysInMemory: 250_000,
});
