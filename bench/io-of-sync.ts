/**
 * The process of bench/merge-on-read.ts: syncs an index to a snapshot and tells what was read: the
 * bytes of each kind of file that this process's own code read, and all that the kernel counted
 * (/proc/self/io), DuckDB's reads too. argv: data folder, snapshot, warm snapshot.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const bytes = new Map<string, number>();
const paths = new Map<number, string>();

function kindOf(path: string): string {
  if (/deletes\.parquet$|\.puffin$/.test(path)) return 'delete files';
  if (path.endsWith('.parquet')) return 'data files';
  if (path.endsWith('.avro')) return 'manifests';
  if (/metadata\.json$|version-hint/.test(path)) return 'table metadata';
  if (/generations?\/|\/g\d+\/|indexes\//.test(path)) return 'index';
  return 'other';
}
const count = (path: unknown, read: number) => {
  const kind = kindOf(String(path));
  bytes.set(kind, (bytes.get(kind) ?? 0) + read);
};

const { readFileSync: readWhole, openSync, readSync } = fs;
Object.assign(fs, {
  readFileSync(...args: Parameters<typeof readWhole>) {
    const read = readWhole(...args);
    count(args[0], read.length);
    return read;
  },
  openSync(...args: Parameters<typeof openSync>) {
    const descriptor = openSync(...args);
    paths.set(descriptor, String(args[0]));
    return descriptor;
  },
  readSync(...args: Parameters<typeof readSync>) {
    const read = readSync(...args);
    count(paths.get(args[0]) ?? 'other', read);
    return read;
  },
});
const { readFile, open } = fs.promises;
Object.assign(fs.promises, {
  async readFile(...args: Parameters<typeof readFile>) {
    const read = await readFile(...args);
    count(args[0], read.length);
    return read;
  },
  async open(...args: Parameters<typeof open>) {
    const file = await open(...args);
    const read = file.read.bind(file) as (...all: unknown[]) => Promise<{ bytesRead: number }>;
    const whole = file.readFile.bind(file) as (...all: unknown[]) => Promise<Buffer>;
    return Object.assign(file, {
      async read(...all: unknown[]) {
        const answer = await read(...all);
        count(args[0], answer.bytesRead);
        return answer;
      },
      async readFile(...all: unknown[]) {
        const answer = await whole(...all);
        count(args[0], answer.length);
        return answer;
      },
    });
  },
});
syncBuiltinESMExports();

/** Bytes that this process has read by system calls; maps are not counted. */
const charged = () => Number(/rchar: (\d+)/.exec(fs.readFileSync('/proc/self/io', 'utf8'))![1]);

const { openEngine } = await import('@lakehouse-search/engine/local/internal');
const [data, until] = process.argv.slice(2);
const backend = await openEngine(data, { create: true, threads: 0 });
// Code that a sync loads is read before the counting begins.
await backend.sync({ index: 'commits', until: process.argv[4] });
await backend.search({ index: 'commits', query: 'warm' });
bytes.clear();
const before = charged();
const started = performance.now();
const answer = await backend.sync({ index: 'commits', until });
const ms = performance.now() - started;
const rchar = charged() - before;
bytes.delete('other');
process.send!({ answer, ms, rchar, bytes: Object.fromEntries(bytes) });
await backend.close();
process.disconnect();
