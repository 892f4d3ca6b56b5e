import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isAbsolute, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The package that runs transformers. */
export const RUNTIME = '@huggingface/transformers';

/** The command that installs it where `file`, a module of lhs, finds it. */
export function installCommand(file = fileURLToPath(import.meta.url)): string {
  const [project, inside] = file.split(`${sep}node_modules${sep}`);
  const isGlobal = inside !== undefined && !existsSync(join(project, 'package.json'));
  return `npm install ${isGlobal ? '-g ' : ''}${RUNTIME}@4.3.1`;
}

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
