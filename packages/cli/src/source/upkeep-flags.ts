/** Flags of the commands that maintain a table: compact, expire, tag. */
import { LhsError } from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { Args, Flags } from '@oclif/core';
import { nextSync } from '../terminal/errors/next-step.ts';
import { snapshotName } from '../terminal/figures.ts';

const UNITS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** Milliseconds of `30m`, `12h`, `7d` or `2w`. Throws invalid_argument with the flag's name. */
export function ageMillis(flag: string, text: string): number {
  const [, digits, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  if (digits !== undefined) return Number(digits) * UNITS[unit];
  throw new LhsError('invalid_argument', `--${flag} is "${text}"`, {
    hint: 'write an age like 30m, 12h, 7d or 2w',
  });
}

/** The argument of a table that is changed, and the flags of a change that is planned first. */
export const upkeepArgs = {
  table: Args.string({ ignoreStdin: true, description: 'namespace.table', required: true }),
};
export const planFlags = {
  'dry-run': Flags.boolean({ description: 'print the plan and change nothing' }),
  yes: Flags.boolean({ char: 'y', description: 'do not ask' }),
};

/**
 * A warning for each index whose checkpoint is among the snapshots: look-ups of rows at that
 * snapshot fail once its files are gone.
 */
export async function checkpointWarnings(
  backend: BackendApi,
  snapshots: readonly string[],
): Promise<readonly string[]> {
  const gone = new Set(snapshots);
  const warnings: string[] = [];
  for (const { name, status } of await backend.listIndexes()) {
    if (status !== 'live') continue;
    const index = await backend.describeIndex({ index: name });
    const { snapshot } = index;
    if (snapshot === null || !gone.has(snapshot)) continue;
    warnings.push(
      `warning: index ${name} is at snapshot ${snapshotName(snapshot)}, which would expire; ` +
        `run ${nextSync(index)} first`,
    );
  }
  return warnings;
}
