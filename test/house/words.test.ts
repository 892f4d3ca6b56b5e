import { describe, expect, it } from 'vitest';
import { sourcesOf } from './sources.ts';

/** A command line, or a flag that begins a string or follows a blank or a bracket. */
const COMMAND = /\blhs (alias|config|demo|doctor|index|keys|model|query|search|source|tui)\b/;
const FLAG = /(['"`(]|\s)--[a-z][a-z-]+\b(?!;)/;

/** Lines of code; lines of comments begin with a star or slashes. */
const isCode = (line: string): boolean => !/^\s*(\*|\/\/|\/\*)/.test(line);
const hasString = (line: string): boolean => /['"`]/.test(line);

describe('the words of packages without a command line', () => {
  it.each(['contract', 'lake', 'engine', 'client'])(
    'packages/%s names no command and no flag',
    (pkg) => {
      const files = sourcesOf(`packages/${pkg}/src`).filter(({ path }) => !path.includes('.test.'));
      expect(files.length).toBeGreaterThan(10);
      const found = files.flatMap(({ path, lines }) =>
        lines.flatMap((line, i) => {
          if (!isCode(line) || !(COMMAND.test(line) || (FLAG.test(line) && hasString(line)))) {
            return [];
          }
          return [`${path}:${i + 1}: ${line.trim()}`];
        }),
      );
      expect(found).toEqual([]);
    },
  );
});

/** What a browser does not load. */
const NODE_ONLY = ['packages/client/src/grpc/', 'packages/client/src/rest/pool-exchange.ts'];

describe.each(['contract', 'client'])('packages/%s', (name) => {
  it('uses nothing that a browser does not have', () => {
    const node = /\bBuffer\b|\bprocess\.|\bfrom 'node:|\brequire\(/;
    const files = sourcesOf(`packages/${name}/src`).filter(
      ({ path }) => !path.includes('.test.') && !NODE_ONLY.some((part) => path.startsWith(part)),
    );
    const found = files.flatMap(({ path, lines }) =>
      lines.flatMap((line, i) => (isCode(line) && node.test(line) ? [`${path}:${i + 1}`] : [])),
    );
    expect(found).toEqual([]);
  });
});
