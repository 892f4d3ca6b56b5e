/**
 * Writes docs/query-tree.schema.json: the JSON schema of the query tree, as the reader's own table
 * says it.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { QUERY_TREE_SCHEMA } from './query-tree-schema.ts';

const file = fileURLToPath(new URL('../docs/query-tree.schema.json', import.meta.url));
writeFileSync(file, `${JSON.stringify(QUERY_TREE_SCHEMA, null, 2)}\n`);
