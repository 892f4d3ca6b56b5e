// @module-tag campaign
// @module-tag program
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findProgram } from '../support/find-program.ts';
import { manifestFiles, renderedChart } from '../support/kubernetes.ts';

const VALIDATE = process.env.LHS_KUBERNETES_VALIDATE ?? '';
const HELM = findProgram('helm');

/** `pip install kubernetes-validate`: it has the schemas of Kubernetes, and needs no network. */
describe.skipIf(VALIDATE === '')('resources of Kubernetes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lhs-kubernetes-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Its exit code, what is wrong, and how many resources are right. */
  function validated(...files: readonly string[]) {
    const done = spawnSync(VALIDATE, ['--strict', ...files], { encoding: 'utf8' });
    const lines = `${done.stdout}${done.stderr}`.split('\n').filter((line) => line !== '');
    const [passed, wrong] = [true, false].map((isRight) =>
      lines.filter((line) => / passed for resource /.test(line) === isRight),
    );
    return { status: done.status, wrong, passed: passed.length };
  }

  it('have the fields of their schemas, and no others', () => {
    const files = manifestFiles().filter((file) => basename(file) !== 'kustomization.yaml');
    const { passed, ...found } = validated(...files);
    expect(found).toEqual({ status: 0, wrong: [] });
    expect(passed).toBeGreaterThan(10);
  });

  it('are refused with a field that they do not have', () => {
    const file = join(folder, 'wrong.yaml');
    writeFileSync(
      file,
      'apiVersion: v1\nkind: Service\nmetadata: { name: a }\nspec: { port: 1 }\n',
    );
    expect(validated(file)).toMatchObject({ status: 1, passed: 0 });
  });

  it.skipIf(HELM === null)('have them as the chart renders them', () => {
    const file = join(folder, 'chart.yaml');
    writeFileSync(file, renderedChart(HELM!, ['node.replicas=4', 'node.storage=7Gi']));
    expect(validated(file)).toMatchObject({ status: 0, wrong: [] });
  });
});
