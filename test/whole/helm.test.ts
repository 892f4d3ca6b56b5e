// @module-tag campaign
// @module-tag program
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findProgram } from '../support/find-program.ts';
import { manifests, podContainer, type Resource, renderChart } from '../support/kubernetes.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CHART = join(ROOT, 'deploy/helm');
const HELM = findProgram('helm');

const byName = (resources: readonly Resource[]) =>
  new Map(resources.map((one) => [`${one.kind} ${one.metadata.name}`, one]));

/** Checks resources by the schemas of Kubernetes. */
const VALIDATE = findProgram('kubernetes-validate');

describe.skipIf(VALIDATE === null)('the manifests', () => {
  const folders = ['deploy/kubernetes', 'integrations/kubernetes'].map((path) => join(ROOT, path));
  const files = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((file) => file.endsWith('.yaml') && file !== 'kustomization.yaml')
      .map((file) => join(folder, file)),
  );

  it.each(['1.31', '1.37'])('are valid for Kubernetes %s', (version) => {
    const args = ['--strict', '--kubernetes-version', version, ...files];
    const { status, stdout, stderr } = spawnSync(VALIDATE!, args, { encoding: 'utf8' });
    expect([status, stdout + stderr]).toEqual([0, expect.not.stringContaining('WARN')]);
  });
});

describe.skipIf(HELM === null)('deploy/helm', () => {
  it('renders the manifests, without their namespace', () => {
    const rendered = renderChart(HELM!, []);
    for (const { spec } of rendered) delete spec?.template?.metadata.annotations;
    expect(byName(rendered)).toEqual(byName(manifests()));
  });

  it('changes what the values say: image, replicas, resources, volumes, settings', () => {
    const before = byName(renderChart(HELM!, []));
    const rendered = renderChart(HELM!, [
      'image=registry.example/lhs:0.1.0',
      'node.replicas=4',
      'node.storage=7Gi',
      'gateway.replicas=3',
      'gateway.resources.limits.memory=9Gi',
      'config.memory=3GiB',
    ]);
    const after = byName(rendered);
    const [node, gateway] = ['node', 'gateway'].map((role) => podContainer(rendered, role));
    expect(node.image).toBe('registry.example/lhs:0.1.0');
    expect(gateway.resources).toEqual({ limits: { memory: '9Gi' } });
    expect(after.get('Deployment gateway')?.spec?.replicas).toBe(3);
    const data = { name: 'data', emptyDir: { sizeLimit: '7Gi' } };
    expect(after.get('Deployment node')?.spec).toMatchObject({
      replicas: 4,
      template: { spec: { volumes: expect.arrayContaining([data]) } },
    });
    const scaler = after.get('HorizontalPodAutoscaler node')?.spec;
    expect(scaler).toMatchObject({ minReplicas: 4, maxReplicas: 12 });
    expect(after.get('ConfigMap lhs')?.data).toEqual({ 'server.yaml': 'memory: 3GiB' });
    const [old, now] = [before, after].map((all) => all.get('Deployment gateway')?.spec?.template);
    expect(now?.metadata.annotations).not.toEqual(old?.metadata.annotations);
  });

  it('is well-formed, and refuses values that it does not know', () => {
    const helm = (...args: string[]) => spawnSync(HELM!, args, { encoding: 'utf8' });
    const lint = helm('lint', '--strict', CHART);
    expect([lint.status, lint.stdout]).toEqual([0, expect.stringContaining('0 chart(s) failed')]);
    const wrong = helm('template', 'release', join(CHART), '--set', 'node.replica=4');
    expect([wrong.status, wrong.stderr]).toEqual([1, expect.stringContaining('replica')]);
  });
});
