import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sourcesOf } from './sources.ts';

/**
 * Names that two files of the engine export for different things. A name that is renamed leaves
 * the list; no name joins it. Generated kernels are all called KERNEL_CODE.
 */
const KNOWN = [
  'Component',
  'FieldTerms',
  'KERNEL_CODE',
  'Options',
  'Report',
  'SECTIONS',
  'SIMILARITIES',
  'Sections',
  'Step',
  'Steps',
  'TokenSink',
  'checkModel',
  'corrupt',
  'countBits',
  'describeModel',
  'findNear',
  'lengthOf',
  'listModels',
  'openSession',
  'plainField',
  'rankOf',
  'readOptions',
  'termName',
  'termText',
];

const EXPORT = /^export (?:async )?(?:function\*?|class|const|interface|type) (\w+)/gm;

/** The names that several files export, in order. */
function repeatedNames(): string[] {
  const files = new Map<string, number>();
  for (const { path, text } of sourcesOf('packages/engine/src')) {
    if (basename(path) === 'index.ts') continue;
    const names = new Set([...text.matchAll(EXPORT)].map((match) => match[1]));
    for (const name of names) files.set(name, (files.get(name) ?? 0) + 1);
  }
  return [...files].flatMap(([name, count]) => (count > 1 ? [name] : [])).sort();
}

describe('names that the engine exports', () => {
  it('are told apart, but for those that are known', () => {
    expect(repeatedNames().filter((name) => !KNOWN.includes(name))).toEqual([]);
  });
});
