import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sourcesOf } from './sources.ts';

const EXPORT = /^export (?:async )?(?:function\*?|class|const|let|interface|type) (\w+)/gm;

/** The names that several files of a package export, in order. */
function repeatedNames(pkg: string): string[] {
  const files = new Map<string, number>();
  for (const { path, text } of sourcesOf(`packages/${pkg}/src`)) {
    if (basename(path) === 'index.ts') continue;
    const names = new Set([...text.matchAll(EXPORT)].map((match) => match[1]));
    for (const name of names) files.set(name, (files.get(name) ?? 0) + 1);
  }
  return [...files].flatMap(([name, count]) => (count > 1 ? [name] : [])).sort();
}

describe('exported names', () => {
  it.each(['contract', 'lake', 'engine', 'client', 'mcp', 'server', 'cli'])(
    'are unique within packages/%s',
    (pkg) => {
      expect(repeatedNames(pkg)).toEqual([]);
    },
  );
});
