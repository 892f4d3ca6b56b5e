/** The first module of the executable file: unpacks the program, once, and starts it. */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { getAsset, getRawAsset } from 'node:sea';
import { zstdDecompressSync } from 'node:zlib';

// code that Node runs from the executable itself imports only modules of Node
const START = "import('./bin/lhs.js');\n";

function unpack(folder) {
  const bytes = zstdDecompressSync(new Uint8Array(getRawAsset('program')));
  let at = bytes.indexOf('\n') + 1;
  for (const [path, length] of JSON.parse(bytes.subarray(0, at).toString())) {
    mkdirSync(dirname(join(folder, path)), { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, path), bytes.subarray(at, at + length));
    at += length;
  }
  writeFileSync(join(folder, 'start.cjs'), START);
}

/** The folder of the program; another process may unpack it at the same time. */
function programFolder() {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const folder = join(cache, 'lhs', `program-${getAsset('digest', 'utf8')}`);
  if (existsSync(folder)) return folder;
  const draft = `${folder}.${process.pid}`;
  unpack(draft);
  try {
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

const folder = programFolder();
const bin = join(folder, 'bin/lhs.js');
// a command that starts lhs again passes the file of the program, maybe of an older version
const isProgram = /[\\/]program-[0-9a-f]{16}[\\/]bin[\\/]lhs\.js$/;
const args = process.argv.slice(2);
process.argv = [process.execPath, bin, ...(isProgram.test(args[0]) ? args.slice(1) : args)];
createRequire(bin)('../start.cjs');
