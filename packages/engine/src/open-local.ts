import type { Backend, CallContext, IndexRequest } from '@lakehouse-search/contract';
import { grouped, OPERATIONS } from '@lakehouse-search/contract/internal';
import type { IndexFinding, IndexUsage } from './local/diagnose/findings.ts';
import type { LocalOptions } from './local/open-options.ts';
import type { SourceLayout } from './local/source-layout.ts';
import { openEngine } from './local-backend.ts';

/** The embedded engine. Close it when done: it holds mapped files and the registry. */
export interface LocalBackend extends Backend {
  readonly dataDir: string;
  /**
   * What endangers an index or costs it disk, problems first. Throws index_not_found,
   * corrupt_index, io_error.
   */
  diagnose(request: IndexRequest, call?: CallContext): Promise<readonly IndexFinding[]>;
  /**
   * What an index takes: bytes by kind of file, its objects in a store, and what the last reads by
   * location fetched. Throws index_not_found, corrupt_index, io_error, unreachable, access errors.
   */
  usage(request: IndexRequest, call?: CallContext): Promise<IndexUsage>;
  /**
   * How the data files of an index's table are laid out, of at most `mostFiles` of them. Throws
   * index_not_found, source_not_found, source_invalid, source_unreachable.
   */
  sourceLayout(request: IndexRequest, mostFiles: number): Promise<SourceLayout>;
}

/**
 * Opens a data folder, or by location a published index (`s3://bucket/prefix/INDEX`) or all of a
 * place (`s3://bucket/prefix`) for reading; new commits are seen while it is open. Throws not_found
 * if the folder is missing and `create` is not set, index_not_found, invalid_argument, io_error,
 * corrupt_index, unsupported, unreachable.
 */
export async function openLocal(dataDir: string, options?: LocalOptions): Promise<LocalBackend> {
  return localBackend(await openEngine(dataDir, options));
}

/** What only an embedded engine has. */
type LocalParts = Pick<LocalBackend, 'dataDir' | 'diagnose' | 'sourceLayout' | 'usage'>;

/** The engine as programs call it. Its type names no class of the engine, so they load fewer types. */
export function localBackend(engine: Parameters<typeof grouped>[0] & LocalParts): LocalBackend {
  return Object.freeze({
    ...grouped(engine, OPERATIONS),
    dataDir: engine.dataDir,
    diagnose: (request: IndexRequest, call?: CallContext) => engine.diagnose(request, call),
    usage: (request: IndexRequest, call?: CallContext) => engine.usage(request, call),
    sourceLayout: (request: IndexRequest, most: number) => engine.sourceLayout(request, most),
  });
}
