import { LhsCommand } from '../../base-command.ts';
import { passwordLines, startLines, startServer } from '../../serve/run-server.ts';
import { SERVE_FLAGS, storageFlag } from '../../serve/serve-flags.ts';

export default class ServeAll extends LhsCommand {
  static override summary = 'Serve the indexes of the data folder over REST and gRPC.';
  static override description =
    'Keeps the indexes equal to their tables, or reads what is published at --storage. Ctrl-C ' +
    'and SIGTERM let running calls end.';
  static override examples = [
    '<%= config.bin %> serve all',
    '<%= config.bin %> serve all --storage s3://bucket/prefix',
    '<%= config.bin %> serve all --auth --rest-addr 0.0.0.0:8080 --config server.yaml',
  ];
  static override flags = { ...SERVE_FLAGS, storage: storageFlag };

  override async run(): Promise<void> {
    const { flags } = await this.parse(ServeAll);
    const { signal } = this.interruptible();
    const started = await startServer(flags, this.dataDir(flags));
    const { url, grpc, indexes, adminPassword } = started.server;
    if (flags.json) this.printJson({ url, grpc, indexes });
    this.terminal.err(...(flags.json ? passwordLines(adminPassword) : startLines(started)), '');
    await this.untilStopped(signal, started.server);
  }
}
