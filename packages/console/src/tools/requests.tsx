import { ROUTES } from '@lakehouse-search/client/routes/internal';
import { useState } from 'preact/hooks';
import { useMayCall, useService } from '../parts/console-context.ts';
import { CopyButton } from '../parts/copy-line.tsx';
import { Problem } from '../parts/problem.tsx';
import { Screen } from '../parts/screen.tsx';
import { useAction } from '../parts/use-action.ts';
import { goTo } from '../place/use-place.ts';
import type { ConsoleOperation } from '../service/routes.ts';
import { duration } from '../text/figures.ts';

/** Operations with one request and one answer. */
const OPERATIONS = (Object.keys(ROUTES) as ConsoleOperation[]).filter(
  (name) => ROUTES[name].stream === undefined && name !== 'login',
);

/** A request as it was sent, and its answer. */
interface Exchange {
  readonly text: string;
  readonly ms: number;
}

/** Any operation of the service with a request in JSON, and the answer beside it. */
export function Requests({ operation: named }: { readonly operation: string | undefined }) {
  const service = useService();
  const mayCall = useMayCall();
  const action = useAction();
  const [exchange, setExchange] = useState<Exchange>();
  const [body, setBody] = useState('{\n  \n}');
  const operation = OPERATIONS.find((name) => name === named) ?? 'search';
  const { verb, path } = ROUTES[operation];
  const send = (event: Event) => {
    event.preventDefault();
    action.run(async () => {
      const began = performance.now();
      const request = JSON.parse(body.trim() || '{}');
      const answer = await service.call(operation, request);
      setExchange({ text: JSON.stringify(answer, null, 2), ms: performance.now() - began });
    });
  };
  return (
    <Screen title="Requests" lead="Any request to the service, with the rights of the user.">
      <form onSubmit={send} class="requests">
        <p>
          <select
            aria-label="Operation"
            value={operation}
            onChange={({ currentTarget: { value } }) =>
              goTo({ screen: 'requests', operation: value })
            }
          >
            {OPERATIONS.filter(mayCall).map((name) => (
              <option key={name} value={name}>
                {ROUTES[name].verb} {ROUTES[name].path}
              </option>
            ))}
          </select>{' '}
          <button type="submit" class="main" disabled={action.isRunning}>
            Send
          </button>{' '}
          <a href={`${service.url}/v1/openapi.json`}>OpenAPI</a>
        </p>
        <div class="exchange">
          <label>
            <span class="quiet">
              {verb} {path}
            </span>
            <textarea
              aria-label="Request"
              value={body}
              rows={16}
              spellcheck={false}
              onInput={({ currentTarget: { value } }) => setBody(value)}
              onKeyDown={(event) => event.key === 'Enter' && event.ctrlKey && send(event)}
            />
          </label>
          <section aria-label="Answer" aria-live="polite">
            {action.error !== undefined && <Problem error={action.error} />}
            {action.error === undefined && exchange !== undefined && (
              <>
                <span class="quiet">{duration(exchange.ms)}</span>
                <CopyButton label="answer" text={exchange.text} />
                <pre>{exchange.text}</pre>
              </>
            )}
          </section>
        </div>
      </form>
    </Screen>
  );
}
