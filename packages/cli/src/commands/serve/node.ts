import { LhsCommand } from '../../base-command.ts';
import { startNode } from '../../serve/run-server.ts';
import { NODE_FLAGS } from '../../serve/serve-flags.ts';
import { plural } from '../../terminal/figures.ts';

export default class ServeNode extends LhsCommand {
  static override summary = 'Serve shards of indexes to the gateways of a cluster.';
  static override description =
    'All processes of a cluster need the same key in LHS_CLUSTER_KEY. Without a key, a node can ' +
    'be reached from this machine only. Ctrl-C and SIGTERM let running calls end.';
  static override examples = [
    '<%= config.bin %> serve node --addr 127.0.0.1:9001 --data-dir ./node-1',
    '<%= config.bin %> serve node --addr 0.0.0.0:9001 --shard-ordinals 0,2',
  ];
  static override flags = NODE_FLAGS;

  override async run(): Promise<void> {
    const { flags } = await this.parse(ServeNode);
    const { signal } = this.interruptible();
    const { node, options } = await startNode(flags, this.dataDir(flags));
    const { grpc, indexes } = node;
    if (flags.json) this.printJson({ grpc, indexes });
    else {
      const held = plural(indexes.length, 'index', 'indexes');
      this.terminal.err(`gRPC     ${grpc}`, `data     ${options.dataDir}: ${held}`, '');
    }
    await this.untilStopped(signal, node);
  }
}
