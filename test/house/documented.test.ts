import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LIBRARY_ENTRIES } from '../../scripts/sources.ts';
import { ROOT } from './sources.ts';

const EXPORTED = /export (?:type )?(?:\*|\{([^}]*)\}) from '(\.[^']+)'/g;
const DECLARED =
  /^export (?:abstract |async )?(?:interface|type|const|function\*?|class) (\w+)(?! *\})/gm;
/** A method of an interface, on one line or on several. */
const METHOD = /^ {2}(\w+)(?:<.*)?\(/gm;

describe.each(LIBRARY_ENTRIES)('the exports of %s', (_, entry) => {
  it('have a doc comment each, and so has each method of an interface', () => {
    const text = readFileSync(entry, 'utf8');
    const bare = [...text.matchAll(EXPORTED)].flatMap(([, list, file]) =>
      bareIn(join(dirname(entry), file), list && new Set(list.match(/\w+/g))),
    );
    expect(bare).toEqual([]);
  });
});

/** The declarations and methods of a file without a comment; `names`: of these exports alone. */
function bareIn(path: string, names: ReadonlySet<string> | '' | undefined): string[] {
  const text = readFileSync(path, 'utf8');
  const declared = [...text.matchAll(DECLARED)].filter(([, name]) => !names || names.has(name));
  const seen = new Set<string>();
  return declared.flatMap(({ 0: line, 1: name, index }) => {
    const isOverload = seen.has(name);
    seen.add(name);
    const members = / interface /.test(line) ? bodyAt(text, index).matchAll(METHOD) : [];
    const methods = [...members].filter((m) => !isDocumented(m.input, m.index));
    const bare = isOverload || isDocumented(text, index) ? [] : [name];
    const lacking = [...bare, ...methods.map((m) => `${name}.${m[1]}`)];
    return lacking.map((what) => `${relative(ROOT, path)}: ${what}`);
  });
}

const bodyAt = (text: string, from: number): string => text.slice(from, text.indexOf('\n}', from));

const isDocumented = (text: string, at: number): boolean =>
  text.slice(0, at).trimEnd().endsWith('*/');
