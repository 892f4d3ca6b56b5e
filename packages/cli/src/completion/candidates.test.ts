import type { Command } from '@oclif/core';
import { describe, expect, it } from 'vitest';
import { candidates, type NameSources } from './candidates.ts';

const option = (facts: object = {}) => ({ type: 'option', ...facts });
const COMMANDS = [
  {
    id: 'search',
    args: { index: {}, query: {} },
    flags: {
      limit: option({ char: 'n' }),
      mode: option({ options: ['lexical', 'hybrid'] }),
      output: option({ char: 'o', helpValue: 'FILE' }),
      sort: option(),
      profile: option(),
      json: { type: 'boolean' },
    },
  },
  { id: 'index:create', args: { file: {} }, flags: { file: option({ helpValue: 'FILE' }) } },
  { id: 'index:list', args: {}, flags: {} },
  { id: 'source:import', args: {}, flags: {}, strict: false },
  { id: 'complete', args: {}, flags: {}, hidden: true },
] as unknown as readonly Command.Loadable[];

const FROM = {
  commands: COMMANDS,
  backend: async () => ({
    listIndexes: async () => [{ name: 'incidents' }],
    listAliases: async () => [{ alias: 'ops', index: 'incidents' }],
    describeIndex: async () => ({ fields: [{ name: 'title' }, { name: 'opened_at' }] }),
  }),
  profiles: () => ['production'],
  catalogs: () => [],
} as unknown as NameSources;

const words = async (line: string) => (await candidates(line.split(' '), FROM)).words;

describe('completion of a command line', () => {
  it.each([
    ['', ['search', 'index', 'source']],
    ['index ', ['create', 'list']],
    ['search ', ['incidents', 'ops']],
    ['search incidents ', ['title:', 'opened_at:']],
    ['search incidents x --sort ', ['title', 'opened_at']],
    ['search incidents x --sort title,', ['title,title', 'title,opened_at']],
    ['search incidents --mode ', ['lexical', 'hybrid']],
    ['search --json ', ['incidents', 'ops']],
    ['search -n 3 ', ['incidents', 'ops']],
    ['search incidents --profile ', ['production']],
    ['search --', ['--limit', '--mode', '--output', '--sort', '--profile', '--json']],
    ['nothing ', []],
  ])('offers names at the end of %j', async (line, offered) => {
    expect(await words(line)).toEqual(offered);
  });

  it.each(['index create ', 'index create --file ', 'search i -o ', 'source import '])(
    'offers files at the end of %j',
    async (line) => {
      expect((await candidates(line.split(' '), FROM)).files).toBe(true);
    },
  );

  it('offers nothing where no data folder can be opened', async () => {
    const closed = { ...FROM, backend: async () => undefined };
    expect((await candidates(['search', ''], closed)).words).toEqual([]);
  });
});
