import { useService } from './console-context.ts';

/** The command that makes the first index of this service. */
export function NoIndex() {
  const { url } = useService();
  return (
    <div class="nothing quiet">
      <p>This service has no index yet. Create one from a table:</p>
      <p>
        <code>lhs index apply FILE --url {url}</code>
      </p>
      <p>
        If the configuration of the server names no catalog, stop it and run the command without
        --url.
      </p>
    </div>
  );
}
