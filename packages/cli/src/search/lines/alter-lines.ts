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
  const plain = keyText(value) ?? (typeof value === 'string' ? value : textOfJson(value));
  const text = printable(plain);
  return text.length <= VALUE_WIDTH ? text : `${text.slice(0, VALUE_WIDTH - 1)}…`;
}

/** A key as its columns, or `row`; null if a value is no key. */
function keyText(value: Json): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const { identifier, partition, row } = value as JsonObject;
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
