import type { ModeRequest, SavedQueryDraft } from '@lakehouse-search/contract';
import { useState } from 'preact/hooks';
import { useService } from '../parts/console-context.ts';
import { CopyLine } from '../parts/copy-line.tsx';
import { Problem } from '../parts/problem.tsx';
import { useAction } from '../parts/use-action.ts';
import { hrefOf } from '../place/place.ts';
import { curlCommand, pythonCode, searchCommand, typescriptCode } from '../text/commands.ts';

/** The same search in a shell, and under a name. */
export function AsCommand({ wanted }: { readonly wanted: ModeRequest }) {
  const { url, session } = useService();
  const address = { url, needsToken: session.current() !== undefined };
  return (
    <details class="as-command">
      <summary>Copy as command · Save</summary>
      <CopyLine label="lhs" text={searchCommand(wanted, address)} />
      <CopyLine label="curl" text={curlCommand(wanted, address)} />
      <CopyLine label="TypeScript" text={typescriptCode(wanted, address)} />
      <CopyLine label="Python" text={pythonCode(wanted, address)} />
      <SaveQuery wanted={wanted} />
    </details>
  );
}

function SaveQuery({ wanted: { mode, request } }: { readonly wanted: ModeRequest }) {
  const service = useService();
  const { isRunning, error, run } = useAction();
  const [saved, setSaved] = useState<string>();
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const name = String(new FormData(form).get('name'));
    const { highlight: _, offset: __, ...lasting } = request;
    const draft: SavedQueryDraft = { name, mode, request: lasting };
    setSaved(undefined);
    if (await run(() => service.call('createSavedQuery', draft))) {
      setSaved(name);
      form.reset();
    }
  };
  return (
    <form class="inline" onSubmit={save}>
      <label>
        Save as <input name="name" required autocomplete="off" />
      </label>
      <button type="submit" disabled={isRunning}>
        Save
      </button>
      {saved !== undefined && (
        <span role="status">
          “{saved}” is among the <a href={hrefOf({ screen: 'saved' })}>saved queries</a>.
        </span>
      )}
      {error !== undefined && <Problem error={error} />}
    </form>
  );
}
