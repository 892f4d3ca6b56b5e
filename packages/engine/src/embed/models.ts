/**
 * What there is to know of models without an index. The code of models is loaded by the first of
 * these calls: a search by words needs none of it.
 */
import type { ModelCheck } from './check-model.ts';
import type { ListedModel, ModelDescription } from './describe-model.ts';

export type { GoldenCheck, ModelCheck } from './check-model.ts';
export type { ListedModel, ModelDescription } from './describe-model.ts';

/** What a model is, of its files. Throws model_unavailable. */
export async function describeModel(model: string): Promise<ModelDescription> {
  const { describeModelFiles } = await import('./describe-model.ts');
  return describeModelFiles(model);
}

/** The model that ships, and those of a folder, whole or not. */
export async function listModels(folder?: string): Promise<readonly ListedModel[]> {
  const { listModelFolders } = await import('./describe-model.ts');
  return listModelFolders(folder);
}

/** Sums of all its files, and its golden texts where it has some. Throws model_unavailable. */
export async function checkModel(model: string): Promise<ModelCheck> {
  const { checkModelFiles } = await import('./check-model.ts');
  return checkModelFiles(model);
}

/** The command that installs the package for transformers; undefined if it is installed. */
export async function transformerInstall(): Promise<string | undefined> {
  const { installCommand, locateRuntime } = await import('./transformer/transformer-runtime.ts');
  return locateRuntime() === undefined ? installCommand() : undefined;
}
