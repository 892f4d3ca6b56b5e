/**
 * Writes packages/cli/oclif.manifest.json: with it a command starts without loading all the others.
 * Run by `npm run build`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../packages/cli', import.meta.url));
const { Config } = createRequire(`${root}/package.json`)('@oclif/core');
const config = await Config.load({ root, ignoreManifest: true });
const plugin = config.plugins.get('@lakehouse-search/cli');
const { version } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
const manifest = { commands: plugin.manifest.commands, version };
writeFileSync(`${root}/oclif.manifest.json`, JSON.stringify(manifest));
