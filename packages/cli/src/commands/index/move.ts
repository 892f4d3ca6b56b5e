import { resolve } from 'node:path';
import { LhsError, type MoveIndexResponse } from '@lakehouse-search/contract';
import { Args, Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { indexArg } from '../../config/index-arg.ts';
import { shellWord } from '../../terminal/errors/shell-word.ts';
import { duration } from '../../terminal/figures.ts';

export default class IndexMove extends LhsCommand {
  static override summary = 'Keep the commits of an index in another store, or in none.';
  static override description =
    'Nothing is built. The definition of the index says where it is; write the same in its file.';
  static override examples = [
    '<%= config.bin %> index move demo-incidents s3://lake/indexes',
    '<%= config.bin %> index move demo-incidents --local',
  ];
  static override args = {
    index: indexArg,
    storage: Args.string({
      ignoreStdin: true,
      description: 'a folder or s3://bucket/prefix; of a server: one of its roots',
    }),
  };
  static override flags = {
    local: Flags.boolean({ description: 'keep them in the data folder alone' }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexMove);
    const { index } = args;
    const storage = args.storage || undefined;
    if ((storage === undefined) !== (flags.local ?? false)) {
      throw new LhsError('invalid_argument', 'name a store, or give --local');
    }
    const backend = await this.backend(flags);
    const isServed = this.remoteUrl(flags) !== undefined;
    const isName = isServed || /^[a-z0-9]+:/.test(storage ?? '');
    const place = storage === undefined || isName ? storage : resolve(storage);
    const done = await backend.moveIndex({
      index,
      ...(place === undefined ? {} : { storage: place }),
    });
    if (flags.json) return this.printJson(done);
    const where = done.storage ?? 'the data folder alone';
    const isThere = done.storage === done.previous_storage;
    this.print([
      `${done.index} is in ${where} ${isThere ? 'already' : 'now'}  in ${duration(done.took_ms)}`,
      ...linesAfter(done, isServed),
    ]);
  }
}

/** What follows: for its file, other data folders and readers. */
function linesAfter(
  { index, storage, previous_storage }: MoveIndexResponse,
  isServed: boolean,
): readonly string[] {
  const file =
    storage === null
      ? 'take "storage" out of its definition file'
      : `write "storage: ${storage}" in its definition file`;
  const others =
    storage === null || previous_storage === null || storage === previous_storage
      ? []
      : ['other data folders that write it: drop it there, then create and sync it'];
  const name = isServed ? index : `${storage}/${index}`;
  const readers = storage === null ? [] : [`next: lhs index status ${shellWord(name)}`];
  return [file, ...others, ...readers];
}
