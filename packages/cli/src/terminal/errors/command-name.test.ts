import { describe, expect, it } from 'vitest';
import { asTyped, placeFlags } from './command-name.ts';

describe('a printed command', () => {
  const lines = [
    ['next: lhs index reindex a', 'next: npx lhs index reindex a'],
    ['\u001b[2mnext: lhs search a b\u001b[22m', '\u001b[2mnext: npx lhs search a b\u001b[22m'],
    ['   lhs tui a', '   npx lhs tui a'],
    ['next        lhs index sync a', 'next        npx lhs index sync a'],
    [
      '   lhs index create f && lhs index reindex a',
      '   npx lhs index create f && npx lhs index reindex a',
    ],
    ["next: lhs search a 'b && lhs c'", "next: npx lhs search a 'b && lhs c'"],
    ['3 snapshots behind (lhs index sync a)', '3 snapshots behind (npx lhs index sync a)'],
    ['more: lhs --help, lhs COMMAND --help', 'more: npx lhs --help, npx lhs COMMAND --help'],
    ['lhs: a search index', 'lhs: a search index'],
    ['fields: lhs index describe a', 'fields: npx lhs index describe a'],
    ['error: lhs needs Node', 'error: lhs needs Node'],
    ['title: what lhs index does', 'title: what lhs index does'],
  ] as const;

  it('begins with npx under npx, where no lhs is on the PATH', () => {
    for (const [line, typed] of lines) expect(asTyped(line, { npm_command: 'exec' })).toBe(typed);
  });

  it.each([
    [
      '  did you mean lhs index drop, lhs source drop?',
      '  did you mean npx lhs index drop, npx lhs source drop?',
    ],
    [
      'the index is not built: lhs index reindex a',
      'the index is not built: npx lhs index reindex a',
    ],
    ['use "lhs index reindex INDEX --detach"', 'use "npx lhs index reindex INDEX --detach"'],
    ['curl -fL ADDRESS | lhs source import - …', 'curl -fL ADDRESS | npx lhs source import - …'],
    ['error: lhs needs Node; install lhs again', 'error: lhs needs Node; install lhs again'],
    ["there is no query 'lhs search': npx lhs query list", undefined],
  ])('begins with npx in a message: %s', (line, typed) => {
    expect(asTyped(line, { npm_command: 'exec' }, [], true)).toBe(typed ?? line);
    expect(asTyped(line, {}, [], true)).toBe(line);
  });

  it('keeps the package with whose Node npx runs it', () => {
    const env = { npm_command: 'exec', npm_config_package: 'node@24' };
    expect(asTyped('next: lhs search a', env)).toBe('next: npx -p node@24 lhs search a');
  });

  it('stays as it is elsewhere', () => {
    for (const [line] of lines) expect(asTyped(line, { npm_command: 'run' })).toBe(line);
  });

  it('works where the command that prints it does', () => {
    const place = placeFlags([
      'search',
      'a',
      '--url=http://h:1',
      '--data-dir',
      '/my data',
      '--',
      '--url',
    ]);
    expect(place).toEqual(['--url http://h:1', "--data-dir '/my data'"]);
    const flags = "--url http://h:1 --data-dir '/my data'";
    for (const [line, typed] of [
      ['next: lhs search a b', `next: lhs search a b ${flags}`],
      ['\u001b[2mnext: lhs jobs list\u001b[22m', `\u001b[2mnext: lhs jobs list ${flags}\u001b[22m`],
      ['  lhs index list', `  lhs index list ${flags}`],
      ['next    lhs index sync a', `next    lhs index sync a ${flags}`],
      ['fields: lhs index describe a', `fields: lhs index describe a ${flags}`],
      ['   lhs index init a > b.yaml', `   lhs index init a ${flags} > b.yaml`],
      ['  lhs config set data_dir DIR', "  lhs config set data_dir DIR --data-dir '/my data'"],
      [
        'next: lhs login --url URL --profile P',
        "next: lhs login --url URL --profile P --data-dir '/my data'",
      ],
      [
        'next: lhs index validate FILE, lhs index create FILE, then lhs index reindex a',
        `next: lhs index validate FILE ${flags}, lhs index create FILE ${flags}, ` +
          `then lhs index reindex a ${flags}`,
      ],
      [
        '   lhs index create f && lhs index reindex a',
        `   lhs index create f ${flags} && lhs index reindex a ${flags}`,
      ],
      ["next: lhs search a 'b && c' --limit 1", `next: lhs search a 'b && c' --limit 1 ${flags}`],
      ["next: lhs search a 'b | c > d -- e'", `next: lhs search a 'b | c > d -- e' ${flags}`],
      ["next: lhs search a 'b, lhs d (or f)'", `next: lhs search a 'b, lhs d (or f)' ${flags}`],
      [
        "next: lhs search a 'it'\\'' && --url x'",
        `next: lhs search a 'it'\\'' && --url x' ${flags}`,
      ],
      ['   lhs index export a | wc', undefined],
      ['2 snapshots behind (lhs index sync a)', `2 snapshots behind (lhs index sync a ${flags})`],
      ["next: lhs search a --limit 1 -- '-x'", `next: lhs search a --limit 1 ${flags} -- '-x'`],
      ['title: what lhs index does', undefined],
    ] as const)
      expect(asTyped(line, {}, place)).toBe(typed ?? line);
  });
});
