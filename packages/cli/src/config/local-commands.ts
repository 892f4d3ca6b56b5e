import { LhsError } from '@lakehouse-search/contract';

/** Commands that work on this machine alone, by the beginning of their ids. */
const LOCAL = [
  'build:',
  'completion',
  'config:',
  'demo',
  'doctor',
  'help',
  'jobs:run',
  'logout',
  'model:',
  'serve:',
  'source:changes',
  'source:compact',
  'source:delete',
  'source:import',
  'source:rows',
  'source:snapshots',
  'source:tag',
  'source:upsert',
  'version',
];

/** Throws unsupported if `--url` is given to a command that works on this machine alone. */
export function refuseUrl(id: string, argv: readonly string[]): void {
  const given = argv.some((word) => word === '--url' || word.startsWith('--url='));
  if (given && LOCAL.some((name) => id.startsWith(name))) throw localOnly(id);
}

/** The error of a command that no service can run. */
export function localOnly(id: string): LhsError {
  const name = `lhs ${id.replaceAll(':', ' ')}`;
  return new LhsError('unsupported', `"${name}" works on this machine alone: it takes no --url`, {
    hint: 'remove --url (and LHS_URL), or name a data folder with --data-dir',
  });
}
