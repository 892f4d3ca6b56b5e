/**
 * Writes proto/lhs/v1 from the types of packages/contract and generates
 * packages/client/src/generated. Numbers of fields stay; those of removed fields are reserved.
 *
 *     node scripts/proto.ts [root of a checkout]
 *
 * It needs buf 1.75 in PATH or at LHS_BUF (`npm install --prefix FOLDER @bufbuild/buf@1.75.0`): not
 * every npm registry has its packages of all platforms, so the repository does not install it.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OPERATIONS } from '../packages/contract/src/operations.ts';
import { readNumbers } from './proto/numbers.ts';
import { printModel } from './proto/print.ts';
import { printDocs } from './proto/print-docs.ts';
import { printRoutes } from './proto/print-routes.ts';
import { readContract } from './proto/read-contract.ts';

const HERE = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const root = process.argv[2] ?? HERE;
const folder = join(root, 'proto/lhs/v1');

/** Written by hand. */
const OWN = ['errors.proto', 'options.proto'];

const old = readdirSync(folder).filter((name) => !OWN.includes(name));
const texts = old.map((name) => readFileSync(join(folder, name), 'utf8'));
const model = readContract(HERE);
const files = printModel(model, readNumbers(texts));
for (const name of old) if (!files.has(name)) rmSync(join(folder, name));
for (const [name, text] of files) writeFileSync(join(folder, name), text);

const generated = join(root, 'packages/client/src/generated');
const bin = join(HERE, 'node_modules/.bin');
const options = {
  cwd: join(root, 'proto'),
  env: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
  stdio: 'inherit',
} as const;
const buf = process.env.LHS_BUF ?? 'buf';
execFileSync(buf, ['format', '-w'], options);
execFileSync(buf, ['lint'], options);
if (existsSync(generated)) rmSync(generated, { recursive: true });
execFileSync(buf, ['generate'], options);
writeFileSync(join(generated, 'docs.ts'), printDocs(model));
writeFileSync(join(generated, 'routes.ts'), printRoutes(OPERATIONS));
