import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** A file of the console, in the encodings that it is sent in. */
export interface ConsoleFile {
  readonly name: string;
  readonly type: string;
  /** In quotes, as `ETag` has it. */
  readonly etag: string;
  readonly plain: Buffer;
  readonly gzip: Buffer;
  readonly brotli: Buffer;
}

/** The console as a browser loads it: one page, and files whose names change with their bytes. */
export interface ConsoleAssets {
  readonly page: ConsoleFile;
  readonly files: readonly ConsoleFile[];
}

interface Listed {
  readonly name: string;
  readonly type: string;
  readonly digest: string;
}

const LIST = '@lakehouse-search/console/assets.json';

/** Reads the files that `assets.json` of a folder lists. Throws if one of them is missing. */
export function readConsole(folder: string): ConsoleAssets {
  const list = readFileSync(join(folder, 'assets.json'), 'utf8');
  const { page, files } = JSON.parse(list) as {
    readonly page: Listed;
    readonly files: readonly Listed[];
  };
  const read = ({ name, type, digest }: Listed): ConsoleFile => {
    const bytes = (ending: string) => readFileSync(join(folder, name + ending));
    const [plain, gzip, brotli] = ['', '.gz', '.br'].map(bytes);
    return { name, type, etag: `"${digest}"`, plain, gzip, brotli };
  };
  return Object.freeze({ page: read(page), files: files.map(read) });
}

/** The console of the installed package; undefined: it is not installed, or not built. */
export function installedConsole(): ConsoleAssets | undefined {
  try {
    return readConsole(dirname(createRequire(import.meta.url).resolve(LIST)));
  } catch {
    return undefined;
  }
}
