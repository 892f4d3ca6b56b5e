import { basename } from 'node:path';
import { type JsonObject, LhsError } from '@lakehouse-search/contract';
import { isMap, isScalar, LineCounter, type Node } from 'yaml';
import {
  edited,
  entry,
  INCLUDED_MODEL,
  modelNodes,
  parseGated,
  replacement,
} from './definition-gate.ts';
import type { SourceNames } from './server-config.ts';
import { shownPlace } from './shown-status.ts';

/**
 * A definition as callers over the network see it, and may send it again: by the names of the
 * configuration. `source`: that of the index as callers see it. Throws invalid_definition.
 */
export async function shownDefinition(
  text: string,
  source: JsonObject | undefined,
  names: SourceNames,
): Promise<string> {
  const document = await parseGated(text, new LineCounter());
  if (!isMap(document)) throw new LhsError('invalid_definition', 'a definition is a map');
  const edit = (key: string, value: (node: Node) => unknown) => {
    const node = entry(document, key);
    return node === undefined ? [] : [replacement(node, value(node))];
  };
  return edited(text, [
    ...edit('source', () => source ?? {}),
    ...edit('storage', (node) => shownPlace(textOf(node), names)),
    ...modelNodes(document).map((node) => replacement(node, modelName(textOf(node), names))),
  ]);
}

const textOf = (node: Node): string => (isScalar(node) ? String(node.value) : '');

/** The name of a model in the configuration; of another one the last part of its path. */
function modelName(model: string, { models }: SourceNames): string {
  if (model === INCLUDED_MODEL) return model;
  return Object.keys(models).find((name) => models[name] === model) ?? basename(model);
}
