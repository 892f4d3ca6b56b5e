import { LhsCommand } from '../../base-command.ts';
import { controlPlaneLines, startControlPlane } from '../../serve/run-control-plane.ts';
import { SERVE_FLAGS } from '../../serve/serve-flags.ts';

const {
  auth: _,
  'insecure-open': __,
  'search-adapter': ___,
  console: ____,
  ...FLAGS
} = SERVE_FLAGS;

export default class ServeControlPlane extends LhsCommand {
  static override summary = 'Run a control plane of a cluster.';
  static override description =
    'Registers nodes, places shards, publishes routes and runs jobs over all shards. Several ' +
    'control planes share a store in PostgreSQL, and one of them leads. With sync, it also reads ' +
    'the changes of tables for all shards.';
  static override examples = [
    '<%= config.bin %> serve control-plane',
    '<%= config.bin %> serve control-plane --addr 0.0.0.0:8081 --config server.yaml',
  ];
  static override flags = FLAGS;

  override async run(): Promise<void> {
    const { flags } = await this.parse(ServeControlPlane);
    const { signal } = this.interruptible();
    const started = await startControlPlane(flags, this.dataDir(flags));
    const { url, grpc } = started.running;
    if (flags.json) this.printJson({ url, grpc });
    else this.terminal.err(...controlPlaneLines(started), '');
    await this.untilStopped(signal, started.running);
  }
}
