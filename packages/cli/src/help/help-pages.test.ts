import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { pageLines, pageNames, plainLines } from './pages.ts';
import { shortLines, TASKS, taskLines } from './tasks.ts';
import { plainUsage } from './usage-line.ts';

const COMMANDS = readdirSync(new URL('../commands/', import.meta.url), {
  recursive: true,
  encoding: 'utf8',
})
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -'.ts'.length).replaceAll('/', ' '));

/** Commands that users do not type. */
const HIDDEN = ['complete', 'jobs run'];

describe('the tasks of the help', () => {
  it('have every command once, besides hidden ones, and nothing else', () => {
    const listed = TASKS.flatMap(([, ids]) => ids);
    expect([...listed].sort()).toEqual(COMMANDS.filter((id) => !HIDDEN.includes(id)).sort());
  });

  it('fit on a screen of 80 columns and 40 lines', () => {
    const lines = shortLines([{ id: 'index sync', short: 'sync', summary: '' }], 80);
    expect(lines).toContainEqual(expect.stringMatching(/^Keep it in sync +sync, index status, /));
    expect(lines.length).toBeLessThan(40);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it('show the commands of a topic below their tasks', () => {
    const commands = [
      { id: 'index init', summary: 'Print a definition.' },
      { id: 'index odd', summary: 'Odd.' },
      { id: 'search', summary: 'Search.' },
    ];
    expect(taskLines(commands, 'index', 80)).toEqual([
      'Define and build an index',
      '  index init  Print a definition.',
      '',
      'Other',
      '  index odd   Odd.',
      '',
    ]);
  });

  it('show a short name in the list of all commands', () => {
    const commands = [{ id: 'index sync', short: 'sync', summary: 'Apply.' }];
    expect(taskLines(commands, '', 80)).toContain('  sync  Apply.');
    expect(taskLines(commands, 'index', 80)).toContain('  index sync  Apply.');
  });
});

describe('a page of the help', () => {
  it('is the page of the documentation', () => {
    expect(pageNames()).toContain('query');
    expect(pageLines('query')?.[0]).toBe('QUERIES');
    expect(pageLines('serve')?.at(-1)).toMatch(/^Pages that it names .*: .*\brest, /);
    expect(pageLines('nosuch')).toBe(undefined);
    expect(pageLines('../README')).toBe(undefined);
  });

  it('has no marks of Markdown', () => {
    const page =
      '## Two words\n\n![A picture](p.svg)\n\n[Reasons](adr/a.md).\n' +
      'Why ([reasons](adr/b.md)). See the [JSON\ntree](#tree) and **this**.\n\n' +
      '```sh\na [x](y)\n```\n';
    expect(plainLines(`${page}\n| a | b \\| c |\n|---|---|\n| long one | x |\n`)).toEqual([
      'TWO WORDS',
      '',
      'Why. See the JSON',
      'tree and this.',
      '',
      '    a [x](y)',
      '',
      '  a         b | c',
      '  long one  x',
    ]);
  });
});

describe('a usage', () => {
  it.each([
    ['x [--a A |  | [--b | --c C]] [-n N]', 'x [--a A | --b | --c C] [-n N]'],
    ['[--a | [--b | --c] |  | ] [--d 7d ]', '[--a | --b | --c] [--d 7d]'],
    ['[[--a | --b] | --c] [--sort F[:desc],…]', '[--a | --b | --c] [--sort F[:desc],…]'],
    ['x I [--data-dir DIR] [--url\n    URL] [--json] [--debug] [--a]', 'x I [--a]'],
  ])('has no empty alternatives: %s', (usage, plain) => {
    expect(plainUsage(usage)).toBe(plain);
  });
});
