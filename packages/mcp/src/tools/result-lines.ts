import type { AggResult, AggResults, AggSpec, AggSpecs, Json } from '@lakehouse-search/contract';
import { shown } from '../base/data-text.ts';

type Figure = readonly [string, Json];

/** An aggregation with groups. */
interface Table {
  readonly name: string;
  readonly groups: Extract<AggResult, { readonly buckets: unknown }>;
  readonly spec: Spec;
}
type Spec = Partial<AggSpec> & { readonly aggs?: AggSpecs | undefined };

interface Parts {
  readonly figures: readonly Figure[];
  readonly tables: readonly Table[];
}

/**
 * Results as lines: a figure per line, then a table per aggregation with groups. The tables inside
 * a group follow its line, indented.
 */
export function resultLines(results: AggResults, specs: AggSpecs): readonly string[] {
  const { figures, tables } = partsOf(results, specs);
  return [
    ...figures.map(([name, value]) => `${shown(name)}: ${cell(value)}`),
    ...tables.flatMap(tableLines),
  ];
}

function tableLines({ name, groups, spec }: Table): readonly string[] {
  const { buckets, ...others } = groups;
  const keyChars = charsOfKeys(spec, buckets);
  const inner = buckets.map(({ aggs = {} }) => partsOf(aggs, spec.aggs ?? {}));
  const isFlat = inner.every(({ tables }) => tables.every(isOneGroup));
  const rows = buckets.map(({ key, doc_count, aggs: _, ...bounds }, i) => {
    const { figures, tables } = inner[i];
    const flat = isFlat ? tables.flatMap(figuresOfGroup) : [];
    const start = `${key}`.slice(0, keyChars);
    const first = keyChars === YEAR_CHARS ? Number(start) : start;
    const cells: Figure[] = [
      ...[[name, keyChars === undefined ? key : first] as const, ['doc_count', doc_count] as const],
      ...[...Object.entries(bounds), ...figures, ...flat],
    ];
    return { cells: new Map(cells), tables: isFlat ? [] : tables };
  });
  const columns = columnsOf(
    name,
    rows.map(({ cells }) => cells),
  );
  let header = '';
  const innerLines = (table: Table) => {
    const [first, ...lines] = tableLines(table);
    const isSaid = first === header;
    header = first;
    return isSaid ? lines : [first, ...lines];
  };
  return [
    columns.map(shown).join('\t'),
    ...rows.flatMap(({ cells, tables }) => [
      columns.map((column) => cell(cells.get(column))).join('\t'),
      ...tables.flatMap(innerLines).map((line) => `  ${line}`),
    ]),
    ...Object.entries(others).map(([other, value]) =>
      other === 'total_buckets'
        ? `${buckets.length} of ${value} ${isPeriods(spec) ? 'period' : 'group'}s shown; raise size`
        : `${other}: ${cell(value)}`,
    ),
  ];
}

/** The columns of groups but those of counts that are their `doc_count`. */
function columnsOf(name: string, rows: readonly ReadonlyMap<string, Json>[]): readonly string[] {
  const all = rows.flatMap((cells) => [...cells.keys()]);
  return [...new Set([name, 'doc_count', ...all])].filter((column) => {
    const isSame = rows.every((cells) => cells.get(column) === cells.get('doc_count'));
    return !(column.endsWith('.count') && isSame);
  });
}

/** True if there is one group at most: its figures are those of the group around it. */
const isOneGroup = ({ groups: { buckets, ...others } }: Table): boolean =>
  buckets.length <= 1 &&
  buckets.every(({ aggs = {} }) => !Object.values(aggs).some(isGrouped)) &&
  Object.keys(others).every((name) => name === 'sum_other_doc_count');

const isGrouped = (result: AggResult): boolean => 'buckets' in result || 'aggs' in result;

const figuresOfGroup = ({ name, groups: { buckets }, spec }: Table): readonly Figure[] =>
  buckets.flatMap(({ key, doc_count, aggs = {} }): Figure[] => {
    const { figures } = partsOf(aggs, spec.aggs ?? {});
    const inner = figures.map(([own, value]): Figure => [`${name}.${own}`, value]);
    return [[name, key], [`${name}.doc_count`, doc_count], ...inner];
  });

/** True if groups are named by texts of rows. */
export const hasTexts = (results: AggResults): boolean =>
  Object.values(results).some((result) => {
    if (!('buckets' in result)) return 'aggs' in result && hasTexts(result.aggs ?? {});
    return result.buckets.some(
      ({ key, aggs = {} }) => /[^\d.:TZ+-]/.test(`${key}`) || hasTexts(aggs),
    );
  });

const isPeriods = (spec: Spec) => 'date_histogram' in spec || 'dateHistogram' in spec;
/** The key of a period that begins with a day, which is its start. */
const MIDNIGHT = /^\d{4}-\d\d-\d\dT00:00:00Z$/;
const YEAR_CHARS = 4;
/** Intervals, and characters of the keys of their periods. */
const KEY_CHARS = [
  [/^(?:1?y|year|decade)$/, YEAR_CHARS],
  [/^(?:1?[Mq]|month|quarter)$/, 7],
  [/./, 10],
] as const;

/** Characters of a period's key that tell it; undefined: all. */
function charsOfKeys(spec: Spec, buckets: Table['groups']['buckets']): number | undefined {
  const isDays = isPeriods(spec) && buckets.every(({ key }) => MIDNIGHT.test(`${key}`));
  if (!isDays) return undefined;
  const { date_histogram: { calendar_interval: unit = 'day' } = {} } = spec as {
    readonly date_histogram?: { readonly calendar_interval?: string };
  };
  return KEY_CHARS.find(([form]) => form.test(unit))?.[1];
}

function partsOf(results: AggResults, specs: AggSpecs): Parts {
  const parts = Object.entries(results).map(([name, result]) =>
    partsOfResult(name, result, specs[name] ?? {}),
  );
  return {
    figures: parts.flatMap(({ figures }) => figures),
    tables: parts.flatMap(({ tables }) => tables),
  };
}

function partsOfResult(name: string, result: AggResult, spec: Spec): Parts {
  if ('buckets' in result) return { figures: [], tables: [{ name, groups: result, spec }] };
  if ('doc_count' in result) {
    const { figures, tables } = partsOf(result.aggs ?? {}, spec.aggs ?? {});
    const inner = figures.map(([own, value]): Figure => [`${name}.${own}`, value]);
    return { figures: [[name, result.doc_count], ...inner], tables };
  }
  if ('values' in result) {
    const { values, ...others } = result;
    const each = values.map(({ percent, value }): Figure => [`${name}.${percent}`, value]);
    return { figures: [...each, ...furtherOf(name, others)], tables: [] };
  }
  if (!('value' in result)) return { figures: furtherOf(name, result), tables: [] };
  const { value, ...others } = result;
  return { figures: [[name, value], ...furtherOf(name, others)], tables: [] };
}

/** Named parts of a result; that it is exact is the rule. */
const furtherOf = (name: string, parts: object): readonly Figure[] =>
  Object.entries(parts)
    .filter(([part, value]) => part !== 'exact' || value !== true)
    .map(([part, value]): Figure => [`${name}.${part}`, value]);

/** Digits of a fraction, and those of them behind the point. */
const DIGITS = 7;
const BEHIND_POINT = 2;

function cell(value: Json | undefined): string {
  if (value === undefined) return '';
  if (typeof value !== 'number' || Number.isInteger(value)) return shown(value);
  const before = Math.trunc(Math.abs(value)).toString().length;
  return shown(Number(value.toPrecision(Math.max(DIGITS, before + BEHIND_POINT))));
}
