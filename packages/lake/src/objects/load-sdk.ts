import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LakeError } from '../base/errors.ts';

/**
 * Loads the SDK of a store: from where `lhs` is installed, or else from the folder that LHS_SDKS
 * names (one in which `npm install` was run). Throws unsupported if it is not installed.
 */
export async function loadSdk<T>(name: string, use: string): Promise<T> {
  try {
    return (await import(name).catch(() => fromFolder(name))) as T;
  } catch (error) {
    throw new LakeError(
      'unsupported',
      `${use} needs the package "${name}", which is not installed; install it with ` +
        `npm install ${name}, beside lhs or in the folder that LHS_SDKS names`,
      { cause: error },
    );
  }
}

/** The exports of a package in the folder of LHS_SDKS. */
async function fromFolder(name: string): Promise<object> {
  const from = createRequire(join(resolve(process.env.LHS_SDKS ?? '.'), 'package.json'));
  const { default: whole, ...parts } = await import(pathToFileURL(from.resolve(name)).href);
  return { ...whole, ...parts };
}
