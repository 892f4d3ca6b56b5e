/** Figures of buckets in a request: orders, bounds, ratios and changes. */
import { didYouMean, type JsonObject, LhsError, wrong } from '@lakehouse-search/contract';
import type {
  Aggregation,
  BucketFigure,
  BucketOrder,
  BucketStep,
  Having,
  Nested,
} from './aggregation.ts';
import { type AggregationOptions, readAggregationOptions } from './read-options.ts';

const BOUNDS = ['gt', 'gte', 'lt', 'lte'] as const;
const STATS = ['count', 'min', 'max', 'sum', 'avg'] as const;

/** Kinds that are computed of the figures of buckets. */
export const STEP_KINDS = ['ratio', 'change'] as const;
const STEP_OPTIONS = { ratio: ['of', 'to'], change: ['of', 'relative'] } as const;

/** True for the specification of a ratio or a change. */
export function isStep(spec: unknown): boolean {
  const [kind, ...others] = isObject(spec) ? Object.keys(spec) : [];
  return others.length === 0 && STEP_KINDS.some((known) => known === kind);
}

/** Reads a ratio or a change. `isInOrder`: each bucket follows another one. */
export function readStep(
  name: string,
  spec: JsonObject,
  within: string,
  nested: Nested,
  isInOrder: boolean,
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
  if (!isInOrder) {
    const message = `"${path}" needs groups that follow each other`;
    const hint = 'nest a change in histogram, date_histogram, date_part or range';
    throw new LhsError('invalid_argument', message, { hint });
  }
  const relative = options.get('relative') ?? false;
  if (typeof relative !== 'boolean') throw wrong(`${path}.relative`, relative, 'true or false');
  return { name, kind, of: figure('of'), relative };
}

/** `order: {_count | _key | FIGURE: asc | desc}`, or undefined where it is left out. */
export function readOrder(options: AggregationOptions, nested: Nested): BucketOrder | undefined {
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
export function readHaving(options: AggregationOptions, nested: Nested): readonly Having[] {
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
  if (text === '_count') return { kind: 'count' };
  const step = steps.findIndex(({ name }) => name === text);
  if (step >= 0) return { kind: 'step', at: step };
  const at = nestedNamed(text, subs);
  const nested = subs[at];
  const figure = nested === undefined ? undefined : figureIn(nested, text, at);
  if (figure !== undefined) return figure;
  const known = ['_count', ...steps.map(({ name }) => name), ...subs.flatMap(figuresOf)];
  const message = `"${path}" names the figure "${text}"${didYouMean(text, known)}`;
  throw new LhsError('invalid_argument', message, { hint: `figures: ${known.join(', ')}` });
}

/** The aggregation whose whole name, or longest one before a point, the text begins with. */
function nestedNamed(text: string, subs: readonly Aggregation[]): number {
  const fits = ({ name }: Aggregation) => text === name || text.startsWith(`${name}.`);
  const lengths = subs.map((sub) => (fits(sub) ? sub.name.length : -1));
  const longest = Math.max(-1, ...lengths);
  return longest < 0 ? -1 : lengths.indexOf(longest);
}

function figureIn(nested: Aggregation, text: string, at: number): BucketFigure | undefined {
  if (!figuresOf(nested).includes(text)) return undefined;
  const rest = text.slice(nested.name.length + 1);
  const percent = nested.kind === 'percentiles' ? Number(rest) : null;
  const only =
    nested.kind === 'stats' ? (nested.only ?? STATS.find((name) => name === rest)) : null;
  return { kind: 'nested', at, nested, part: percent ?? only ?? null };
}

/** The texts of an aggregation's figures. */
function figuresOf(nested: Aggregation): readonly string[] {
  const { name, kind } = nested;
  if (kind === 'percentiles') return nested.percents.map((percent) => `${name}.${percent}`);
  if (kind === 'stats') return nested.only === null ? STATS.map((own) => `${name}.${own}`) : [name];
  return ['cardinality', 'filter', 'missing'].includes(kind) ? [name] : [];
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
