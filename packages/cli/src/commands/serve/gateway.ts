import { LhsCommand } from '../../base-command.ts';
import { consoleLines, passwordLines, startGateway } from '../../serve/run-server.ts';
import { GATEWAY_FLAGS } from '../../serve/serve-flags.ts';

export default class ServeGateway extends LhsCommand {
  static override summary = 'Serve the indexes of the nodes of a cluster over REST and gRPC.';
  static override description =
    'A search runs on all shards. If a node does not answer in time, the response is partial. ' +
    'Ctrl-C and SIGTERM let running calls end.';
  static override examples = [
    '<%= config.bin %> serve gateway --nodes 127.0.0.1:9001,127.0.0.1:9002',
    '<%= config.bin %> serve gateway --auth --config gateway.yaml',
  ];
  static override flags = GATEWAY_FLAGS;

  override async run(): Promise<void> {
    const { flags } = await this.parse(ServeGateway);
    const { signal } = this.interruptible();
    const { server, options } = await startGateway(flags, this.dataDir(flags));
    const { url, grpc, indexes, adminPassword, latePassword } = server;
    if (flags.json) this.printJson({ url, grpc, indexes });
    const lines = flags.json
      ? []
      : [`REST     ${url}`, `gRPC     ${grpc}`, ...consoleLines(server, options)];
    this.terminal.err(...lines, ...passwordLines(adminPassword), '');
    void latePassword?.then((password) => this.terminal.err(...passwordLines(password)));
    await this.untilStopped(signal, server);
  }
}
