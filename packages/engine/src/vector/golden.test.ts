import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { openFramed, verifyFramed } from '../storage/frame.ts';
import { openLocalDirectory } from '../storage/local-directory.ts';
import { checkVectors } from './check.ts';
import { checkGraph, openGraph } from './graph/graph-format.ts';
import { VectorReader } from './vector-reader.ts';

/** What scripts/golden-vectors.ts wrote beside the files. */
interface Golden {
  readonly docs: number;
  readonly dims: number;
  readonly count: number;
  readonly k: number;
  readonly expected: readonly {
    readonly query: readonly number[];
    readonly nearest: readonly { readonly doc: number; readonly similarity: number }[];
  }[];
}

const fixtures = fileURLToPath(new URL('../../../../fixtures/', import.meta.url));
const versions = readdirSync(fixtures).filter((name) => name.startsWith('vectors-v'));

describe('golden vectors', () => {
  test.each(versions)('of %s open and give the same nearest documents', (version) => {
    const folder = join(fixtures, version);
    const golden = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Golden;
    const directory = openLocalDirectory(folder);
    const files = (['vector', 'graph'] as const).map((kind) => {
      const framed = openFramed(directory, `s1.f1.${kind}`, kind);
      verifyFramed(framed);
      return framed;
    });
    const graph = openGraph(files[1].payload, files[1].path);
    const reader = new VectorReader(files[0].payload, files[0].path, () => graph);
    const problems: string[] = [];
    checkVectors(reader, (problem) => problems.push(problem));
    checkGraph(graph, (problem) => problems.push(problem));
    expect(problems).toEqual([]);
    expect([reader.docs, reader.dims, reader.count]).toEqual([
      golden.docs,
      golden.dims,
      golden.count,
    ]);
    for (const { query, nearest } of golden.expected) {
      const options = { accept: null, exact: true };
      const found = reader.nearest(Float32Array.from(query), golden.k, options);
      expect([...found.docs]).toEqual(nearest.map(({ doc }) => doc));
      expect([...found.similarities]).toEqual(nearest.map(({ similarity }) => similarity));
    }
    for (const { file } of files) file.release();
  });

  test('exist', () => expect(versions).toContain('vectors-v1'));
});
