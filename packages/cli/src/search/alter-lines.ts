import type { AlterChange, AlterPlan, Json } from '@lakehouse-search/contract';
import { bytes, plural } from '../terminal/figures.ts';
import { pad, printable, wrap } from '../terminal/text.ts';

const VALUE_WIDTH = 40;
const STRATEGY_WIDTH = 9;

/** A plan as people read it: each change with its strategy and reason, the cost, what is next. */
export function alterLines(plan: AlterPlan, columns: number): readonly string[] {
  const { index, is_noop, changes } = plan;
  if (is_noop) return [`${index}  the new definition means the same: nothing to do`];
  return [...changes.flatMap((change) => changeLines(change, columns)), '', ...endLines(plan)];
}

function changeLines({ setting, from, to, strategy, reason }: AlterChange, columns: number) {
  const text = `${setting}: ${valueText(from)} → ${valueText(to)} (${reason})`;
  return wrap(text, columns - STRATEGY_WIDTH).map((line, i) => {
    return pad(i === 0 ? strategy : '', STRATEGY_WIDTH) + line;
  });
}

function valueText(value: Json): string {
  if (value === null) return 'none';
  const text = printable(typeof value === 'string' ? value : JSON.stringify(value));
  return text.length <= VALUE_WIDTH ? text : `${text.slice(0, VALUE_WIDTH - 1)}…`;
}

function endLines(plan: AlterPlan): readonly string[] {
  const { index, applied, reindex_triggered, generation, reindex_cost: cost } = plan;
  if (applied) {
    const built = generation === 0 ? 'not built yet' : `generation ${generation} is live`;
    return [`${index}  altered${reindex_triggered ? ' and built again' : ''}; ${built}`];
  }
  const next = 'next: the same command with --apply';
  if (cost === undefined) return [`${index}  no reindex is needed`, next];
  const texts = cost.texts === 0 ? '' : `, up to ${plural(cost.texts, 'text')} to embed`;
  return [
    `${index}  a reindex reads ${plural(cost.rows, 'row')}, ${bytes(cost.bytes)}${texts}`,
    next,
  ];
}
