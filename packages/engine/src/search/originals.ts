/**
 * How folded values of a field are shown: as the original that most documents of the index have, of
 * equally frequent ones the first by code points. A response does not depend on the query, or on
 * how the index was built. A tenant sees originals of its documents alone.
 */
import type { FieldPlan } from '../schema/field-plan.ts';
import { originalOf, originalsPrefix } from '../schema/values/folded-keyword.ts';
import { compareTermBytes, type RankedTerm } from '../shard/suggest/suggestion-list.ts';
import type { SearchContext } from './context.ts';
import type { FanOut } from './fan-out.ts';

/** Originals of one folded value that a shard lists at most. */
const LISTED = 64;

/** The shown text of a folded value. */
export type Shown = (folded: string) => string;

/** The shown texts of values of a field; values of a field that is not folded are shown as is. */
export async function shownValues(
  { deadline, tenant }: SearchContext,
  fan: FanOut,
  field: FieldPlan,
  values: Iterable<string>,
): Promise<Shown> {
  const folded = field.folded === undefined ? [] : [...new Set(values)];
  if (folded.length === 0) return (value) => value;
  const lists = await fan.ask((shard) => {
    const request = {
      request: { field: field.name, text: '' },
      limit: fan.alone ? 1 : LISTED,
      folded,
      time: deadline.left,
      ...(tenant === undefined ? {} : { tenant }),
    };
    return shard.suggest(request, deadline.signal);
  });
  const shown = mostFrequent(lists.flatMap((list) => list ?? []));
  return (value) => shown.get(originalsPrefix(value)) ?? value;
}

/** The most frequent original by what its term begins with. */
function mostFrequent(terms: readonly RankedTerm[]): ReadonlyMap<string, string> {
  const counts = new Map<string, RankedTerm>();
  for (const one of terms) {
    const name = Buffer.from(one.term).toString();
    counts.set(name, { ...one, count: one.count + (counts.get(name)?.count ?? 0) });
  }
  const ranked = [...counts.values()].sort(
    (a, b) => a.count - b.count || compareTermBytes(b.term, a.term),
  );
  return new Map(
    ranked.map(({ term }) => {
      const original = Buffer.from(originalOf(term));
      const head = Buffer.from(term.subarray(0, term.length - original.length));
      return [head.toString(), original.toString()];
    }),
  );
}

/** Collects values by field, to read how all of them are shown at once. */
export class ShownValues {
  readonly #values = new Map<FieldPlan, Set<string>>();
  readonly #shown = new Map<FieldPlan, Shown>();

  /** The shown text of a value, once `read` has been called after the first call for it. */
  readonly of = (field: FieldPlan, value: string): string => {
    if (field.folded === undefined) return value;
    const shown = this.#shown.get(field);
    if (shown !== undefined) return shown(value);
    this.#values.set(field, (this.#values.get(field) ?? new Set()).add(value));
    return value;
  };

  /** Reads how the collected values are shown; false: there are none. */
  async read(context: SearchContext, fan: FanOut): Promise<boolean> {
    for (const [field, values] of this.#values) {
      this.#shown.set(field, await shownValues(context, fan, field, values));
    }
    return this.#shown.size > 0;
  }
}
