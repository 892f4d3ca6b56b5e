import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/**
 * A REST catalog of one table, `ops.notes`, over its folder: answers with its newest metadata file
 * and the `restrictions` that are set, 304 to a caller that names the metadata file by its ETag,
 * and not at all while it `hangs`.
 */
export class RestCatalog {
  hangs = false;
  /** The `read-restrictions` of the answers. */
  restrictions: unknown;
  /** Status codes of the answers about the table; 0: none came. */
  readonly answers: number[] = [];
  readonly #server: Server;
  readonly #metadata: string;

  constructor(folder: string) {
    this.#metadata = join(folder, 'metadata');
    this.#server = createServer((request, response) => {
      const say = (status: number, body: string, headers = {}) => {
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(body);
      };
      if (request.url?.startsWith('/v1/config')) return say(200, '{"defaults":{},"overrides":{}}');
      if (this.hangs) return void this.answers.push(0);
      const file = this.#newest();
      const etag = `"${file}"`;
      const known = request.headers['if-none-match'] === etag;
      this.answers.push(known ? 304 : 200);
      if (known) return say(304, '');
      const path = join(this.#metadata, file);
      const more = this.restrictions === undefined ? '' : this.#restrictionsPart();
      const metadata = readFileSync(path, 'utf8');
      const body = `{"metadata-location":"${path}","metadata":${metadata}${more}}`;
      say(200, body, { etag });
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  #restrictionsPart(): string {
    return `,"read-restrictions":${JSON.stringify(this.restrictions)}`;
  }

  #newest(): string {
    const version = (name: string) => Number(/^v(\d+)\.metadata\.json$/.exec(name)?.[1] ?? 0);
    return readdirSync(this.#metadata).sort((a, b) => version(b) - version(a))[0];
  }
}
