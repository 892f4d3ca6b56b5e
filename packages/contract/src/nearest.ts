/**
 * The candidate that `name` most likely meant, or undefined when none is near: the smallest optimal
 * string alignment distance (insert, delete, substitute, swap of neighbours), at most a third of
 * the name's length and at least 1; letter case costs nothing. Ties go to the earlier candidate.
 * Names longer than 64 characters are only compared whole.
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase();
  const allowed = Math.max(1, Math.floor(wanted.length / 3));
  let best: string | undefined;
  let bestDistance = allowed + 1;
  for (const candidate of candidates) {
    const other = candidate.toLowerCase();
    if (other === wanted) return candidate;
    if (wanted.length > 64 || other.length > 64) continue;
    const distance = alignmentDistance(wanted, other, bestDistance);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = candidate;
    }
  }
  return best;
}

/** A name without case, blanks and signs. */
export const lettersOf = (name: string): string =>
  name.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]/gu, '');

/** The candidate with a name, else the only one of the same letters; undefined: none, several. */
export function sameLetters(name: string, candidates: readonly string[]): string | undefined {
  if (candidates.includes(name)) return name;
  const letters = lettersOf(name);
  const same = new Set(candidates.filter((one) => lettersOf(one) === letters));
  return same.size === 1 ? [...same][0] : undefined;
}

/** `; did you mean "x"?` for the end of a message, or nothing. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const near = nearest(name, candidates);
  return near === undefined ? '' : `; did you mean "${near}"?`;
}

/** The first names in words, the nearest to `name` first; a name is compared behind its dots. */
export function firstNames(name: string, names: readonly string[], most: number): string {
  const wanted = lastPart(name);
  const distances = names.map((one): readonly [string, number] => {
    const other = lastPart(one);
    return [one, alignmentDistance(wanted, other, Math.max(wanted.length, other.length))];
  });
  const sorted = distances.sort((a, b) => a[1] - b[1]).map(([one]) => one);
  return sorted.slice(0, most).join(', ') + (sorted.length > most ? ', …' : '');
}

const lastPart = (name: string): string => name.slice(name.lastIndexOf('.') + 1, 64).toLowerCase();

function alignmentDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, beforeLast[j - 2] + 1);
      }
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length];
}
