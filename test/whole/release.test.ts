// @module-tag campaign
// @module-tag program
/** What `.github/workflows/release.yml` runs and publishes, as far as this machine can run it. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { byEffort } from '../support/effort.ts';
import { findProgram } from '../support/find-program.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FILE = join(ROOT, '.github/workflows/release.yml');
/** A Node that builds executable files. */
const BUILDER = (process.env.LHS_NODES ?? '').split(':').find((node) => {
  if (node === '') return false;
  return execFileSync(node, ['--help'], { encoding: 'utf8' }).includes('--build-sea');
});
const folder = mkdtempSync(join(tmpdir(), 'lhs-release-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Step {
  readonly run?: string;
  readonly with?: Readonly<Record<string, string>>;
}
interface Job {
  readonly permissions: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

const workflow = parse(readFileSync(FILE, 'utf8')) as {
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, Job>>;
};
const run = (script: string, ...args: string[]) =>
  execFileSync(process.execPath, [join(ROOT, 'scripts/release', script), ...args], {
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
const manifestOf = (name: string) =>
  JSON.parse(readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8'));

describe('a release', () => {
  it('publishes every package after those that it needs, with provenance', () => {
    const script = workflow.jobs.packages.steps.find((step) => step.run?.includes('npm publish'));
    const names = /for name in (.*); do/.exec(script!.run!)![1].split(' ');
    expect([...names].sort()).toEqual(readdirSync(join(ROOT, 'packages')).sort());
    for (const [i, name] of names.entries()) {
      const needed = Object.keys(manifestOf(name).dependencies ?? {})
        .filter((one) => one.startsWith('@lakehouse-search/'))
        .map((one) => one.split('/')[1]);
      expect(names.slice(0, i)).toEqual(expect.arrayContaining(needed));
    }
    expect(script!.run).toContain('npm publish --provenance');
  });

  it('builds the image on a base that a digest names', () => {
    const { steps } = workflow.jobs.image;
    const build = steps.find((step) => step.with?.file === 'deploy/Dockerfile');
    expect(build?.with?.['build-args']).toMatch(/^BASE=\$\{\{ steps\.base\.outputs\.image \}\}$/);
    expect(steps.some((step) => step.run?.includes('echo "image=$image@$digest"'))).toBe(true);
  });

  it('gives each job the rights that it needs, and others none', () => {
    expect(workflow.permissions).toEqual({});
    const rights = { contents: 'read' };
    expect(workflow.jobs.build.permissions).toEqual(rights);
    for (const name of ['packages', 'image']) {
      expect(workflow.jobs[name].permissions).toMatchObject({ 'id-token': 'write' });
    }
  });

  it('lists what is bundled and installed, without what development needs', () => {
    const bom = JSON.parse(run('sbom.ts'));
    const refs: string[] = bom.components.map((one: { 'bom-ref': string }) => one['bom-ref']);
    const names = refs.map((ref) => ref.replace(/@[^@]*$/, ''));
    expect(names).toEqual(
      expect.arrayContaining([
        ...[
          '@duckdb/node-bindings',
          '@koromix/koffi-linux-x64',
          'better-sqlite3',
          'yaml',
          'fastify',
          'pg',
          'ink',
        ],
        ...['@aws-sdk/client-s3', '@grpc/grpc-js', '@oclif/core', 'apache-arrow', 'preact'],
      ]),
    );
    const development = ['typescript', 'vitest', 'rolldown', '@biomejs/biome'];
    expect(names.filter((name) => development.includes(name))).toEqual([]);
    const licenses = readFileSync(join(ROOT, 'packages/cli/bundle/LICENSES.txt'), 'utf8');
    const bundled = [...licenses.matchAll(/^# (\S+) (\d\S*) \(/gm)].map((m) => `${m[1]}@${m[2]}`);
    expect(refs).toEqual(expect.arrayContaining(bundled));
    expect(bom).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: { component: { name: '@lakehouse-search/cli' } },
    });
  });

  it('writes a Homebrew formula of the tarball', () => {
    const tarball = join(folder, 'lakehouse-search-cli-0.1.0.tgz');
    writeFileSync(tarball, 'a tarball');
    const formula = run('formula.ts', tarball);
    expect(formula).toContain(`sha256 "${createHash('sha256').update('a tarball').digest('hex')}"`);
    expect(formula).toContain('/releases/download/v0.1.0/lakehouse-search-cli-0.1.0.tgz"');
    const { bin } = manifestOf('cli');
    expect(Object.keys(bin)).toEqual(['lhs']);
    if (findProgram('ruby') === null) return;
    writeFileSync(join(folder, 'lhs.rb'), formula);
    execFileSync(findProgram('ruby')!, ['-c', join(folder, 'lhs.rb')]);
  });

  it.skipIf(!byEffort(false, true) || BUILDER === undefined)(
    'builds an executable file that needs no Node, no PATH and no other file',
    () => {
      const lhs = join(folder, 'lhs');
      execFileSync(BUILDER!, [join(ROOT, 'scripts/release/executable.ts'), lhs]);
      const env = { HOME: join(folder, 'home'), LHS_DATA_DIR: join(folder, 'data') };
      const done = (args: readonly string[], input = '') =>
        execFileSync(args[0], args.slice(1), { cwd: folder, env, input, encoding: 'utf8' });
      expect(done([lhs, '--version'])).toMatch(/^lhs \d/);
      expect(JSON.parse(done([lhs, 'demo', '--json']))).toMatchObject({ equal: true });
      const detached = done([lhs, 'reindex', 'demo-incidents', '--detach', '--json']);
      const { job_id } = JSON.parse(detached);
      const watched = done([lhs, 'jobs', 'watch', job_id, '--json']).trim().split('\n');
      expect(JSON.parse(watched.at(-1)!)).toMatchObject({ state: 'done' });
      const { config } = JSON.parse(done([lhs, 'mcp', 'config', '--client', 'claude', '--json']));
      const { command, args } = config.mcpServers.lhs;
      expect(command).toBe(lhs);
      const call = { jsonrpc: '2.0', id: 1, method: 'ping' };
      expect(done([command, ...args], `${JSON.stringify(call)}\n`)).toContain('"id":1');
    },
  );

  it.skipIf(findProgram('actionlint') === null)('has a workflow without faults', () => {
    execFileSync(findProgram('actionlint')!, [FILE], { stdio: 'inherit' });
  });
});
