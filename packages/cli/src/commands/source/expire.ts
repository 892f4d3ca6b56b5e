import { LhsError } from '@lakehouse-search/contract';
import { type ExpireResult, expireSnapshots } from '@lakehouse-search/lake';
import { Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { sourceFlags, tableOf } from '../../source/source-flags.ts';
import { ageMillis, checkpointWarnings, planFlags, upkeepArgs } from '../../source/upkeep-flags.ts';
import { confirm } from '../../terminal/ask/confirm.ts';
import { bytes, count, plural } from '../../terminal/figures.ts';

export default class SourceExpire extends LhsCommand {
  static override summary =
    'Forget old snapshots of a table and delete the files that only they use.';
  static override examples = [
    '<%= config.bin %> source expire ops.incidents --warehouse ./lake --older-than 7d --dry-run',
    '<%= config.bin %> source expire ops.incidents --warehouse ./lake --keep 10 --yes',
  ];
  static override args = upkeepArgs;
  static override flags = {
    warehouse: sourceFlags.warehouse,
    catalog: sourceFlags.catalog,
    'older-than': Flags.string({
      description: 'expire snapshots older than this age',
      helpValue: '7d',
    }),
    keep: Flags.integer({
      description: 'newest snapshots of each branch to keep (1)',
      helpValue: 'N',
      min: 1,
    }),
    'keep-files': Flags.boolean({ description: 'leave the files, for readers at work' }),
    ...planFlags,
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(SourceExpire);
    const { 'older-than': age, keep, 'keep-files': keepFiles = false } = flags;
    if (age === undefined && keep === undefined) {
      throw new LhsError('invalid_argument', 'neither --older-than nor --keep: what may expire?');
    }
    const config = await tableOf(flags, args.table);
    const olderThanMs = age === undefined ? undefined : Date.now() - ageMillis('older-than', age);
    const rule = { keepFiles, ...(olderThanMs && { olderThanMs }), ...(keep && { keep }) };
    const plan = await expireSnapshots(config, { ...rule, dryRun: true });
    this.terminal.err(...(await checkpointWarnings(await this.backend(flags), plan.expired)));
    const nothing = plan.expired.length === 0 && plan.refs.length === 0;
    if (flags['dry-run'] || nothing) return this.#show(args.table, plan, 'would expire', flags);
    const what = `Expire ${planOf(plan)} of ${args.table}?`;
    if (!(await confirm(this.terminal, what, flags.yes ?? false))) {
      process.exitCode = 1;
      return this.terminal.err('nothing was expired');
    }
    const done = await expireSnapshots(config, rule);
    this.#show(args.table, done, 'expired', flags);
    if (done.left.length > 0) {
      this.terminal.err(`${plural(done.left.length, 'file')} could not be deleted`, ...done.left);
    }
  }

  #show(
    table: string,
    result: ExpireResult,
    did: string,
    flags: { readonly json?: boolean },
  ): void {
    if (flags.json) this.printJson(result);
    else this.print([lineOf(table, result, did)]);
  }
}

function lineOf(table: string, result: ExpireResult, did: string): string {
  const { expired, refs, kept } = result;
  if (expired.length > 0 || refs.length > 0) {
    return `${table}: ${did} ${planOf(result)}; ${count(kept)} stay`;
  }
  return `${table} has nothing to expire; it keeps ${plural(kept, 'snapshot')}`;
}

const planOf = ({ expired, refs, files, bytes: size }: ExpireResult): string =>
  [
    plural(expired.length, 'snapshot'),
    ...(refs.length === 0 ? [] : [`${plural(refs.length, 'ref')} (${refs.join(', ')})`]),
    `${plural(files, 'file')} of ${bytes(size)}`,
  ].join(', ');
