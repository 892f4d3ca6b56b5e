import type {
  AlterChange,
  AlterPlan,
  Json,
  JsonObject,
  ReindexCost,
} from '@lakehouse-search/contract';
import { textOfJson } from '@lakehouse-search/contract/internal';
import { bytes, plural } from '../../terminal/figures.ts';
import { pad, printable, wrap } from '../../terminal/text.ts';

const VALUE_WIDTH = 40;
const STRATEGY_WIDTH = 9;

/** A plan as people read it: each change with its strategy and reason, the cost, what is next. */
export function alterLines(
  plan: AlterPlan,
  columns: number,
  next = 'next: the same command with --apply',
): readonly string[] {
  const { index, is_noop, changes } = plan;
  if (is_noop) return [`${index}  the new definition means the same: nothing to do`];
  return [
    ...changes.flatMap((change) => changeLines(change, columns)),
    '',
    ...endLines(plan, next),
  ];
}

function changeLines({ setting, from, to, strategy, reason }: AlterChange, columns: number) {
  const text = `${setting}: ${valueText(from)} → ${valueText(to)} (${reason})`;
  return wrap(text, columns - STRATEGY_WIDTH).map((line, i) => {
    return pad(i === 0 ? strategy : '', STRATEGY_WIDTH) + line;
  });
}

function valueText(value: Json): string {
  if (value === null) return 'none';
  if (isObject(value)) return printable(keyText(value) ?? settingsText(value));
  const text = printable(typeof value === 'string' ? value : textOfJson(value));
  return text.length <= VALUE_WIDTH ? text : `${text.slice(0, VALUE_WIDTH - 1)}…`;
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The settings of a field that are not off: `fast, type LONG`. */
const settingsText = (settings: JsonObject): string =>
  Object.entries(settings)
    .filter(([, value]) => value !== false && value !== null)
    .map(([name, value]) => {
      if (value === true) return name;
      const texts = [value].flat().map((one) => (typeof one === 'string' ? one : textOfJson(one)));
      return `${name} ${texts.join(', ')}`;
    })
    .join(', ');

/** A key as its columns, or `row`; null if a value is no key. */
function keyText({ identifier, partition, row }: JsonObject): string | null {
  if (row === true) return 'row';
  if (!Array.isArray(identifier) || !Array.isArray(partition)) return null;
  return [...partition, ...identifier].join(', ');
}

function endLines(plan: AlterPlan, next: string): readonly string[] {
  const { index, applied, generation } = plan;
  if (!applied) return [`${index}  ${costText(plan)}`, next];
  const live = generation === 0 ? 'not built yet' : `generation ${generation} is live`;
  return [`${index}  ${doneText(plan)}; ${live}`];
}

function doneText({ strategy, field_cost: cost }: AlterPlan): string {
  if (strategy === 'reindex') return 'altered and built again';
  if (cost === undefined || cost.fields.length === 0) return 'altered';
  return `altered, built ${plural(cost.fields.length, 'field')}`;
}

function costText({ generation, reindex_cost: whole, field_cost: cost }: AlterPlan): string {
  if (generation === 0) return 'is not built yet';
  if (whole !== undefined) return `a reindex reads ${readText(whole)}`;
  if (cost === undefined) return 'no reindex is needed';
  if (cost.columns.length === 0) return 'no field is built, no column is read';
  const built = cost.fields.length === 0 ? '' : `builds ${cost.fields.join(', ')}: `;
  return `${built}reads ${cost.columns.join(', ')} (${readText(cost)})`;
}

function readText({ rows, bytes: size, texts }: ReindexCost): string {
  const embedded = texts === 0 ? '' : `, up to ${plural(texts, 'text')} to embed`;
  return `${plural(rows, 'row')}, ${bytes(size)}${embedded}`;
}
