import type { ExplainDetail, ExplainResponse, JsonObject } from '@lakehouse-search/contract';

/** The explanation of a score, or why there is none. */
export function explanationOf({ detail, why_not }: ExplainResponse): JsonObject {
  if (detail !== undefined) return detailOf(detail);
  return { value: 0, description: why_not?.message ?? 'no matching clause', details: [] };
}

const detailOf = ({ score, description, details }: ExplainDetail): JsonObject => ({
  value: score,
  description,
  details: details.map(detailOf),
});
