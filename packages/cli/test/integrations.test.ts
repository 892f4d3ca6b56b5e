/** The files of `integrations/` as their users run them: with a `kubectl` and a `gh` of this test. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { Home, LHS, TABLES } from './child.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const FOLDER = join(ROOT, 'integrations');

let home: Home;
beforeEach(async () => {
  home = new Home();
  mkdirSync(home.path('bin'));
  writeProgram('lhs', `#!/bin/sh\nexec '${process.execPath}' '${LHS}' "$@"\n`);
});
afterEach(() => home.dispose());

const writeProgram = (name: string, text: string) =>
  writeFileSync(home.path('bin', name), text, { mode: 0o755 });
const withPrograms = () => ({ PATH: `${home.path('bin')}:${process.env.PATH}` });

/** Makes an index that is published in a folder; returns its documents. */
async function publish(index: string): Promise<readonly string[]> {
  const init = await home.run(['index', 'init', '--path', `${TABLES}own_vectors`, '--name', index]);
  const definition = init.stdout.replace(/^next: .*$/m, '');
  writeFileSync(home.path(`${index}.yaml`), `${definition}\nstorage: ./home\n`);
  await home.run(['index', 'apply', home.path(`${index}.yaml`)]);
  const { stdout } = await home.run(['index', 'export', index]);
  return stdout.trim().split('\n').sort();
}

/** Keeps the ConfigMap in a folder, and runs the pods of the Job one after the other. */
const KUBECTL = (folder: string) => `#!${process.execPath}
const { execFileSync } = require('node:child_process');
const { appendFileSync, copyFileSync, readFileSync } = require('node:fs');
const { parse } = require('${join(ROOT, 'node_modules/yaml')}');
const folder = '${folder}';
const [verb, kind, ...args] = process.argv.slice(2);
appendFileSync(folder + '/calls', verb + ' ' + kind + '\\n');
if (verb === 'create' && kind === 'configmap')
  copyFileSync(args[1].slice('--from-file='.length), folder + '/tasks.jsonl.gz');
if (verb === 'create' && kind === '-f') {
  const job = parse(readFileSync(0, 'utf8'));
  const { command, args: [script] } = job.spec.template.spec.containers[0];
  const here = script.replace('/tasks/', folder + '/').replace('/app/', '${ROOT}');
  for (let index = 0; index < job.spec.completions; index++) {
    const env = { ...process.env, JOB_COMPLETION_INDEX: String(index) };
    execFileSync(command[0], [command[1], here], { env, stdio: ['ignore', 'ignore', 'inherit'] });
    appendFileSync(folder + '/calls', 'pod ' + index + '\\n');
  }
}
if (verb === 'get' && args.join(' ').includes('Complete')) process.stdout.write('True');
`;

const CALLS = [
  'delete job,configmap',
  'create configmap',
  'create -f',
  'pod 0',
  'pod 1',
  'get job',
];

describe.skipIf(process.platform === 'win32')('integrations/kubernetes', () => {
  it('builds an index by a Job with a pod per task', async () => {
    const expected = await publish('small');
    writeProgram('kubectl', KUBECTL(home.folder));
    const command = join(FOLDER, 'kubernetes/run-tasks');
    const args = ['reindex', 'small', '--tasks', '2', '--runner', 'command', '--command', command];
    const built = await home.run(args, { alone: true, env: withPrograms() });
    expect(built.stderr).not.toContain('error');
    expect(built.stdout).toContain('generation 2 live');
    expect(readFileSync(home.path('calls'), 'utf8').trim().split('\n')).toEqual(CALLS);
    const { stdout } = await home.run(['index', 'export', 'small']);
    expect(stdout.trim().split('\n').sort()).toEqual(expected);
  });
});

describe.skipIf(process.platform === 'win32')('integrations/schedule', () => {
  const files = readdirSync(join(FOLDER, 'schedule'));
  const read = (file: string) => readFileSync(join(FOLDER, 'schedule', file), 'utf8');

  it('has recipes of under 30 lines, which run the same commands', () => {
    for (const file of files) {
      expect(read(file).split('\n').length - 1, file).toBeLessThan(30);
      const run = read(file).match(/index (sync|verify) incidents( --sample 1000)?/g) ?? [];
      const commands = ['index sync incidents', 'index verify incidents --sample 1000'];
      expect([...new Set(run)], file).toEqual(commands);
    }
  });

  it('has an Action whose steps bring a new machine up to a published index', async () => {
    await publish('incidents');
    const { jobs } = parse(read('github-actions.yml')) as {
      readonly jobs: { readonly sync: { readonly steps: readonly { readonly run?: string }[] } };
    };
    writeProgram(
      'gh',
      `#!/bin/sh\nfor last; do [ "$last" = --clobber ] || to=$last; done
printf '%s' "$*" | grep -q '^release download v' && cp '${home.path('bin/lhs')}' "$to"\n`,
    );
    const env = {
      ...process.env,
      ...withPrograms(),
      HOME: home.path('runner'),
      LHS_DATA_DIR: home.path('runner/data'),
      GITHUB_PATH: home.path('paths'),
    };
    const steps = jobs.sync.steps.flatMap(({ run }) => run ?? []);
    const printed = steps.map((step) =>
      execFileSync('bash', ['-euo', 'pipefail', '-c', step], {
        cwd: home.folder,
        encoding: 'utf8',
        env,
      }),
    );
    expect(printed.at(-1)).toMatch(/nothing differs|the index equals the table/);
    expect(readFileSync(home.path('paths'), 'utf8')).toBe(`${home.path('runner/bin')}\n`);
  });
});
