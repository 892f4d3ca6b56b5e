/** `significant_terms`: scores `jlh` and `chi_square`, a background of all documents or a filter. */
import type { AggBucket, AggResults, JsonObject } from '@lakehouse-search/contract';
import { flagIn, objectIn, onlyKnown, wholeIn } from '../base/read-json.ts';
import { illegal, unserved } from '../query/refusal.ts';
import { type AggTranslator, aggField, bucketOf, refuseOptions, withSubs } from './agg-part.ts';
import { treeOf } from './several-indexes.ts';
import { keyHead } from './terms-aggregation.ts';

const OPTIONS = ['field', 'size', 'min_doc_count', 'background_filter', 'jlh', 'chi_square'];
/** Options without an effect: counts are exact. */
const IGNORED = ['shard_size', 'shard_min_doc_count', 'execution_hint'];
const UNSERVED = [
  ...['mutual_information', 'gnd', 'percentage', 'p_value', 'script_heuristic'],
  ...['include', 'exclude'],
];

/** Translates `significant_terms`. */
export const significantTerms: AggTranslator = ({ name, body: json, subs, index }, kind) => {
  const body = objectIn(json, kind);
  refuseOptions(body, kind, UNSERVED);
  onlyKnown(body, kind, [...OPTIONS, ...IGNORED]);
  if (index.isSeveral === true) throw unserved(`[${kind}] over several indexes is not served`);
  const field = aggField(body.field, kind, index);
  if (field.type === 'DOUBLE') throw illegal(`[${kind}] does not support floating point fields`);
  const filter = body.background_filter;
  const spec: JsonObject = {
    field: field.name,
    size: wholeIn(body.size ?? 10, 'size'),
    min_doc_count: wholeIn(body.min_doc_count ?? 3, 'min_doc_count'),
    ...(filter === undefined ? {} : { background_filter: treeOf(filter, index) }),
    ...(body.chi_square === undefined ? {} : { chi_square: chiSquareOf(body.chi_square) }),
  };
  return {
    type: field.type === 'KEYWORD' || field.type === 'IP' ? 'sigsterms' : 'siglterms',
    specs: { [name]: withSubs({ significant_terms: spec }, subs) },
    finish(results: AggResults) {
      const { buckets, doc_count, bg_count } = results[name] as Significant;
      const shown = buckets.map((bucket) => {
        const { score = 0, bg_count: all = 0 } = bucket;
        const head = { ...keyHead(bucket, field, undefined), score, bg_count: all };
        return bucketOf(head, bucket, subs);
      });
      return { doc_count, bg_count, buckets: shown };
    },
  };
};

interface Significant {
  readonly doc_count: number;
  readonly bg_count: number;
  readonly buckets: readonly AggBucket[];
}

function chiSquareOf(json: JsonObject[string]): JsonObject {
  const options = objectIn(json, 'chi_square');
  const names = ['include_negatives', 'background_is_superset'];
  onlyKnown(options, 'chi_square', names);
  return Object.fromEntries(Object.entries(options).map(([n, value]) => [n, flagIn(value, n)]));
}
