/**
 * Peers from npm that benchmarks alone need: they are put into the work folder at the first run, so
 * that a checkout does not install or compile them.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { WORK } from './shared.ts';

const HNSWLIB = '3.0.0';

/** A package, what it needs beside it with versions, and options of `npm install`. */
export interface NpmPeer {
  readonly name: string;
  readonly packages: readonly string[];
  readonly options?: readonly string[];
}

/** The module of a peer; null: it cannot be installed, or not be loaded here. */
export function npmPeer({ name, packages, options = [] }: NpmPeer): unknown {
  const folder = join(WORK, name.split('/').at(-1)!);
  if (!existsSync(join(folder, 'node_modules', name))) {
    mkdirSync(folder, { recursive: true });
    const own = { private: true, allowScripts: { [name]: true } };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(own));
    spawnSync('npm', ['install', ...options, ...packages], { cwd: folder, stdio: 'inherit' });
  }
  try {
    return createRequire(join(folder, 'package.json'))(name);
  } catch (error) {
    console.log(`${name} is left out: ${String(error).split('\n', 1)[0]}`);
    return null;
  }
}

/** Of an index of hnswlib-node what is used here. */
export interface HnswIndex {
  initIndex(most: number, links?: number, ef?: number, seed?: number): void;
  addPoint(vector: readonly number[], label: number): void;
  setEf(ef: number): void;
  searchKnn(vector: readonly number[], k: number): { readonly neighbors: readonly number[] };
  writeIndexSync(path: string): void;
  readIndexSync(path: string): void;
}
export type HnswKind = new (space: 'ip', dims: number) => HnswIndex;

/** hnswlib-node, which is compiled when it is installed; null: it cannot be had. */
export const hnswlib = () =>
  npmPeer({ name: 'hnswlib-node', packages: [`hnswlib-node@${HNSWLIB}`] }) as {
    readonly BruteforceSearch: HnswKind;
    readonly HierarchicalNSW: HnswKind;
  } | null;
