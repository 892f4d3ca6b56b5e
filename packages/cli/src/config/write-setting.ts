import { existsSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '@lakehouse-search/lake';
import { parseDocument } from 'yaml';
import { settingKey, settingsText, userConfigFile } from './settings.ts';

/**
 * Writes one setting into the user's file (comments stay); an empty value removes it. Replaced by
 * rename.
 */
export async function writeSetting(key: string, value: string): Promise<void> {
  const file = userConfigFile();
  const document = parseDocument(existsSync(file) ? settingsText(file) : '');
  if (value === '') document.delete(settingKey(key));
  else document.set(settingKey(key), value);
  await makeFolder(dirname(file));
  await writeFile(`${file}.tmp`, document.toString(), { mode: 0o600 });
  await rename(`${file}.tmp`, file);
}
