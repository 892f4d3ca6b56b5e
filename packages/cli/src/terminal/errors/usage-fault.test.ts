import { Args, Flags, Parser } from '@oclif/core';
import { describe, expect, it } from 'vitest';
import { type UsageError, usageFault } from './usage-fault.ts';

const args = {
  index: Args.string({ description: 'name of the index', required: true }),
  query: Args.string(),
};
const flags = {
  limit: Flags.integer({ char: 'n', min: 0 }),
  facet: Flags.string({ multiple: true }),
  format: Flags.string({ options: ['table', 'json'] }),
  after: Flags.string({ exclusive: ['offset'] }),
  offset: Flags.string(),
  wait: Flags.string({ dependsOn: ['snapshot-min'] }),
  'snapshot-min': Flags.string(),
};

/** The report of a command line, by the parser that commands use. */
async function faultOf(argv: readonly string[], required = {}): Promise<readonly string[]> {
  const options = { args, flags: { ...flags, ...required }, strict: true };
  const error = await Parser.parse([...argv], options).then(
    () => null,
    (thrown: UsageError) => thrown,
  );
  const { message, hints } = usageFault(error!);
  return [message, ...hints];
}

describe('a fault of a command line', () => {
  it.each([
    [
      ['i', '--limt', '3'],
      ['there is no flag "--limt"', 'did you mean --limit?'],
    ],
    [
      ['i', '--top', '3'],
      ['there is no flag "--top"', 'did you mean --limit?'],
    ],
    [
      ['--index', 'i'],
      ['there is no flag "--index"', 'index is an argument: write its value without --index'],
    ],
    [
      ['i', '--count'],
      ['there is no flag "--count"', 'did you mean --limit 0?'],
    ],
    [
      ['i', '-i'],
      ['there is no flag "-i"', 'words of TEXT fields match in any case'],
    ],
    [
      ['i', '-z'],
      ['there is no flag "-z"', 'to exclude the word "z", write -- before the index'],
    ],
    [['i', '--nonsense'], ['there is no flag "--nonsense"']],
    [['i', '--limit', 'abc'], ['--limit "abc" should be a whole number']],
    [['i', '-n', '1.5'], ['--limit "1.5" should be a whole number']],
    [['i', '--limit', '-1'], ['--limit "-1" should be a whole number of 0 or more']],
    [['i', '--limit'], ['--limit needs a value']],
    [['i', '--limit', '1', '--limit', '2'], ['--limit is given twice']],
    [
      ['i', '--format', 'jsn'],
      ['--format "jsn" should be one of table, json', 'did you mean json?'],
    ],
    [['i', '--after', 'a', '--offset', 'b'], ['--offset and --after cannot be combined']],
    [['i', '--wait', '3'], ['--wait needs --snapshot-min']],
    [[], ['missing argument "index" (name of the index)', 'lhs list prints the names']],
    [
      ['--facet', 'service', 'i'],
      [
        'missing argument "index" (name of the index)',
        'write arguments before --facet, or after --',
        'lhs list prints the names',
      ],
    ],
    [['i', 'TIMEOUT', 'and', 'billing'], ['"and", "billing" are too many arguments']],
    [
      ['i', '--', '-x', '--limit', '2'],
      ['"--limit", "2" are too many arguments', 'write --limit before --'],
    ],
  ])('%j is reported in the style of all errors', async (argv, report) => {
    expect(await faultOf(argv)).toEqual(report);
  });

  it('names a flag that is required', async () => {
    const description = 'namespace.table';
    const table = { table: Flags.string({ required: true, helpValue: 'NS.T', description }) };
    const hint = 'add --table NS.T (namespace.table)';
    expect(await faultOf(['i'], table)).toEqual(['--table is missing', hint]);
  });
});
