/**
 * Aggregations as they come over the wire, bound to the fields of an index: every option is checked
 * by name, type and range; nothing is ignored. A specification is `{kind: {options}, aggs?}`; the
 * kinds of the interface are accepted in capitals too (`Terms`, `DateHistogram`).
 */
import { type Json, type JsonObject, LhsError, type QueryTree } from '@lakehouse-search/contract';
import { didYouMean } from '@lakehouse-search/contract/internal';
import { LIMITS } from '../../base/limits.ts';
import type { Clause } from '../../query/bind/clause.ts';
import type { QueryFields } from '../../query/bind/fields.ts';
import type {
  Aggregation,
  AggregationKind,
  BucketStep,
  KindRequest,
  Nested,
} from '../aggregation.ts';
import { AGGREGATION_KINDS } from '../kinds/kinds.ts';
import { aggregationField } from './aggregation-field.ts';
import { isStep, readStep, STEP_KINDS } from './read-figures.ts';
import { objectAt, readAggregationOptions } from './read-options.ts';

/** What reading needs of an index. */
export interface AggregationScope {
  readonly fields: QueryFields;
  /** Binds a filter: a query string or a tree. */
  readonly bindFilter: (filter: string | QueryTree) => Clause;
}

type Kind = keyof typeof AGGREGATION_KINDS;
const KINDS: readonly string[] = [...Object.keys(AGGREGATION_KINDS), ...STEP_KINDS];

/** Reads `{name: specification}`. Throws invalid_argument, limit_exceeded, invalid_query. */
export function readAggregations(aggs: unknown, scope: AggregationScope): readonly Aggregation[] {
  const counted = { nodes: 0 };
  return readNamed(objectAt(aggs, 'aggs'), 'aggs', 1, scope, counted);
}

function readNamed(
  aggs: JsonObject,
  path: string,
  depth: number,
  scope: AggregationScope,
  counted: { nodes: number },
): readonly Aggregation[] {
  const entries = Object.entries(aggs);
  if (depth > LIMITS.aggDepth && entries.length > 0) {
    const message = `"${path}" is nested deeper than ${LIMITS.aggDepth} levels (aggDepth)`;
    throw new LhsError('limit_exceeded', message);
  }
  return entries.map(([name, spec]) => {
    countNode(counted);
    if (name === '') throw new LhsError('invalid_argument', `"${path}" has an empty name`);
    return readOne(name, objectAt(spec, `${path}.${name}`), path, depth, scope, counted);
  });
}

function countNode(counted: { nodes: number }): void {
  if (++counted.nodes <= LIMITS.aggNodes) return;
  const message = `more than ${LIMITS.aggNodes} aggregations in one request (aggNodes)`;
  throw new LhsError('limit_exceeded', message);
}

function readOne(
  name: string,
  spec: JsonObject,
  within: string,
  depth: number,
  scope: AggregationScope,
  counted: { nodes: number },
): Aggregation {
  const path = `${within}.${name}`;
  const tags = Object.keys(spec).filter((key) => key !== 'aggs');
  if (tags.length !== 1) {
    const shown = tags.length === 0 ? 'no kind' : `kinds ${tags.map((t) => `"${t}"`).join(', ')}`;
    const message = `"${path}" has ${shown}: expected one of ${KINDS.join(', ')}`;
    throw new LhsError('invalid_argument', message);
  }
  const [kind, body] = [kindOf(tags[0], path), spec[tags[0]]];
  const { buckets, read } = AGGREGATION_KINDS[kind];
  const nested = readNested(name, spec, buckets === 'line', path, depth, scope, counted);
  const aggregation = read(kindRequest(nested, kind, body, `${path}.${tags[0]}`, scope));
  if (nested.subs.length + nested.steps.length === 0 || buckets !== 'none') return aggregation;
  const message = `"${path}" (${kind}) makes no buckets: "aggs" cannot stand in it`;
  const hint = `nest in ${kindsWith('line', 'some')}`;
  throw new LhsError('invalid_argument', message, { hint });
}

/** Names of the kinds with these buckets, as words. */
function kindsWith(...buckets: readonly AggregationKind['buckets'][]): string {
  const kinds = Object.entries(AGGREGATION_KINDS).filter(([, own]) =>
    buckets.includes(own.buckets),
  );
  const names = kinds.map(([name]) => name);
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

/** The entries of `aggs` beside a kind: nested aggregations, then figures computed from them. */
function readNested(
  name: string,
  { aggs }: JsonObject,
  isInOrder: boolean,
  within: string,
  depth: number,
  scope: AggregationScope,
  counted: { nodes: number },
): Nested {
  if (aggs === undefined) return { name, subs: [], steps: [] };
  const path = `${within}.aggs`;
  const entries = Object.entries(objectAt(aggs, path));
  const own = entries.filter(([, spec]) => !isStep(spec));
  const subs = readNamed(Object.fromEntries(own), path, depth + 1, scope, counted);
  const steps: BucketStep[] = [];
  const nested = { name, subs, steps };
  for (const [step, spec] of entries) {
    if (!isStep(spec)) continue;
    countNode(counted);
    const read = readStep(step, spec as JsonObject, path, nested);
    if (read.kind === 'change' && !isInOrder) {
      const message = `"${path}.${step}.change" needs groups that follow each other`;
      const hint = `nest a change in ${kindsWith('line')}`;
      throw new LhsError('invalid_argument', message, { hint });
    }
    steps.push(read);
  }
  return nested;
}

/** `DateHistogram` and `date_histogram` are one kind. */
function kindOf(tag: string, path: string): Kind {
  const lower = tag.replace(/[A-Z]/g, (c, at) => (at === 0 ? '' : '_') + c.toLowerCase());
  if (Object.hasOwn(AGGREGATION_KINDS, lower)) return lower as Kind;
  if (KINDS.includes(lower)) {
    const message = `"${path}.${tag}" is computed of the figures of groups`;
    const hint = 'write it alone, in the "aggs" of a kind of groups such as terms';
    throw new LhsError('invalid_argument', message, { hint });
  }
  const message = `"${path}" has unknown kind "${tag}"${didYouMean(lower, KINDS)}`;
  throw new LhsError('invalid_argument', message, { hint: `kinds: ${KINDS.join(', ')}` });
}

function kindRequest(
  nested: Nested,
  kind: Kind,
  body: Json,
  path: string,
  { fields, bindFilter }: AggregationScope,
): KindRequest {
  return {
    nested,
    body,
    path,
    options: (known) => readAggregationOptions(body, path, known),
    field: (options, types) =>
      aggregationField(options.text('field'), kind, options.path, fields, types),
    bindFilter,
  };
}
