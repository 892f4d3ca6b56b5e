import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';

const DEPLOY = fileURLToPath(new URL('../../deploy', import.meta.url));

interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly fieldRef?: object };
  }[];
  readonly resources: object;
}

/** A resource of Kubernetes; those of pods have a template. */
export interface Resource {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data: Readonly<Record<string, string>>;
  readonly spec?: {
    readonly replicas: number;
    readonly template?: {
      readonly metadata: { annotations?: object };
      readonly spec: { readonly containers: readonly Container[] };
    };
  };
}

const resourcesOf = (text: string): Resource[] =>
  parseAllDocuments(text).map((document) => document.toJS() as Resource);

/** The resources that the manifests create in their namespace. */
export function manifests(): readonly Resource[] {
  const folder = join(DEPLOY, 'kubernetes');
  const all = readdirSync(folder).flatMap((file) =>
    resourcesOf(readFileSync(join(folder, file), 'utf8')),
  );
  return all.filter(({ kind }) => !['Kustomization', 'Namespace'].includes(kind));
}

/** The resources of the chart, as the program `helm` renders them. */
export function renderChart(helm: string, values: readonly string[]): readonly Resource[] {
  const args = [
    'template',
    'release',
    join(DEPLOY, 'helm'),
    ...values.flatMap((v) => ['--set', v]),
  ];
  return resourcesOf(
    execFileSync(helm, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }),
  );
}

/** The first container of the pods of a role. */
export function podContainer(resources: readonly Resource[], role: string): Container {
  const isPod = ({ metadata, spec }: Resource) => metadata.name === role && spec?.template;
  return resources.find(isPod)!.spec!.template!.spec.containers[0];
}
