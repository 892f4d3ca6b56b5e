import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import { DEFAULT_MODEL } from './embedder.ts';
import { statOf } from './file-sums.ts';
import { kindOf, modelFolder } from './open-embedder.ts';
import { readStaticManifest } from './static/static-manifest.ts';
import { readTransformer } from './transformer/transformer-manifest.ts';
import { locateRuntime, RUNTIME } from './transformer/transformer-runtime.ts';

/** A file that a model's vectors depend on. */
export interface DescribedFile {
  readonly name: string;
  readonly bytes: number;
  /** As model.json names it, or as computed if it names none. */
  readonly sha256: string;
}

/** What a model is. */
export interface ModelDescription {
  /** `default`, or the folder as it was asked for. */
  readonly model: string;
  readonly folder: string;
  readonly kind: 'static' | 'transformer';
  readonly name: string;
  readonly dims: number;
  /** Two models with one checksum give the same vectors. */
  readonly checksum: string;
  readonly bytes: number;
  readonly files: readonly DescribedFile[];
  /** Static models: what model.json says of it. */
  readonly version?: string;
  readonly language?: string;
  readonly licence?: string;
  /** Transformers: the weights that are taken, tokens of one run, how tokens become one vector. */
  readonly dtype?: string;
  readonly max_tokens?: number;
  readonly pooling?: 'mean' | 'first';
  /** Transformers: the package that runs them, and whether it is installed. */
  readonly runtime?: { readonly package: string; readonly installed: boolean };
}

/** A model of a list: what it is, or why it cannot be had. */
export type ListedModel =
  | ModelDescription
  | { readonly model: string; readonly folder: string; readonly error: string };

/** Describes a model. Throws model_unavailable. */
export function describeModelFiles(model: string): ModelDescription {
  const folder = modelFolder(model);
  return kindOf(folder) === 'static'
    ? describeStatic(model, folder)
    : describeTransformer(model, folder);
}

function describeStatic(model: string, folder: string): ModelDescription {
  const manifest = readStaticManifest(folder);
  const { name, version, language, licence, dims, checksum } = manifest;
  const files = [manifest.vectors, manifest.scales, manifest.vocab].map(({ path, sha256 }) => ({
    name: path.slice(folder.length + 1),
    bytes: statOf(path).size,
    sha256,
  }));
  const facts = { name, dims, checksum, bytes: total(files), files, version, language, licence };
  return { model, folder, kind: 'static', ...facts };
}

function describeTransformer(model: string, folder: string): ModelDescription {
  const manifest = readTransformer(folder);
  const { name, dims, checksum, dtype, maxTokens, pooling } = manifest;
  const files = manifest.files.map(({ name, path, sha256 }) => ({
    name,
    bytes: statOf(path).size,
    sha256,
  }));
  const facts = { name, dims, checksum, bytes: total(files), files, dtype, max_tokens: maxTokens };
  const runtime = { package: RUNTIME, installed: locateRuntime() !== undefined };
  return { model, folder, kind: 'transformer', ...facts, pooling, runtime };
}

const total = (files: readonly DescribedFile[]): number =>
  files.reduce((sum, { bytes }) => sum + bytes, 0);

/**
 * The default model, and those directly in a folder (or the one that it is); a broken one with its
 * fault. Throws model_unavailable where the folder is missing.
 */
export function listModelFolders(folder?: string): ListedModel[] {
  const names = [DEFAULT_MODEL, ...(folder === undefined ? [] : modelsIn(folder))];
  return names.map((model) => {
    try {
      return describeModelFiles(model);
    } catch (error) {
      if (!(error instanceof LhsError)) throw error;
      return { model, folder: model, error: error.message };
    }
  });
}

function modelsIn(folder: string): string[] {
  const root = modelFolder(folder);
  if (isModel(root)) return [folder];
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => !entry.isFile() && isModel(join(root, entry.name)))
    .map(({ name }) => join(folder, name))
    .sort();
}

const isModel = (folder: string): boolean =>
  ['model.json', 'config.json'].some((name) => existsSync(join(folder, name)));
