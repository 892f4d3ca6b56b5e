/** Requests that `fetch` does not send: any Host, bodies of GET, bytes of any kind. */
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';

/** What is sent. */
export interface RawRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** What came back. */
export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends a request; bytes of `target` go out as they are, one per character. */
export function sendRaw(url: string, target: string, raw: RawRequest = {}): Promise<RawResponse> {
  const { hostname, port } = new URL(url);
  const { method = 'GET', headers, body } = raw;
  // the server closes connections whose requests it cannot read
  const to = { hostname, port, method, path: '/', headers, agent: false };
  return new Promise((resolve, reject) => {
    const sent = httpRequest(to, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const { statusCode = 0, headers: received } = response;
        const text = Buffer.concat(chunks).toString();
        resolve({ status: statusCode, headers: received, text });
      });
    });
    // the client of Node.js refuses some targets that other programs send
    sent.path = target;
    sent.on('error', reject).end(body);
  });
}
