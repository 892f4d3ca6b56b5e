import type { Json, JsonObject } from '@lakehouse-search/contract';
import { valueText } from '../text/values.ts';

/** Parts of an object below these many are open at first. */
const FEW_PARTS = 8;

/** An object or a list whose parts open and close. */
export function Folded({
  value,
}: {
  readonly value: Exclude<Json, string | number | boolean | null>;
}) {
  const parts = Object.entries(value as JsonObject);
  if (parts.length === 0) return <code>{Array.isArray(value) ? '[]' : '{}'}</code>;
  return (
    <ul class="folded">
      {parts.map(([name, part]) => (
        <li key={name}>
          {part !== null && typeof part === 'object' ? (
            <details open={parts.length <= FEW_PARTS}>
              <summary>
                <bdi>{name}</bdi>
              </summary>
              <Folded value={part} />
            </details>
          ) : (
            <>
              <bdi class="quiet">{name}</bdi> <bdi>{valueText(part)}</bdi>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
