import { type JsonObject, LhsError, type ReceiptVerdict } from '@lakehouse-search/contract';
import { jsonValue } from '@lakehouse-search/contract/internal';
import { formatKey } from '@lakehouse-search/engine';
import { Args, Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { keyFlags, readKeys } from '../../erase/erase-flags.ts';
import { readText } from '../../files/read-text.ts';
import { dateTime, plural, snapshotName } from '../../terminal/figures.ts';
import { printable } from '../../terminal/text.ts';

const FAILED_EXIT = 1;

export default class EraseVerify extends LhsCommand {
  static override summary =
    'Check the signature of a receipt and say what it proves (exit 1 if it proves nothing).';
  static override examples = [
    '<%= config.bin %> erase verify receipt.json --key id=4217',
    '<%= config.bin %> erase verify receipt.json --public-key receipts.pem --keys keys.txt --json',
  ];
  static override args = {
    receipt: Args.string({ ignoreStdin: true, description: 'receipt (JSON file)', required: true }),
  };
  static override flags = {
    'public-key': Flags.string({
      description: 'public key in PEM (the key of the data folder)',
      helpValue: 'FILE',
    }),
    ...keyFlags,
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(EraseVerify);
    const receipt = receiptOf(await readText(args.receipt), args.receipt);
    const keys = await readKeys(flags);
    const pem = flags['public-key'];
    const public_key = pem === undefined ? undefined : await readText(pem);
    const verdict =
      public_key === undefined
        ? await (await this.backend(flags)).verifyReceipt({ receipt, keys })
        : await (await import('@lakehouse-search/engine/internal')).verifyReceiptOffline({
            ...{ receipt, keys, public_key },
          });
    if (!verdict.valid || !verdict.covered.every(Boolean)) process.exitCode = FAILED_EXIT;
    if (flags.json) return this.printJson(verdict);
    this.print([
      ...verdictLines(verdict),
      ...verdict.covered.map((covered, i) => {
        const key = printable(formatKey(keys[i]));
        return covered ? `covers ${key}` : `does not cover ${key}`;
      }),
    ]);
  }
}

function receiptOf(text: string, file: string): JsonObject {
  const value = jsonValue(text, `"${file}"`);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as JsonObject;
  }
  throw new LhsError('invalid_argument', `"${file}" is not a receipt`);
}

function verdictLines({ valid, reason, key_id, statement }: ReceiptVerdict): string[] {
  if (!valid || statement === undefined) return [`not valid: ${printable(reason ?? '')}`];
  const { index, ended_at, snapshot, remains, table_snapshots, keys, deep } = statement;
  const at = snapshot === null ? '' : ` (table snapshot ${snapshotName(snapshot)})`;
  return [
    `valid: signed with key ${key_id}`,
    `on ${dateTime(ended_at)}${at} ${plural(keys.hashes.length, 'key')} had ` +
      `${remains.length === 0 ? 'no remains' : plural(remains.length, 'remain')} in index ` +
      `"${printable(index)}"${deep ? ', bytes of files included' : ''}`,
    ...(table_snapshots.length === 0
      ? []
      : [`${plural(table_snapshots.length, 'older snapshot')} of the table had the rows then`]),
  ];
}
