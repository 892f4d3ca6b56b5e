import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { DEFAULT_MODEL, type Embedder } from './embedder.ts';
import { modelUnavailable } from './model-faults.ts';
import { openStaticModel } from './static/static-model.ts';
import { openTransformer } from './transformer/transformer-model.ts';

const DEFAULT_PACKAGE = '@lakehouse-search/model-static-384';

/** How a model is opened. */
export interface EmbedderOptions {
  /** Folder from which relative folders are taken (default: the current one). */
  readonly from?: string;
  /**
   * A file that remembers, by their stamps, which model files were found whole, so that the next
   * process need not read them all (12 MB, about 15 ms).
   */
  readonly remembered?: string;
}

/**
 * Opens a model: `default`, or a folder with a static model (model.json) or a transformer in the
 * layout of Hugging Face (config.json, tokenizer.json, onnx/). Throws model_unavailable, which
 * names the file and the way out.
 */
export async function openEmbedder(
  model: string,
  options: EmbedderOptions = {},
): Promise<Embedder> {
  const folder = modelFolder(model, options.from);
  const { remembered } = options;
  return kindOf(folder) === 'static'
    ? openStaticModel(folder, { name: model, remembered })
    : openTransformer(folder, { name: model, remembered });
}

/** Which reader a model's folder needs. Throws model_unavailable where it is neither's. */
export function kindOf(folder: string): 'static' | 'transformer' {
  if (existsSync(join(folder, 'model.json'))) return 'static';
  if (existsSync(join(folder, 'config.json'))) return 'transformer';
  throw modelUnavailable({
    path: join(folder, 'model.json'),
    found: 'is missing, and so is "config.json"',
    hint:
      'name a folder with a static model (model.json) or with a transformer (config.json, ' +
      'tokenizer.json, onnx/)',
  });
}

/** The folder of a model. Throws model_unavailable where there is none. */
export function modelFolder(model: string, from = process.cwd()): string {
  const folder = model === DEFAULT_MODEL ? defaultFolder() : resolve(from, model);
  if (existsSync(folder)) return folder;
  throw modelUnavailable({
    path: folder,
    found: 'is missing',
    hint: `put the model's folder there, or name "${DEFAULT_MODEL}", which ships with lhs`,
  });
}

function defaultFolder(): string {
  const file = `${DEFAULT_PACKAGE}/model.json`;
  try {
    return dirname(createRequire(import.meta.url).resolve(file));
  } catch (cause) {
    const hint = `npm install ${DEFAULT_PACKAGE}`;
    throw modelUnavailable({ path: join('node_modules', file), found: 'is missing', hint, cause });
  }
}
