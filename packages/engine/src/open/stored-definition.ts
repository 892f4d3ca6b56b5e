import { ANALYZER_CATALOG } from '../analysis/registry.ts';
import type { StoredDefinition } from '../registry/registry.ts';
import type { Definition } from '../schema/definition.ts';
import { requireDefinition } from '../schema/parse/parse-definition.ts';
import { readParsed } from '../schema/parse/parsed-definition.ts';

/** A definition that the registry stores. Throws invalid_definition, corrupt_index. */
export function readDefinition({ definition: text, parsed }: StoredDefinition): Definition {
  return readParsed(parsed, text) ?? requireDefinition(text, ANALYZER_CATALOG);
}
