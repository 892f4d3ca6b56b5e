/** Names that are alike but for one part. */
interface FoldedName {
  /** `prices.*.low` */
  readonly name: string;
  /** The parts that `*` stands for; absent for a name alone. */
  readonly parts?: readonly string[];
  /** The first of the names. */
  readonly first: string;
}

/** Names of a pattern from which on they are one. */
const ALIKE = 3;

/**
 * Names of paths, in which those of repeated structures are one: names of the same kind that differ
 * in one part, which is neither the first nor the last. `kindOf`: what else has to be the same.
 */
export function foldNames(
  names: readonly string[],
  kindOf: (name: string) => string = () => '',
): readonly FoldedName[] {
  const parts = new Map<string, string[]>();
  for (const name of names) {
    for (const [pattern, part] of patternsOf(name)) {
      const key = `${pattern} ${kindOf(name)}`;
      parts.set(key, [...(parts.get(key) ?? []), part]);
    }
  }
  const folded = new Map<string, FoldedName>();
  for (const name of names) {
    const all = patternsOf(name).map(([pattern]) => ({
      pattern,
      parts: parts.get(`${pattern} ${kindOf(name)}`) ?? [],
    }));
    const [best] = all.toSorted((a, b) => b.parts.length - a.parts.length);
    const isFolded = best !== undefined && best.parts.length >= ALIKE;
    const own = isFolded ? { name: best.pattern, parts: best.parts } : { name };
    const key = `${own.name} ${kindOf(name)}`;
    if (!folded.has(key)) folded.set(key, { ...own, first: name });
  }
  return [...folded.values()];
}

/** A name with `*` for each of its inner parts, and that part. */
function patternsOf(name: string): readonly (readonly [pattern: string, part: string])[] {
  const parts = name.split('.');
  return parts.slice(1, -1).map((part, i) => [parts.with(i + 1, '*').join('.'), part]);
}

/** Parts that a list shows. */
const SHOWN = 12;

/** Names with patterns in the place of repeated structures, and what `*` stands for in each. */
export function foldedPaths(names: readonly string[]): readonly string[] {
  const folded = foldNames(names);
  const byHead = new Map<string, readonly string[]>();
  for (const { name, parts = [] } of folded) {
    const head = name.slice(0, name.indexOf('.*.') + 2);
    if (parts.length > (byHead.get(head)?.length ?? 0)) byHead.set(head, parts);
  }
  const legend = [...byHead].map(([head, parts]) => {
    const more = parts.length > SHOWN ? ` … ${parts.length - SHOWN} more` : '';
    return `${head} is ${parts.slice(0, SHOWN).join(' ')}${more}`;
  });
  return [...folded.map(({ name }) => name), ...legend];
}
