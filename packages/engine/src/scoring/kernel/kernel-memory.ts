/**
 * The start of every arena, which kernels and their callers share (all numbers are byte addresses
 * or offsets; storage/arena.ts keeps the first mebibyte free). A term of a query is described by
 * 128 bytes:
 *
 *   bitmap, base, offset, payload, impact, width, group
 *                places of a dense term's parts (postings/encode-dense.ts)
 *   bounds       f64[256]: the most that the term scores, by impact code
 *   frequencies, hits
 *                decoded frequencies of a list term; posting number by survivor
 *   weight       f64: boost x idf
 *   tf, byte, bit
 *                frequency in a document; where its positions lie
 *   phrasePosition
 *                position of the term in a phrase
 *   scanBit, scanLeft
 *                where a phrase goes on reading the term's positions
 *   positions, places, positionBits
 *                of a list term: address of positions, offsets of its blocks' from there (i32 by
 *                block), first bit of each posting's in its block (i32 by posting)
 *   offsetShift, offsetMask, baseMask
 *                1, 0xffff, -1 with 16-bit offsets; 2, -1, 0 with 32-bit ones
 */
export const TERM_BYTES = 128;
export const FIELD = {
  bitmap: 0,
  base: 4,
  offset: 8,
  payload: 12,
  impact: 16,
  width: 20,
  bounds: 24,
  frequencies: 28,
  hits: 32,
  weight: 40,
  tf: 48,
  byte: 52,
  bit: 56,
  phrasePosition: 60,
  group: 64,
  offsetShift: 68,
  offsetMask: 72,
  baseMask: 76,
  scanBit: 80,
  scanLeft: 84,
  positions: 88,
  places: 92,
  positionBits: 96,
} as const;
/**
 * Byte addresses of the rest: excluded bitmaps, number of emitted documents, walking cursors of
 * phrases, widths by code. Three words at 3392 are of the kernels of bitmaps (bitmap/).
 */
export const EXCLUDED_AT = 1024;
/** What kernels for any number of terms know of each in the range at hand. */
export const DENSE_AT = 1536;
export const EMITTED_AT = 2060;
/** Documents that a kernel counted. */
export const COUNTED_AT = 2064;
export const CURSORS_AT = 2112;
export const WIDTHS_AT = 3072;
/** A word that is 0: the places of a short term. */
export const ZERO_AT = 3328;
/**
 * Emitted documents (~doc: the score is a bound), their scores; impacts f64[33][256], row 32 = 1.
 */
export const DOCS_AT = 4096;
export const SCORES_AT = 8192;
export const TABLE_AT = 65536;

/** The clock is read after so many blocks or ranges: they take up to a millisecond or two. */
export const BLOCKS_PER_LOOK = 1024;

/**
 * Memory of the query kernel (packages/engine/kernels/scoring), which runs a whole query over all
 * segments of an arena. Words of the segment at hand, then the state of the query; each term has
 * 128 bytes.
 */
const QUERY_AT = 0x40000;
export const SEGMENT = {
  index: QUERY_AT,
  entries: QUERY_AT + 4,
  small: QUERY_AT + 8,
  dictionaryBlocks: QUERY_AT + 12,
  terms: QUERY_AT + 16,
  records: QUERY_AT + 20,
  big: QUERY_AT + 24,
  ranges: QUERY_AT + 28,
  codes: QUERY_AT + 32,
  longDoc: QUERY_AT + 36,
  longLength: QUERY_AT + 40,
  longCount: QUERY_AT + 44,
  impacts: QUERY_AT + 48,
  /** 1: big terms store their best documents (postings/best-docs.ts). */
  bestDocs: QUERY_AT + 52,
} as const;
export const QUERY = {
  /** f64: what a score has to reach, average length of the query, that over the segment's. */
  theta: QUERY_AT + 256,
  averageLength: QUERY_AT + 264,
  scale: QUERY_AT + 272,
  /** Most documents, documents found so far, addresses of ranks and blocked documents (0: none). */
  limit: QUERY_AT + 280,
  size: QUERY_AT + 284,
  ranks: QUERY_AT + 288,
  blocked: QUERY_AT + 292,
  /** Terms that are in the segment, active ones, excluded lists, bitmaps that sieve. */
  terms: QUERY_AT + 296,
  active: QUERY_AT + 300,
  excluded: QUERY_AT + 304,
  bitmaps: QUERY_AT + 308,
  /** Scores are added in another order than that of rising frequency. */
  reordered: QUERY_AT + 312,
  /** Documents are offered in rising order. */
  rising: QUERY_AT + 316,
  /** The dictionary has a term that is too long for the kernel. */
  unsupported: QUERY_AT + 320,
  /** Arrays of the workspace: bounds by range, ranges, sorted ranges, marks. */
  bounds: QUERY_AT + 324,
  ranges: QUERY_AT + 328,
  sorted: QUERY_AT + 332,
  marks: QUERY_AT + 336,
  /** Documents of the first conjunction; -1 where they were not all visited. */
  joined: QUERY_AT + 340,
  /** i32 by term: length of its bytes. */
  lengths: QUERY_AT + 352,
  activeTerms: QUERY_AT + 384,
  excludedTerms: QUERY_AT + 416,
  /** i32 pairs: address of a bitmap; 1: documents of the bitmap are left out. */
  sieves: QUERY_AT + 448,
  shares: QUERY_AT + 768,
  termSlots: QUERY_AT + 1024,
  topScores: QUERY_AT + 2048,
  topDocs: QUERY_AT + 2560,
  topRanks: QUERY_AT + 2816,
  /** Sets of terms (i32), and sums of their best scores (f64). */
  sets: QUERY_AT + 4096,
  sums: QUERY_AT + 4352,
  /**
   * By term: boosts (f64), weights (f64), documents and orders (i32), number of the first equal
   * one. How many differ; documents with the field.
   */
  boosts: QUERY_AT + 4864,
  weights: QUERY_AT + 4928,
  frequencies: QUERY_AT + 4992,
  orders: QUERY_AT + 5024,
  firsts: QUERY_AT + 5056,
  distinct: QUERY_AT + 5088,
  docs: QUERY_AT + 5096,
  buckets: QUERY_AT + 5632,
  /** Blocks until the clock is read. */
  steps: QUERY_AT + 6896,
  /** Number of emitted documents. */
  emittedCount: QUERY_AT + 6900,
  /**
   * The page begins behind a document (1, else 0). f64: its score, and that widened against
   * rounding. The first length code with which the active terms can score as little.
   */
  after: QUERY_AT + 6904,
  firstCode: QUERY_AT + 6908,
  most: QUERY_AT + 6912,
  ceiling: QUERY_AT + 6920,
  /**
   * The segment at hand; of its documents with that score, those from one rank on are behind the
   * last page, those up to another rank are not.
   */
  segment: QUERY_AT + 6928,
  behind: QUERY_AT + 6932,
  notBehind: QUERY_AT + 6936,
  /** 1: blocked documents are few (deleted ones). */
  fewBlocked: QUERY_AT + 6940,
  /** A sum of what was read ahead, which nothing reads. */
  ahead: QUERY_AT + 6944,
  /**
   * 1: each document is offered to the caller (`offerFar`), who keeps the best; 1: equal scores of
   * later documents lose.
   */
  far: QUERY_AT + 6948,
  strict: QUERY_AT + 6952,
  /** Sets of length codes, 32 bytes each, by the width of frequencies: allowCodes. */
  allowed: QUERY_AT + 7168,
  /** By term: the best scores of documents that it stores, 16 (f64), and how many (i32). */
  bestScores: QUERY_AT + 0x1e00,
  bestSizes: QUERY_AT + 0x2200,
  /** Numbers of segments, the one with the best bound first. */
  segmentOrder: QUERY_AT + 0x4000,
  /** A bit for each survivor, modulo. */
  survivorMarks: QUERY_AT + 0x5000,
  survivors: QUERY_AT + 0x8000,
  places: QUERY_AT + 0x8280,
  /** Documents of a list that survivors may be, and their places in its block. */
  found: QUERY_AT + 0x8500,
  common: QUERY_AT + 0x8a00,
  unpack: QUERY_AT + 0xb000,
  /** Places of survivors that are scored (i32), and scores of the rarest term in them (f64). */
  candidates: QUERY_AT + 0xb700,
  candidateScores: QUERY_AT + 0xb980,
  /** Documents that were among the best when their segment was searched: see EMITTED. */
  emitted: QUERY_AT + 0xc000,
  /** By segment: see ENTRY. */
  segments: QUERY_AT + 0x10000,
  /** By term: its bytes, 256; its buffer; bounds by impact code. */
  text: QUERY_AT + 0x1c000,
  buffers: QUERY_AT + 0x1d000,
  termBounds: QUERY_AT + 0x21400,
} as const;
/** Terms of a query, of a union, bytes of a term, documents of a page and segments that fit. */
export const QUERY_TERMS = 8;
export const UNION_TERMS = 6;
export const QUERY_TEXT = 248;
export const QUERY_TOP = 64;
export const QUERY_SEGMENTS = 256;
/** Bytes of a segment in QUERY.segments: its words (SEGMENT), then these. */
export const ENTRY_BYTES = 192;
export const ENTRY = {
  ranks: 56,
  blocked: 60,
  /** f64: average length of the query over the segment's; the most that a document scores. */
  scale: 64,
  bound: 72,
  /** Sample of the dictionary (0: none), blocks per sample. */
  samples: 80,
  step: 84,
  /** 1: counts of single terms are cheap. */
  exact: 88,
  /** 1: the terms were looked up already. */
  known: 92,
  /** By term: documents, reference (postings/term-info.ts `termRef`). */
  found: 96,
  /** By term: documents that are not blocked; -1: not known. */
  living: 160,
} as const;
/** A document among the best: its score (f64), itself, the number of its segment in the call. */
export const EMITTED_BYTES = 16;
export const EMITTED = { score: 0, doc: 8, segment: 12 } as const;
/** Documents that a call emits at most. */
export const QUERY_EMITTED = 1024;
export const SLOT_BYTES = 128;
export const SLOT = {
  df: 0,
  ref: 4,
  weight: 8,
  max: 16,
  order: 32,
  kind: 36,
  /** Documents that are not blocked; -1: not known. */
  living: 40,
  /** List: last documents, heads, offsets of data, data, number of blocks. */
  lastDocs: 48,
  heads: 52,
  offsets: 56,
  data: 60,
  blocks: 64,
  /** Dense: see FIELD. */
  bitmap: 48,
  base: 52,
  offset: 56,
  payload: 60,
  impact: 64,
  width: 68,
  wide: 72,
  group: 76,
  /** Of the block in the buffer: its number, postings, address and bits of frequencies. */
  decoded: 80,
  postings: 84,
  frequenciesAt: 88,
  frequencyBits: 92,
  /** Where the search for the next document begins: block, place in it. */
  block: 96,
  place: 100,
  /** Address of the term's buffer. */
  buffer: 104,
  /** A number of the term that its buffer and bounds go with. */
  slot: 108,
  /** Where the best documents that the term stores end; 0: it has none. */
  best: 112,
  /** Of the documents at hand: row of the table of impacts, the most that the term scores (f64). */
  row: 116,
  most: 120,
} as const;
/** A term's buffer: documents of a block, then frequencies (short terms), then those of survivors. */
export const BUFFER_BYTES = 2112;
export const BUFFER = { docs: 0, frequencies: 640, survivors: 1280 } as const;
/** Bytes of the tables of one width (unpack-tables.ts): for each four values a shuffle and factors. */
export const UNPACK_BYTES = 64;
/** Widths to this one are unpacked four values at a time. */
export const UNPACK_WIDTHS = 25;
/**
 * Samples of dictionaries: so many, of so many bytes (numbers of 8 bytes, one behind the last).
 * They stay between queries, so nothing else may write there (vector/ ends below).
 */
export const SAMPLES_AT = 0xc0000;
export const SAMPLE_SLOTS = 64;
export const SAMPLE_BYTES = 2112;
export const SAMPLED_BLOCKS = 256;
