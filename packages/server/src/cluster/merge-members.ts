/** Merges of values of one type, and of plain objects member by member. */

/** One value of several; there is at least one. */
export type Merge<T> = (values: readonly T[]) => T;

/** A merge for every member of an object: a member without one does not compile. */
export type Merges<T> = { readonly [K in keyof T]-?: Merge<Exclude<T[K], undefined>> };

/** Merges objects member by member; a member that no object has is absent. */
export function members<T extends object>(merges: Merges<T>): Merge<T> {
  const names = Object.keys(merges) as (keyof T)[];
  return (objects) => {
    const merged = { ...objects[0] };
    for (const name of names) {
      const values = objects.map((one) => one[name]).filter((value) => value !== undefined);
      const merge = merges[name] as Merge<T[keyof T]>;
      if (values.length > 0) merged[name] = merge(values);
    }
    return merged;
  };
}

/** One merge for several members. */
export const each = <M, K extends string>(merge: M, ...names: readonly K[]) =>
  Object.fromEntries(names.map((name) => [name, merge])) as Record<K, M>;

/** What is the same everywhere, or that of the part that counts most. */
export const first = <T>([value]: readonly T[]): T => value;

export const sum: Merge<number> = (values) => values.reduce((a, b) => a + b, 0);

export const largest: Merge<number> = (values) => Math.max(...values);

export const smallest: Merge<number> = (values) => Math.min(...values);

export const every: Merge<boolean> = (values) => values.every((value) => value);

export const some: Merge<boolean> = (values) => values.some((value) => value);

export const concatenated = <T>(lists: readonly (readonly T[])[]): readonly T[] => lists.flat();

/** The values of all lists, each once, in their first order. */
export function distinct<T>(lists: readonly (readonly T[])[]): readonly T[] {
  return [...new Map(lists.flat().map((value) => [JSON.stringify(value), value])).values()];
}

/** The values that all lists have, in the order of the first. */
export const common = ([head, ...others]: readonly (readonly string[])[]): readonly string[] =>
  head.filter((value) => others.every((list) => list.includes(value)));

/** Sums by name. */
export function sumsByName(counts: readonly Readonly<Record<string, number>>[]) {
  const sums = new Map<string, number>();
  for (const [name, count] of counts.flatMap((one) => Object.entries(one))) {
    sums.set(name, (sums.get(name) ?? 0) + count);
  }
  return Object.fromEntries(sums);
}

/** Merges the items of lists that have the same name. */
export const byName =
  <T>(nameOf: (item: T) => string | number, merge: Merge<T>): Merge<readonly T[]> =>
  (lists) =>
    [...Map.groupBy(lists.flat(), nameOf).values()].map((items) => merge(items));
