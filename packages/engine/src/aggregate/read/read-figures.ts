/** Figures of buckets in a request: orders, bounds, ratios and changes. */

import { type JsonObject, LhsError } from '@lakehouse-search/contract';
import { didYouMean, wrong } from '@lakehouse-search/contract/internal';
import { LIMITS } from '../../base/limits.ts';
import type {
  BucketFigure,
  BucketOrder,
  BucketStep,
  Having,
  Nested,
  SelectedBuckets,
} from '../aggregation.ts';
import { COUNT } from '../bucket-figure.ts';
import { type AggregationOptions, isObject, readAggregationOptions } from './read-options.ts';

const BOUNDS = ['gt', 'gte', 'lt', 'lte'] as const;

/** Kinds that are computed of the figures of buckets. */
export const STEP_KINDS = ['ratio', 'change'] as const;
const STEP_OPTIONS = { ratio: ['of', 'to'], change: ['of', 'relative'] } as const;

/** True for the specification of a ratio or a change. */
export function isStep(spec: unknown): boolean {
  const [kind, ...others] = isObject(spec) ? Object.keys(spec) : [];
  return others.length === 0 && STEP_KINDS.some((known) => known === kind);
}

/** Reads a ratio or a change. */
export function readStep(
  name: string,
  spec: JsonObject,
  within: string,
  nested: Nested,
): BucketStep {
  const kind = 'ratio' in spec ? 'ratio' : 'change';
  const options = readAggregationOptions(
    spec[kind],
    `${within}.${name}.${kind}`,
    STEP_OPTIONS[kind],
  );
  const { path } = options;
  const figure = (option: string) => readFigure(options.text(option), `${path}.${option}`, nested);
  if (kind === 'ratio') return { name, kind, of: figure('of'), to: figure('to') };
  const relative = options.get('relative') ?? false;
  if (typeof relative !== 'boolean') throw wrong(`${path}.relative`, relative, 'true or false');
  return { name, kind, of: figure('of'), relative };
}

/** Options that select buckets. */
export const SELECTION = ['size', 'order', 'having'];

/** Reads which buckets are shown. `order`, `size`: unless the request says otherwise. */
export function readSelection(
  options: AggregationOptions,
  nested: Nested,
  order: BucketOrder,
  size: number,
): SelectedBuckets {
  return {
    size: options.whole('size', 1, LIMITS.aggBuckets) ?? size,
    order: readOrder(options, nested) ?? order,
    having: readHaving(options, nested),
  };
}

/** `order: {_count | _key | FIGURE: asc | desc}`, or undefined where it is left out. */
function readOrder(options: AggregationOptions, nested: Nested): BucketOrder | undefined {
  const input = options.get('order');
  if (input === undefined) return undefined;
  const path = `${options.path}.order`;
  const entries = isObject(input) ? Object.entries(input) : [];
  const [by = '', direction] = entries[0] ?? [];
  if (entries.length !== 1 || (direction !== 'asc' && direction !== 'desc')) {
    throw wrong(path, input, '{"_count", "_key" or a figure: "asc" or "desc"}');
  }
  const desc = direction === 'desc';
  if (by === '_key') return { by: 'key', desc };
  if (by === '_count') return { by: 'count', desc };
  return { by: 'figure', figure: readFigure(by, path, nested), desc };
}

/** `having: {FIGURE: {gt | gte | lt | lte: number}}`. */
function readHaving(options: AggregationOptions, nested: Nested): readonly Having[] {
  const input = options.get('having') ?? {};
  const path = `${options.path}.having`;
  if (!isObject(input)) throw wrong(path, input, 'an object of figures');
  return Object.entries(input).map(([name, value]) => {
    const own = `${path}.${name}`;
    const limits = readAggregationOptions(value, own, BOUNDS);
    const bounds = BOUNDS.flatMap((bound) => {
      const limit = limits.get(bound);
      if (limit === undefined) return [];
      if (typeof limit === 'number') return [[bound, limit] as const];
      throw wrong(`${own}.${bound}`, limit, 'a number');
    });
    if (bounds.length === 0) throw wrong(own, value, `an object with ${BOUNDS.join(', ')}`);
    return { figure: readFigure(name, path, nested), bounds };
  });
}

/** `_count`, the name of a nested aggregation, or that and a figure of it: `price.avg`. */
function readFigure(text: string, path: string, { subs, steps }: Nested): BucketFigure {
  if (text === '_count') return COUNT;
  const step = steps.findIndex(({ name }) => name === text);
  if (step >= 0) return (bucket) => bucket.steps[step];
  const figures = subs.flatMap(({ name, figures }, at) =>
    figures.map((figure) => ({ name, at, figure })),
  );
  const fits = figures.filter(({ figure }) => figure.text === text);
  const [found] = fits.sort((a, b) => b.name.length - a.name.length);
  if (found !== undefined) return ({ bucket }) => found.figure.value(bucket.subs[found.at]);
  const texts = figures.map(({ figure }) => figure.text);
  const known = ['_count', ...steps.map(({ name }) => name), ...texts];
  const message = `"${path}" names the figure "${text}"${didYouMean(text, known)}`;
  throw new LhsError('invalid_argument', message, { hint: `figures: ${known.join(', ')}` });
}
