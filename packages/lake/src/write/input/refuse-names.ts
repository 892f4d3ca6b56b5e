import { LakeError } from '../../base/errors.ts';

/**
 * Refuses names that are equal or differ only in case: DuckDB adds a number to the second one.
 * `what` names them in the message, `option` what can rename them. Throws invalid_argument.
 */
export function refuseTwins(names: Iterable<string>, what: string, option?: string): void {
  const known = new Map<string, string>();
  for (const [at, name] of [...names].entries()) {
    const folded = name.toLowerCase();
    const first = known.get(folded);
    known.set(folded, name);
    if (first === undefined) continue;
    const found =
      first === name
        ? `two ${what} have the name "${name}"`
        : `the ${what} "${first}" and "${name}" differ only in case`;
    const details = { names: [first, name], ...(option && { option, at }) };
    throw new LakeError('invalid_argument', `${found}; rename one of them`, { details });
  }
}

/** Throws column_not_found for a name that no column has. */
export function refuseMissing(named: readonly string[], known: readonly string[]): void {
  const missing = named.find((name) => !known.includes(name));
  if (missing === undefined) return;
  const message = `the input has no column "${missing}" (columns: ${known.join(', ')})`;
  throw new LakeError('column_not_found', message, {
    details: { option: 'name', name: missing, known },
  });
}
