import { constants, existsSync, statSync } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { userConfigFile } from '../config/settings-file.ts';
import { bytes } from '../terminal/figures.ts';

/** One thing that was looked at. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  /** What to do about it, where it is not well. */
  readonly advice?: string;
}

const NODE_MAJOR = 22;
const NODE_MINOR = 19;
const FREE_BYTES = 1e9;

/** Everything that `lhs doctor` looks at, in order. Never throws. */
export async function runChecks(dataDir: string, version: string): Promise<readonly Check[]> {
  return [
    { name: 'lhs', ok: true, detail: version },
    nodeVersion(),
    await library('duckdb', 'Parquet scans', () => load('@duckdb/node-bindings')),
    await library('sqlite', 'the registry and SQL catalogs', openSqlite),
    await library('mmap', 'mapped index files; without it files are read', openKoffi),
    await model(),
    await writable(dataDir),
    settings(),
    await freeSpace(dataDir),
    threads(),
  ];
}

function nodeVersion(): Check {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const ok = major > NODE_MAJOR || (major === NODE_MAJOR && minor >= NODE_MINOR);
  const advice = `lhs needs Node ${NODE_MAJOR}.${NODE_MINOR} or newer`;
  const detail = `${process.version} ${process.execPath}`;
  return { name: 'node', ok, detail, advice: ok ? undefined : advice };
}

const load = createRequire(import.meta.url);

async function openSqlite(): Promise<void> {
  const { default: Database } = await import('better-sqlite3');
  new Database(':memory:').close();
}

async function openKoffi(): Promise<void> {
  const { loadKoffi } = await import('@lakehouse-search/engine/internal');
  loadKoffi();
}

/** Loads a native library, which differs per platform. */
async function library(name: string, what: string, open: () => unknown): Promise<Check> {
  try {
    await open();
    return { name, ok: true, detail: what };
  } catch (error) {
    const detail = error instanceof Error ? error.message.split('\n')[0] : String(error);
    return { name, ok: false, detail, advice: 'install lhs again on this machine' };
  }
}

/** The default model, and whether transformers would run. */
async function model(): Promise<Check> {
  const name = 'model';
  try {
    const { describeModel, transformerInstall } = await import('@lakehouse-search/engine/internal');
    const install = await transformerInstall();
    const transformers =
      install === undefined ? 'transformers run too' : `for transformers: ${install}`;
    const { name: shipped, dims } = await describeModel('default');
    const detail = `${shipped}, ${dims} dimensions; ${transformers}`;
    return { name, ok: true, detail };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { name, ok: false, detail, advice: 'install lhs again on this machine' };
  }
}

async function writable(dataDir: string): Promise<Check> {
  try {
    const folder = nearestThere(dataDir);
    await access(folder, constants.W_OK);
    if (!statSync(folder).isDirectory()) throw new Error('not a folder');
    return { name: 'data', ok: true, detail: dataDir };
  } catch {
    const advice = 'choose another with --data-dir, LHS_DATA_DIR or lhs config set data_dir';
    return { name: 'data', ok: false, detail: `${dataDir} cannot be written`, advice };
  }
}

function settings(): Check {
  const file = userConfigFile();
  return { name: 'config', ok: true, detail: existsSync(file) ? file : `${file} (not there)` };
}

/** The path, or the folder above it in which it would be made. */
function nearestThere(path: string): string {
  const above = dirname(path);
  return existsSync(path) || above === path ? path : nearestThere(above);
}

async function freeSpace(dataDir: string): Promise<Check> {
  try {
    const { bavail, bsize } = await statfs(nearestThere(dataDir));
    const free = bavail * bsize;
    const ok = free > FREE_BYTES;
    return {
      name: 'disk',
      ok,
      detail: `${bytes(free)} free`,
      advice: ok ? undefined : 'a reindex needs room for a second copy of the index',
    };
  } catch {
    return { name: 'disk', ok: false, detail: `${dataDir} cannot be read` };
  }
}

function threads(): Check {
  const { rss } = process.memoryUsage();
  return { name: 'memory', ok: true, detail: `${bytes(rss)} used by this process` };
}
