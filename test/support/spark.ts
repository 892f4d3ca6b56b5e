import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { unusedPort } from './unused-port.ts';

/** Spark as `pip install pyspark` gives it. */
export interface Spark {
  /** The Python of its environment. */
  readonly python: string;
  /** The folder of its programs. */
  readonly programs: string;
}

/** The begin of a command that runs a script on a master. */
export const submitTo = ({ programs }: Spark, master: string): string =>
  [join(programs, 'spark-submit'), '--master', master, ...QUIET].join(' ');

/** A master and workers of Spark's standalone mode. */
export interface SparkCluster {
  readonly address: string;
  stop(): Promise<void>;
}

/** The Spark of the Python that LHS_SPARK_PYTHON names; null without one, or without Java. */
export function findSpark(): Spark | null {
  const python = process.env.LHS_SPARK_PYTHON ?? '';
  if (python === '' || spawnSync('java', ['-version']).status !== 0) return null;
  return { python, programs: dirname(python) };
}

/** Copies of a task run on other hosts only, so that `local-cluster` runs none. */
const HOSTS = ['127.0.0.2', '127.0.0.3'];
const QUIET = [
  '--driver-memory 512m',
  '--conf spark.ui.enabled=false --conf spark.log.level=ERROR',
];
const SMALL = { SPARK_DAEMON_MEMORY: '256m', SPARK_NO_DAEMONIZE: '1' };

/** Starts a master, and two workers with two cores each, whose files are in a folder. */
export async function startSpark({ programs }: Spark, folder: string): Promise<SparkCluster> {
  mkdirSync(folder, { recursive: true });
  const children: ChildProcess[] = [];
  const start = async (ready: RegExp, role: string, ...args: string[]): Promise<void> => {
    const command = ['org.apache.spark.deploy', role, role[0].toUpperCase() + role.slice(1)];
    const child = spawn(join(programs, 'spark-class'), [command.join('.'), ...args], {
      env: { ...process.env, ...SMALL, SPARK_LOCAL_DIRS: folder },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    children.push(child);
    const lines = createInterface(child.stderr);
    const isReady = new Promise<void>((resolve) => {
      lines.on('line', (line) => ready.test(line) && resolve());
    });
    const end = once(child, 'exit').then(([code]) => {
      throw new Error(`a ${role} of Spark ended with ${code}`);
    });
    await Promise.race([isReady, end]);
    end.catch(() => {});
  };
  const port = String(await unusedPort());
  const address = `spark://127.0.0.1:${port}`;
  const small = ['--cores', '2', '--memory', '2g', '--work-dir', join(folder, 'work')];
  await start(/New state: ALIVE/, 'master', '--host', '127.0.0.1', '--port', port);
  await Promise.all(
    HOSTS.map((host) =>
      start(/Successfully registered/, 'worker', '--host', host, ...small, address),
    ),
  );
  return {
    address,
    async stop() {
      const ends = children.map((child) => once(child, 'exit'));
      for (const child of children) child.kill();
      await Promise.all(ends);
    },
  };
}
