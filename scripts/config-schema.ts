/** Writes docs/server-config.schema.json: the JSON Schema of the configuration file of a server. */
import { writeFileSync } from 'node:fs';
import { configJsonSchema } from '../packages/server/src/config/config-schema.ts';

const file = new URL('../docs/server-config.schema.json', import.meta.url);
writeFileSync(file, `${JSON.stringify(configJsonSchema(), undefined, 2)}\n`);
