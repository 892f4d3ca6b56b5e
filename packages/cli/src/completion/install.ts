import { existsSync } from 'node:fs';
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { userConfigFolder } from '../config/settings-file.ts';
import { shellWord } from '../terminal/errors/shell-word.ts';
import { SCRIPTS } from './scripts.ts';

/** Shells whose start file is known. */
export const INSTALLED = ['bash', 'zsh', 'fish'] as const;
/** One of them. */
export type InstalledShell = (typeof INSTALLED)[number];

/** The shell of the user; undefined: it is none of these. */
export const shellOfUser = (env: NodeJS.ProcessEnv): InstalledShell | undefined =>
  INSTALLED.find((shell) => shell === basename(env.SHELL ?? ''));

/** Writes the script of a shell, and lets new shells load it. Returns the files that it wrote. */
export async function installCompletion(
  shell: InstalledShell,
  env: NodeJS.ProcessEnv,
): Promise<readonly string[]> {
  const home = env.HOME || homedir();
  const script =
    shell === 'fish'
      ? join(env.XDG_CONFIG_HOME || join(home, '.config'), 'fish/completions/lhs.fish')
      : join(userConfigFolder(env), `completion.${shell}`);
  await mkdir(dirname(script), { recursive: true });
  await writeFile(script, SCRIPTS[shell]);
  if (shell === 'fish') return [script];
  const profile = process.platform === 'darwin' ? '.bash_profile' : '.bashrc';
  const start = shell === 'zsh' ? join(env.ZDOTDIR || home, '.zshrc') : join(home, profile);
  const file = shellWord(script);
  const line = `[ -f ${file} ] && . ${file}`;
  const text = existsSync(start) ? await readFile(start, 'utf8') : '';
  if (text.split('\n').includes(line)) return [script];
  await appendFile(start, `${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`);
  return [script, start];
}
