import { createRequire } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';

/** The package that runs transformers. */
export const RUNTIME = '@huggingface/transformers';

/** The command that installs it. */
export const INSTALL_RUNTIME = `npm install ${RUNTIME}@4.3.1`;

/**
 * The file to import for a package: from the folder that LHS_TRANSFORMERS names, or from where
 * `lhs` is installed. Undefined if it is not installed there. A path stays as it is.
 */
export function locateRuntime(
  runtime: string = RUNTIME,
  env: NodeJS.ProcessEnv = process.env,
): string | undefined {
  if (isAbsolute(runtime)) return runtime;
  const folder = env.LHS_TRANSFORMERS ?? '';
  const from = folder === '' ? import.meta.url : join(resolve(folder), 'package.json');
  try {
    return createRequire(from).resolve(runtime);
  } catch {
    return undefined;
  }
}
