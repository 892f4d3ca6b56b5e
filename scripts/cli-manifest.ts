/**
 * Writes the manifest of the commands into packages/cli/dist and packages/cli/bundle: with it a
 * command starts without loading all the others. Run by `npm run build`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const cli = fileURLToPath(new URL('../packages/cli', import.meta.url));
const { Config } = createRequire(`${cli}/package.json`)('@oclif/core');
const pjson = JSON.parse(readFileSync(`${cli}/package.json`, 'utf8'));
const config = await Config.load({
  root: `${cli}/dist`,
  pjson,
  isRoot: true,
  ignoreManifest: true,
});
const plugin = config.plugins.get('@lakehouse-search/cli');
const manifest = { commands: plugin.manifest.commands, version: pjson.version };
for (const program of ['dist', 'bundle']) {
  writeFileSync(`${cli}/${program}/oclif.manifest.json`, JSON.stringify(manifest));
}
