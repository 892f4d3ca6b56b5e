import { createServer, type Server, type Socket } from 'node:net';
import { HostedCommands, needsProcess } from '../../support/hosted-commands.ts';

/**
 * A script of bash that has a server run its command. It sends its folder, its arguments and its
 * environment, each with a NUL at its end, and runs what the server sends back.
 */
export const clientOf = (port: number): string =>
  `exec 3<>/dev/tcp/127.0.0.1/${port}
{ printf '%s\\0' "$PWD" "$#" "$@"; env -0; printf '\\0'; } >&3
eval "$(cat <&3)"
`;

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

interface Sent {
  readonly cwd: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** What a client has sent, once it is complete. */
function sentOf(bytes: Buffer): Sent | null {
  if (!bytes.subarray(-2).equals(Buffer.alloc(2))) return null;
  const [cwd = '', count, ...rest] = bytes.toString().split('\0');
  const set = rest.slice(Number(count)).filter((one) => one !== '');
  const env = set.map((one) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]);
  return { cwd, args: rest.slice(0, Number(count)), env: Object.fromEntries(env) };
}

/** Runs the commands of clients one after another in one process. */
export class CommandServer {
  /** Whether each command has a process of its own. */
  alone = false;
  readonly #command: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #hosted: HostedCommands;
  readonly #server: Server;

  /** `command`: the words of a shell that run `lhs`; `env`: what a client has, if nobody adds. */
  constructor(command: string, env: NodeJS.ProcessEnv) {
    this.#command = command;
    this.#env = env;
    this.#hosted = new HostedCommands(env);
    this.#server = createServer((socket) => this.#serve(socket));
  }

  /** Resolves to the port of clients on 127.0.0.1. */
  listen(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.on('error', reject);
      this.#server.listen(0, '127.0.0.1', () => {
        resolve((this.#server.address() as { port: number }).port);
      });
    });
  }

  close(): void {
    this.#server.close();
    this.#hosted.dispose();
  }

  #serve(socket: Socket): void {
    let bytes = Buffer.alloc(0);
    let asked = false;
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      const sent = asked ? null : sentOf(bytes);
      if (sent === null) return;
      asked = true;
      void this.#script(sent).then((script) => socket.end(script));
    });
  }

  /** What a client is to run: its command, or the outputs of the command and its exit code. */
  async #script({ args, cwd, env }: Sent): Promise<string> {
    const added = Object.entries(env).filter(([name, value]) => value !== this.#env[name]);
    const readsInput = args.includes('-');
    if (this.alone || readsInput || needsProcess(args, Object.fromEntries(added))) {
      return `exec 3>&-; exec ${this.#command} "$@"`;
    }
    try {
      const { code, written } = await this.#hosted.run(args, cwd, env);
      const lines = written.map(([output, bytes]) => {
        return `printf %s ${quoted(Buffer.from(bytes, 'base64').toString())} >&${output}`;
      });
      return [...lines, `exit ${code}`].join('\n');
    } catch (error) {
      return `echo ${quoted(String(error))} >&2; exit 70`;
    }
  }
}
