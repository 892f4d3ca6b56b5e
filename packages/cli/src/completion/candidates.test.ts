import type { SuggestRequest } from '@lakehouse-search/contract';
import type { Command } from '@oclif/core';
import { describe, expect, it } from 'vitest';
import { candidates, type Sources } from './candidates.ts';

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
      facet: option(),
      fields: option(),
      profile: option(),
      json: { type: 'boolean' },
      'data-dir': option({ helpValue: 'DIR' }),
      like: option(),
    },
  },
  {
    id: 'aggregate',
    args: { index: {}, query: {} },
    flags: { avg: option(), max: option(), terms: option() },
  },
  { id: 'keys:get', args: { index: {}, key: {} }, flags: {}, strict: false },
  { id: 'source:rows', args: { table: {} }, flags: { table: option() } },
  { id: 'index:create', args: { file: {} }, flags: { file: option({ helpValue: 'FILE' }) } },
  { id: 'index:facets', args: { index: {}, query: {} }, flags: { field: option() } },
  { id: 'index:list', args: {}, flags: {} },
  { id: 'source:import', args: {}, flags: {}, strict: false },
  { id: 'query:save', args: { name: {}, index: {}, query: {} }, flags: {} },
  { id: 'jobs:cancel', args: { job: {} }, flags: {} },
  { id: 'help', args: { command: {} }, flags: {} },
  { id: 'complete', args: {}, flags: {}, hidden: true },
] as unknown as readonly Command.Loadable[];

const FROM = {
  commands: COMMANDS,
  backend: async () => ({
    listIndexes: async () => [{ name: 'incidents' }],
    listAliases: async () => [{ alias: 'ops', index: 'incidents' }],
    listJobs: async () => [{ job_id: 'j1' }],
    describeIndex: async () => ({
      fields: [
        { name: 'title', type: 'TEXT' },
        { name: 'title_exact', type: 'KEYWORD', fast: true },
        { name: 'open-hours', type: 'LONG', fast: true },
        { name: 'opened_at', type: 'DATE', fast: true },
        { name: 'resolved', type: 'BOOL' },
      ],
      sort_fields: ['opened_at'],
    }),
    suggest: async ({ text }: SuggestRequest) => ({
      suggestions: [{ text: `${text}out` }, { text: `${text} "off"` }],
    }),
    search: async () => ({ hits: [{ key: 'id=1' }, {}, { key: 'id=2' }] }),
  }),
  profiles: () => ['production'],
  catalogs: () => [],
  tables: async () => ['ops.incidents'],
  pages: () => ['query'],
} as unknown as Sources;

const words = async (line: string) => (await candidates(line.split(' '), FROM)).words;

const TOP = ['search', 'aggregate', 'keys', 'source', 'index', 'query', 'jobs', 'help'];

describe('completion of a command line', () => {
  it.each([
    ['', TOP],
    ['--json ', TOP],
    ['index ', ['create', 'facets', 'list']],
    ['search ', ['incidents', 'ops']],
    ['search incidents ', ['title:', 'open-hours:', 'opened_at:', 'resolved:']],
    ['search incidents x --sort ', ['_score', '_key', 'opened_at']],
    ['search incidents x --sort a:', ['a:asc', 'a:desc']],
    ['search incidents x --sort a:d', ['a:asc', 'a:desc']],
    ['search incidents x --sort -', ['-_score', '-_key', '-opened_at']],
    ['search incidents x --sort=', ['--sort=_score', '--sort=_key', '--sort=opened_at']],
    ['search incidents x --sort=a:', ['--sort=a:asc', '--sort=a:desc']],
    ['search incidents x --sort opened_at:asc,-', ['opened_at:asc,-_score', 'opened_at:asc,-_key']],
    ['search incidents x --sort b:asc,a:', ['b:asc,a:asc', 'b:asc,a:desc']],
    ['search incidents x --sort a,', ['a,_score', 'a,_key', 'a,opened_at']],
    ['search incidents x --facet ', ['title_exact', 'open-hours', 'opened_at']],
    ['search incidents x --fields ', ['title', 'open-hours', 'opened_at', 'resolved']],
    ['index facets incidents --field ', ['title_exact', 'open-hours', 'opened_at']],
    ['search incidents --mode ', ['lexical', 'hybrid']],
    ['search --json ', ['incidents', 'ops']],
    ['search -n 3 ', ['incidents', 'ops']],
    ['search incidents --profile ', ['production']],
    [
      'search --',
      [
        ...[
          '--limit',
          '--mode',
          '--output',
          '--sort',
          '--facet',
          '--fields',
          '--profile',
          '--json',
        ],
        ...['--data-dir', '--like'],
      ],
    ],
    ['incidents ', ['title:', 'open-hours:', 'opened_at:', 'resolved:']],
    ['search incidents (title:time', ['(title:timeout', '(title:"time \\"off\\""']],
    ['search incidents Title:"time', ['title:"timeout"', 'title:"time \\"off\\""']],
    ['search incidents nothing:', []],
    [
      'search incidents title_e',
      ['title:', 'title_exact:', 'open-hours:', 'opened_at:', 'resolved:'],
    ],
    ['search incidents x --like ', ['id=1', 'id=2']],
    ['keys get incidents ', ['id=1', 'id=2']],
    ['aggregate incidents --avg ', ['open-hours']],
    ['aggregate incidents --max ', ['open-hours', 'opened_at']],
    ['source rows ', ['ops.incidents']],
    ['source rows --table ', ['ops.incidents']],
    ['search incidents opened_at:2', []],
    ['search incidents resolved:', ['resolved:true', 'resolved:false']],
    ['search incidents -- -op', ['-title:', '-open-hours:', '-opened_at:', '-resolved:']],
    ['search incidents --mode=', ['--mode=lexical', '--mode=hybrid']],
    ['query save q ', ['incidents', 'ops']],
    ['query save q incidents ', ['title:', 'open-hours:', 'opened_at:', 'resolved:']],
    ['jobs cancel ', ['j1']],
    ['help ', [...TOP, 'query']],
    ['help jobs ', ['cancel']],
  ])('offers names at the end of %j', async (line, offered) => {
    expect(await words(line)).toEqual(offered);
  });

  it.each(['index create ', 'index create --file ', 'search i -o ', 'source import '])(
    'offers files at the end of %j',
    async (line) => {
      expect((await candidates(line.split(' '), FROM)).paths).toBe('files');
    },
  );

  it.each(['--data-dir ', '--data-dir=', 'search incidents --data-dir ', '--data-dir=x'])(
    'offers folders at the end of %j',
    async (line) => {
      expect(await candidates(line.split(' '), FROM)).toEqual({ words: [], paths: 'folders' });
    },
  );

  it('offers nothing where no data folder can be opened', async () => {
    const closed = { ...FROM, backend: async () => undefined };
    expect((await candidates(['search', ''], closed)).words).toEqual([]);
  });
});
