/** Fields that hold fractions; all other numbers are whole. */
const FRACTIONS = new Set([
  'average_length',
  'avg',
  'boost',
  'build_ms',
  'eta_ms',
  'grade',
  'hydration_ms',
  'idf',
  'index_ms',
  'mean_us',
  'median_us',
  'min_score',
  'moved',
  'overlap',
  'p50_us',
  'p90_us',
  'p99_us',
  'query_vector',
  'score',
  'search_us',
  'seconds',
  'similarity',
  'tf',
  'took_ms',
  'total_ms',
  'every_ms',
  'in_ms',
  'lag_checked_ms',
]);
/** Messages whose numbers all are fractions. */
const FRACTIONAL = new Set(['ArmWeights', 'RehearsalNdcg', 'RehearsedQueryNdcg']);

/** Whether a number is whole: int64 on the wire, else double. */
export const isWhole = (message: string, field: string): boolean =>
  !FRACTIONAL.has(message) && !FRACTIONS.has(field);
