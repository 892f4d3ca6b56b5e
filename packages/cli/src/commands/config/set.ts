import { existsSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '@lakehouse-search/lake';
import { Args } from '@oclif/core';
import { parseDocument } from 'yaml';
import { LhsCommand } from '../../base-command.ts';
import { settingKey, settingsText, userConfigFile } from '../../config/settings.ts';

export default class ConfigSet extends LhsCommand {
  static override summary = 'Store a setting in the user’s configuration file.';
  static override examples = [
    '<%= config.bin %> config set data_dir ~/search',
    '<%= config.bin %> config set data_dir ""',
  ];
  static override args = {
    key: Args.string({
      ignoreStdin: true,
      description: 'data_dir, backup_target or url',
      required: true,
    }),
    value: Args.string({
      ignoreStdin: true,
      description: 'value; an empty one removes the setting',
      required: true,
    }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(ConfigSet);
    await writeSetting(args.key, args.value);
    if (flags.json) return this.printJson({ key: args.key, value: args.value });
    this.print([`${args.key} stored in ${userConfigFile()}`]);
  }
}

/**
 * Writes one setting into the user's file (comments stay); an empty value removes it. Replaced by
 * rename.
 */
async function writeSetting(key: string, value: string): Promise<void> {
  const file = userConfigFile();
  const document = parseDocument(existsSync(file) ? settingsText(file) : '');
  if (value === '') document.delete(settingKey(key));
  else document.set(settingKey(key), value);
  await makeFolder(dirname(file));
  await writeFile(`${file}.tmp`, document.toString(), { mode: 0o600 });
  await rename(`${file}.tmp`, file);
}
