import type { Scope } from '@lakehouse-search/contract';
import { useMay } from './console-context.ts';

/** What a user without a scope cannot do here, and who can change that. `what`: a plural. */
export function NeedsScope({ scope, what }: { readonly scope: Scope; readonly what: string }) {
  if (useMay(scope)) return null;
  return (
    <p class="quiet">
      {what} need the scope <code>{scope}</code>, which your roles do not have. An admin gives
      roles.
    </p>
  );
}
